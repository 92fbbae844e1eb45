//! What becomes of a damaged index: it is looked at, set aside under another name, and made anew by the next process that writes.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags};

use super::SqliteStore;
use super::error;
use crate::store::StoreError;

/// What stands between the name of the index and the time at which it was set aside.
const DAMAGED: &str = ".damaged-";
/// So many damaged indexes are kept; of older ones those go in which SQLite finds the damage.
const KEPT: usize = 2;
/// What belongs to a database: its log and the log's index, in the order in which they are moved, then the file itself. A new
/// database must not find the log of the old one, so the log goes first.
pub(super) const PARTS: [&str; 3] = ["-wal", "-shm", ""];

impl SqliteStore {
    /// Moves the index at `path` out of the way, with its log. `now` is part of its new name. Returns where it lies now; the last two that were set aside are kept, and older ones that are whole. The caller holds the
    /// right to write the index.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn set_aside(path: &Path, now: Timestamp) -> Result<PathBuf, StoreError> {
        let failed = |error: io::Error| StoreError::Open { path: path.to_owned(), detail: error.to_string() };
        let time = now.strftime("%Y%m%dT%H%M%S%6fZ");
        let aside = with_suffix(path, format!("{DAMAGED}{time}"));
        for part in PARTS {
            match fs::rename(with_suffix(path, part), with_suffix(&aside, part)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
                _ => {}
            }
        }
        forget_older(path).map_err(failed)?;
        Ok(aside)
    }

    /// Returns the indexes that were set aside, the oldest first.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn aside(path: &Path) -> io::Result<Vec<PathBuf>> {
        let mut start = path.file_name().unwrap_or_default().to_owned();
        start.push(DAMAGED);
        let mut found = Vec::new();
        for entry in fs::read_dir(path.parent().unwrap_or(Path::new(".")))? {
            let name = entry?.file_name();
            let is_part = |part: &&str| !part.is_empty() && name.as_encoded_bytes().ends_with(part.as_bytes());
            if name.as_encoded_bytes().starts_with(start.as_encoded_bytes()) && !PARTS.iter().any(is_part) {
                found.push(path.with_file_name(name));
            }
        }
        found.sort();
        Ok(found)
    }

    /// Makes an empty index in memory: what a question is answered from where the one on disk cannot be used.
    ///
    /// # Errors
    /// SQLite has no memory.
    pub fn in_memory() -> Result<Self, StoreError> {
        let path = Path::new(":memory:");
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let connection = super::connection::open(path, flags)?;
        let mut store = Self::new(path, connection);
        store.refresh_full_text()?;
        Ok(store)
    }
}

/// Returns whether SQLite finds nothing wrong with the pages and tables of the index. All of it is read, indexes are not
/// compared with their tables.
///
/// # Errors
/// The disk cannot be read. Damage is no error.
pub(super) fn is_whole(connection: &Connection, path: &Path) -> Result<bool, StoreError> {
    let found: Result<String, _> = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
    match found.map_err(|error| error::of_index(error, path)) {
        Ok(found) => Ok(found == "ok"),
        Err(StoreError::Corrupt { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

fn forget_older(path: &Path) -> io::Result<()> {
    let aside = SqliteStore::aside(path)?;
    for old in &aside[..aside.len().saturating_sub(KEPT)] {
        // One that cannot be read now may be whole: it stays.
        let opened = Connection::open_with_flags(old, OpenFlags::SQLITE_OPEN_READ_ONLY);
        let checked = opened.map_err(|error| error::of_index(error, old)).and_then(|old_one| is_whole(&old_one, old));
        if !matches!(checked, Ok(false)) {
            continue;
        }
        for part in PARTS {
            let _ = fs::remove_file(with_suffix(old, part));
        }
    }
    Ok(())
}

pub(super) fn with_suffix(path: &Path, suffix: impl AsRef<OsStr>) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}
