//! The writes to the memory folder after one event of a session.

use super::event::SessionEvent;
use crate::{App, Result};
use tars_memory::{MemoryError, SessionNote, note_session};
use tars_vault::{MemoryFolder, Writer};

/// The writes of one event. `tars undo --notes` reverts them together, because for a person they are one change.
///
/// The lock of the memory folder is released between them.
pub(super) struct SessionWriter<'a> {
    pub(super) app: &'a App,
    pub(super) folder: MemoryFolder,
    client: &'static str,
    session: &'a str,
    group: Option<u64>,
}

impl<'a> SessionWriter<'a> {
    /// Begins the writes of an event.
    ///
    /// # Errors
    /// There is no memory folder.
    pub(super) fn new(app: &'a App, event: &'a SessionEvent) -> Result<Self> {
        let (client, session) = (event.client.name(), event.session.as_str());
        Ok(Self { app, folder: app.memory_folder()?, client, session, group: None })
    }

    /// Runs `write` under the lock of the memory folder.
    ///
    /// # Errors
    /// The lock is unavailable, or `write` fails.
    pub(super) fn write<T>(&mut self, write: impl FnOnce(&mut Writer<'_>) -> Result<T, MemoryError>) -> Result<T> {
        let mut writer = self.app.hook_writer(&self.folder, self.client, self.session)?.in_group(self.group);
        let result = write(&mut writer);
        self.group = writer.group();
        Ok(result?)
    }

    /// Writes notes into the daily logs.
    ///
    /// # Errors
    /// See [`Self::write`].
    pub(super) fn note(&mut self, notes: &[SessionNote]) -> Result<()> {
        notes.iter().try_for_each(|note| self.write(|writer| note_session(writer, note)).map(drop))
    }
}
