//! What tars keeps in the data directory, by the names that it gives: who may read it, and what was left unfinished there.
//!
//! Other programs may share the directory; it may even be the home folder. What bears a name that tars does not give is not
//! reported and never changed.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::model_change::PART as COPIED;
use super::pauses::{FOLDER as PAUSED, is_file_of_pauses};
use super::{NotesReport, Problem, ProblemKind};
use crate::recall::RecallLedger;

/// What is unfinished for so long was left over by a process that was killed.
const LEFT_OVER: Duration = Duration::from_secs(3600);
/// Turns that wait.
const SPOOL: &str = "spool";
/// What sessions were shown.
const SESSIONS: &str = "hook-sessions";
/// How far sessions were noted.
const NOTED: &str = "noted";
/// What concerns language models: counts, sessions that wait for one, notes that one made.
const LANGUAGE_MODEL: &str = "language-model";
/// Which sessions are open.
const OPEN: &str = "open-sessions";
/// What agents were shown.
const RECALL: &str = "recall";
/// Names in the data directory itself, beside those of journals and of indexes that were set aside.
const FIXED: [&str; 31] = [
    "index.db",
    "index.db-wal",
    "index.db-shm",
    "index.codes",
    "index-next.db",
    "index-next.db-wal",
    "index-next.db-shm",
    "index-next.codes",
    "index.lock",
    "watch.lock",
    "watch.sock",
    "watch.cookies",
    "watch.log",
    "watch.log.1",
    "hook.log",
    "hook.log.1",
    "models",
    SPOOL,
    SESSIONS,
    NOTED,
    LANGUAGE_MODEL,
    OPEN,
    PAUSED,
    RECALL,
    "chat-history.txt",
    "conversations",
    "http",
    "mcp",
    "schedules",
    "setup.json",
    "upkeep",
];

/// The data directory.
#[derive(Debug)]
pub(super) struct Kept<'a> {
    /// The folder.
    pub(super) data: &'a Path,
    /// The user's home folder.
    pub(super) home: Option<&'a Path>,
}

impl Kept<'_> {
    /// Returns what others may read, or what belongs to another user.
    pub(super) fn exposed(&self) -> Vec<Problem> {
        // If the data directory is private, the modes of the files in it do not matter.
        let Some(folder) = self.exposure(self.data) else { return Vec::new() };
        let mut found = vec![folder];
        // The models are public.
        for path in entries(self.data).into_iter().filter(|path| self.has_made(path) && !path.ends_with("models")) {
            let Some(problem) = self.exposure(&path) else { continue };
            found.push(problem);
            if is_folder(&path) {
                let inner = entries(&path).into_iter().filter(|path| self.has_made(path));
                found.extend(inner.filter_map(|path| self.exposure(&path)));
            }
        }
        found
    }

    /// Returns files that were begun long ago and never finished.
    pub(super) fn leftovers(&self) -> Vec<Problem> {
        let is_old = |path: &PathBuf| {
            let file = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file);
            let begun = file.and_then(|file| file.modified().ok());
            begun.is_some_and(|begun| SystemTime::now().duration_since(begun).is_ok_and(|age| age > LEFT_OVER))
        };
        let folders = [SPOOL, SESSIONS, NOTED, LANGUAGE_MODEL, OPEN, PAUSED].map(|folder| self.data.join(folder));
        std::iter::once(self.data)
            .chain(folders.iter().map(PathBuf::as_path))
            .flat_map(entries)
            .filter(|path| self.has_begun(path) && is_old(path))
            .map(|path| Problem::new(ProblemKind::Leftover, &path, "was begun long ago and never finished"))
            .collect()
    }

    /// Returns how many notes have not been made.
    pub(super) fn notes(&self) -> NotesReport {
        let spool = entries(&self.data.join(SPOOL));
        let made = |path: &&PathBuf| self.has_made(path);
        let of_kind = |kind: &str| {
            spool.iter().filter(made).filter(|path| path.extension().is_some_and(|found| found == kind)).count()
        };
        NotesReport { waiting: of_kind("json"), given_up: of_kind("given-up") }
    }

    /// Takes away what others may do with `path`, unless it is a folder that is not tars' alone. Returns whether it did.
    pub(super) fn make_private(&self, path: &Path) -> std::io::Result<bool> {
        if self.is_shared(path) {
            return Ok(false);
        }
        close(path).map(|()| true)
    }

    fn exposure(&self, path: &Path) -> Option<Problem> {
        let user = rustix::process::geteuid().as_raw();
        let metadata = fs::symlink_metadata(path).ok().filter(|found| found.is_file() || found.is_dir())?;
        let mut detail = match (metadata.uid() == user, metadata.mode() & 0o077) {
            (false, _) => format!("belongs to user {}, not to {user}", metadata.uid()),
            (true, 0) => return None,
            (true, _) => format!("others may use it (mode {:03o})", metadata.mode() & 0o777),
        };
        if self.is_shared(path) {
            detail += "; it is not tars' alone and keeps its mode: point TARS_DATA_DIR at a folder of tars' own";
        }
        Some(Problem::new(ProblemKind::Permissions, path, detail))
    }

    /// Whether `path` is the home folder, or a folder that holds something that tars does not make.
    fn is_shared(&self, path: &Path) -> bool {
        let is_home = || {
            let home = self.home.and_then(|home| fs::canonicalize(home).ok());
            home.is_some() && home == fs::canonicalize(path).ok()
        };
        let is_foreign = |path: &PathBuf| !self.has_made(path) && !self.has_begun(path);
        is_folder(path) && (is_home() || entries(path).iter().any(is_foreign))
    }

    /// Whether `path` has a name that tars gives.
    fn has_made(&self, path: &Path) -> bool {
        match self.name(path) {
            (None, name) => FIXED.contains(&name) || name.starts_with("index.db.damaged-") || is_journal(name),
            (Some(SPOOL), name) => {
                let event = name.strip_suffix(".json").or_else(|| name.strip_suffix(".given-up"));
                name == "lock" || event.is_some_and(is_event)
            }
            (Some(SESSIONS | NOTED | OPEN), name) => name.len() == 16 && is_hexadecimal(name),
            (Some(LANGUAGE_MODEL), name) => is_of_models(name),
            (Some(PAUSED), name) => name == "lock" || is_file_of_pauses(name),
            (Some(RECALL), name) => RecallLedger::is_file(name),
            _ => false,
        }
    }

    /// Whether `path` has a name that tars gives to a file while it writes it. Earlier versions gave some of them.
    fn has_begun(&self, path: &Path) -> bool {
        let (folder, name) = self.name(path);
        let part = name.strip_prefix('.').and_then(|name| name.strip_suffix(".part"));
        let is_temporary = name
            .strip_prefix(".tmp")
            .is_some_and(|random| random.len() == 6 && random.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        match folder {
            None => {
                let is_index =
                    name.starts_with(".index.codes.") || name.starts_with(".index-next.codes.") || name == COPIED;
                is_index || part.is_some_and(is_journal)
            }
            Some(SPOOL) => is_temporary || part.and_then(|name| name.strip_suffix(".json")).is_some_and(is_event),
            Some(SESSIONS | NOTED | OPEN) => is_temporary,
            Some(LANGUAGE_MODEL) => part.is_some_and(is_of_models),
            Some(PAUSED) => part.is_some_and(is_file_of_pauses),
            _ => false,
        }
    }

    /// Returns the folder in the data directory, if `path` lies in one, and its name; a name that is no text is empty.
    fn name<'p>(&self, path: &'p Path) -> (Option<&'p str>, &'p str) {
        let inner = path.strip_prefix(self.data).ok().and_then(Path::to_str).unwrap_or_default();
        match inner.split_once(std::path::MAIN_SEPARATOR) {
            Some((folder, name)) => (Some(folder), name),
            None => (None, inner),
        }
    }
}

fn close(path: &Path) -> std::io::Result<()> {
    let mode = if is_folder(path) { 0o700 } else { 0o600 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

/// Returns what lies in a folder, by name; nothing where it is none.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    found.sort();
    found
}

fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

/// Whether a name is one of a turn that waits: the time and the process that wrote it.
fn is_event(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    name.split_once('-').is_some_and(|(time, process)| is_number(time) && is_number(process))
}

/// Whether a name is one that tars gives in [`LANGUAGE_MODEL`].
fn is_of_models(name: &str) -> bool {
    let of_session = name
        .strip_suffix(".json")
        .filter(|name| ["wait-", "notes-", "extract-"].iter().any(|start| name.starts_with(start)));
    of_session.is_some() || ["use.json", "use.lock", "told.json", "offered", "lock"].contains(&name)
}

fn is_journal(name: &str) -> bool {
    name.strip_prefix("journal-").and_then(|name| name.strip_suffix(".jsonl")).is_some_and(is_hexadecimal)
}

fn is_hexadecimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
