//! What is known of the runs of schedules: `schedules/state.json` in the data directory.
//!
//! An object of JSON:
//!
//! - `schedules`: by the name of the schedule, an object of
//!   - `when`: as its configuration says it (`at 07:30`); another one begins anew.
//!   - `counted`: the time up to which its runs are settled, RFC 3339; null while it is switched off.
//!   - `started`, `ended`: its last run. One that has started and not ended was killed, or goes on right now.
//!   - `was_retried`: whether that run makes up for one that was killed.
//!   - `result`: `{"ok": bool, "line": text}` of the last run that ended.
//!
//! The file is this user's alone and is replaced as a whole. Only the process that holds `schedules/lock` writes it. One that
//! cannot be read is an error, never "has not run".

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::ScheduleError;
use crate::disk::{self, Folder};
use crate::private;

const FOLDER: &str = "schedules";
const FILE: &str = "state.json";
const LOCK: &str = "lock";
const LARGEST: u64 = 1 << 20;

/// What is known of all schedules, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) schedules: BTreeMap<String, Record>,
}

/// What is known of one schedule.
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

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunResult {
    /// Whether the action and each delivery went well.
    pub ok: bool,
    /// The beginning of what came of it, or what went wrong: one line.
    pub line: String,
}

impl Record {
    /// Whether its last run has begun and not ended.
    pub(super) fn is_open(&self) -> bool {
        self.started.is_some() && self.ended.is_none()
    }
}

/// Where the state lies.
#[derive(Debug)]
pub(super) struct Place {
    folder: PathBuf,
}

impl Place {
    pub(super) fn new(data: &Path) -> Self {
        Self { folder: data.join(FOLDER) }
    }

    /// Takes the right to run schedules; `None` if another process has it. It ends with the file, or with the process.
    pub(super) fn try_lock(&self) -> Result<Option<File>, ScheduleError> {
        private::create_folder(&self.folder).map_err(|source| self.failed(source))?;
        let file = private::open_lock(&self.folder.join(LOCK)).map_err(|source| self.failed(source))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(self.failed(source)),
        }
    }

    /// Whether a process has the right to run schedules.
    pub(super) fn has_runner(&self) -> bool {
        let lock = private::open(&self.folder.join(LOCK), OpenOptions::new().read(true));
        // Another one that asks holds a shared lock for a moment too, which does not get in the way.
        lock.is_ok_and(|file| file.try_lock_shared().is_err())
    }

    /// Reads the state; where there is none, nothing has run.
    pub(super) fn read(&self) -> Result<State, ScheduleError> {
        let bytes = match private::read(&self.folder.join(FILE), LARGEST) {
            Ok(bytes) => bytes,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(State::default());
            }
            Err(error) => return Err(self.failed(error)),
        };
        serde_json::from_slice(&bytes).map_err(|error| self.failed(error.into()))
    }

    /// Replaces the state, on the disk when this returns.
    pub(super) fn write(&self, state: &State) -> Result<(), ScheduleError> {
        let write = || {
            let text = serde_json::to_vec_pretty(state)?;
            disk::put(&Folder::open(&self.folder)?, FILE, &text, 0o600)
        };
        write().map_err(|source| self.failed(source))
    }

    fn failed(&self, source: io::Error) -> ScheduleError {
        ScheduleError { path: self.folder.join(FILE), source }
    }
}
