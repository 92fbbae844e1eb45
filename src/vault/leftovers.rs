//! Cleans up files that a killed process left in the memory folder.
//!
//! A `.part` holds only tars' own text and is removed. A `.tmp` holds a file's former content, perhaps with an editor's last save:
//! it is removed only if it equals one of the two contents of that file's newest journal entry. Any other is kept under a visible
//! name.

use jiff::Zoned;

use super::journal::{Entry, Journal, hash};
use super::place::MAX_FILE_BYTES;
use super::replace::{HIDDEN_PREFIX, PART_SUFFIX, TMP_SUFFIX};
use super::{WriteError, open_files};
use tars_base::disk::Folder;

/// Sweeps `folder`, whose files the journal knows with `prefix` before their names. The caller holds the lock of the memory folder,
/// so nobody is writing a hidden file now. Returns the names of the visible files that hold a person's text; `now` is part of these
/// names.
///
/// # Errors
/// The folder or the journal cannot be read.
pub(super) fn sweep(folder: &Folder, prefix: &str, journal: &Journal, now: &Zoned) -> Result<Vec<String>, WriteError> {
    let stamp = now.strftime("%Y-%m-%d %H.%M.%S").to_string();
    let failed = |source| WriteError::Io { path: folder.path().to_owned(), action: "read", source };
    let mut kept = Vec::new();
    for (name, is_folder) in folder.names().map_err(failed)? {
        let Some(beside) = name.strip_prefix(HIDDEN_PREFIX).filter(|_| !is_folder) else { continue };
        if beside.ends_with(PART_SUFFIX) {
            let _ = folder.remove(&name);
        } else if let Some(of) = beside.strip_suffix(TMP_SUFFIX) {
            let is_ours = |content: &str| Ok(is_ours(&journal.entries()?, &format!("{prefix}{of}"), content));
            kept.extend(settle(folder, &name, is_ours, |count| visible_name(of, &stamp, count))?);
        }
    }
    Ok(kept)
}

/// Removes the leftover file `name` if `is_ours` accepts its hash; otherwise renames it to the first free name of `visible_name`.
fn settle(
    folder: &Folder,
    name: &str,
    is_ours: impl Fn(&str) -> Result<bool, WriteError>,
    visible: impl Fn(usize) -> String,
) -> Result<Option<String>, WriteError> {
    let failed = |action, source| WriteError::at(folder, name, action, source);
    let Some(content) = folder.read(name, MAX_FILE_BYTES).map_err(|error| failed("read", error))? else {
        return Ok(None);
    };
    // An editor may still have the file open: keep it, so that its later saves stay visible.
    if is_ours(&hash(&content))? && !open_files::is_open_for_writing(&folder.path().join(name)) {
        folder.remove(name).map_err(|error| failed("remove", error))?;
        return Ok(None);
    }
    for count in 1.. {
        let visible = visible(count);
        match folder.rename_new(name, &visible) {
            Ok(()) => {
                folder.sync();
                return Ok(Some(visible));
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed("rename", error)),
        }
    }
    Ok(None)
}

/// Whether a content is one of the two in the newest journal entry of `file`. Leftovers of an earlier tars carry no file's name:
/// for them, any entry counts.
fn is_ours(entries: &[Entry], file: &str, content: &str) -> bool {
    match entries.iter().rfind(|entry| entry.file == file) {
        Some(newest) => newest.has_hash(content),
        None => entries.iter().any(|entry| entry.has_hash(content)),
    }
}

/// Returns the visible name for a leftover of the file `of`: `Memory (conflict 2026-11-22 16.45.01).md`.
fn visible_name(of: &str, stamp: &str, count: usize) -> String {
    let stem = of.strip_suffix(".md").unwrap_or(of);
    let stem = &stem[..stem.floor_char_boundary(200)];
    let number = if count == 1 { String::new() } else { format!(" {count}") };
    format!("{stem} (conflict {stamp}{number}).md")
}
