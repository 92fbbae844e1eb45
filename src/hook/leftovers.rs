//! Files that are being written, and what a process that was killed left of them.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

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

/// Removes from `folder` what nobody writes any more, and files that are older than `age` says by their names; `None` keeps
/// one.
pub(super) fn sweep(folder: &Path, age: impl Fn(&str) -> Option<Duration>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let unfinished = name.starts_with(UNFINISHED) || is_unfinished(&name);
        let limit = if unfinished { Some(LEFT) } else { age(&name) };
        let passed = entry.metadata().ok().and_then(|metadata| metadata.modified().ok()?.elapsed().ok());
        if passed.zip(limit).is_some_and(|(passed, limit)| passed > limit) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
