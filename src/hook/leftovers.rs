//! Files that are being written, and what a process that was killed left of them.

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use tempfile::NamedTempFile;

use crate::disk::is_unfinished;

/// How the name of a file begins that is being written.
const UNFINISHED: &str = ".tmp";
/// How old it is when its writer must have been killed.
const LEFT: Duration = Duration::from_secs(3600);

/// Makes a file in `folder` that gets its name when it is complete.
pub(super) fn unfinished(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder)
}

/// Removes from `folder` what nobody writes any more, and files that are older at `now` than `age` says by their names; `None`
/// keeps one.
pub(super) fn sweep(folder: &Path, now: Timestamp, age: impl Fn(&str) -> Option<Duration>) {
    let now = SystemTime::from(now);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // Another process may be writing an unfinished file: its age is the file system's.
        let unfinished = name.starts_with(UNFINISHED) || is_unfinished(&name);
        let (now, limit) = if unfinished { (SystemTime::now(), Some(LEFT)) } else { (now, age(&name)) };
        let passed = entry.metadata().ok().and_then(|metadata| now.duration_since(metadata.modified().ok()?).ok());
        if passed.zip(limit).is_some_and(|(passed, limit)| passed > limit) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
