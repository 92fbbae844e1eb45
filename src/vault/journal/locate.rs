//! Finds the journal file of a memory folder.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Journal, OriginLog, hash};
use crate::{FolderLock, MemoryFolder, WriteError};
use tars_base::disk::Folder;

/// Precedes the folder's id in the name of a journal.
const PREFIX: &str = "journal-";

/// The path of a memory folder at the time of a write; a separate line in the journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Location {
    pub(super) folder: String,
}

impl Journal {
    /// Returns the journal of `memory` in the data directory `data`, for reading.
    ///
    /// # Errors
    /// The folder's id cannot be read.
    pub fn of(data: &Path, memory: &MemoryFolder) -> Result<Self, WriteError> {
        let by_id = memory.id()?.map(|id| Self::named(data, &id)).filter(|journal| journal.path().exists());
        Ok(match by_id {
            Some(journal) => journal,
            None => Self::by_location(data, memory).unwrap_or_else(|| Self::by_path(data, memory)),
        })
    }

    /// Returns the journal of the locked memory folder, for writing. A folder without an id gets one. A copy of another folder that
    /// still exists gets a new id, so that the two have separate histories from then on.
    ///
    /// # Errors
    /// The id or the journal cannot be read or written.
    pub(crate) fn adopt(data: &Path, memory: &MemoryFolder, lock: &FolderLock) -> Result<Self, WriteError> {
        let here = memory.path().to_string_lossy().into_owned();
        let mut id = lock.id()?;
        let mut journal = Self::named(data, &id);
        let mut known = journal.location()?;
        if let Some(original) = known.as_deref().filter(|known| *known != here)
            && lock.is_copy_of(Path::new(original), &id)
        {
            id = lock.renew_id()?;
            journal = Self::named(data, &id);
            known = None;
        } else if known.is_none() {
            // Earlier journals were named by the path alone, and a sync tool may have replaced the id.
            let old = Self::by_location(data, memory).unwrap_or_else(|| Self::by_path(data, memory));
            if old.path().exists() && !journal.path().exists() {
                OriginLog::rename(&old, &journal)?;
                old.rename_to(&journal)?;
                known = journal.location()?;
            }
        }
        if known.as_deref() != Some(&here) {
            journal.append(&Location { folder: here })?;
        }
        Ok(journal)
    }

    fn named(data: &Path, id: &str) -> Self {
        Self { data: data.to_owned(), name: format!("{PREFIX}{id}.jsonl") }
    }

    /// Returns the file of the same memory folder with another word at the beginning of its name.
    pub(super) fn named_beside(&self, word: &str) -> Self {
        let rest = self.name.strip_prefix(PREFIX).unwrap_or(&self.name);
        Self { data: self.data.clone(), name: format!("{word}-{rest}") }
    }

    /// Gives the file another name.
    pub(super) fn rename_to(&self, other: &Self) -> Result<(), WriteError> {
        self.folder()?.rename(&self.name, &other.name).map_err(other.failed("rename"))
    }

    fn by_path(data: &Path, memory: &MemoryFolder) -> Self {
        Self::named(data, &hash(memory.path().as_os_str().as_encoded_bytes())[..16])
    }

    /// Returns the most recently written journal of a folder at this path.
    fn by_location(data: &Path, memory: &MemoryFolder) -> Option<Self> {
        let here = memory.path().to_string_lossy();
        let names = Folder::open(data).and_then(|folder| folder.names()).unwrap_or_default().into_iter();
        let journals = names.filter(|(name, _)| name.starts_with(PREFIX) && name.ends_with(".jsonl"));
        let found = journals.map(|(name, _)| Self { data: data.to_owned(), name });
        let here = found.filter(|journal| matches!(journal.location(), Ok(Some(known)) if known == here));
        here.max_by_key(|journal| fs::metadata(journal.path()).and_then(|metadata| metadata.modified()).ok())
    }

    /// Returns the folder's path at the last write.
    pub(super) fn location(&self) -> Result<Option<String>, WriteError> {
        let bytes = self.bytes()?;
        let lines = bytes.split(|byte| *byte == b'\n');
        let locations = lines.filter(|line| line.starts_with(b"{\"folder\":"));
        Ok(locations
            .filter_map(|line| serde_json::from_slice::<Location>(line).ok())
            .next_back()
            .map(|line| line.folder))
    }
}
