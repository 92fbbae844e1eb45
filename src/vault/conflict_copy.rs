//! Recognises the copies that sync programs create when a note was changed in two places.
//!
//! | program | name of the copy of `Note.md` | described at |
//! |---|---|---|
//! | Syncthing | `Note.sync-conflict-20261122-101112-ABCDEFG.md` | docs.syncthing.net/users/syncing.html |
//! | Dropbox | `Note (Anna's conflicted copy 2026-11-22).md` | help.dropbox.com/organize/conflicted-copy |
//! | Nextcloud, ownCloud | `Note (conflicted copy 2026-11-22 101112).md` | doc.owncloud.com/desktop/next/conflicts.html |
//! | Obsidian Sync | `Note (Conflicted copy laptop 202611221011).md` | obsidian.md/help/sync/troubleshoot |
//!
//! A copy counts as a conflict copy only while the note lies beside it: once the note is gone, the copy is the only version left.
//! The files that tars itself keeps (`NAME (conflict …).md`) hold a person's text and are no such copies.

use std::ffi::OsStr;
use std::path::Path;

use super::evicted::placeholder;

/// Whether the file `name` in `folder` is a conflict copy of a note that lies beside it or that iCloud has evicted.
pub(super) fn is_conflict_copy(folder: &Path, name: &OsStr) -> bool {
    let Some(original) = name.to_str().and_then(original) else { return false };
    [placeholder(&original), original]
        .iter()
        .any(|name| folder.join(name).symlink_metadata().is_ok_and(|found| found.is_file()))
}

/// Whether the name marks one side of a conflict: a sync program's copy, or a save of a person that tars kept.
pub(super) fn is_conflict_side(name: &str) -> bool {
    let kept = |stem: &str| {
        let (base, inside) = stem.strip_suffix(')')?.rsplit_once(" (conflict ")?;
        Some(!base.is_empty() && inside.starts_with(|first: char| first.is_ascii_digit()))
    };
    original(name).is_some() || name.rsplit_once('.').and_then(|(stem, _)| kept(stem)).unwrap_or(false)
}

/// Returns the name of the note that a copy with this name belongs to.
fn original(name: &str) -> Option<String> {
    let (stem, extension) = name.rsplit_once('.')?;
    let base = before_sync_conflict(stem).or_else(|| before_conflicted_copy(stem))?;
    (!base.is_empty()).then(|| format!("{base}.{extension}"))
}

/// Returns the part before `.sync-conflict-DATE-TIME-DEVICE`. Versions of Syncthing before 0.14.32 name no device.
fn before_sync_conflict(stem: &str) -> Option<&str> {
    let (base, rest) = stem.rsplit_once(".sync-conflict-")?;
    let mut parts = rest.split('-');
    let mut digits = |count: usize| {
        parts.next().is_some_and(|part| part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let dated = digits(8) && digits(6);
    let is_device = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (dated && parts.next().is_none_or(is_device) && parts.next().is_none()).then_some(base)
}

/// Returns the part before a final `(… conflicted copy …)`.
fn before_conflicted_copy(stem: &str) -> Option<&str> {
    let (base, inside) = stem.strip_suffix(')')?.rsplit_once(" (")?;
    inside.to_lowercase().contains("conflicted copy").then_some(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_conflict_copies_by_their_names() {
        for name in [
            "Note.sync-conflict-20261122-101112-ABCDEFG.md",
            "Note.sync-conflict-20261122-101112.md",
            "Note (Anna's conflicted copy 2026-11-22).md",
            "Note (conflicted copy 2026-11-22 101112).md",
            "Note (Conflicted copy laptop 202611221011).md",
        ] {
            assert_eq!(original(name).as_deref(), Some("Note.md"), "{name}");
        }
        for name in [
            "Note.md",
            "Note (conflict 2026-11-22 16.45.01).md",
            "On conflicted copy.md",
            "(conflicted copy 2026-11-22).md",
            "Note.sync-conflict-soon.md",
            "Note.sync-conflict-20261122-101112-ABC-DEF.md",
            ".sync-conflict-20261122-101112-ABCDEFG.md",
        ] {
            assert_eq!(original(name), None, "{name}");
        }
        assert!(is_conflict_side("Note (conflict 2026-11-22 16.45.01).md"));
        assert!(!is_conflict_side("Note (conflict of interest).md") && !is_conflict_side("Note.md"));
    }
}
