//! The place of one file in the memory folder: an open folder and a name in it.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::WriteError;
use tars_base::disk::{Access, File, Folder};

/// Read attempts where giving up would leave a write in doubt.
const READ_ATTEMPTS: usize = 3;

/// Largest file of the memory folder that is read, in bytes.
pub(super) const MAX_FILE_BYTES: u64 = 64 << 20;

/// A file's place, held by the descriptor of its folder: a rename or link made meanwhile cannot redirect it.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) folder: Folder,
    pub(super) name: String,
}

impl Place {
    /// Returns the file's path, for messages.
    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }

    /// Opens the file; `None` if it does not exist.
    pub(super) fn open(&self, access: Access) -> Result<Option<File>, WriteError> {
        self.folder.open_file(&self.name, access).map_err(|error| self.refused(&self.name, "open", error))
    }

    /// Reads the file; `None` if it does not exist.
    pub(super) fn read(&self) -> Result<Option<Vec<u8>>, WriteError> {
        self.read_sibling(&self.name)
    }

    /// Whether the file was modified within the last `span`; false if the system does not say.
    pub(super) fn changed_within(&self, span: Duration) -> bool {
        let metadata =
            self.folder.open_file(&self.name, Access::Read).ok().flatten().and_then(|file| file.metadata().ok());
        let age = metadata.and_then(|metadata| metadata.modified().ok()?.elapsed().ok());
        age.is_some_and(|age| age < span)
    }

    /// Like [`Place::read`], with retries.
    pub(super) fn read_with_retries(&self) -> Result<Option<Vec<u8>>, WriteError> {
        self.read_sibling_with_retries(&self.name)
    }

    /// Reads the file `name` of the same folder, with retries.
    pub(super) fn read_sibling_with_retries(&self, name: &str) -> Result<Option<Vec<u8>>, WriteError> {
        let mut read = self.read_sibling(name);
        for _ in 1..READ_ATTEMPTS {
            if read.is_ok() {
                break;
            }
            read = self.read_sibling(name);
        }
        read
    }

    fn read_sibling(&self, name: &str) -> Result<Option<Vec<u8>>, WriteError> {
        self.folder.read(name, MAX_FILE_BYTES).map_err(|error| self.refused(name, "read", error))
    }

    /// Removes the file if `is_own` says so about its content. Returns whether it did.
    pub(super) fn remove_if(&self, is_own: &dyn Fn(&[u8]) -> bool) -> Result<bool, WriteError> {
        if !self.read()?.is_some_and(|content| is_own(&content)) {
            return Ok(false);
        }
        // Under another name nobody starts writing to it, so the content that is read now is the content that is removed.
        let aside = format!(".tars-{}.removed", self.name);
        self.folder.rename(&self.name, &aside).map_err(self.failed("remove"))?;
        let is_removable = self.read_sibling(&aside).map(|content| content.is_some_and(|content| is_own(&content)));
        if !matches!(is_removable, Ok(true)) {
            // Also if it cannot be read now, because nobody would look for it under the other name.
            self.folder.rename_new(&aside, &self.name).map_err(self.failed("restore"))?;
            return is_removable;
        }
        self.folder.remove(&aside).map(|()| true).map_err(self.failed("remove"))
    }

    /// Returns a function that wraps an error of `action` on this file.
    pub(super) fn failed(&self, action: &'static str) -> impl FnOnce(io::Error) -> WriteError {
        let path = self.path();
        move |source| WriteError::Io { path, action, source }
    }

    fn refused(&self, name: &str, action: &'static str, source: io::Error) -> WriteError {
        WriteError::at(&self.folder, name, action, source)
    }
}
