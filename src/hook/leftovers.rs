//! Unfinished files, and the cleanup of those that a killed process left behind.

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use tempfile::NamedTempFile;

use tars_base::disk::is_unfinished;

/// Name prefix of an unfinished file.
const UNFINISHED: &str = ".tmp";
/// Age at which the writer of an unfinished file must be gone.
const ABANDONED_AFTER: Duration = Duration::from_secs(3600);

/// Creates an unfinished file in `folder`. It gets its name when it is complete.
pub(super) fn unfinished(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder)
}

/// Removes abandoned unfinished files from `folder`, and files that are older at `now` than the limit that `age` returns for their name;
/// `None` keeps a file.
pub(super) fn sweep(folder: &Path, now: Timestamp, age: impl Fn(&str) -> Option<Duration>) {
    let now = SystemTime::from(now);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // Unfinished files are measured by the real clock, because another process may be writing them now.
        let unfinished = name.starts_with(UNFINISHED) || is_unfinished(&name);
        let (now, limit) = if unfinished { (SystemTime::now(), Some(ABANDONED_AFTER)) } else { (now, age(&name)) };
        let passed = entry.metadata().ok().and_then(|metadata| now.duration_since(metadata.modified().ok()?).ok());
        if passed.zip(limit).is_some_and(|(passed, limit)| passed > limit) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
