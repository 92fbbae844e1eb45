//! The journal of writes to the memory folder, for listing and undoing them.
//!
//! Each write appends one line of JSON before the write itself. So every write is in the journal, and the hashes reveal an entry
//! whose write never happened. Each memory folder has its own journal file in the data directory, readable by its owner alone. The
//! file is named by the id in the memory folder's `.tars-folder`, so a vault keeps its history when it moves. A line `{"folder":
//! PATH}` records the folder's path at the last write. Fields of the other lines ([`Entry`]):
//!
//! - `id`: counts up. `group`: the id of the first write of the same command; a group is undone as a whole.
//! - `time`: RFC 3339, UTC. `command`, `session`, `channel`: who wrote.
//! - `file`: name within the memory folder. `before`, `after`: blake3 of the whole file; absent if the file did not exist.
//! - `offset`, `removed`, `inserted`: the changed bytes. Bytes that are not UTF-8 are stored as `{"hex"}`.
//! - `changes`: the same change by lines, each with its surrounding lines, for files that have changed since.
//! - `moved_to`: the new name, if the file was only moved; the entry holds none of its bytes.
//! - `made`: the outermost folder that was created for the file; an undo removes it if it is empty.
//! - `whole`: of each command, the newest run with this mark stays in the journal, however large the journal is.
//! - `regenerable`: the command that wrote the file can write it again; the entry holds none of its bytes.
//! - `undoes`: the id of the write that this one undid. If that write was itself an undo, this one is a redo.

mod append;
mod line_times;
mod locate;
mod origin_log;
mod trim;

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) use append::AppendedEntry;
use append::{remove_partial_line, truncate};
pub use line_times::line_written_at;
pub(crate) use origin_log::{OriginLog, is_in_own_words};

use super::WriteError;
use super::lines::{Lines, Splice};
use super::origins::{Author, LineOrigin};
use tars_base::disk::{File, Folder};
use tars_base::domain;

/// Largest journal that is read, in bytes.
const MAX_BYTES: u64 = 256 << 20;
/// The journal repeats a person's text, so only its owner may read it.
const MODE: u32 = 0o600;
/// Context lines kept on either side of a change.
const CONTEXT_LINES: usize = 2;

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
    /// The agent session that the write was made for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The program that requested the write, unless it came from a terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// Name of the file within the memory folder.
    pub file: String,
    /// The id of the write that this one undid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<u64>,
    /// The new name, if the file was only moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
    /// The outermost folder that was created for the file or its new name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) made: Option<String>,
    /// Whether the journal keeps the writes of this command, whatever its size, until the command's next run with the same mark.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) whole: bool,
    /// Whether the entry holds none of the created file's bytes, because the command can write the file again from its source.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) regenerable: bool,
    /// Hash of the whole file before the write; `None` if it did not exist.
    pub(super) before: Option<String>,
    /// Hash of the whole file after the write; `None` if it no longer exists.
    pub(super) after: Option<String>,
    pub(super) offset: usize,
    pub(super) removed: Bytes,
    pub(super) inserted: Bytes,
    /// The change by lines.
    pub changes: Vec<Change>,
}

/// A run of lines and its replacement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// Line number before the change, from 0.
    pub at: usize,
    /// The removed lines.
    pub removed: Vec<String>,
    /// The inserted lines.
    pub inserted: Vec<String>,
    /// The lines right above.
    pub above: Vec<String>,
    /// The lines right below.
    pub below: Vec<String>,
}

/// Bytes of a file, as text if they are UTF-8.
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
            Err(_) => Self::Hex { hex: domain::hex(bytes) },
        }
    }

    pub(super) fn is_binary(&self) -> bool {
        matches!(self, Self::Hex { .. })
    }

    pub(super) fn get(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.clone().into_bytes(),
            // Digits edited in the journal decode to bytes with a wrong hash, so they are never written.
            Self::Hex { hex } => domain::from_hex(hex).unwrap_or_default(),
        }
    }
}

/// The author of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The command, as it is typed.
    pub command: String,
    /// The agent session, if one writes.
    pub session: Option<String>,
    /// The program that requested the write, unless it came from a terminal.
    pub channel: Option<String>,
    /// The authors of its lines.
    pub by: Author,
    /// The client of the agent that wrote them, or the program that they were imported from.
    pub client: Option<String>,
    /// The agent's language model.
    pub model: Option<String>,
}

impl Origin {
    /// Returns the origin of a command of tars itself without a session.
    pub fn of(command: &str) -> Self {
        let (session, channel, client, model) = Default::default();
        Self { command: command.into(), session, channel, by: Author::Machine, client, model }
    }

    /// Returns the origin of a line that the author writes.
    pub fn line(&self) -> LineOrigin {
        let (client, model) = (self.client.clone(), self.model.clone());
        LineOrigin { by: self.by, client, model, session: self.session.clone() }
    }
}

/// Returns the hash by which the journal identifies a content.
pub(super) fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

impl Entry {
    /// Describes a write that is about to happen. The writer sets `id`, `group` and `time` when it appends the entry.
    pub(super) fn new(origin: &Origin, file: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> Self {
        let (old, new) = (before.unwrap_or_default(), after.unwrap_or_default());
        let start = old.iter().zip(new).take_while(|(one, other)| one == other).count();
        let rest = old.len().min(new.len()) - start;
        let same = |count: &usize| old[old.len() - 1 - count] == new[new.len() - 1 - count];
        let end = (0..rest).take_while(same).count();
        Self {
            id: 0,
            group: 0,
            time: jiff::Timestamp::UNIX_EPOCH,
            command: origin.command.clone(),
            session: origin.session.clone(),
            channel: origin.channel.clone(),
            file: file.into(),
            undoes: None,
            moved_to: None,
            made: None,
            whole: false,
            regenerable: false,
            before: before.map(hash),
            after: after.map(hash),
            offset: start,
            removed: Bytes::of(&old[start..old.len() - end]),
            inserted: Bytes::of(&new[start..new.len() - end]),
            changes: Vec::new(),
        }
    }

    /// Describes the coming move of a file that holds `content`.
    pub(super) fn of_move(origin: &Origin, from: &str, to: &str, content: &[u8]) -> Self {
        let nothing = Self::new(origin, from, None, None);
        Self { moved_to: Some(to.into()), before: Some(hash(content)), ..nothing }
    }

    /// Drops the bytes of a created or removed file that can be written again from its source. The hashes suffice to remove it.
    pub(super) fn regenerable(self) -> Self {
        let nothing = || Bytes::Text(String::new());
        Self { regenerable: true, offset: 0, removed: nothing(), inserted: nothing(), changes: Vec::new(), ..self }
    }

    /// Adds the change by lines.
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
                    above: text(splice.at.saturating_sub(CONTEXT_LINES)..splice.at),
                    below: text(end..lines.len().min(end + CONTEXT_LINES)),
                }
            })
            .collect();
        self.changes.sort_by_key(|change| change.at);
        self
    }

    /// Returns the hash of the file that the command can write again; `None` for other writes.
    pub(super) fn regenerable_hash(&self) -> Option<String> {
        self.after.clone().filter(|_| self.regenerable)
    }

    /// Whether the file is still as the write left it.
    pub(super) fn matches_after(&self, now: Option<&[u8]>) -> bool {
        now.map(hash) == self.after
    }

    /// Whether a content is the file's content right before the write.
    pub(super) fn matches_before(&self, content: Option<&[u8]>) -> bool {
        content.map(hash) == self.before
    }

    /// Whether a content with this hash was the file's content right before or right after the write.
    pub(super) fn has_hash(&self, content: &str) -> bool {
        [&self.before, &self.after].into_iter().flatten().any(|known| known == content)
    }

    /// Whether the write never reached the file or was reverted by hand: the file is as it was before.
    pub(super) fn was_not_applied(&self, now: Option<&[u8]>) -> bool {
        self.before != self.after && now.map(hash) == self.before
    }
}

/// The journal of one memory folder.
#[derive(Debug)]
pub struct Journal {
    data: PathBuf,
    name: String,
}

impl Journal {
    /// Returns the path of the journal file, which may not exist yet.
    pub fn path(&self) -> PathBuf {
        self.data.join(&self.name)
    }

    /// Returns the entries, oldest first. Lines that cannot be read are skipped: a newer tars may have written them.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn entries(&self) -> Result<Vec<Entry>, WriteError> {
        let bytes = self.bytes()?;
        Ok(bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }

    /// Appends a line and syncs it to disk. The caller holds the lock of the memory folder.
    pub(super) fn append(&self, line: &impl Serialize) -> Result<AppendedEntry, WriteError> {
        self.append_all(std::slice::from_ref(line))
    }

    /// Appends lines and syncs them to disk, like [`Journal::append`].
    pub(super) fn append_all(&self, entries: &[impl Serialize]) -> Result<AppendedEntry, WriteError> {
        let mut lines = Vec::new();
        for entry in entries {
            serde_json::to_writer(&mut lines, entry).map_err(|error| self.failed("write")(error.into()))?;
            lines.push(b'\n');
        }
        let mut file = self.file()?;
        let length = remove_partial_line(&mut file).map_err(self.failed("read"))?;
        if let Err(error) = file.write_all(&lines).and_then(|()| file.sync()) {
            let _ = truncate(&file, length);
            return Err(self.failed("write")(error));
        }
        Ok(AppendedEntry::new(file, self.path(), length))
    }

    /// Returns the last entry and the offset of its line.
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

    /// Truncates the journal to `length` bytes.
    pub(super) fn truncate(&self, length: u64) -> Result<(), WriteError> {
        truncate(&self.file()?, length).map_err(self.failed("write"))
    }

    /// Reads the journal; a missing one is empty.
    fn bytes(&self) -> Result<Vec<u8>, WriteError> {
        match Folder::open(&self.data).and_then(|folder| folder.read(&self.name, MAX_BYTES)) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            read => read.map(Option::unwrap_or_default).map_err(self.failed("read")),
        }
    }

    fn folder(&self) -> Result<Folder, WriteError> {
        Folder::open(&self.data).map_err(self.failed("open"))
    }

    fn file(&self) -> Result<File, WriteError> {
        let file = self.folder()?.open_or_create(&self.name, MODE).map_err(self.failed("open"))?;
        if file.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0) {
            // File systems without modes fail here, which is harmless.
            let _ = file.set_mode(MODE);
        }
        Ok(file)
    }

    fn failed(&self, action: &'static str) -> impl FnOnce(std::io::Error) -> WriteError {
        let path = self.path();
        move |source| WriteError::Io { path, action, source }
    }
}
