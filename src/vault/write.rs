//! Writing into the memory folder: under its lock, into its journal, whole or not at all, and never over what somebody
//! else wrote meanwhile.

use std::path::Path;
use std::time::Duration;

use super::WriteError;
use super::folder::MemoryFolder;
use super::journal::{Change, Entry, Journal, Noted, Origin};
use super::leftovers::sweep;
use super::lines::{Lines, Splice};
use super::lock::FolderLock;
use super::place::Place;
use super::replace::{Failure, Replaced, remove, replace};
use crate::clock::Clock;
use crate::disk::Folder;
use crate::domain::SAID;

/// How often an edit is made again because somebody else changed the file at the same moment.
const ATTEMPTS: usize = 100;

/// How long a file that somebody else writes must have been as it is: an editor fills what it has emptied well within that.
const QUIET: Duration = Duration::from_millis(30);

/// How long a file that was emptied is waited for.
const PATIENCE: Duration = Duration::from_millis(500);

/// How often a file is looked at that does not come to rest: a second in all.
const LOOKS: usize = 32;

/// The right to write to a memory folder, until it is dropped.
#[derive(Debug)]
pub struct Writer<'f> {
    folder: &'f MemoryFolder,
    journal: Journal,
    origin: Origin,
    clock: Clock,
    group: Option<u64>,
    whole: bool,
    next: u64,
    /// Folders, by the beginning that names of their files have, in which nothing is left of a killed write.
    swept: Vec<String>,
    lock: FolderLock,
}

impl<'f> Writer<'f> {
    /// Takes the lock of `folder`, making the folder where there is none. What is written is journalled in the data
    /// directory `data`, with the time of `clock`.
    ///
    /// # Errors
    /// The folder cannot be made or locked, or the journal not be read.
    pub fn open(folder: &'f MemoryFolder, data: &Path, origin: Origin, clock: Clock) -> Result<Self, WriteError> {
        let lock = folder.lock()?;
        let journal = Journal::adopt(data, folder, &lock)?;
        journal.trim()?;
        let last = journal.last()?;
        let next = last.as_ref().map_or(1, |(_, entry)| entry.id.saturating_add(1));
        let mut writer =
            Self { folder, journal, origin, clock, group: None, whole: false, next, swept: Vec::new(), lock };
        if let Some((start, entry)) = last {
            // Before anything else is written: what a killed write left is told by the last entry.
            if let Some(place) = writer.lock.existing(&entry.file)? {
                writer.sweep(&place.folder, &entry.file)?;
            }
            settle(&writer.journal, folder, start, &entry)?;
        }
        Ok(writer)
    }

    /// Returns the place of `file`, after a look at what a killed write left beside it.
    fn place(&mut self, file: &str) -> Result<Place, WriteError> {
        let place = self.lock.place(file)?;
        self.sweep(&place.folder, file)?;
        Ok(place)
    }

    /// Removes or keeps what a killed write left in `folder`, in which `file` lies; once for each folder.
    fn sweep(&mut self, folder: &Folder, file: &str) -> Result<(), WriteError> {
        let prefix = file.rsplit_once('/').map_or(String::new(), |(folders, _)| format!("{folders}/"));
        if self.swept.contains(&prefix) {
            return Ok(());
        }
        for kept in sweep(folder, &prefix, &self.journal, &self.clock.now())? {
            tracing::warn!(
                target: SAID,
                "a note was saved in the very moment in which tars replaced it: what was saved is kept as {}; compare the two \
                 and remove one",
                self.folder.shown(&format!("{prefix}{kept}"))
            );
        }
        self.swept.push(prefix);
        Ok(())
    }

    /// Changes the lines of a file as `change` says, which sees the file as it is (empty where there is none) and is
    /// asked again if the file changes meanwhile. No splice, no write. Returns whether anything was written.
    ///
    /// # Errors
    /// See [`WriteError`]; the file is as it was.
    pub fn edit(&mut self, file: &str, mut change: impl FnMut(&Lines<'_>) -> Vec<Splice>) -> Result<bool, WriteError> {
        let made = self.folder.missing_above(file)?;
        let place = self.place(file)?;
        for _ in 0..ATTEMPTS {
            self.sweep(&place.folder, file)?;
            let before = self.read_at_rest(&place, file)?;
            let lines = Lines::of(before.as_deref().unwrap_or_default());
            let splices = change(&lines);
            let after = lines.spliced(&splices);
            if splices.is_empty() || before.as_deref() == Some(&after) {
                return Ok(false);
            }
            let entry = Entry::new(&self.origin, file, before.as_deref(), Some(&after)).with_changes(&lines, &splices);
            let entry = Entry { made: made.clone(), ..entry };
            if self.write(&place, entry, before.as_deref(), Some(&after))? {
                return Ok(true);
            }
        }
        Err(WriteError::Restless { path: place.path() })
    }

    /// Gives the file `from` the name `to` within the folder, with its bytes, mode and times as they are. Returns `false` where there
    /// is no such file, or where there is one of the other name already.
    ///
    /// # Errors
    /// See [`WriteError`]; the file is where it was.
    pub fn rename(&mut self, from: &str, to: &str) -> Result<bool, WriteError> {
        self.rename_as(from, to, None)
    }

    /// As [`Writer::rename`], as a write that takes another back where `undoes` names one.
    pub(super) fn rename_as(&mut self, from: &str, to: &str, undoes: Option<u64>) -> Result<bool, WriteError> {
        let Some(old) = self.lock.existing(from)? else { return Ok(false) };
        let made = self.folder.missing_above(to)?;
        let new = self.place(to)?;
        let Some(content) = self.read_at_rest(&old, from)? else { return Ok(false) };
        if new.read()?.is_some() {
            return Ok(false);
        }
        let noted = self.note(Entry { undoes, made, ..Entry::of_move(&self.origin, from, to, &content) })?;
        match old.folder.move_new(&old.name, &new.folder, &new.name) {
            Ok(()) => {
                new.folder.sync();
                old.folder.sync();
                Ok(true)
            }
            // A failure is no proof that nothing was done: the entry stays where the file has gone.
            Err(_) if old.read_firmly()?.is_none() && new.read_firmly()?.is_some() => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => noted.take_back().map(|()| false),
            Err(error) => {
                noted.take_back()?;
                Err(old.failed("move")(error))
            }
        }
    }

    /// Removes the folders that were made for a write which has been taken back, as far as nothing is in them. The write is taken back
    /// either way, so that a folder which stays is no failure.
    pub(super) fn remove_made(&self, undone: &Entry) {
        let Some(made) = &undone.made else { return };
        let mut folder = undone.moved_to.as_ref().unwrap_or(&undone.file).as_str();
        while let Some((above, _)) = folder.rsplit_once('/') {
            folder = above;
            let is_of_write =
                folder == made || folder.strip_prefix(made.as_str()).is_some_and(|rest| rest.starts_with('/'));
            if !is_of_write || !self.folder.remove_empty(folder).unwrap_or(false) {
                return;
            }
        }
    }

    /// Reads a file that nobody is in the middle of writing: some editors and sync tools empty a file before they fill it, and
    /// what they write afterwards would go into a file that has been replaced. One that somebody else changed a moment ago is
    /// read again until it rests.
    fn read_at_rest(&self, place: &Place, file: &str) -> Result<Option<Vec<u8>>, WriteError> {
        for _ in 0..LOOKS {
            let before = place.read()?;
            // An empty file is not taken for at rest where tars left something in it: somebody may be filling it.
            let is_emptied = before.as_deref() == Some(&[]);
            if !is_emptied && !place.changed_within(QUIET) || self.is_left_by_tars(file, before.as_deref())? {
                return Ok(before);
            }
            if is_emptied && !place.changed_within(PATIENCE) {
                return Ok(before);
            }
            std::thread::sleep(QUIET);
        }
        // Somebody writes all the time: then what stands there is compared again when it is replaced.
        place.read()
    }

    fn is_left_by_tars(&self, file: &str, content: Option<&[u8]>) -> Result<bool, WriteError> {
        let entries = self.journal.entries()?;
        Ok(entries.iter().rfind(|entry| entry.file == file).is_some_and(|entry| entry.left(content)))
    }

    /// Makes `file`, which held `before`, hold `after` (nothing: be no more), as a write that takes `undone` back.
    /// Returns `false` if somebody else changed the file since.
    pub(super) fn take_back(
        &mut self,
        undone: &Entry,
        before: Option<&[u8]>,
        after: Option<&[u8]>,
    ) -> Result<bool, WriteError> {
        let place = self.place(&undone.file)?;
        let entry = Entry { undoes: Some(undone.id), ..Entry::new(&self.origin, &undone.file, before, after) };
        if before == after {
            return self.note(entry).map(|_| true);
        }
        // So that this can be taken back by lines in its turn.
        self.write(&place, Entry { changes: reversed(&undone.changes), ..entry }, before, after)
    }

    /// Makes what is written from now on part of the same undoing as an earlier writer's work, which
    /// [`Writer::group`] names: a long command lets go of the lock in between.
    #[must_use]
    pub fn joining(mut self, group: Option<u64>) -> Self {
        self.group = group;
        self
    }

    /// Has the journal keep all that is written from now on, however large it grows, until another command asks for the same.
    #[must_use]
    pub fn kept_whole(mut self) -> Self {
        self.whole = true;
        self
    }

    /// Returns the name of what this writer wrote, for [`Writer::joining`]; `None` if it wrote nothing.
    pub fn group(&self) -> Option<u64> {
        self.group
    }

    /// Reads a file that is about to be taken back to what it was, at rest; `None` if there is none.
    pub(super) fn read(&self, file: &str) -> Result<Option<Vec<u8>>, WriteError> {
        self.lock.existing(file)?.map_or(Ok(None), |place| self.read_at_rest(&place, file))
    }

    /// Returns what was written so far, oldest first.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn entries(&self) -> Result<Vec<Entry>, WriteError> {
        self.journal.entries()
    }

    /// Returns the day of a time, where the person is.
    pub fn day_of(&self, time: jiff::Timestamp) -> jiff::civil::Date {
        time.to_zoned(self.clock.zone()).date()
    }

    /// Returns the folder that is written to.
    pub fn folder(&self) -> &'f MemoryFolder {
        self.folder
    }

    fn write(
        &mut self,
        place: &Place,
        entry: Entry,
        before: Option<&[u8]>,
        after: Option<&[u8]>,
    ) -> Result<bool, WriteError> {
        let noted = self.note(entry)?;
        let replaced = match (before, after) {
            (_, Some(after)) => replace(place, before, after),
            (Some(before), None) => remove(place, before),
            (None, None) => Ok(Replaced::Done),
        };
        let error = match replaced {
            Ok(Replaced::Done) => return Ok(true),
            Ok(Replaced::Changed) => {
                noted.take_back()?;
                // Something may lie beside by now.
                self.swept.clear();
                return Ok(false);
            }
            Err(Failure::Untouched(error)) => {
                noted.take_back()?;
                return Err(error);
            }
            Err(Failure::InDoubt(error)) => error,
        };
        // A failure is no proof that nothing was written: the file tells, and the journal must agree with it.
        match place.read_firmly() {
            Ok(now) if now.as_deref() == after => {
                tracing::warn!(target: SAID, "{} was written, but the system reports: {error}", self.folder.shown(&place.name));
                Ok(true)
            }
            Ok(_) => {
                noted.take_back()?;
                Err(error)
            }
            // Nobody can tell: the entry stays, and an undo compares hashes.
            Err(_) => Err(error),
        }
    }

    /// Puts an entry into the journal, from which the result can take it back.
    fn note(&mut self, entry: Entry) -> Result<Noted, WriteError> {
        let id = self.next;
        let group = *self.group.get_or_insert(id);
        let (time, whole) = (self.clock.timestamp(), self.whole);
        let noted = self.journal.append(&Entry { id, group, time, whole, ..entry })?;
        self.next += 1;
        Ok(noted)
    }
}

/// Returns the changes that take `changes` back.
fn reversed(changes: &[Change]) -> Vec<Change> {
    let (mut came, mut went) = (0_usize, 0_usize);
    let mut reversed = Vec::with_capacity(changes.len());
    for change in changes {
        let Change { at, removed, inserted, above, below } = change.clone();
        let at = at.saturating_add(came).saturating_sub(went);
        came += inserted.len();
        went += removed.len();
        reversed.push(Change { at, removed: inserted, inserted: removed, above, below });
    }
    reversed
}

/// Takes `entry`, the last one, out of the journal where it says that a write was taken back while its file is as it was: a
/// crash came in between, and that write still stands.
fn settle(journal: &Journal, folder: &MemoryFolder, start: u64, entry: &Entry) -> Result<(), WriteError> {
    if entry.undoes.is_some() && folder.content(&entry.file).is_ok_and(|now| entry.never_happened(now.as_deref())) {
        journal.truncate(start)?;
    }
    Ok(())
}
