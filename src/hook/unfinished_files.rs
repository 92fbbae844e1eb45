//! Replaces files atomically, and removes the unfinished ones that a killed process left behind.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use jiff::Timestamp;

use tars_base::disk::is_partial_name;
use tars_base::private;

/// Name prefix of an unfinished file.
const UNFINISHED: &str = ".tmp";
/// Age at which the writer of an unfinished file must be gone.
const ABANDONED_AFTER: Duration = Duration::from_secs(3600);

/// Replaces a file of the data directory. It gets its name when it is complete.
///
/// # Errors
/// The file or its folder cannot be written.
pub(super) fn replace(file: &Path, bytes: &[u8]) -> Result<()> {
    let folder = file.parent().context("a file is in a folder")?;
    private::create_folder(folder)?;
    let mut unfinished = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder)?;
    unfinished.write_all(bytes)?;
    unfinished.persist(file).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(())
}

/// Removes abandoned unfinished files from `folder`, and files that are older at `now` than the limit that `age` returns for their name;
/// `None` keeps a file.
pub(super) fn sweep(folder: &Path, now: Timestamp, age: impl Fn(&str) -> Option<Duration>) {
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
