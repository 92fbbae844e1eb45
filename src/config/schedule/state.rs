//! The state of the schedules: `schedules/state.json` in the data directory.
//!
//! A JSON object:
//!
//! - `schedules`: maps the name of a schedule to an object:
//!   - `when`: its times as configured (`at 07:30`). If they change, the schedule starts over.
//!   - `counted`: the time up to which its runs are settled, RFC 3339; null while it is disabled.
//!   - `started`, `ended`: its last run. A run that has started but not ended was killed or is in progress.
//!   - `was_retried`: whether that run makes up for a killed one.
//!   - `result`: `{"ok": bool, "line": text}` of the last finished run.
//!
//! The file is private to the user and is replaced as a whole. Only the process that holds `schedules/lock` writes it. A file that cannot
//! be read is an error; it never means "has not run".

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::ScheduleError;
use tars_base::disk::{self, Folder};
use tars_base::private;

const FOLDER: &str = "schedules";
const FILE: &str = "state.json";
const LOCK: &str = "lock";
const MAX_BYTES: u64 = 1 << 20;

/// State of all schedules, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) schedules: BTreeMap<String, Record>,
}

/// State of one schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) when: String,
    pub(super) counted: Option<Timestamp>,
    pub(super) started: Option<Timestamp>,
    pub(super) ended: Option<Timestamp>,
    #[serde(default)]
    pub(super) was_retried: bool,
    pub(super) result: Option<RunResult>,
}

/// Result of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunResult {
    /// Whether the action and every delivery succeeded.
    pub ok: bool,
    /// The beginning of the result, or the failure: one line.
    pub line: String,
}

impl Record {
    /// Whether its last run has started and not ended.
    pub(super) fn is_open(&self) -> bool {
        self.started.is_some() && self.ended.is_none()
    }
}

/// Location of the state.
#[derive(Debug)]
pub(super) struct StateFile {
    folder: PathBuf,
}

impl StateFile {
    pub(super) fn new(data: &Path) -> Self {
        Self { folder: data.join(FOLDER) }
    }

    /// Acquires the lock of the runner; `None` if another process holds it. The lock is released with the returned file.
    pub(super) fn try_lock(&self) -> Result<Option<File>, ScheduleError> {
        private::create_folder(&self.folder).map_err(|source| self.failed(source))?;
        let file = private::open_lock(&self.folder.join(LOCK)).map_err(|source| self.failed(source))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(self.failed(source)),
        }
    }

    /// Whether a process holds the lock of the runner.
    pub(super) fn has_runner(&self) -> bool {
        let lock = private::open(&self.folder.join(LOCK), OpenOptions::new().read(true));
        // Another process that checks holds a shared lock for a moment, which does not interfere.
        lock.is_ok_and(|file| file.try_lock_shared().is_err())
    }

    /// Reads the state. A missing file is an empty state.
    pub(super) fn read(&self) -> Result<State, ScheduleError> {
        let bytes = match private::read(&self.folder.join(FILE), MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(State::default());
            }
            Err(error) => return Err(self.failed(error)),
        };
        serde_json::from_slice(&bytes).map_err(|error| self.failed(error.into()))
    }

    /// Replaces the state. It is on disk when the function returns.
    pub(super) fn write(&self, state: &State) -> Result<(), ScheduleError> {
        let write = || {
            let text = serde_json::to_vec_pretty(state)?;
            disk::write_atomic(&Folder::open(&self.folder)?, FILE, &text, 0o600)
        };
        write().map_err(|source| self.failed(source))
    }

    fn failed(&self, source: io::Error) -> ScheduleError {
        ScheduleError { path: self.folder.join(FILE), source }
    }
}
