//! What `tars init` did, kept in the data directory so that it can be taken back.
//!
//! `setup.json` is one object of JSON. Each step is written down when it is done, so that an interrupted `tars init` can be taken
//! back as well. A step that found everything as it should be is not in it: what a person set up by hand is not taken back.

use std::io::ErrorKind;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::config::UserFile;
use crate::disk::{Folder, put};
use crate::private;

/// Its name in the data directory.
const FILE: &str = "setup.json";
/// The most that is read of it, in bytes.
const LARGEST: u64 = 1 << 20;

/// What was set up and can be taken back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SetupRecord {
    /// Keys of the user's configuration that were set.
    pub settings: Vec<ChangedSetting>,
    /// The vault in which a memory folder was made; `None` where there was one.
    pub vault: Option<PathBuf>,
    /// Files that were made in the memory folder.
    pub seeded: Vec<String>,
    /// Whether the index was made for the first question.
    pub index: bool,
    /// Whether the service was installed.
    pub service: bool,
    /// Clients that were given the memory.
    pub agents: Vec<String>,
}

/// A key that was set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedSetting {
    /// The key.
    pub key: String,
    /// What it was set to.
    pub value: String,
    /// What stood in the file before; `None` where nothing did.
    pub before: Option<String>,
}

impl SetupRecord {
    /// Returns what was set up so far; empty where nothing was.
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

    /// Changes what is known of the set-up. Where nothing is left of it, the file goes.
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
        put(&folder, FILE, &serde_json::to_vec(&record)?, 0o600).with_context(failed)
    }

    /// Sets a key of the user's configuration, and writes down what stood there.
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
                // What could not be written down could not be taken back. The error says what is wrong.
                let _ = match &before {
                    Some(before) => file.set(key, before).map(drop),
                    None => file.unset_whole(key).map(drop),
                };
            }),
        }
    }

    /// Writes down that a key was set to `value`.
    ///
    /// # Errors
    /// As [`SetupRecord::change`].
    pub(super) fn note(app: &App, key: &str, value: String, before: Option<String>) -> Result<()> {
        Self::change(app, |record| match record.settings.iter_mut().find(|known| known.key == key) {
            // What stood there before all of it is what is put back.
            Some(known) => known.value = value,
            None => record.settings.push(ChangedSetting { key: key.to_owned(), value, before }),
        })
    }
}
