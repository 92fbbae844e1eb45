//! The files of the ledger.

use std::borrow::Cow;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::blank::{Edited, blank_lines, drop_note, edited};
use super::{Record, ShownPiece, ShownRecord};
use tars_base::data_files;
use tars_base::private::{self, short_hash};

/// Maximum length of a record, in bytes.
const MAX_RECORD: usize = 32 << 10;
/// Maximum number of pieces in a record, and of lines in a piece.
const MAX_PIECES: usize = 100;
const MAX_LINES: usize = 100;
/// Maximum length of a line's text, in characters.
const MAX_LINE_TEXT: usize = 160;
/// Maximum length of a question or a heading, in characters.
const MAX_QUESTION: usize = 100;
/// Maximum size of a month's file, in bytes: some 10,000 prompts and 2,000 session starts.
const MAX_FILE: u64 = 16 << 20;
/// Maximum length of a session's name.
const MAX_SESSION_NAME: usize = 64;
/// Suffix of the file names.
const SUFFIX: &str = ".jsonl";

/// The recall ledger of a data directory.
#[derive(Debug, Clone)]
pub struct RecallLedger {
    folder: PathBuf,
    max_file: u64,
}

/// Returns the session's name in the ledger: its id, or the id's hash if it is not a plain word.
pub fn session_name(id: &str) -> Cow<'_, str> {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_.:".contains(character);
    match !id.is_empty() && id.len() <= MAX_SESSION_NAME && id.chars().all(is_plain) {
        true => Cow::Borrowed(id),
        false => Cow::Owned(short_hash(id.as_bytes())),
    }
}

impl RecallLedger {
    /// Returns the ledger of the data directory `data`, which need not exist.
    pub fn new(data: &Path) -> Self {
        Self { folder: data.join("recall"), max_file: MAX_FILE }
    }

    /// Returns the folder of the ledger's files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether a name is that of a ledger file: `2026-11.jsonl`.
    pub fn is_file(name: &str) -> bool {
        let is_right = |place: usize, byte: u8| if place == 4 { byte == b'-' } else { byte.is_ascii_digit() };
        let month = name.strip_suffix(SUFFIX).filter(|month| month.len() == 7);
        month.is_some_and(|month| month.bytes().enumerate().all(|(place, byte)| is_right(place, byte)))
    }

    /// Whether anything was ever recorded.
    pub fn exists(&self) -> bool {
        self.folder.is_dir()
    }

    /// Appends a record, truncated to the ledger's limits, in a single write, because processes may append
    /// concurrently. It does not sync: a crash of the machine may lose a record, but no prompt may wait for the disk.
    ///
    /// # Errors
    /// The data directory cannot be written, or the file of the month is full.
    pub fn add(&self, record: &Record) -> io::Result<()> {
        let mut bytes = bounded(record)?;
        bytes.push(b'\n');
        private::create_folder(&self.folder)?;
        let path = self.folder.join(format!("{}{SUFFIX}", record.at().strftime("%Y-%m")));
        let mut file = private::open(&path, OpenOptions::new().read(true).append(true).create(true))?;
        let length = file.metadata()?.len();
        if length + bytes.len() as u64 > self.max_file {
            let said = format!("{} is full ({} MiB)", path.display(), self.max_file >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, said));
        }
        // Starts a new line after a record that a full disk has torn.
        let mut last = [b'\n'];
        if length > 0 {
            file.read_exact_at(&mut last, length - 1)?;
        }
        if last != [b'\n'] {
            bytes.insert(0, b'\n');
        }
        match file.write(&bytes)? {
            written if written == bytes.len() => Ok(()),
            _ => Err(io::ErrorKind::StorageFull.into()),
        }
    }

    /// Returns the records since `since`, in the order in which they were written.
    ///
    /// # Errors
    /// A file exists but cannot be read.
    pub fn since(&self, since: Timestamp) -> io::Result<Vec<Record>> {
        let first = format!("{}{SUFFIX}", since.strftime("%Y-%m"));
        let mut found = Vec::new();
        for name in self.months()?.into_iter().filter(|name| *name >= first) {
            found.extend(self.read(&name)?.into_iter().filter(|record| record.at() >= since));
        }
        Ok(found)
    }

    /// Returns the name and the records of the last session with a showing that satisfies `is_meant`, if any. The records
    /// include expansions of unknown sessions.
    ///
    /// # Errors
    /// Like [`RecallLedger::since`].
    pub fn session(&self, is_meant: impl Fn(&ShownRecord) -> bool) -> io::Result<Option<(String, Vec<Record>)>> {
        let mut found: Option<(String, Vec<Record>)> = None;
        for month in self.months()?.iter().rev() {
            let records = self.read(month)?;
            let session = match &found {
                Some((session, _)) => session.clone(),
                None => match records.iter().rev().find_map(|record| match record {
                    Record::Shown(shown) if is_meant(shown) => Some(shown.session.clone()),
                    _ => None,
                }) {
                    Some(session) => session,
                    None => continue,
                },
            };
            let is_its = |record: &Record| record.session().is_none_or(|own| own == session);
            let own: Vec<Record> = records.into_iter().filter(is_its).collect();
            // The records of a session of several months are in several files.
            let is_over = !own.iter().any(|record| record.session().is_some());
            let (_, later) = found.get_or_insert_with(|| (session, Vec::new()));
            if is_over {
                break;
            }
            later.splice(0..0, own);
        }
        Ok(found)
    }

    /// Removes the text of every line for which `is_forgotten` holds; the fact that something was shown stays. Records
    /// keep their length, so that other processes may append meanwhile.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn forget(&self, is_forgotten: &dyn Fn(&str) -> bool) -> io::Result<()> {
        self.edit(&|record| blank_lines(record, &|_, text| is_forgotten(text)))
    }

    /// Like [`RecallLedger::forget`], for the lines of one note.
    ///
    /// # Errors
    /// As [`RecallLedger::forget`].
    pub fn forget_lines(&self, collection: &str, path: &str, is_forgotten: &dyn Fn(&str) -> bool) -> io::Result<()> {
        let is_its = |piece: &ShownPiece| piece.collection == collection && piece.path == path;
        self.edit(&|record| blank_lines(record, &|piece, text| is_its(piece) && is_forgotten(text)))
    }

    /// Removes every excerpt of a note, and every use of one: the note counts as absent.
    ///
    /// # Errors
    /// As [`RecallLedger::forget`].
    pub fn forget_note(&self, collection: &str, path: &str) -> io::Result<()> {
        self.edit(&|record| drop_note(record, &|of, at| of == collection && at == path))
    }

    /// Gives a collection another name in all records. A month's file is written anew and takes the place of the old one: a record that
    /// another process appends in that moment may be lost.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn rename_collection(&self, old: &str, new: &str) -> io::Result<()> {
        for name in self.months()? {
            let path = self.folder.join(name);
            let mut bytes = Vec::new();
            private::open(&path, OpenOptions::new().read(true))?.take(self.max_file).read_to_end(&mut bytes)?;
            let mut any = false;
            let lines = bytes.split(|byte| *byte == b'\n').map(|line| {
                let renamed = renamed(line, old, new);
                any |= renamed.is_some();
                renamed.map_or(Cow::Borrowed(line), Cow::Owned)
            });
            let written = lines.collect::<Vec<_>>().join(&b'\n');
            if any {
                data_files::replace(&path, &written)?;
            }
        }
        Ok(())
    }

    /// Edits records in place. They keep their length, so that other processes may append meanwhile.
    fn edit(&self, edit: &dyn Fn(&mut Record) -> Edited) -> io::Result<()> {
        for name in self.months()? {
            let file = private::open(&self.folder.join(name), OpenOptions::new().read(true).write(true))?;
            let mut bytes = Vec::new();
            (&file).take(self.max_file).read_to_end(&mut bytes)?;
            let mut start = 0;
            for line in bytes.split(|byte| *byte == b'\n') {
                if let Some(edited) = edited(line, edit) {
                    file.write_all_at(&edited, start)?;
                }
                start += line.len() as u64 + 1;
            }
        }
        Ok(())
    }

    /// Returns the paths of the months' files, oldest first.
    ///
    /// # Errors
    /// The folder exists but cannot be read.
    pub fn files(&self) -> io::Result<Vec<PathBuf>> {
        Ok(self.months()?.into_iter().map(|name| self.folder.join(name)).collect())
    }

    /// Returns the file names, oldest first.
    fn months(&self) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| Self::is_file(name))
            .collect();
        names.sort_unstable();
        Ok(names)
    }

    /// Returns the records of a file. Skips lines that are no records, and everything beyond the maximum file size.
    fn read(&self, name: &str) -> io::Result<Vec<Record>> {
        let mut bytes = Vec::new();
        let file = private::open(&self.folder.join(name), OpenOptions::new().read(true))?;
        file.take(self.max_file).read_to_end(&mut bytes)?;
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty() && line.len() <= MAX_RECORD);
        Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }
}

/// Returns a record with another name of a collection; `None` if it does not name the collection.
fn renamed(line: &[u8], old: &str, new: &str) -> Option<Vec<u8>> {
    let mut record = serde_json::from_slice(line).ok()?;
    let names: Vec<&mut String> = match &mut record {
        Record::Shown(shown) => shown.pieces.iter_mut().map(|piece| &mut piece.collection).collect(),
        Record::Used(used) => vec![&mut used.collection],
    };
    let mut any = false;
    for name in names.into_iter().filter(|name| *name == old) {
        new.clone_into(name);
        any = true;
    }
    if any { serde_json::to_vec(&record).ok() } else { None }
}

/// Serializes a record within the length limit: texts are truncated, and the last pieces dropped.
fn bounded(record: &Record) -> io::Result<Vec<u8>> {
    let Record::Shown(shown) = record else { return Ok(serde_json::to_vec(record)?) };
    let pieces = shown.pieces.iter().take(MAX_PIECES).cloned().collect();
    let mut shown = ShownRecord {
        pieces,
        question: shown.question.clone(),
        session: shown.session.clone(),
        project: shown.project.clone(),
        ..*shown
    };
    shown.project.iter_mut().for_each(|project| truncate(project, MAX_QUESTION));
    truncate(&mut shown.question, MAX_QUESTION);
    for piece in &mut shown.pieces {
        truncate(&mut piece.heading, MAX_QUESTION);
        piece.lines.truncate(MAX_LINES);
        piece.lines.iter_mut().for_each(|line| truncate(&mut line.text, MAX_LINE_TEXT));
    }
    let mut record = Record::Shown(shown);
    loop {
        let bytes = serde_json::to_vec(&record)?;
        let Record::Shown(shown) = &mut record else { return Ok(bytes) };
        if bytes.len() < MAX_RECORD || shown.pieces.pop().is_none() {
            return Ok(bytes);
        }
    }
}

fn truncate(text: &mut String, max_chars: usize) {
    if let Some((end, _)) = text.char_indices().nth(max_chars) {
        text.truncate(end);
        text.push('…');
    }
}

#[cfg(test)]
mod tests;
