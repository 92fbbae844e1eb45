//! What was put aside for a note, until the note is written.
//!
//! One file of JSON an event, in `spool/` of the data directory, named by time so that they are taken in order. A file goes
//! when its note is written; the process that finds one finishes it, and a note is written once whichever process does. While the data directory
//! cannot be written, the files lie in a [`Fallback`] and are moved on by the first process that can.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::fallback::{Fallback, TOLD};
use super::leftovers;
use crate::client::claude_code::{HookEvent, HookInput};
use crate::disk::{self, Call, Folder};
use crate::memory::MemoryError;
use crate::private;
use crate::redact::redact;
use crate::vault::WriteError;

/// An event that is tried so often without success is set aside for good.
const ATTEMPTS: u32 = 5;
/// How the name of an event that was given up ends, and how long it is kept for people to look at.
const GIVEN_UP: &str = "given-up";
const KEPT: Duration = Duration::from_secs(14 * 24 * 3600);
/// How long an event waits before a person is told.
const WAITED_LONG: Duration = Duration::from_secs(3600);
/// The most that is kept of the agent's last message.
const MESSAGE: usize = 64 << 10;
/// The most that is kept of the client's summary of a conversation; a session's log shows some 40 lines of it.
const SUMMARY: usize = 16 << 10;
/// The largest file of an event: a path, an id or a directory may be of any length that a client says.
const LARGEST: usize = 1 << 20;
/// The most events that wait in a fallback, which may lie in memory.
const MOST_ASIDE: usize = 256;

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
    /// The client's summary of the conversation.
    #[serde(default)]
    pub summary: String,
    /// When it happened.
    pub at: Timestamp,
    /// How often a note was tried.
    #[serde(default)]
    pub attempts: u32,
}

/// The folder of what waits.
#[derive(Debug)]
pub struct Spool {
    folder: PathBuf,
    pub(super) fallback: Fallback,
}

/// Where an event was put.
#[derive(Debug)]
pub enum Kept {
    /// In the data directory.
    Spooled,
    /// In a folder elsewhere, because of what went wrong.
    Aside(PathBuf, anyhow::Error),
}

/// The right to finish what is spooled, until it is dropped.
#[derive(Debug)]
pub struct Spooling<'s> {
    spool: &'s Spool,
    _lock: File,
}

impl Spool {
    /// Names the spool of the data directory `data`, and its fallback below the session's runtime directory.
    pub fn new(data: &Path, runtime_dir: Option<&Path>) -> Self {
        Self { folder: data.join("spool"), fallback: Fallback::new(data, runtime_dir) }
    }

    /// Puts an event that happened at `at` aside; it is on the disk when this returns.
    ///
    /// # Errors
    /// Neither the data directory nor a fallback can be written.
    pub fn put(&self, input: &HookInput, at: Timestamp) -> Result<Kept> {
        if input.session.is_empty() {
            return Ok(Kept::Spooled);
        }
        let kept = |text: &str, most: usize| {
            let mut text = redact(text).text.into_owned();
            text.truncate(text.floor_char_boundary(most));
            text
        };
        let spooled = Spooled {
            event: input.event.as_str().into(),
            session: input.session.clone(),
            transcript: input.transcript.clone(),
            transcript_length: fs::metadata(&input.transcript).map_or(0, |metadata| metadata.len()),
            directory: input.directory.clone(),
            prompt_id: input.prompt_id.clone(),
            last_message: kept(&input.last_message, MESSAGE),
            summary: kept(input.summary(), SUMMARY),
            at,
            attempts: 0,
        };
        let name = format!("{:020}-{}.json", at.as_nanosecond(), std::process::id());
        let Err(reason) = write(&self.folder, &name, &spooled) else { return Ok(Kept::Spooled) };
        let kept = self.fallback.folder().and_then(|folder| {
            anyhow::ensure!(names(folder).len() < MOST_ASIDE, "{MOST_ASIDE} turns wait in {}", folder.display());
            write(folder, &name, &spooled).map(|()| folder.to_owned())
        });
        match kept {
            Ok(folder) => Ok(Kept::Aside(folder, reason)),
            Err(error) => Err(reason.context(format!("{error:#}"))),
        }
    }

    /// Whether something waits.
    pub fn is_waiting(&self) -> bool {
        std::iter::once(self.folder.as_path()).chain(self.fallback.existing()).any(|folder| !names(folder).is_empty())
    }

    /// Returns the folder in the data directory.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns how many events have waited for more than an hour at `now`.
    pub(super) fn late(&self, now: Timestamp) -> usize {
        let put = |name: &String| Timestamp::from_nanosecond(name.split('-').next()?.parse().ok()?).ok();
        let waited = |put: &Timestamp| now.duration_since(*put).unsigned_abs();
        names(&self.folder).iter().filter_map(put).filter(|put| *put < now && waited(put) > WAITED_LONG).count()
    }

    /// Returns how many events were given up.
    pub(super) fn given_up(&self) -> usize {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.filter(|entry| entry.path().extension().is_some_and(|kind| kind == GIVEN_UP)).count()
    }

    /// Takes the right to finish what waits; `None` if another process is at it.
    ///
    /// # Errors
    /// The folder cannot be made or locked.
    pub fn take(&self) -> Result<Option<Spooling<'_>>> {
        private::create_folder(&self.folder)?;
        let failed = || format!("cannot lock {}", self.folder.display());
        let lock = private::open_lock(&self.folder.join("lock")).with_context(failed)?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Spooling { spool: self, _lock: lock })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error).with_context(failed),
        }
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.ends_with(".json"))
        .collect();
    names.sort();
    names
}

fn write(folder: &Path, name: &str, spooled: &Spooled) -> Result<()> {
    let bytes = serde_json::to_vec(spooled)?;
    anyhow::ensure!(bytes.len() <= LARGEST, "an event is longer than {LARGEST} bytes");
    put(folder, name, &bytes).with_context(|| format!("cannot write to {}", folder.display()))
}

/// Writes a file, whole or not at all; it is on the disk when this returns. Its name is this event's own.
fn put(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    private::create_folder(folder)?;
    disk::put(&Folder::open(folder)?, name, bytes, 0o600)
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    disk::check(Call::Open)?;
    private::read(path, LARGEST as u64)
}

impl Spooling<'_> {
    /// Removes what was given up long before `now`, and what a crash left.
    pub fn sweep(&self, now: Timestamp) {
        for folder in std::iter::once(self.spool.folder.as_path()).chain(self.spool.fallback.existing()) {
            // What a session was told is known until it must be over.
            let goes = |name: &str| name.ends_with(GIVEN_UP) || name.starts_with(TOLD);
            leftovers::sweep(folder, now, |name| goes(name).then_some(KEPT));
        }
    }

    /// Moves what lies in a fallback into the spool.
    fn collect(&self) -> io::Result<()> {
        for folder in self.spool.fallback.existing() {
            for name in names(folder) {
                let path = folder.join(&name);
                match read(&path) {
                    Ok(bytes) => {
                        put(&self.spool.folder, &name, &bytes)?;
                        fs::remove_file(&path)?;
                    }
                    // One unreadable event must not block the events after it.
                    Err(error) => {
                        tracing::warn!("{}: {error}", path.display());
                        if is_hopeless(&error) {
                            fs::rename(&path, path.with_extension(GIVEN_UP))?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Gives each event that waits to `finish`, in order, those that come meanwhile too. One that fails waits for the next
    /// time, and is given up after five times, unless it is the vault that cannot be written: it may come back.
    pub fn each(&self, mut finish: impl FnMut(&Spooled) -> Result<()>) {
        if let Err(error) = self.collect() {
            tracing::warn!("turns stay in the fallback of {}: {error}", self.spool.folder.display());
        }
        let mut failed: Vec<String> = Vec::new();
        loop {
            let Some(name) = names(&self.spool.folder).into_iter().find(|name| !failed.contains(name)) else { return };
            if let Err(error) = self.one(&name, &mut finish) {
                tracing::warn!("{name}: {error:#}");
                failed.push(name);
            }
        }
    }

    fn one(&self, name: &str, finish: &mut impl FnMut(&Spooled) -> Result<()>) -> Result<()> {
        let path = self.spool.folder.join(name);
        let bytes = read(&path).inspect_err(|error| {
            if is_hopeless(error) {
                give_up(&path);
            }
        })?;
        let spooled: Spooled = serde_json::from_slice(&bytes).inspect_err(|_| give_up(&path))?;
        if spooled.attempts >= ATTEMPTS {
            give_up(&path);
            anyhow::bail!("given up after {ATTEMPTS} attempts, each of which ended before it was done");
        }
        // Counted before: a process that dies over an event cannot count it.
        let attempts = spooled.attempts + 1;
        write(&self.spool.folder, name, &Spooled { attempts, ..spooled.clone() })
            .context("it waits, since the attempt cannot be counted")?;
        if let Err(error) = finish(&spooled) {
            if is_of_vault(&error) {
                let _ = write(&self.spool.folder, name, &spooled);
            } else if attempts >= ATTEMPTS {
                give_up(&path);
            }
            return Err(error);
        }
        match Folder::open(&self.spool.folder).and_then(|folder| folder.remove(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                // The next process finishes it again, which changes nothing: notes and logs know what they were made of.
                Err(error).context("the event is finished, but its file cannot be removed")
            }
            _ => Ok(()),
        }
    }
}

/// Keeps an event for people to look at, under a name that nobody takes up again.
fn give_up(path: &Path) {
    let _ = fs::rename(path, path.with_extension(GIVEN_UP));
}

/// Whether an event can never be read: a link, another user's file, none at all, or one that is too long. Errors of the
/// system itself may pass, such as a lack of descriptors.
fn is_hopeless(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, InvalidInput, PermissionDenied};
    error.raw_os_error().is_none() && matches!(error.kind(), FileTooLarge | InvalidInput | PermissionDenied)
}

fn is_of_vault(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.is::<WriteError>() || matches!(cause.downcast_ref(), Some(MemoryError::Write(_))))
}

impl Spooled {
    /// Returns what happened.
    pub fn event(&self) -> HookEvent {
        HookEvent::named(&self.event)
    }
}

#[cfg(test)]
mod faults;

#[cfg(test)]
mod tests;
