//! The file of origins, beside the journal. It is only ever appended to.

use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

use super::{AppendedEntry, Entry, Journal};
use crate::origins::{Author, LineKey, LineOrigin, Origins, Record};
use crate::{MemoryFolder, WriteError};

/// Most bytes that are read, the newest ones: some millions of lines. The origin of an older line then counts as unknown.
const MAX_READ: u64 = 256 << 20;
/// The command of a hook's writes in the journal.
const HOOK: &str = "hook";
/// Commands with which somebody writes a line in their own words.
const OWN_WORDS: [&str; 5] = ["remember", "daily", "feedback", "capture", "chat"];
/// Prefix of the channels of HTTP keys, whose writes are the person's own.
const OF_KEY: &str = "http:";

/// The file of origins of one memory folder.
#[derive(Debug)]
pub(crate) struct OriginLog(Journal);

impl OriginLog {
    /// Returns the file beside this journal.
    pub(crate) fn beside(journal: &Journal) -> Self {
        Self(journal.named_beside("origins"))
    }

    /// Takes over the origins beside a journal that is about to be renamed.
    pub(crate) fn rename(from: &Journal, to: &Journal) -> Result<(), WriteError> {
        let (from, to) = (Self::beside(from).0, Self::beside(to).0);
        if from.path().exists() && !to.path().exists() { from.rename_to(&to) } else { Ok(()) }
    }

    /// Begins the file, if it is missing, with the origins that the journal still knows. It does not know what an agent had read.
    pub(crate) fn begin(&self, journal: &Journal) -> Result<(), WriteError> {
        if self.0.path().exists() {
            return Ok(());
        }
        let known: Vec<Record> = journal.entries()?.iter().filter_map(of_entry).collect();
        if !known.is_empty() {
            self.append(&known)?;
        }
        Ok(())
    }

    /// Appends records and syncs them to the disk. The caller holds the lock of the memory folder.
    pub(crate) fn append(&self, records: &[Record]) -> Result<AppendedEntry, WriteError> {
        self.0.append_all(records)
    }

    /// Reads the origins of the lines of `files`, or of all files; a missing file holds none.
    fn read(&self, files: Option<&[&str]>) -> Result<Origins, WriteError> {
        let path = self.0.path();
        let failed = |source| WriteError::Io { path: path.clone(), action: "read", source };
        let mut file = match tars_base::private::open(&path, std::fs::OpenOptions::new().read(true)) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Origins::default()),
            opened => opened.map_err(failed)?,
        };
        let length = file.metadata().map_err(failed)?.len();
        let from = length.saturating_sub(MAX_READ);
        file.seek(SeekFrom::Start(from)).map_err(failed)?;
        let mut bytes = Vec::new();
        file.take(MAX_READ).read_to_end(&mut bytes).map_err(failed)?;
        let mut whole = bytes.as_slice();
        if from > 0 {
            let first = whole.iter().position(|byte| *byte == b'\n').map_or(whole.len(), |end| end + 1);
            whole = &whole[first..];
        }
        Ok(Origins::parse(whole, files))
    }
}

impl Journal {
    /// Returns the origins of the lines of `files`, or of all files of the memory folder.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn origins(&self, files: Option<&[&str]>) -> Result<Origins, WriteError> {
        OriginLog::beside(self).read(files)
    }
}

impl MemoryFolder {
    /// Returns the origins of the lines of the folder, read once; `None` if the folder knows of no data directory.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn origins(&self) -> Result<Option<Arc<Origins>>, WriteError> {
        let Some(data) = &self.data else { return Ok(None) };
        self.origins.get(|| Journal::of(data, self)?.origins(None)).map(Some)
    }

    /// Returns the origins of the lines of these files, read anew; `None` if the folder knows of no data directory.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn origins_of(&self, files: &[&str]) -> Result<Option<Origins>, WriteError> {
        let Some(data) = &self.data else { return Ok(None) };
        Journal::of(data, self)?.origins(Some(files)).map(Some)
    }
}

/// Returns the origin that an entry of the journal tells; `None` if it wrote no line.
fn of_entry(entry: &Entry) -> Option<Record> {
    if entry.undoes.is_some() {
        return None;
    }
    let asked = entry.channel.as_deref().filter(|channel| !channel.starts_with(OF_KEY));
    let by = match entry.command.as_str() {
        "import" => Author::Import,
        HOOK => Author::Unknown,
        _ if asked.is_some() || entry.session.is_some() => Author::Unknown,
        own if OWN_WORDS.contains(&own) || own == "review" => Author::Person,
        _ => Author::Machine,
    };
    let went: Vec<&String> = entry.changes.iter().flat_map(|change| &change.removed).collect();
    let came = entry.changes.iter().flat_map(|change| &change.inserted).filter(|line| !went.contains(line));
    let lines: Vec<LineKey> = came.filter_map(|line| LineKey::of(line)).collect();
    let record = Record {
        id: entry.id,
        time: entry.time,
        command: entry.command.clone(),
        file: entry.file.clone(),
        origin: LineOrigin { by, client: asked.map(str::to_owned), model: None, session: entry.session.clone() },
        lines,
        whole: entry.regenerable_hash(),
        moved_to: entry.moved_to.clone(),
        forgot: Vec::new(),
    };
    (!record.lines.is_empty() || record.whole.is_some() || record.moved_to.is_some()).then_some(record)
}

/// Whether a command writes lines in the words of whoever runs it, instead of carrying lines from elsewhere.
pub(crate) fn is_in_own_words(command: &str) -> bool {
    OWN_WORDS.contains(&command)
}
