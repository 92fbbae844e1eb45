//! The files that tars creates in the data directory, recognized by their names: who may read them, and which were left unfinished.
//!
//! Other programs may share the directory; it may even be the home folder. Files with other names are neither reported nor changed.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::App;
use crate::models::PART as COPIED;
use crate::pauses::files::{FOLDER as PAUSED, is_file_of_pauses};
use crate::sessions::ASKED_OPEN_ENDS;
use tars_agent::recall::RecallLedger;

/// Session notes that have not been written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotesReport {
    /// Number of events that wait for their note.
    pub waiting: usize,
    /// Number of events whose note failed for good.
    pub given_up: usize,
}

/// An unfinished file of this age was left behind by a process that was killed.
const LEFTOVER_AGE: Duration = Duration::from_secs(3600);
/// Turns that wait.
const SPOOL: &str = "spool";
/// Lines that sessions were shown.
const SESSIONS: &str = "hook-sessions";
/// How far sessions were noted.
const NOTED: &str = "noted";
/// Data about language models: counts, sessions in the queue, notes by a model.
const LANGUAGE_MODEL: &str = "language-model";
const OPEN_SESSIONS: &str = "open-sessions";
/// Lines that agents were shown.
const RECALL: &str = "recall";
/// Names in the data directory itself, apart from journals, origins and indexes that were set aside.
const FIXED_NAMES: [&str; 34] = [
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
    OPEN_SESSIONS,
    PAUSED,
    RECALL,
    ASKED_OPEN_ENDS,
    "chat-history.txt",
    "conversations",
    "http",
    "last-answers",
    "mcp",
    "obsidian",
    "schedules",
    "setup.json",
    "upkeep",
];

/// A problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DataProblem {
    /// The kind of problem.
    pub kind: DataProblemKind,
    /// The file or folder.
    pub path: PathBuf,
    /// A description in one line.
    pub detail: String,
}

/// The kind of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DataProblemKind {
    /// The database is damaged.
    Index,
    /// Other users may read or write data of tars, or own it.
    Permissions,
    /// A killed process left a file behind.
    Leftover,
}

impl DataProblem {
    pub(super) fn new(kind: DataProblemKind, path: &Path, detail: impl Into<String>) -> Self {
        Self { kind, path: path.to_owned(), detail: detail.into() }
    }
}

/// The data directory.
#[derive(Debug)]
pub(super) struct DataDirectory<'a> {
    /// The folder.
    data: &'a Path,
    /// The user's home folder.
    home: Option<&'a Path>,
}

impl<'a> DataDirectory<'a> {
    pub(super) fn of(app: &'a App) -> Self {
        Self { data: &app.settings.config.data.dir, home: app.environment.home.as_deref() }
    }

    /// Returns the files that others may read or that belong to another user.
    pub(super) fn exposed(&self) -> Vec<DataProblem> {
        // In a private data directory, the modes of the files do not matter.
        let Some(folder) = self.exposure(self.data) else { return Vec::new() };
        let mut found = vec![folder];
        // The models are public.
        for path in entries(self.data).into_iter().filter(|path| self.is_own_file(path) && !path.ends_with("models")) {
            let Some(problem) = self.exposure(&path) else { continue };
            found.push(problem);
            if is_folder(&path) {
                let inner = entries(&path).into_iter().filter(|path| self.is_own_file(path));
                found.extend(inner.filter_map(|path| self.exposure(&path)));
            }
        }
        found
    }

    /// Returns files that were started long ago and never finished.
    pub(super) fn leftovers(&self) -> Vec<DataProblem> {
        let is_old = |path: &PathBuf| {
            let file = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file);
            let begun = file.and_then(|file| file.modified().ok());
            begun.is_some_and(|begun| SystemTime::now().duration_since(begun).is_ok_and(|age| age > LEFTOVER_AGE))
        };
        let folders =
            [SPOOL, SESSIONS, NOTED, LANGUAGE_MODEL, OPEN_SESSIONS, PAUSED].map(|folder| self.data.join(folder));
        std::iter::once(self.data)
            .chain(folders.iter().map(PathBuf::as_path))
            .flat_map(entries)
            .filter(|path| self.is_unfinished_file(path) && is_old(path))
            .map(|path| DataProblem::new(DataProblemKind::Leftover, &path, "was started long ago and never finished"))
            .collect()
    }

    /// Returns the number of unwritten notes.
    pub(super) fn notes(&self) -> NotesReport {
        let spool = entries(&self.data.join(SPOOL));
        let made = |path: &&PathBuf| self.is_own_file(path);
        let of_kind = |kind: &str| {
            spool.iter().filter(made).filter(|path| path.extension().is_some_and(|found| found == kind)).count()
        };
        NotesReport { waiting: of_kind("json"), given_up: of_kind("given-up") }
    }

    /// Removes other users' permissions on `path`, unless it is a folder with foreign files. Returns whether it did.
    pub(super) fn make_private(&self, path: &Path) -> std::io::Result<bool> {
        if self.is_shared(path) {
            return Ok(false);
        }
        close(path).map(|()| true)
    }

    fn exposure(&self, path: &Path) -> Option<DataProblem> {
        let user = rustix::process::geteuid().as_raw();
        let metadata = fs::symlink_metadata(path).ok().filter(|found| found.is_file() || found.is_dir())?;
        let mut detail = match (metadata.uid() == user, metadata.mode() & 0o077) {
            (false, _) => format!("belongs to user {}, not to {user}", metadata.uid()),
            (true, 0) => return None,
            (true, _) => format!("others may use it (mode {:03o})", metadata.mode() & 0o777),
        };
        if self.is_shared(path) {
            detail += "; it also holds other files, so it keeps its mode: set TARS_DATA_DIR to a folder for tars only";
        }
        Some(DataProblem::new(DataProblemKind::Permissions, path, detail))
    }

    /// Whether `path` is the home folder, or a folder with files that tars does not create.
    fn is_shared(&self, path: &Path) -> bool {
        let is_home = || {
            let home = self.home.and_then(|home| fs::canonicalize(home).ok());
            home.is_some() && home == fs::canonicalize(path).ok()
        };
        let is_foreign = |path: &PathBuf| !self.is_own_file(path) && !self.is_unfinished_file(path);
        is_folder(path) && (is_home() || entries(path).iter().any(is_foreign))
    }

    /// Whether `path` has a name that tars uses.
    fn is_own_file(&self, path: &Path) -> bool {
        match self.name(path) {
            (None, name) => FIXED_NAMES.contains(&name) || name.starts_with("index.db.damaged-") || is_journal(name),
            (Some(SPOOL), name) => {
                let event = name.strip_suffix(".json").or_else(|| name.strip_suffix(".given-up"));
                name == "lock" || event.is_some_and(is_event)
            }
            (Some(SESSIONS | NOTED | OPEN_SESSIONS), name) => name.len() == 16 && is_hexadecimal(name),
            (Some(LANGUAGE_MODEL), name) => is_of_models(name),
            (Some(PAUSED), name) => name == "lock" || is_file_of_pauses(name),
            (Some(RECALL), name) => RecallLedger::is_own_file(name),
            _ => false,
        }
    }

    /// Whether `path` has a name that tars uses for a file while writing it. Some of them are from earlier versions.
    fn is_unfinished_file(&self, path: &Path) -> bool {
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
            Some(SESSIONS | NOTED | OPEN_SESSIONS | RECALL) => is_temporary,
            Some(LANGUAGE_MODEL) => part.is_some_and(is_of_models),
            Some(PAUSED) => part.is_some_and(is_file_of_pauses),
            _ => false,
        }
    }

    /// Returns the subfolder of the data directory that holds `path`, if any, and its name; a name that is not UTF-8 is empty.
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

/// Returns the entries of a folder, by name; empty if it is not a folder.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    found.sort();
    found
}

fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

/// Whether a name is that of a waiting turn: the time and the process that wrote it.
fn is_event(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    name.split_once('-').is_some_and(|(time, process)| is_number(time) && is_number(process))
}

/// Whether tars uses this name in [`LANGUAGE_MODEL`].
fn is_of_models(name: &str) -> bool {
    let of_session = name
        .strip_suffix(".json")
        .filter(|name| ["wait-", "notes-", "extract-"].iter().any(|start| name.starts_with(start)));
    of_session.is_some() || ["use.json", "use.lock", "told.json", "offered", "lock"].contains(&name)
}

fn is_journal(name: &str) -> bool {
    let id = ["journal-", "origins-"].iter().find_map(|start| name.strip_prefix(start));
    id.and_then(|name| name.strip_suffix(".jsonl")).is_some_and(is_hexadecimal)
}

fn is_hexadecimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
