//! Writes to the memory folder: under its lock, journalled, atomically, and never over a concurrent change by somebody else.

mod credit;
mod remove_file;
mod rename;

use std::path::Path;
use std::time::Duration;

use super::WriteError;
use super::folder::MemoryFolder;
use super::journal::{AppendedEntry, Change, Entry, Journal, Origin, OriginLog};
use super::leftovers::sweep;
use super::lines::{Lines, Splice};
use super::lock::FolderLock;
use super::origins::{LineCredit, LineOrigin, Origins, Record};
use super::place::Place;
use super::replace::{Failure, ReplaceOutcome, remove, replace};
use super::undo_group::UndoGroup;
pub use credit::Edit;
use tars_base::clock::Clock;
use tars_base::disk::Folder;
use tars_base::domain::USER_NOTICE;

/// Attempts at one edit when the file changes at the same moment.
const MAX_ATTEMPTS: usize = 100;

/// How long a file changed by somebody else must stay unchanged before an edit. Editors refill an emptied file well within that.
const SETTLE_TIME: Duration = Duration::from_millis(30);

/// Longest wait for somebody to refill an emptied file.
const REFILL_TIMEOUT: Duration = Duration::from_millis(500);

/// Most reads of a file that keeps changing: about a second in all.
const MAX_READS: usize = 32;

/// Writes to a memory folder, whose lock it holds until it is dropped.
#[derive(Debug)]
pub struct Writer<'f> {
    folder: &'f MemoryFolder,
    journal: Journal,
    origin: Origin,
    clock: Clock,
    group: Option<u64>,
    shared: Option<UndoGroup>,
    whole: bool,
    next: u64,
    origins: OriginLog,
    /// The origin of lines whose author nobody names.
    source: LineOrigin,
    /// The origins of the lines of the next write.
    pending: Vec<Record>,
    credits: Vec<LineCredit>,
    known: Option<Origins>,
    /// Name prefixes of the folders that were already swept for leftovers of a killed write.
    swept: Vec<String>,
    lock: FolderLock,
}

impl<'f> Writer<'f> {
    /// Takes the lock of `folder`, creating the folder if needed. Writes are journalled in the data directory `data`, with the time
    /// of `clock`.
    ///
    /// # Errors
    /// The folder cannot be created or locked, or the journal cannot be read.
    pub fn open(folder: &'f MemoryFolder, data: &Path, origin: Origin, clock: Clock) -> Result<Self, WriteError> {
        let lock = folder.lock()?;
        let journal = Journal::adopt(data, folder, &lock)?;
        let origins = OriginLog::beside(&journal);
        origins.begin(&journal)?;
        journal.trim()?;
        let last = journal.last()?;
        let next = last.as_ref().map_or(1, |(_, entry)| entry.id.saturating_add(1));
        let mut writer = Self {
            folder,
            journal,
            source: origin.line(),
            origin,
            clock,
            group: None,
            shared: None,
            whole: false,
            next,
            origins,
            pending: Vec::new(),
            credits: Vec::new(),
            known: None,
            swept: Vec::new(),
            lock,
        };
        if let Some((start, entry)) = last {
            // Sweep before any write: the last entry identifies the leftovers of a killed write.
            if let Some(place) = writer.lock.existing(&entry.file)? {
                writer.sweep(&place.folder, &entry.file)?;
            }
            drop_unapplied_undo(&writer.journal, folder, start, &entry)?;
        }
        Ok(writer)
    }

    /// Returns the place of `file`, after sweeping its folder.
    fn place(&mut self, file: &str) -> Result<Place, WriteError> {
        let place = self.lock.place(file)?;
        self.sweep(&place.folder, file)?;
        Ok(place)
    }

    /// Removes or keeps the leftovers of a killed write in the folder of `file`; once per folder.
    fn sweep(&mut self, folder: &Folder, file: &str) -> Result<(), WriteError> {
        let prefix = file.rsplit_once('/').map_or(String::new(), |(folders, _)| format!("{folders}/"));
        if self.swept.contains(&prefix) {
            return Ok(());
        }
        for kept in sweep(folder, &prefix, &self.journal, &self.clock.now())? {
            tracing::warn!(
                target: USER_NOTICE,
                "a note was saved at the same moment as tars replaced it: the saved text is kept as {}; compare the two \
                 and remove one",
                self.folder.vault_path(&format!("{prefix}{kept}"))
            );
        }
        self.swept.push(prefix);
        Ok(())
    }

    /// Edits the lines of a file. `change` receives the current lines (none if the file does not exist) and returns the splices. It
    /// runs again if the file changes meanwhile. Without splices nothing is written. Returns whether anything was written. A file that is
    /// not UTF-8 is never edited.
    ///
    /// # Errors
    /// See [`WriteError`]; the file is then unchanged.
    pub fn edit(&mut self, file: &str, mut change: impl FnMut(&Lines<'_>) -> Vec<Splice>) -> Result<bool, WriteError> {
        self.edit_credited(file, |lines| change(lines).into())
    }

    /// Like [`Writer::edit`], with the authors of the lines.
    ///
    /// # Errors
    /// See [`WriteError`]; the file is then unchanged.
    pub fn edit_credited(
        &mut self,
        file: &str,
        mut change: impl FnMut(&Lines<'_>) -> Edit,
    ) -> Result<bool, WriteError> {
        let made = self.folder.outermost_missing_folder(file)?;
        let place = self.place(file)?;
        for _ in 0..MAX_ATTEMPTS {
            self.sweep(&place.folder, file)?;
            let before = self.read_at_rest(&place, file)?;
            let lines = Lines::of(before.as_deref().unwrap_or_default());
            let edit = change(&lines);
            let splices = &edit.splices;
            let after = lines.spliced(splices);
            if splices.is_empty() || before.as_deref() == Some(&after) {
                return Ok(false);
            }
            if before.as_deref().is_some_and(|before| std::str::from_utf8(before).is_err()) {
                return Err(WriteError::NotUtf8 { path: place.path() });
            }
            let entry = Entry::new(&self.origin, file, before.as_deref(), Some(&after)).with_changes(&lines, splices);
            let entry = Entry { made: made.clone(), ..entry };
            self.pending = self.origins_of_edit(file, &lines, &edit)?;
            if self.write(&place, entry, before.as_deref(), Some(&after))? {
                return Ok(true);
            }
        }
        Err(WriteError::KeepsChanging { path: place.path() })
    }

    /// Creates a file that the command can write again from its source, such as an imported chat. The journal keeps no text of it, so
    /// thousands of such files neither fill the journal nor push earlier writes out of it. Returns `false` if the file exists.
    ///
    /// # Errors
    /// See [`WriteError`]; the file then does not exist.
    pub fn create_regenerable(&mut self, file: &str, text: &str) -> Result<bool, WriteError> {
        let made = self.folder.outermost_missing_folder(file)?;
        let place = self.place(file)?;
        if self.read_at_rest(&place, file)?.is_some() {
            return Ok(false);
        }
        let entry = Entry::new(&self.origin, file, None, Some(text.as_bytes())).regenerable();
        self.pending = vec![self.origin_of_file(file, text)];
        self.write(&place, Entry { made, ..entry }, None, Some(text.as_bytes()))
    }

    /// Removes the empty folders that were created for an undone write. The undo counts even if a folder stays.
    pub(super) fn remove_created_folders(&self, undone: &Entry) {
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

    /// Reads a file once nobody is in the middle of writing it. Some editors and sync tools empty a file before they fill it, and
    /// their later text would go into a file that tars has replaced. A recently changed file is read again until it stays
    /// unchanged.
    fn read_at_rest(&self, place: &Place, file: &str) -> Result<Option<Vec<u8>>, WriteError> {
        for _ in 0..MAX_READS {
            let before = place.read()?;
            // An empty file is suspicious if tars left text in it: somebody may be about to fill it.
            let is_emptied = before.as_deref() == Some(&[]);
            if !is_emptied && !place.changed_within(SETTLE_TIME) || self.is_as_tars_left_it(file, before.as_deref())? {
                return Ok(before);
            }
            if is_emptied && !place.changed_within(REFILL_TIMEOUT) {
                return Ok(before);
            }
            std::thread::sleep(SETTLE_TIME);
        }
        // Somebody writes all the time: the replacement compares the content again.
        place.read()
    }

    fn is_as_tars_left_it(&self, file: &str, content: Option<&[u8]>) -> Result<bool, WriteError> {
        let entries = self.journal.entries()?;
        Ok(entries.iter().rfind(|entry| entry.file == file).is_some_and(|entry| entry.matches_after(content)))
    }

    /// Replaces the content `before` of the undone entry's file with `after` (`None` removes the file), as an undo. Returns `false`
    /// if the file has changed since.
    pub(super) fn write_undo(
        &mut self,
        undone: &Entry,
        before: Option<&[u8]>,
        after: Option<&[u8]>,
    ) -> Result<bool, WriteError> {
        let place = self.place(&undone.file)?;
        let entry = Entry { undoes: Some(undone.id), ..Entry::new(&self.origin, &undone.file, before, after) };
        let entry = if undone.regenerable { entry.regenerable() } else { entry };
        if before == after {
            return self.append_entry(entry).map(|_| true);
        }
        let is_text = before.is_none_or(|before| std::str::from_utf8(before).is_ok());
        // Lines in UTF-8 do not go into a file of another encoding; the whole content of before may come back.
        if !is_text && !undone.matches_before(after) {
            return Err(WriteError::NotUtf8 { path: place.path() });
        }
        // The reversed changes allow this undo to be undone by lines as well.
        self.write(&place, Entry { changes: reversed(&undone.changes), ..entry }, before, after)
    }

    /// Adds the coming writes to the undo group of an earlier writer, see [`Writer::group`]. A long command releases the lock in
    /// between.
    #[must_use]
    pub fn in_group(mut self, group: Option<u64>) -> Self {
        self.group = group;
        self
    }

    /// Adds the coming writes to the undo group of these writers, see [`Writer::in_group`].
    #[must_use]
    pub fn in_shared_group(mut self, shared: UndoGroup) -> Self {
        self.group = shared.id();
        self.shared = Some(shared);
        self
    }

    fn record_group(&self) {
        if let Some(shared) = &self.shared {
            shared.record(self.group);
        }
    }

    /// Makes the journal keep all coming writes, however large it grows, until the same command requests it again.
    #[must_use]
    pub fn exempt_from_trim(mut self) -> Self {
        self.whole = true;
        self
    }

    /// Returns the undo group of this writer's writes, for [`Writer::in_group`]; `None` if it wrote nothing.
    pub fn group(&self) -> Option<u64> {
        self.group
    }

    /// Reads a file for an undo, once nobody is writing it; `None` if it does not exist.
    pub(super) fn read(&self, file: &str) -> Result<Option<Vec<u8>>, WriteError> {
        self.lock.existing(file)?.map_or(Ok(None), |place| self.read_at_rest(&place, file))
    }

    /// Returns the journal's entries, oldest first.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn entries(&self) -> Result<Vec<Entry>, WriteError> {
        self.journal.entries()
    }

    /// Returns the local date of a time.
    pub fn day_of(&self, time: jiff::Timestamp) -> jiff::civil::Date {
        time.to_zoned(self.clock.zone()).date()
    }

    /// Returns the memory folder.
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
        let appended = self.append_entry(entry)?;
        let replaced = match (before, after) {
            (_, Some(after)) => replace(place, before, after),
            (Some(before), None) => remove(place, before),
            (None, None) => Ok(ReplaceOutcome::Done),
        };
        let error = match replaced {
            Ok(ReplaceOutcome::Done) => {
                self.record_group();
                return Ok(true);
            }
            Ok(ReplaceOutcome::Changed) => {
                appended.remove()?;
                // The failed attempt may have left a hidden file.
                self.swept.clear();
                return Ok(false);
            }
            Err(Failure::Untouched(error)) => {
                appended.remove()?;
                return Err(error);
            }
            Err(Failure::InDoubt(error)) => error,
        };
        // An error does not prove that nothing was written: the file's content decides, and the journal must agree with it.
        match place.read_with_retries() {
            Ok(now) if now.as_deref() == after => {
                self.record_group();
                tracing::warn!(target: USER_NOTICE, "{} was written, but the system reports: {error}", self.folder.vault_path(&place.name));
                Ok(true)
            }
            Ok(_) => {
                appended.remove()?;
                Err(error)
            }
            // Unknown: the entry stays, and an undo compares hashes.
            Err(_) => Err(error),
        }
    }

    /// Appends an entry to the journal, and the origins of its lines. The result can remove both again.
    fn append_entry(&mut self, entry: Entry) -> Result<AppendedEntry, WriteError> {
        let id = self.next;
        let group = *self.group.get_or_insert(id);
        let (time, whole) = (self.clock.timestamp(), self.whole);
        let mut records = std::mem::take(&mut self.pending);
        records.iter_mut().for_each(|record| (record.id, record.time) = (id, time));
        let appended = self.journal.append(&Entry { id, group, time, whole, ..entry })?;
        self.next += 1;
        match records.is_empty() {
            true => Ok(appended),
            false => appended.and(self.origins.append(&records)),
        }
    }
}

/// Returns the changes that undo `changes`.
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

/// Removes the last `entry` from the journal if it is an undo that never reached its file: a crash came in between, so the undone
/// write is still in force.
fn drop_unapplied_undo(journal: &Journal, folder: &MemoryFolder, start: u64, entry: &Entry) -> Result<(), WriteError> {
    if entry.undoes.is_some() && folder.content(&entry.file).is_ok_and(|now| entry.was_not_applied(now.as_deref())) {
        journal.truncate(start)?;
    }
    Ok(())
}
