//! What was put aside for a note, until the note is written.
//!
//! One file of JSON an event, in `spool/` of the data directory, named by time so that they are taken in order. A file goes
//! when its note is written; whoever finds one finishes it, and a note is written once whoever does.

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::input::{Event, Input};
use crate::memory::MemoryError;
use crate::private;
use crate::redact::redact;
use crate::vault::WriteError;

/// An event that is tried so often without success is set aside for good.
const ATTEMPTS: u32 = 5;
/// How the name of an event that was given up ends, and how long it is kept for people to look at.
const GIVEN_UP: &str = "given-up";
const KEPT: Duration = Duration::from_secs(14 * 24 * 3600);
/// The most that is kept of the agent's last message.
const MESSAGE: usize = 64 << 10;

/// What a client told when it happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spooled {
    /// The client's name of the event.
    pub event: String,
    /// The session's id.
    pub session: String,
    /// Path of the transcript.
    pub transcript: String,
    /// How long the transcript was: what comes later belongs to another turn.
    pub transcript_length: u64,
    /// The client's directory.
    pub directory: String,
    /// The id of the prompt, where the client tells it.
    pub prompt_id: String,
    /// The agent's last message.
    pub last_message: String,
    /// When it happened.
    pub at: jiff::Timestamp,
    /// How often a note was tried.
    #[serde(default)]
    pub attempts: u32,
}

/// The folder of what waits.
#[derive(Debug)]
pub struct Spool {
    folder: PathBuf,
}

/// The right to finish what is spooled, until it is dropped.
#[derive(Debug)]
pub struct Spooling<'s> {
    spool: &'s Spool,
    _lock: File,
}

impl Spool {
    /// Names the spool of the data directory `data`.
    pub fn new(data: &Path) -> Self {
        Self { folder: data.join("spool") }
    }

    /// Puts an event aside; it is on the disk when this returns.
    ///
    /// # Errors
    /// The data directory cannot be written.
    pub fn put(&self, input: &Input) -> Result<()> {
        if input.session.is_empty() {
            return Ok(());
        }
        let at = jiff::Timestamp::now();
        let mut last_message = redact(&input.last_message).text.into_owned();
        last_message.truncate(last_message.floor_char_boundary(MESSAGE));
        let spooled = Spooled {
            event: input.event.as_str().into(),
            session: input.session.clone(),
            transcript: input.transcript.clone(),
            transcript_length: fs::metadata(&input.transcript).map_or(0, |metadata| metadata.len()),
            directory: input.directory.clone(),
            prompt_id: input.prompt_id.clone(),
            last_message,
            at,
            attempts: 0,
        };
        self.write(&format!("{:020}-{}.json", at.as_nanosecond(), std::process::id()), &spooled)
    }

    /// Removes what was given up long ago.
    pub fn sweep(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let age = entry.metadata().ok().and_then(|metadata| metadata.modified().ok()?.elapsed().ok());
            if entry.file_name().to_string_lossy().ends_with(GIVEN_UP) && age.is_some_and(|age| age > KEPT) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Whether something waits.
    pub fn is_waiting(&self) -> bool {
        !self.names().is_empty()
    }

    /// Takes the right to finish what waits; `None` if another process is at it.
    ///
    /// # Errors
    /// The folder cannot be made or locked.
    pub fn take(&self) -> Result<Option<Spooling<'_>>> {
        private::create_folder(&self.folder)?;
        let lock = File::options().create(true).truncate(false).write(true).open(self.folder.join("lock"))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Spooling { spool: self, _lock: lock })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error).context("cannot lock the spool"),
        }
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| name.ends_with(".json"))
            .collect();
        names.sort();
        names
    }

    fn write(&self, name: &str, spooled: &Spooled) -> Result<()> {
        private::create_folder(&self.folder)?;
        let mut beside = tempfile::NamedTempFile::new_in(&self.folder)?;
        serde_json::to_writer(&mut beside, spooled)?;
        beside.flush()?;
        beside.as_file().sync_data()?;
        beside.persist(self.folder.join(name)).context("cannot write to the spool")?;
        Ok(())
    }
}

impl Spooling<'_> {
    /// Gives each event that waits to `finish`, in order, those that come meanwhile too. One that fails waits for the next
    /// time, and is given up after five times, unless it is the vault that cannot be written: it may come back.
    pub fn each(&self, mut finish: impl FnMut(&Spooled) -> Result<()>) {
        let mut failed: Vec<String> = Vec::new();
        loop {
            let Some(name) = self.spool.names().into_iter().find(|name| !failed.contains(name)) else { return };
            let path = self.spool.folder.join(&name);
            let read = fs::read(&path).map_err(anyhow::Error::from);
            let spooled = read.and_then(|bytes| Ok(serde_json::from_slice::<Spooled>(&bytes)?));
            match spooled.and_then(|spooled| finish(&spooled)) {
                Ok(()) => drop(fs::remove_file(&path)),
                Err(error) => {
                    tracing::warn!("{name}: {error:#}");
                    if !is_of_vault(&error) {
                        self.put_back(&path, &name);
                    }
                    failed.push(name);
                }
            }
        }
    }

    fn put_back(&self, path: &Path, name: &str) {
        let spooled = fs::read(path).ok().and_then(|bytes| serde_json::from_slice::<Spooled>(&bytes).ok());
        match spooled {
            Some(spooled) if spooled.attempts + 1 < ATTEMPTS => {
                let _ = self.spool.write(name, &Spooled { attempts: spooled.attempts + 1, ..spooled });
            }
            // Kept for people to look at, under a name that nobody takes up again.
            _ => drop(fs::rename(path, path.with_extension(GIVEN_UP))),
        }
    }
}

fn is_of_vault(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.is::<WriteError>() || matches!(cause.downcast_ref(), Some(MemoryError::Write(_))))
}

impl Spooled {
    /// Returns what happened.
    pub fn event(&self) -> Event {
        [Event::Stop, Event::PreCompact, Event::SessionEnd]
            .into_iter()
            .find(|event| event.as_str() == self.event)
            .unwrap_or(Event::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(message: &str) -> Input {
        let text = serde_json::json!({"hook_event_name": "Stop", "session_id": "s", "last_assistant_message": message});
        Input::parse(text.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn events_are_finished_in_order_and_once() {
        let data = tempfile::tempdir().unwrap();
        let spool = Spool::new(data.path());
        assert!(!spool.is_waiting());
        ["one", "two"].into_iter().for_each(|message| spool.put(&input(message)).unwrap());
        let mut seen = Vec::new();
        let taken = spool.take().unwrap().unwrap();
        assert!(spool.take().unwrap().is_none(), "one at a time");
        taken.each(|spooled| {
            if seen.is_empty() {
                spool.put(&input("three")).unwrap();
            }
            seen.push(spooled.last_message.clone());
            Ok(())
        });
        assert_eq!(seen, ["one", "two", "three"]);
        assert!(!spool.is_waiting());
    }

    #[test]
    fn what_fails_is_tried_again_and_given_up_in_the_end() {
        let data = tempfile::tempdir().unwrap();
        let spool = Spool::new(data.path());
        spool.put(&input("one")).unwrap();
        let mut tries = 0;
        for _ in 0..10 {
            spool.take().unwrap().unwrap().each(|_| {
                tries += 1;
                anyhow::bail!("no")
            });
        }
        assert_eq!(tries, ATTEMPTS);
        assert!(!spool.is_waiting());
    }

    #[test]
    fn a_vault_that_is_away_costs_no_note() {
        let data = tempfile::tempdir().unwrap();
        let spool = Spool::new(data.path());
        spool.put(&input("one")).unwrap();
        for _ in 0..2 * ATTEMPTS {
            let away = || WriteError::NoFolder { path: "/vault".into() };
            spool.take().unwrap().unwrap().each(|_| Err(MemoryError::Write(away()).into()));
            spool.take().unwrap().unwrap().each(|_| Err(anyhow::Error::from(away()).context("a note")));
        }
        let mut noted = 0;
        spool.take().unwrap().unwrap().each(|_| {
            noted += 1;
            Ok(())
        });
        assert_eq!(noted, 1);
    }

    #[test]
    fn what_waits_holds_no_secret() {
        let data = tempfile::tempdir().unwrap();
        let spool = Spool::new(data.path());
        spool.put(&input("the password is Hunter2!xK9zz")).unwrap();
        spool.take().unwrap().unwrap().each(|spooled| {
            assert!(!spooled.last_message.contains("Hunter2"), "{}", spooled.last_message);
            Ok(())
        });
    }

    #[test]
    fn long_messages_are_cut_between_characters() {
        let data = tempfile::tempdir().unwrap();
        let spool = Spool::new(data.path());
        spool.put(&input(&"é".repeat(MESSAGE))).unwrap();
        spool.take().unwrap().unwrap().each(|spooled| {
            assert!(spooled.last_message.len() <= MESSAGE);
            Ok(())
        });
    }
}
