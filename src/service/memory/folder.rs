//! The memory folder in the settings.

use std::sync::atomic::Ordering;

use crate::{App, Error, NoVault, Result};
use tars_agent::recall::RecallLedger;
use tars_config::Provider;
use tars_embed::{EmbedError, Embedder};
use tars_vault::{Journal, MemoryFolder, Origin, WalkOptions, Writer, walk};

/// The command that the journal records for a hook's writes.
pub const HOOK_COMMAND: &str = "hook";

impl App {
    /// Returns the memory folder of the configured vault; it need not exist yet.
    ///
    /// # Errors
    /// There is no vault; or the folder leads out of it.
    pub fn memory_folder(&self) -> Result<MemoryFolder> {
        let config = &self.settings.config;
        let vault = config.vault.path.as_ref().ok_or(NoVault)?;
        // Also checks that the data directory, which holds the journal, is not inside the vault.
        self.roots()?;
        let folder = MemoryFolder::new(vault, &config.vault.memory_folder)?;
        let folder = folder.with_data(&config.data.dir);
        Ok(if self.hides_private_files { folder.hiding_private() } else { folder })
    }

    /// Whether a writer for the memory folder was opened since the last call.
    pub fn take_written(&self) -> bool {
        self.written.swap(false, Ordering::SeqCst)
    }

    /// Opens a writer to `folder` for `command`.
    ///
    /// # Errors
    /// See [`tars_vault::WriteError`].
    pub fn writer<'f>(&self, folder: &'f MemoryFolder, command: &str) -> Result<Writer<'f>> {
        self.open_writer(folder, self.authorship(command, None, None).origin)
    }

    /// Opens a writer to `folder` for a hook of the session `session` of a client.
    ///
    /// # Errors
    /// See [`tars_vault::WriteError`].
    pub fn hook_writer<'f>(&self, folder: &'f MemoryFolder, client: &str, session: &str) -> Result<Writer<'f>> {
        self.open_writer(folder, self.hook_origin(client, session))
    }

    /// Opens a writer to `folder` whose author is known.
    pub(crate) fn open_writer<'f>(&self, folder: &'f MemoryFolder, origin: Origin) -> Result<Writer<'f>> {
        self.check_writable(folder.path())?;
        self.written.store(true, Ordering::SeqCst);
        Ok(Writer::open(folder, self.data_dir()?, origin, self.environment.clock.clone())?)
    }

    /// Returns the journal of the writes to `folder`.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn journal(&self, folder: &MemoryFolder) -> Result<Journal> {
        Ok(Journal::of(&self.settings.config.data.dir, folder)?)
    }

    /// Returns the ledger of the lines that agents were shown.
    pub fn recall_ledger(&self) -> RecallLedger {
        RecallLedger::new(&self.settings.config.data.dir)
    }

    /// Loads the local model that compares bullets, if there is one. Text that is about to be written is never sent to a server
    /// for the comparison.
    ///
    /// # Errors
    /// The settings name a local model, but it is unavailable.
    pub fn comparing_model(&self) -> Result<Option<Box<dyn Embedder>>, EmbedError> {
        match self.settings.config.embedding.provider {
            Provider::Onnx => self.local_model(1.into()).map(Some),
            Provider::OpenAi | Provider::None => Ok(None),
        }
    }

    /// Returns the paths of all notes of the vault, relative to it. They include notes that Obsidian excludes, copies of a
    /// conflict and evicted iCloud notes, because links may lead there.
    ///
    /// # Errors
    /// The vault cannot be read.
    pub fn note_paths(&self, folder: &MemoryFolder) -> Result<Vec<String>> {
        let options = WalkOptions { obsidian: false, conflict_copies: true, ..self.walk_options() };
        let found = walk(folder.vault(), &options).map_err(Error::without_hint)?;
        Ok(found.notes.into_iter().map(|note| note.path).chain(found.evicted).collect())
    }
}
