//! Handles a damaged index: detects it, and sets it aside so that the next writer rebuilds it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags};

use super::SqliteStore;
use super::error;
use crate::StoreError;

/// Separates the index's name from the time when it was set aside.
const DAMAGED: &str = ".damaged-";
/// Damaged indexes to keep. Older ones are deleted if SQLite finds the damage.
const MAX_KEPT: usize = 2;
/// The files of a database in the order in which they are moved: the log, the log's index, and the database. The log goes first,
/// because a new database must not find the log of the old one.
pub(super) const PARTS: [&str; 3] = ["-wal", "-shm", ""];

impl SqliteStore {
    /// See [`Engine::set_aside`](crate::Engine::set_aside). `now` becomes part of the new name.
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

    /// See [`Engine::set_aside_indexes`](crate::Engine::set_aside_indexes).
    pub fn set_aside_indexes(path: &Path) -> io::Result<Vec<PathBuf>> {
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

    /// See [`Engine::in_memory`](crate::Engine::in_memory).
    pub fn in_memory() -> Result<Self, StoreError> {
        let path = Path::new(":memory:");
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let connection = super::connection::open(path, flags)?;
        let mut store = Self::new(path, connection);
        store.refresh_full_text()?;
        Ok(store)
    }
}

/// Returns whether SQLite finds the pages and tables of the index sound. Reads the whole index, but does not compare indexes with
/// their tables.
///
/// # Errors
/// The disk cannot be read. Damage is not an error.
pub(super) fn is_intact(connection: &Connection, path: &Path) -> Result<bool, StoreError> {
    let found: Result<String, _> = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
    match found.map_err(|error| error::of_index(error, path)) {
        Ok(found) => Ok(found == "ok"),
        Err(StoreError::Corrupt { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

fn forget_older(path: &Path) -> io::Result<()> {
    let aside = SqliteStore::set_aside_indexes(path)?;
    for old in &aside[..aside.len().saturating_sub(MAX_KEPT)] {
        // An index that cannot be read now may be intact, so it stays.
        let opened = Connection::open_with_flags(old, OpenFlags::SQLITE_OPEN_READ_ONLY);
        let checked = opened.map_err(|error| error::of_index(error, old)).and_then(|old_one| is_intact(&old_one, old));
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
