//! Events that wait for their notes.
//!
//! Each event is a JSON file in `spool/` of the data directory, named by time so that events are taken in order. The process that takes a
//! file writes the note and then deletes the file; a note is written once, whichever process does it. While the data directory is not
//! writable, the files wait in a [`Fallback`], and the first process that can moves them on.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::fallback::{Fallback, NOTIFIED_PREFIX};
use super::unfinished_files;
use tars_agent::client::claude_code::{HookEvent, HookInput};
use tars_base::disk::{self, Call, Folder};
use tars_base::private;
use tars_memory::MemoryError;
use tars_text::redact::redact;
use tars_vault::WriteError;

/// Retry limit of an event, after which it is given up.
const MAX_ATTEMPTS: u32 = 5;
/// File name extension of an event that was given up, and its retention, so that people can look at it.
const GIVEN_UP_EXTENSION: &str = "given-up";
const RETENTION: Duration = Duration::from_secs(14 * 24 * 3600);
/// Waiting time of an event before the person is notified.
const WAITED_LONG: Duration = Duration::from_secs(3600);
/// Largest stored part of the agent's last message, in bytes.
const MAX_MESSAGE_BYTES: usize = 64 << 10;
/// Largest stored part of the client's summary, in bytes; a session's log shows some 40 lines of it.
const MAX_SUMMARY_BYTES: usize = 16 << 10;
/// Largest event file, in bytes: a client may send paths, ids and directories of any length.
const MAX_EVENT_BYTES: usize = 1 << 20;
/// Most events in a fallback, which may be in memory.
const MAX_FALLBACK_EVENTS: usize = 256;

/// A client's event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpooledEvent {
    /// The client's name of the event.
    pub event: String,
    /// The session's id.
    pub session: String,
    /// Path of the transcript.
    pub transcript: String,
    /// Length of the transcript at the time of the event: later text belongs to another turn.
    pub transcript_length: u64,
    /// The client's directory.
    pub directory: String,
    /// The id of the prompt, if the client sends it.
    pub prompt_id: String,
    /// The agent's last message.
    pub last_message: String,
    /// The client's summary of the conversation.
    #[serde(default)]
    pub summary: String,
    /// The time of the event.
    pub at: Timestamp,
    /// Number of attempts to write the note.
    #[serde(default)]
    pub attempts: u32,
}

/// The folder of waiting events.
#[derive(Debug)]
pub struct Spool {
    folder: PathBuf,
    pub(super) fallback: Fallback,
}

/// Where an event was put.
#[derive(Debug)]
pub enum PutResult {
    /// In the data directory.
    Spooled,
    /// In a fallback folder, because of this error.
    Aside(PathBuf, anyhow::Error),
}

/// The exclusive right to finish spooled events, until it is dropped.
#[derive(Debug)]
pub struct SpoolLock<'s> {
    spool: &'s Spool,
    _lock: File,
}

impl Spool {
    /// Returns the spool of the data directory `data`, with its fallback below the session's runtime directory.
    pub fn new(data: &Path, runtime_dir: Option<&Path>) -> Self {
        Self { folder: data.join("spool"), fallback: Fallback::new(data, runtime_dir) }
    }

    /// Stores an event that happened at `at`; it is on disk when this returns.
    ///
    /// # Errors
    /// Neither the data directory nor a fallback can be written.
    pub fn put(&self, input: &HookInput, at: Timestamp) -> Result<PutResult> {
        if input.session.is_empty() {
            return Ok(PutResult::Spooled);
        }
        let kept = |text: &str, most: usize| {
            let mut text = redact(text).text.into_owned();
            text.truncate(text.floor_char_boundary(most));
            text
        };
        let spooled = SpooledEvent {
            event: input.event.as_str().into(),
            session: input.session.clone(),
            transcript: input.transcript.clone(),
            transcript_length: fs::metadata(&input.transcript).map_or(0, |metadata| metadata.len()),
            directory: input.directory.clone(),
            prompt_id: input.prompt_id.clone(),
            last_message: kept(&input.last_message, MAX_MESSAGE_BYTES),
            summary: kept(input.summary(), MAX_SUMMARY_BYTES),
            at,
            attempts: 0,
        };
        let name = format!("{:020}-{}.json", at.as_nanosecond(), std::process::id());
        let Err(reason) = write(&self.folder, &name, &spooled) else { return Ok(PutResult::Spooled) };
        let kept = self.fallback.folder().and_then(|folder| {
            anyhow::ensure!(
                names(folder).len() < MAX_FALLBACK_EVENTS,
                "{MAX_FALLBACK_EVENTS} turns wait in {}",
                folder.display()
            );
            write(folder, &name, &spooled).map(|()| folder.to_owned())
        });
        match kept {
            Ok(folder) => Ok(PutResult::Aside(folder, reason)),
            Err(error) => Err(reason.context(format!("{error:#}"))),
        }
    }

    /// Returns whether an event is waiting.
    pub fn is_waiting(&self) -> bool {
        std::iter::once(self.folder.as_path()).chain(self.fallback.existing()).any(|folder| !names(folder).is_empty())
    }

    /// Returns the folder in the data directory.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the number of events that have waited for more than an hour at `now`.
    pub(super) fn late_count(&self, now: Timestamp) -> usize {
        let put = |name: &String| Timestamp::from_nanosecond(name.split('-').next()?.parse().ok()?).ok();
        let waited = |put: &Timestamp| now.duration_since(*put).unsigned_abs();
        names(&self.folder).iter().filter_map(put).filter(|put| *put < now && waited(put) > WAITED_LONG).count()
    }

    /// Returns the number of events that were given up.
    pub(super) fn given_up_count(&self) -> usize {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.filter(|entry| entry.path().extension().is_some_and(|kind| kind == GIVEN_UP_EXTENSION)).count()
    }

    /// Takes the exclusive right to finish the waiting events; `None` if another process holds it.
    ///
    /// # Errors
    /// The folder cannot be made or locked.
    pub fn lock(&self) -> Result<Option<SpoolLock<'_>>> {
        Ok(try_lock(&self.folder)?.map(|lock| SpoolLock { spool: self, _lock: lock }))
    }
}

/// Locks a folder, which is created if missing; `None` if another process holds the lock.
pub(super) fn try_lock(folder: &Path) -> Result<Option<File>> {
    private::create_folder(folder)?;
    let failed = || format!("cannot lock {}", folder.display());
    let lock = private::open_lock(&folder.join("lock")).with_context(failed)?;
    match lock.try_lock() {
        Ok(()) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error).with_context(failed),
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

fn write(folder: &Path, name: &str, spooled: &SpooledEvent) -> Result<()> {
    let bytes = serde_json::to_vec(spooled)?;
    anyhow::ensure!(bytes.len() <= MAX_EVENT_BYTES, "an event is longer than {MAX_EVENT_BYTES} bytes");
    put(folder, name, &bytes).with_context(|| format!("cannot write to {}", folder.display()))
}

/// Writes a file atomically; it is on disk when this returns. The name is unique to this event.
fn put(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    private::create_folder(folder)?;
    disk::write_atomic(&Folder::open(folder)?, name, bytes, 0o600)
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    disk::fault_point(Call::Open)?;
    private::read(path, MAX_EVENT_BYTES as u64)
}

impl SpoolLock<'_> {
    /// Removes events that were given up long before `now`, and leftovers of a crash.
    pub fn sweep(&self, now: Timestamp) {
        for folder in std::iter::once(self.spool.folder.as_path()).chain(self.spool.fallback.existing()) {
            // The markers of notified sessions are kept until the session must be over.
            let goes = |name: &str| name.ends_with(GIVEN_UP_EXTENSION) || name.starts_with(NOTIFIED_PREFIX);
            unfinished_files::sweep(folder, now, |name| goes(name).then_some(RETENTION));
        }
    }

    /// Moves the events of the fallback into the spool.
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
                            fs::rename(&path, path.with_extension(GIVEN_UP_EXTENSION))?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Passes each waiting event to `finish`, in order, including those that arrive meanwhile. A failed event waits for the next time,
    /// and is given up after five attempts. Failures to write the vault do not count, because the vault may come back.
    pub fn each(&self, mut finish: impl FnMut(&SpooledEvent) -> Result<()>) {
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

    fn one(&self, name: &str, finish: &mut impl FnMut(&SpooledEvent) -> Result<()>) -> Result<()> {
        let path = self.spool.folder.join(name);
        let bytes = read(&path).inspect_err(|error| {
            if is_hopeless(error) {
                give_up(&path);
            }
        })?;
        let spooled: SpooledEvent = serde_json::from_slice(&bytes).inspect_err(|_| give_up(&path))?;
        if spooled.attempts >= MAX_ATTEMPTS {
            give_up(&path);
            anyhow::bail!("given up after {MAX_ATTEMPTS} unfinished attempts");
        }
        // Counted before the attempt, because a process that dies cannot count it afterwards.
        let attempts = spooled.attempts + 1;
        write(&self.spool.folder, name, &SpooledEvent { attempts, ..spooled.clone() })
            .context("it waits, because the attempt cannot be counted")?;
        if let Err(error) = finish(&spooled) {
            if is_of_vault(&error) {
                let _ = write(&self.spool.folder, name, &spooled);
            } else if attempts >= MAX_ATTEMPTS {
                give_up(&path);
            }
            return Err(error);
        }
        match Folder::open(&self.spool.folder).and_then(|folder| folder.remove(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                // Finishing the event again changes nothing: notes and logs record their sources.
                Err(error).context("the event is finished, but its file cannot be removed")
            }
            _ => Ok(()),
        }
    }
}

/// Keeps an event for people to look at, under a name that no process takes up again.
fn give_up(path: &Path) {
    let _ = fs::rename(path, path.with_extension(GIVEN_UP_EXTENSION));
}

/// Returns whether an event can never be read: a link, a file of another user, not a regular file, or too large. Errors of the system
/// itself, such as a lack of descriptors, may pass.
fn is_hopeless(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, InvalidInput, PermissionDenied};
    error.raw_os_error().is_none() && matches!(error.kind(), FileTooLarge | InvalidInput | PermissionDenied)
}

fn is_of_vault(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.is::<WriteError>() || matches!(cause.downcast_ref(), Some(MemoryError::Write(_))))
}

impl SpooledEvent {
    /// Returns the type of the event.
    pub fn event(&self) -> HookEvent {
        HookEvent::named(&self.event)
    }
}

#[cfg(test)]
mod faults;

#[cfg(test)]
mod tests;
