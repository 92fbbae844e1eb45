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

/// The program that made a copy, as its name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncProgram {
    /// Syncthing.
    Syncthing,
    /// Dropbox, Nextcloud or ownCloud, which name their copies alike.
    Dropbox,
    /// Obsidian Sync.
    ObsidianSync,
    /// iCloud Drive, whose copies only have a number.
    ICloud,
    /// OneDrive, whose copies only have the name of a computer.
    OneDrive,
}

/// Returns the name of the note that a copy with this name belongs to, and the program that made the copy.
pub fn conflict_original(name: &str) -> Option<(String, SyncProgram)> {
    let (stem, extension) = name.rsplit_once('.')?;
    let of_program = |program| move |base| (base, program);
    let (base, program) =
        before_sync_conflict(stem).map(of_program(SyncProgram::Syncthing)).or_else(|| before_conflicted_copy(stem))?;
    (!base.is_empty()).then(|| (format!("{base}.{extension}"), program))
}

/// Returns the names of the notes that a file with this name may be a copy of, nearest first: iCloud and OneDrive write names that people
/// write too (`Note 2.md`, `Note-LAPTOP.md`), so the texts must decide.
pub fn possible_originals(name: &str) -> Vec<(String, SyncProgram)> {
    /// Longest name of a computer (RFC 1123), and most dashes that are tried.
    const LONGEST_HOST: usize = 63;
    const MOST_DASHES: usize = 8;
    let Some((stem, extension)) = name.rsplit_once('.') else { return Vec::new() };
    let mut found = Vec::new();
    if let Some((base, number)) = stem.rsplit_once(' ')
        && !base.is_empty()
        && number.len() <= 2
        && number.parse().is_ok_and(|number: u8| number >= 2)
    {
        found.push((format!("{base}.{extension}"), SyncProgram::ICloud));
    }
    let is_host = |host: &str| host.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    for (at, _) in stem.rmatch_indices('-').take(MOST_DASHES) {
        let (base, host) = (&stem[..at], &stem[at + 1..]);
        if !base.is_empty() && (2..=LONGEST_HOST).contains(&host.len()) && is_host(host) {
            found.push((format!("{base}.{extension}"), SyncProgram::OneDrive));
        }
    }
    found
}

fn original(name: &str) -> Option<String> {
    conflict_original(name).map(|(original, _)| original)
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
fn before_conflicted_copy(stem: &str) -> Option<(&str, SyncProgram)> {
    let (base, inside) = stem.strip_suffix(')')?.rsplit_once(" (")?;
    let program = if inside.starts_with("Conflicted copy") { SyncProgram::ObsidianSync } else { SyncProgram::Dropbox };
    inside.to_lowercase().contains("conflicted copy").then_some((base, program))
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
        let possible = |name| possible_originals(name).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(possible("Note 2.md"), ["Note.md"]);
        assert_eq!(possible("Note-ANNAS-PC.md"), ["Note-ANNAS.md", "Note.md"]);
        for name in ["Note.md", "Note 1.md", "Note 2026.md", " 2.md", "-PC.md", "Note-x.md", "Note-a b.md", "2", ""] {
            assert_eq!(possible(name), [""; 0], "{name}");
        }
        assert!(is_conflict_side("Note (conflict 2026-11-22 16.45.01).md"));
        assert!(!is_conflict_side("Note (conflict of interest).md") && !is_conflict_side("Note.md"));
    }
}
