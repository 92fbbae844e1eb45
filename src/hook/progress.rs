//! What is known of a session between its events: how far its turns have been noted, so that a note that was taken back or
//! removed is not written again, and the client's own summary of it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::leftovers;
use super::spool::Spooling;
use crate::private::{self, key};

/// Sessions of which nothing was noted for so long are forgotten.
const KEPT: Duration = Duration::from_secs(60 * 24 * 3600);
const LARGEST: u64 = 64 << 10;

/// What is known of a session between its events; a file of the data directory holds it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Progress {
    /// When the last turn began that was noted.
    pub noted_until: Option<Timestamp>,
    /// When the session was forked off another one, whose turns its transcript begins with.
    pub forked_at: Option<Timestamp>,
    /// The client's summary of the conversation, which each later log of the session holds too.
    pub summary: String,
}

impl Progress {
    /// Returns what is known of the session `id`.
    pub fn of(data: &Path, id: &str) -> Self {
        let text = private::read(&file(data, id), LARGEST).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Writes it down.
    ///
    /// # Errors
    /// The data directory cannot be written.
    pub fn save(&self, data: &Path, id: &str) -> Result<()> {
        let file = file(data, id);
        let folder = folder(data);
        private::create_folder(&folder)?;
        let mut beside = leftovers::unfinished(&folder)?;
        beside.write_all(&serde_json::to_vec(self)?)?;
        beside.persist(&file).with_context(|| format!("cannot write {}", file.display()))?;
        Ok(())
    }

    /// Forgets sessions that are old at `now`, and what a crash left.
    pub fn sweep(data: &Path, _lock: &Spooling<'_>, now: Timestamp) {
        leftovers::sweep(&folder(data), now, |_| Some(KEPT));
    }
}

fn folder(data: &Path) -> PathBuf {
    data.join("noted")
}

fn file(data: &Path, id: &str) -> PathBuf {
    folder(data).join(key(id.as_bytes()))
}
