//! The memory folder, as the settings name it.

use std::sync::atomic::Ordering;

use anyhow::Result;

use super::{App, NoVault};
use crate::config::Provider;
use crate::embed::{EmbedError, Embedder};
use crate::memory::clean_id;
use crate::recall::RecallLedger;
use crate::vault::{Journal, MemoryFolder, Origin, WalkOptions, Writer, walk};

/// Who wrote, in the journal, where a hook did.
pub const HOOK: &str = "hook";

impl App {
    /// Returns the memory folder of the configured vault; it need not exist yet.
    ///
    /// # Errors
    /// There is no vault, or the folder leads out of it.
    pub fn memory_folder(&self) -> Result<MemoryFolder> {
        let config = &self.settings.config;
        let vault = config.vault.path.as_ref().ok_or(NoVault)?;
        // Also that the data directory, with the journal in it, does not lie inside the vault.
        self.roots()?;
        let folder = MemoryFolder::new(vault, &config.vault.memory_folder)?;
        Ok(if self.is_guarded { folder.without_private() } else { folder })
    }

    /// Whether the right to write to the memory folder was taken since this was asked last.
    pub fn take_written(&self) -> bool {
        self.written.swap(false, Ordering::SeqCst)
    }

    /// Takes the right to write to `folder` for `command`.
    ///
    /// # Errors
    /// See [`crate::vault::WriteError`].
    pub fn writer<'f>(&self, folder: &'f MemoryFolder, command: &str) -> Result<Writer<'f>> {
        self.writer_through(folder, command, None)
    }

    /// As [`App::writer`], for a program that asks through the door `channel`.
    ///
    /// # Errors
    /// See [`crate::vault::WriteError`].
    pub fn writer_through<'f>(
        &self,
        folder: &'f MemoryFolder,
        command: &str,
        channel: Option<&str>,
    ) -> Result<Writer<'f>> {
        let session = self.environment.variable("TARS_SESSION").map(|id| id.to_string_lossy().into_owned());
        self.open_writer(folder, Origin { session, channel: channel.map(str::to_owned), ..Origin::of(command) })
    }

    /// Takes the right to write to `folder` for a hook of the session `session`.
    ///
    /// # Errors
    /// See [`crate::vault::WriteError`].
    pub fn hook_writer<'f>(&self, folder: &'f MemoryFolder, session: &str) -> Result<Writer<'f>> {
        let origin = Origin { session: Some(clean_id(session)), ..Origin::of(HOOK) };
        self.open_writer(folder, origin)
    }

    fn open_writer<'f>(&self, folder: &'f MemoryFolder, origin: Origin) -> Result<Writer<'f>> {
        self.written.store(true, Ordering::SeqCst);
        Ok(Writer::open(folder, self.data_dir()?, origin, self.environment.clock.clone())?)
    }

    /// Returns the journal of what was written to `folder`.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn journal(&self, folder: &MemoryFolder) -> Result<Journal> {
        Ok(Journal::of(&self.settings.config.data.dir, folder)?)
    }

    /// Returns the ledger of what agents were shown.
    pub fn recall_ledger(&self) -> RecallLedger {
        RecallLedger::new(&self.settings.config.data.dir)
    }

    /// Loads the model by which bullets are compared: one on this machine, or none. Nothing that is about to be written
    /// is sent elsewhere to be looked at.
    ///
    /// # Errors
    /// There should be one, but it cannot be had.
    pub fn comparing_model(&self) -> Result<Option<Box<dyn Embedder>>, EmbedError> {
        match self.settings.config.embedding.provider {
            Provider::Onnx => self.local_model(1.into()).map(Some),
            Provider::OpenAi | Provider::None => Ok(None),
        }
    }

    /// Returns the paths of all notes of the vault, relative to it, with those that are left out as Obsidian leaves them out,
    /// as copies of a conflict or because iCloud evicted them: links may lead there.
    ///
    /// # Errors
    /// The vault cannot be read.
    pub fn note_paths(&self, folder: &MemoryFolder) -> Result<Vec<String>> {
        let options = WalkOptions { obsidian: false, conflict_copies: true, ..self.walk_options() };
        let found = walk(folder.vault(), &options)?;
        Ok(found.notes.into_iter().map(|note| note.path).chain(found.evicted).collect())
    }
}
