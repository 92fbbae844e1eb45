//! The record of `tars init` in the data directory, so that it can be undone.
//!
//! `setup.json` is one JSON object. Each step is recorded as it is done, so that an interrupted `tars init` can be undone as
//! well. A step that had nothing to do is not recorded: undo keeps what a person set up by hand.

use std::io::ErrorKind;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{App, Context, Result};
use tars_base::disk::{Folder, write_atomic};
use tars_base::private;
use tars_config::UserFile;

/// Name of the file in the data directory.
const FILE: &str = "setup.json";
/// Maximum number of bytes to read.
const LARGEST: u64 = 1 << 20;

/// The steps of the setup that can be undone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SetupRecord {
    /// Configuration keys that were set.
    pub settings: Vec<ChangedSetting>,
    /// The vault in which a memory folder was created; `None` if the folder existed.
    pub vault: Option<PathBuf>,
    /// Files that were created in the memory folder.
    pub seeded: Vec<String>,
    /// Whether an index was created for the first question.
    pub index: bool,
    /// Whether the service was installed.
    pub service: bool,
    /// Clients that were connected to the memory.
    pub agents: Vec<String>,
}

/// A configuration key that was set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedSetting {
    /// The key.
    pub key: String,
    /// The new value.
    pub value: String,
    /// The value in the file before; `None` if there was none.
    pub before: Option<String>,
}

impl SetupRecord {
    /// Returns the record; empty if nothing was set up.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(app: &App) -> Result<Self> {
        let path = app.settings.config.data.dir.join(FILE);
        match private::read(&path, LARGEST) {
            Ok(bytes) => serde_json::from_slice(&bytes).with_context(|| format!("{} is damaged", path.display())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    /// Changes the record. An empty record removes the file.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn change(app: &App, change: impl FnOnce(&mut Self)) -> Result<()> {
        let mut record = Self::read(app)?;
        let before = record.clone();
        change(&mut record);
        if record == before {
            return Ok(());
        }
        let data = app.data_dir()?;
        let failed = || format!("cannot write {}", data.join(FILE).display());
        let folder = Folder::open(data).with_context(failed)?;
        if record == Self::default() {
            return match folder.remove(FILE) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(error).with_context(failed),
                _ => Ok(()),
            };
        }
        write_atomic(&folder, FILE, &serde_json::to_vec(&record)?, 0o600).with_context(failed)
    }

    /// Sets a key of the user's configuration, and records the previous value.
    ///
    /// # Errors
    /// The value is refused, or a file cannot be written.
    pub(super) fn set(app: &App, key: &str, value: &str) -> Result<()> {
        let file = UserFile::locate(&app.environment)?;
        let before = file.value(key);
        let value = file.set(key, value)?.value;
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match before.as_ref() == Some(&value) {
            true => Ok(()),
            false => Self::note(app, key, value, before.clone()).inspect_err(|_| {
                // Without a record the change could not be undone, so it is reverted. The original error is reported.
                let _ = match &before {
                    Some(before) => file.set(key, before).map(drop),
                    None => file.unset_whole(key).map(drop),
                };
            }),
        }
    }

    /// Records that a key was set to `value`.
    ///
    /// # Errors
    /// As [`SetupRecord::change`].
    pub(super) fn note(app: &App, key: &str, value: String, before: Option<String>) -> Result<()> {
        Self::change(app, |record| match record.settings.iter_mut().find(|known| known.key == key) {
            // Undo restores the value from before the first change.
            Some(known) => known.value = value,
            None => record.settings.push(ChangedSetting { key: key.to_owned(), value, before }),
        })
    }
}
