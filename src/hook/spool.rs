//! Events that wait for their notes.
//!
//! Each event is a JSON file in `spool/` of the data directory, named by time so that events are taken in order. The process that takes a
//! file writes the note and then deletes the file; a note is written once, whichever process does it. While the data directory is not
//! writable, the files wait in a [`Fallback`], and the first process that can moves them on.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use tars_service::{Context, Result};

use super::fallback::{Fallback, NOTIFIED_PREFIX};
use tars_agent::client::HookInput;
use tars_base::data_files::{self, try_lock};
use tars_base::disk::{self, Call, Folder};
use tars_base::private;
use tars_memory::MemoryError;
use tars_service::sessions::SessionEvent;
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

/// The folder of waiting events.
#[derive(Debug)]
pub(super) struct Spool {
    folder: PathBuf,
    pub(super) fallback: Fallback,
}

/// Where an event was put.
#[derive(Debug)]
pub(super) enum PutResult {
    /// In the data directory.
    Spooled,
    /// In a fallback folder, because of this error.
    Aside(PathBuf, tars_service::Error),
}

/// The exclusive right to finish the waiting events, until it is dropped.
#[derive(Debug)]
pub(super) struct SpoolLock<'s> {
    spool: &'s Spool,
    _lock: File,
}

impl Spool {
    /// Returns the spool of the data directory `data`, with its fallback below the session's runtime directory.
    pub(super) fn new(data: &Path, runtime_dir: Option<&Path>) -> Self {
        Self { folder: data.join("spool"), fallback: Fallback::new(data, runtime_dir) }
    }

    /// Stores an event that happened at `at`; it is on disk when this returns.
    ///
    /// # Errors
    /// Neither the data directory nor a fallback can be written.
    pub(super) fn put(&self, input: &HookInput, at: Timestamp) -> Result<PutResult> {
        if input.session.is_empty() {
            return Ok(PutResult::Spooled);
        }
        let kept = |text: &str, most: usize| {
            let mut text = redact(text).text.into_owned();
            text.truncate(text.floor_char_boundary(most));
            text
        };
        let event = SessionEvent {
            client: input.client,
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
        let Err(reason) = write(&self.folder, &name, &event) else { return Ok(PutResult::Spooled) };
        let kept = self.fallback.folder().and_then(|folder| {
            tars_service::ensure!(
                names(folder).len() < MAX_FALLBACK_EVENTS,
                "{MAX_FALLBACK_EVENTS} turns wait in {}",
                folder.display()
            );
            write(folder, &name, &event).map(|()| folder.to_owned())
        });
        match kept {
            Ok(folder) => Ok(PutResult::Aside(folder, reason)),
            Err(error) => Err(reason.context(format!("{error:#}"))),
        }
    }

    /// Returns whether an event is waiting.
    pub(super) fn is_waiting(&self) -> bool {
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
        let is_given_up = |name: &str| Path::new(name).extension().is_some_and(|kind| kind == GIVEN_UP_EXTENSION);
        data_files::names(&self.folder, is_given_up).len()
    }

    /// Takes the exclusive right to finish the waiting events; `None` if another process holds it.
    ///
    /// # Errors
    /// The folder cannot be made or locked.
    pub(super) fn lock(&self) -> Result<Option<SpoolLock<'_>>> {
        Ok(try_lock(&self.folder)?.map(|lock| SpoolLock { spool: self, _lock: lock }))
    }
}

fn names(folder: &Path) -> Vec<String> {
    data_files::names(folder, |name| name.ends_with(".json"))
}

fn write(folder: &Path, name: &str, event: &SessionEvent) -> Result<()> {
    let bytes = serde_json::to_vec(event)?;
    tars_service::ensure!(bytes.len() <= MAX_EVENT_BYTES, "an event is longer than {MAX_EVENT_BYTES} bytes");
    data_files::write(folder, name, &bytes).with_context(|| format!("cannot write to {}", folder.display()))
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    disk::fault_point(Call::Open)?;
    private::read(path, MAX_EVENT_BYTES as u64)
}

impl SpoolLock<'_> {
    /// Removes events that were given up long before `now`, and leftovers of a crash.
    pub(super) fn sweep(&self, now: Timestamp) {
        for folder in std::iter::once(self.spool.folder.as_path()).chain(self.spool.fallback.existing()) {
            // The markers of notified sessions are kept until the session must be over.
            let goes = |name: &str| name.ends_with(GIVEN_UP_EXTENSION) || name.starts_with(NOTIFIED_PREFIX);
            data_files::sweep(folder, now, |name| goes(name).then_some(RETENTION));
        }
    }

    /// Moves the events of the fallback into the spool.
    fn collect(&self) -> io::Result<()> {
        for folder in self.spool.fallback.existing() {
            for name in names(folder) {
                let path = folder.join(&name);
                match read(&path) {
                    Ok(bytes) => {
                        data_files::write(&self.spool.folder, &name, &bytes)?;
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
    pub(super) fn each(&self, mut finish: impl FnMut(&SessionEvent) -> Result<()>) {
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

    fn one(&self, name: &str, finish: &mut impl FnMut(&SessionEvent) -> Result<()>) -> Result<()> {
        let path = self.spool.folder.join(name);
        let bytes = read(&path).inspect_err(|error| {
            if is_hopeless(error) {
                give_up(&path);
            }
        })?;
        let event: SessionEvent = serde_json::from_slice(&bytes).inspect_err(|_| give_up(&path))?;
        if event.attempts >= MAX_ATTEMPTS {
            give_up(&path);
            tars_service::bail!("given up after {MAX_ATTEMPTS} unfinished attempts");
        }
        // Counted before the attempt, because a process that dies cannot count it afterwards.
        let attempts = event.attempts + 1;
        write(&self.spool.folder, name, &SessionEvent { attempts, ..event.clone() })
            .context("it waits, because the attempt cannot be counted")?;
        if let Err(error) = finish(&event) {
            if is_of_vault(&error) {
                let _ = write(&self.spool.folder, name, &event);
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

fn is_of_vault(error: &tars_service::Error) -> bool {
    error.is::<WriteError>() || matches!(error.cause(), Some(MemoryError::Write(_)))
}

#[cfg(test)]
mod faults;

#[cfg(test)]
mod tests;
