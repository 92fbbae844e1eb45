//! Files and locks of the data directory: replaces files atomically, and removes the unfinished ones that a killed process left behind.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use serde::de::DeserializeOwned;

use crate::disk::{Folder, is_partial_name, write_atomic};
use crate::private;

/// Name prefix of an unfinished file.
const UNFINISHED: &str = ".tmp";
/// Age at which the writer of an unfinished file must be gone.
const ABANDONED_AFTER: Duration = Duration::from_secs(3600);

/// Replaces a file of the data directory. It gets its name when it is complete.
///
/// # Errors
/// The file or its folder cannot be written.
pub fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = file.parent().ok_or(io::ErrorKind::InvalidInput)?;
    private::create_folder(folder)?;
    let mut unfinished = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder)?;
    unfinished.write_all(bytes)?;
    unfinished.persist(file).map_err(|failed| with_text(&failed.error, &format!("cannot write {}", file.display())))?;
    Ok(())
}

/// Replaces a file of the data directory, and creates its folder if missing. The file is on the disk when this returns; only one process at
/// a time may write the name.
///
/// # Errors
/// The system refuses.
pub fn write(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    private::create_folder(folder)?;
    write_atomic(&Folder::open(folder)?, name, bytes, 0o600)
}

/// Reads a JSON file of the data directory; `None` if it is missing or malformed.
///
/// # Errors
/// Like [`private::read`].
pub fn read_json<T: DeserializeOwned>(file: &Path, max_bytes: u64) -> io::Result<Option<T>> {
    match private::read(file, max_bytes) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Creates an empty file, and the folder if missing. Returns whether the file is new.
///
/// # Errors
/// The folder or the file cannot be created.
pub fn mark(folder: &Path, name: &str) -> io::Result<bool> {
    private::create_folder(folder)?;
    match private::open(&folder.join(name), OpenOptions::new().write(true).create_new(true)) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns the wanted names in a folder, sorted.
pub fn names(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| is_wanted(name));
    names.sort();
    names
}

/// Removes abandoned unfinished files from `folder`, and files that are older at `now` than the limit that `age` returns for their name;
/// `None` keeps a file.
pub fn sweep(folder: &Path, now: Timestamp, age: impl Fn(&str) -> Option<Duration>) {
    let now = SystemTime::from(now);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // Unfinished files are measured by the real clock, because another process may be writing them now.
        let unfinished = name.starts_with(UNFINISHED) || is_partial_name(&name);
        let (now, limit) = if unfinished { (SystemTime::now(), Some(ABANDONED_AFTER)) } else { (now, age(&name)) };
        let passed = entry.metadata().ok().and_then(|metadata| now.duration_since(metadata.modified().ok()?).ok());
        if passed.zip(limit).is_some_and(|(passed, limit)| passed > limit) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Locks a folder, which is created if missing; `None` if another process holds the lock.
///
/// # Errors
/// The folder cannot be made or locked.
pub fn try_lock(folder: &Path) -> io::Result<Option<File>> {
    private::create_folder(folder)?;
    let failed = |error: &io::Error| with_text(error, &format!("cannot lock {}", folder.display()));
    let lock = private::open_lock(&folder.join("lock")).map_err(|error| failed(&error))?;
    match lock.try_lock() {
        Ok(()) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(failed(&error)),
    }
}

fn with_text(error: &io::Error, text: &str) -> io::Error {
    io::Error::new(error.kind(), format!("{text}: {error}"))
}
