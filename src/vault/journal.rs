//! What tars wrote into the memory folder, so that it can be shown and taken back.
//!
//! One line of JSON a write, appended before the write itself: a write that is not in the journal did not happen, and an
//! entry whose write never happened is recognised by its hashes. The journal lives in the data directory, in a file of
//! its own for each memory folder, readable by its owner alone. Fields of a line ([`Entry`]):
//!
//! - `id`: counts up. `group`: the id of the first write of the same command; a group is taken back together.
//! - `time`: RFC 3339, UTC. `command`, `session`: who wrote.
//! - `file`: name within the memory folder. `before`, `after`: blake3 of the whole file; absent where there was none.
//! - `offset`, `removed`, `inserted`: the bytes that changed. Bytes that are no UTF-8 stand as `{"hex"}`.
//! - `changes`: the same by lines, each with the lines around it, for files that changed since.
//! - `undoes`: the id of the write that this one took back.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::WriteError;
use super::lines::{Lines, Splice};

/// A journal that outgrows this is cut to its newest half.
const LARGE: u64 = 8 << 20;
/// Lines kept on either side of a change.
const AROUND: usize = 2;

/// One write.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Counts up within a journal.
    pub id: u64,
    /// Id of the first write of the same command.
    pub group: u64,
    /// When it was written.
    pub time: jiff::Timestamp,
    /// The command that wrote, as it is typed: `remember`.
    pub command: String,
    /// The agent's session it was written for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Name of the file within the memory folder.
    pub file: String,
    /// The write that this one took back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<u64>,
    /// Hash of the whole file before, if there was one.
    pub(super) before: Option<String>,
    /// Hash of the whole file after, if there is one.
    pub(super) after: Option<String>,
    pub(super) offset: usize,
    pub(super) removed: Bytes,
    pub(super) inserted: Bytes,
    /// What changed, by lines.
    pub changes: Vec<Change>,
}

/// Lines that were put in the place of others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Line of the file before it, from 0.
    pub at: usize,
    /// Lines that went.
    pub removed: Vec<String>,
    /// Lines that came.
    pub inserted: Vec<String>,
    /// Lines right above.
    pub above: Vec<String>,
    /// Lines right below.
    pub below: Vec<String>,
}

/// Bytes of a file, as text where they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Bytes {
    Text(String),
    Hex { hex: String },
}

impl Bytes {
    fn of(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Hex { hex: bytes.iter().map(|byte| format!("{byte:02x}")).collect() },
        }
    }

    pub(super) fn is_no_text(&self) -> bool {
        matches!(self, Self::Hex { .. })
    }

    pub(super) fn get(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.clone().into_bytes(),
            Self::Hex { hex } => hex
                .as_bytes()
                .chunks(2)
                .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
                .collect(),
        }
    }
}

/// Who writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The command, as it is typed.
    pub command: String,
    /// The agent's session, if it is one that writes.
    pub session: Option<String>,
}

/// Returns the name by which the journal knows a content.
pub(super) fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

impl Entry {
    /// Describes a write that is about to be made; `id` and `group` are given by the journal.
    pub(super) fn new(origin: &Origin, file: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> Self {
        let (old, new) = (before.unwrap_or_default(), after.unwrap_or_default());
        let start = old.iter().zip(new).take_while(|(one, other)| one == other).count();
        let rest = old.len().min(new.len()) - start;
        let same = |count: &usize| old[old.len() - 1 - count] == new[new.len() - 1 - count];
        let end = (0..rest).take_while(same).count();
        Self {
            id: 0,
            group: 0,
            time: jiff::Timestamp::now(),
            command: origin.command.clone(),
            session: origin.session.clone(),
            file: file.into(),
            undoes: None,
            before: before.map(hash),
            after: after.map(hash),
            offset: start,
            removed: Bytes::of(&old[start..old.len() - end]),
            inserted: Bytes::of(&new[start..new.len() - end]),
            changes: Vec::new(),
        }
    }

    /// Adds the same by lines.
    pub(super) fn with_changes(mut self, lines: &Lines<'_>, splices: &[Splice]) -> Self {
        let text = |range: std::ops::Range<usize>| range.map(|line| lines.line(line).into_owned()).collect();
        self.changes = splices
            .iter()
            .map(|splice| {
                let end = splice.at + splice.remove;
                Change {
                    at: splice.at,
                    removed: text(splice.at..end),
                    inserted: splice.insert.clone(),
                    above: text(splice.at.saturating_sub(AROUND)..splice.at),
                    below: text(end..lines.len().min(end + AROUND)),
                }
            })
            .collect();
        self.changes.sort_by_key(|change| change.at);
        self
    }

    /// Whether the write never reached the file, or was taken back by hand: the file is as it was before.
    pub(super) fn never_happened(&self, now: Option<&[u8]>) -> bool {
        self.before != self.after && now.map(hash) == self.before
    }
}

/// The journal of one memory folder.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
}

impl Journal {
    /// Names the journal of the memory folder at `folder` in the data directory `data`.
    pub fn new(data: &Path, folder: &Path) -> Self {
        let mut name = hash(folder.as_os_str().as_encoded_bytes());
        name.truncate(16);
        Self { path: data.join(format!("journal-{name}.jsonl")) }
    }

    /// Returns what was written, oldest first. A line that cannot be read is passed over: a newer tars may have written it.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn entries(&self) -> Result<Vec<Entry>, WriteError> {
        let bytes = self.bytes()?;
        Ok(bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }

    /// Appends an entry, on the disk when it returns, and returns the length of the journal before it. The caller holds
    /// the lock of the memory folder.
    pub(super) fn append(&self, entry: &Entry) -> Result<u64, WriteError> {
        let mut line = serde_json::to_vec(entry).map_err(|error| self.failed("write")(error.into()))?;
        line.push(b'\n');
        let mut file = self.file()?;
        let length = whole_lines(&mut file).map_err(self.failed("read"))?;
        if let Err(error) = file.write_all(&line).and_then(|()| file.sync_data()) {
            let _ = file.set_len(length);
            return Err(self.failed("write")(error));
        }
        Ok(length)
    }

    /// Returns the last entry, and where its line begins.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub(super) fn last(&self) -> Result<Option<(u64, Entry)>, WriteError> {
        let bytes = self.bytes()?;
        let mut end = bytes.len();
        while let Some(last) = bytes[..end].iter().rposition(|byte| *byte == b'\n') {
            let start = bytes[..last].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            if let Ok(entry) = serde_json::from_slice(&bytes[start..last]) {
                return Ok(Some((start as u64, entry)));
            }
            end = start;
        }
        Ok(None)
    }

    /// Takes back what was appended since the journal had this length.
    pub(super) fn truncate(&self, length: u64) -> Result<(), WriteError> {
        self.file()?.set_len(length).map_err(self.failed("write"))
    }

    /// Cuts a journal that has grown large to its newest half.
    pub(super) fn trim(&self) -> Result<(), WriteError> {
        if fs::metadata(&self.path).map_or(0, |metadata| metadata.len()) <= LARGE {
            return Ok(());
        }
        let bytes = fs::read(&self.path).map_err(self.failed("read"))?;
        let middle = bytes.len() / 2;
        let kept = bytes[middle..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| middle + at + 1);
        let beside = self.path.with_extension("tmp");
        let written = private(&beside).and_then(|mut file| {
            file.set_len(0)?;
            file.write_all(&bytes[kept..])?;
            file.sync_all()?;
            fs::rename(&beside, &self.path)
        });
        written.map_err(self.failed("write"))
    }

    /// Reads the journal; one that is not there yet is empty.
    fn bytes(&self) -> Result<Vec<u8>, WriteError> {
        match fs::read(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            read => read.map_err(self.failed("read")),
        }
    }

    fn file(&self) -> Result<File, WriteError> {
        private(&self.path).map_err(self.failed("open"))
    }

    fn failed(&self, action: &'static str) -> impl FnOnce(std::io::Error) -> WriteError {
        let path = self.path.clone();
        move |source| WriteError::Io { path, action, source }
    }
}

/// Opens a file for appending that only its owner may read.
fn private(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).read(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Cuts off a line that a crash left without its end, and returns the length of what is left.
fn whole_lines(file: &mut File) -> std::io::Result<u64> {
    let mut length = file.seek(SeekFrom::End(0))?;
    let mut last = [b'\n'];
    let torn = length;
    while length > 0 {
        file.seek(SeekFrom::Start(length - 1))?;
        file.read_exact(&mut last)?;
        if last == *b"\n" {
            break;
        }
        length -= 1;
    }
    if length < torn {
        file.set_len(length)?;
    }
    Ok(length)
}
