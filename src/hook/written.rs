//! What a hook writes for one event.

use anyhow::Result;

use crate::app::App;
use crate::memory::MemoryError;
use crate::vault::{MemoryFolder, Writer};

/// The writes of one event. `tars undo --notes` takes them back together: to a person they are one thing that happened.
///
/// The lock of the memory folder is not held between them.
pub(super) struct Written<'a> {
    pub(super) app: &'a App,
    folder: MemoryFolder,
    session: &'a str,
    group: Option<u64>,
}

impl<'a> Written<'a> {
    /// Begins the writes of an event of the session `session`.
    ///
    /// # Errors
    /// There is no memory folder.
    pub(super) fn new(app: &'a App, session: &'a str) -> Result<Self> {
        Ok(Self { app, folder: app.memory_folder()?, session, group: None })
    }

    /// Returns the folder that is written to.
    pub(super) fn folder(&self) -> &MemoryFolder {
        &self.folder
    }

    /// Writes what `write` does with the lock of the memory folder.
    ///
    /// # Errors
    /// The lock cannot be had, or `write` fails.
    pub(super) fn write<T>(&mut self, write: impl FnOnce(&mut Writer<'_>) -> Result<T, MemoryError>) -> Result<T> {
        let mut writer = self.app.hook_writer(&self.folder, self.session)?.joining(self.group);
        let result = write(&mut writer);
        self.group = writer.group();
        Ok(result?)
    }
}
