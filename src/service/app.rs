//! The settings and the environment, and the parts that are made from them on demand: this module and the rooms' own `impl App`
//! are the only places that name concrete adapters.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use crate::{Context, Refusal, Result};

use crate::authorship::FindCaller;
use crate::indexing::resolved;
use crate::models::{FormerModelSlot, mcp_servers};
use crate::notes::PictureList;
use crate::pauses::Pauses;
use tars_base::private;
use tars_chat::mcp_client::Servers;
use tars_config::{Config, Environment, Settings, VaultSettings};
use tars_store::{Engine, Index, Sqlite, StoreError};
use tars_vault::{PdfReader, ReadError, SourceFile, WalkOptions, read_following};

/// Name of the vault's collection.
pub const VAULT: &str = "vault";

/// Extension of PDFs, which `index.pdf` includes.
pub(crate) const PDF: &str = "pdf";

/// The engine of the index.
pub const ENGINE: &dyn Engine = &Sqlite;

/// The application: creates the parts that a command needs, from the settings and on demand.
#[derive(Debug)]
pub struct App {
    /// The process' variables and folders.
    pub environment: Environment,
    /// The merged settings.
    pub settings: Settings,
    /// The flags of the command line, if the settings were read with them.
    flags: Option<Vec<(String, String)>>,
    /// Whether a writer for the memory folder was opened.
    pub(crate) written: AtomicBool,
    /// Whether answers go to other programs.
    pub(crate) hides_private_files: bool,
    /// The servers of tools that conversations may use.
    mcp_servers: Servers,
    /// The model that the index was made with, while it answers instead of the configured one.
    pub(crate) former_model: FormerModelSlot,
    /// The pictures of the vault that was shown last.
    pub(crate) pictures: PictureList,
    /// Finds the agent's session that this process runs in.
    pub(crate) caller: Option<FindCaller>,
}

impl App {
    /// Reads the settings. `flags` are keys and values given on the command line.
    ///
    /// # Errors
    /// The configuration cannot be read or is invalid.
    pub fn new(environment: Environment, flags: &[(String, String)]) -> Result<Self> {
        let settings = tars_config::load(&environment, flags)?;
        Ok(Self { flags: Some(flags.to_vec()), ..Self::of(environment, settings) })
    }

    /// Returns the application for settings that were loaded before.
    pub fn of(environment: Environment, settings: Settings) -> Self {
        let mcp_servers = mcp_servers(&environment, &settings);
        Self {
            environment,
            settings,
            flags: None,
            written: AtomicBool::new(false),
            hides_private_files: false,
            mcp_servers,
            former_model: Default::default(),
            pictures: Default::default(),
            caller: None,
        }
    }

    /// Names the function that finds the agent's session that this process runs in. Without it, nobody but the person and the programs that
    /// ask through a door count as authors.
    pub fn with_caller(self, find: FindCaller) -> Self {
        Self { caller: Some(find), ..self }
    }

    /// Forgets the agent's session that this process was started in: a server answers many programs.
    pub fn without_caller(self) -> Self {
        Self { caller: None, ..self }
    }

    /// Returns the keys of the settings that were changed since this process read them: it works with the former values until it is
    /// started again.
    pub fn unapplied_settings(&self) -> Vec<String> {
        let Some(flags) = &self.flags else { return Vec::new() };
        match tars_config::load(&self.environment, flags) {
            Ok(now) => self.settings.changed_keys(&now),
            // Every command reports a configuration that cannot be read.
            Err(error) => {
                tracing::debug!(%error, "the settings cannot be compared");
                Vec::new()
            }
        }
    }

    /// Hides private files of the memory folder, for answers to other programs. The index never holds these files.
    pub fn without_private_files(self) -> Self {
        Self { hides_private_files: true, ..self }
    }

    /// Returns the enabled tool servers of the person's configuration.
    pub fn mcp_servers(&self) -> &Servers {
        &self.mcp_servers
    }

    /// Returns the pauses of tars.
    pub fn pauses(&self) -> Pauses {
        Pauses::new(&self.settings.config.data.dir)
    }

    /// Returns the path of the index database.
    pub fn database(&self) -> PathBuf {
        self.settings.config.data.dir.join("index.db")
    }

    /// Opens the index for reading.
    ///
    /// # Errors
    /// There is none, or it is unusable. If no vault is configured either, the error says that, because `tars index` could not
    /// create an index.
    pub fn open_index(&self) -> Result<Index> {
        let opened = ENGINE.open_existing(&self.database());
        if matches!(opened, Err(StoreError::Missing { .. })) {
            self.roots()?;
        }
        Ok(opened?)
    }

    /// Opens the index for reading; `None` if there is none yet.
    ///
    /// # Errors
    /// It is unusable.
    pub(crate) fn existing_index(&self) -> Result<Option<Index>, StoreError> {
        match ENGINE.open_existing(&self.database()) {
            Ok(index) => Ok(Some(index)),
            Err(StoreError::Missing { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the data directory, and creates it if necessary.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn data_dir(&self) -> Result<&Path> {
        let data = &self.settings.config.data.dir;
        private::create_folder(data).with_context(|| format!("cannot create the data directory {}", data.display()))?;
        Ok(data)
    }

    /// Returns the options that decide which files are notes.
    pub fn walk_options(&self) -> WalkOptions {
        let index = &self.settings.config.index;
        WalkOptions {
            extensions: self.note_extensions(),
            exclude: index.exclude.clone(),
            exclude_in: self.excluded_in_roots(),
            follow_links: self.followed_links(),
            gitignore: index.gitignore,
            obsidian: index.obsidian,
            conflict_copies: index.conflict_copies,
            memory: self.memory_path(),
            only: Vec::new(),
        }
    }

    /// Returns the patterns that exclude files of single roots only.
    fn excluded_in_roots(&self) -> BTreeMap<PathBuf, Vec<String>> {
        let client = self.client_memories().into_iter().map(|memory| (memory.path.clone(), memory.others()));
        let collections = self.settings.config.collections.values().filter(|one| !one.ignore.is_empty());
        collections.map(|one| (resolved(&one.path), one.ignore.clone())).chain(client).collect()
    }

    /// Refuses to write to a place in a collection that the person has set read-only.
    ///
    /// # Errors
    /// The path lies in such a collection, perhaps through a link.
    pub fn check_writable(&self, path: &Path) -> Result<()> {
        // Only an absolute path leads to a folder that is there.
        let real = resolved(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
        let mut collections = self.settings.config.collections.iter();
        let around = collections.find(|(_, one)| one.read_only && real.starts_with(resolved(&one.path)));
        let Some((name, _)) = around else { return Ok(()) };
        let message = format!("{} lies in the collection '{name}', which is read-only", real.display());
        Err(Refusal { message, hint: format!("tars config set collections.{name}.read_only false") }.into())
    }

    /// Returns the extensions of the files that are indexed.
    pub fn note_extensions(&self) -> Vec<String> {
        let index = &self.settings.config.index;
        let others = index.extensions.iter().filter(|extension| *extension != PDF).cloned();
        others.chain(index.pdf.then(|| PDF.to_owned())).collect()
    }

    /// Returns the reader of PDFs, which is this program; `None` if the settings leave them out.
    pub(crate) fn pdf_reader(&self) -> Option<PdfReader> {
        let program = self.environment.program.clone()?;
        self.settings.config.index.pdf.then_some(PdfReader { program })
    }

    /// Returns the absolute paths of the links that are followed.
    fn followed_links(&self) -> Vec<PathBuf> {
        let Config { vault, index, .. } = &self.settings.config;
        let vault = vault.path.as_deref().map(resolved);
        let path = |link: &String| match link.starts_with('/') {
            true => Some(PathBuf::from(self.below_root(link).into_owned())),
            false => Some(vault.as_ref()?.join(link)),
        };
        index.follow_links.iter().filter_map(path).collect()
    }

    /// Reads a note of a folder to index, as the index does.
    ///
    /// # Errors
    /// See [`ReadError`].
    pub(crate) fn read_note(&self, root: &Path, path: &str) -> Result<SourceFile, ReadError> {
        read_following(root, &self.followed_links(), path, self.settings.config.index.max_file_size)
    }

    /// Returns the line at which an editor shows the text in `line` of a note ([`tars_vault::line_in_file`]).
    pub fn line_in_file(&self, file: &Path, line: usize) -> usize {
        tars_vault::line_in_file(file, line, self.settings.config.index.max_file_size)
    }

    /// Returns the path of the memory folder, with links resolved; `None` without a vault.
    fn memory_path(&self) -> Option<PathBuf> {
        let VaultSettings { path, memory_folder } = &self.settings.config.vault;
        Some(resolved(path.as_ref()?).join(memory_folder))
    }
}
