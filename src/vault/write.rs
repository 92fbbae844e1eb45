//! Writing into the memory folder: under its lock, into its journal, whole or not at all, and never over what somebody
//! else wrote meanwhile.

use std::path::{Path, PathBuf};

use super::folder::{FolderLock, MemoryFolder, read};
use super::journal::{Entry, Journal, Origin};
use super::lines::{Lines, Splice};
use super::replace::{Replaced, remove, replace};

/// How often an edit is made again because somebody else changed the file at the same moment.
const ATTEMPTS: usize = 100;

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The vault cannot be used.
    #[error("the vault {path} cannot be used")]
    Vault {
        /// The configured vault.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The vault is a file.
    #[error("the vault {path} is no folder")]
    NoFolder {
        /// The configured vault.
        path: PathBuf,
    },
    /// A name that does not stay within the memory folder.
    #[error("'{name}' is no name of a file in the memory folder")]
    Name {
        /// The name.
        name: String,
    },
    /// A link lies where tars would write.
    #[error("{path} is a link (to {target}): tars writes into the memory folder itself, never through a link")]
    Link {
        /// The link.
        path: PathBuf,
        /// What it names.
        target: PathBuf,
    },
    /// The system refused.
    #[error("cannot {action} {path}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// Why.
        source: std::io::Error,
    },
    /// Another process writes.
    #[error("another tars has been writing to {path} for ten seconds")]
    Busy {
        /// The memory folder.
        path: PathBuf,
    },
    /// A file changes faster than it can be written to.
    #[error("{path} keeps changing: nothing was written")]
    Restless {
        /// The file.
        path: PathBuf,
    },
}

impl WriteError {
    /// Returns the one thing to do next, if there is one.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Vault { .. } | Self::NoFolder { .. } => "tars init FOLDER".into(),
            Self::Link { .. } => "tars config set vault.memory_folder NAME".into(),
            _ => return None,
        })
    }
}

/// The right to write to a memory folder, until it is dropped.
#[derive(Debug)]
pub struct Writer<'f> {
    folder: &'f MemoryFolder,
    journal: Journal,
    origin: Origin,
    group: Option<u64>,
    next: u64,
    _lock: FolderLock,
}

impl<'f> Writer<'f> {
    /// Takes the lock of `folder`, making the folder where there is none. What is written is journalled in the data
    /// directory `data`.
    ///
    /// # Errors
    /// The folder cannot be made or locked, or the journal not be read.
    pub fn open(folder: &'f MemoryFolder, data: &Path, origin: Origin) -> Result<Self, WriteError> {
        folder.create()?;
        let lock = folder.lock()?;
        let journal = Journal::new(data, folder.path());
        journal.trim()?;
        settle(&journal, folder)?;
        let next = journal.last()?.map_or(1, |(_, entry)| entry.id + 1);
        Ok(Self { folder, journal, origin, group: None, next, _lock: lock })
    }

    /// Changes the lines of a file as `change` says, which sees the file as it is (empty where there is none) and is
    /// asked again if the file changes meanwhile. No splice, no write. Returns whether anything was written.
    ///
    /// # Errors
    /// See [`WriteError`]; the file is as it was.
    pub fn edit(&mut self, file: &str, mut change: impl FnMut(&Lines<'_>) -> Vec<Splice>) -> Result<bool, WriteError> {
        let path = self.folder.place(file)?;
        for _ in 0..ATTEMPTS {
            let before = read(&path)?;
            let lines = Lines::of(before.as_deref().unwrap_or_default());
            let splices = change(&lines);
            let after = lines.spliced(&splices);
            if splices.is_empty() || before.as_deref() == Some(&after) {
                return Ok(false);
            }
            let entry = Entry::new(&self.origin, file, before.as_deref(), Some(&after)).with_changes(&lines, &splices);
            if self.write(&path, entry, before.as_deref(), Some(&after))? {
                return Ok(true);
            }
        }
        Err(WriteError::Restless { path })
    }

    /// Makes `file`, which held `before`, hold `after` (nothing: be no more), as a write that takes `undone` back.
    /// Returns `false` if somebody else changed the file since.
    pub(super) fn take_back(
        &mut self,
        undone: &Entry,
        before: Option<&[u8]>,
        after: Option<&[u8]>,
    ) -> Result<bool, WriteError> {
        let path = self.folder.place(&undone.file)?;
        let entry = Entry { undoes: Some(undone.id), ..Entry::new(&self.origin, &undone.file, before, after) };
        if before == after {
            return self.note(entry).map(|_| true);
        }
        self.write(&path, entry, before, after)
    }

    /// Makes what is written from now on part of the same undoing as an earlier writer's work, which
    /// [`Writer::group`] names: a long command lets go of the lock in between.
    #[must_use]
    pub fn joining(mut self, group: Option<u64>) -> Self {
        self.group = group;
        self
    }

    /// Returns the name of what this writer wrote, for [`Writer::joining`]; `None` if it wrote nothing.
    pub fn group(&self) -> Option<u64> {
        self.group
    }

    /// Returns what was written so far, oldest first.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn entries(&self) -> Result<Vec<Entry>, WriteError> {
        self.journal.entries()
    }

    /// Returns the folder that is written to.
    pub fn folder(&self) -> &'f MemoryFolder {
        self.folder
    }

    fn write(
        &mut self,
        path: &Path,
        entry: Entry,
        before: Option<&[u8]>,
        after: Option<&[u8]>,
    ) -> Result<bool, WriteError> {
        let length = self.note(entry)?;
        let replaced = match (before, after) {
            (_, Some(after)) => replace(path, before, after),
            (Some(before), None) => remove(path, before),
            (None, None) => Ok(Replaced::Done),
        };
        if !matches!(replaced, Ok(Replaced::Done)) {
            self.journal.truncate(length)?;
        }
        Ok(replaced? == Replaced::Done)
    }

    /// Puts an entry into the journal and returns the journal's length before it.
    fn note(&mut self, entry: Entry) -> Result<u64, WriteError> {
        let id = self.next;
        let group = *self.group.get_or_insert(id);
        let length = self.journal.append(&Entry { id, group, ..entry })?;
        self.next += 1;
        Ok(length)
    }
}

/// Takes the last entry out of the journal where it says that a write was taken back while its file is as it was: a crash
/// came in between, and that write still stands.
fn settle(journal: &Journal, folder: &MemoryFolder) -> Result<(), WriteError> {
    match journal.last()? {
        Some((start, entry)) if entry.undoes.is_some() => {
            let untouched = folder.read(&entry.file).is_ok_and(|now| entry.never_happened(now.as_deref()));
            if untouched { journal.truncate(start) } else { Ok(()) }
        }
        _ => Ok(()),
    }
}
