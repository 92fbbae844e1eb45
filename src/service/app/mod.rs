//! Wires the parts together: the only module that names concrete adapters.

mod aliases;
mod answer;
mod audit;
mod client_memory;
mod daily_notes;
mod data_dir_audit;
mod deadline;
mod doctor;
mod embed_now;
mod fingerprint;
mod freshness;
mod import;
mod index_transfer;
mod language_model;
mod languages;
mod mcp_servers;
mod memory;
mod model;
mod model_change;
mod pauses;
mod problem;
mod rescue;
mod roots;
mod second_stage;
mod status;

pub use audit::{Leak, LeakPlace};
pub use client_memory::CLIENT_MEMORY;
use client_memory::NO_MEMORY;
pub use daily_notes::DailyNote;
pub use doctor::Examination;
pub use freshness::places;
pub use freshness::{CATCH_UP, CatchUp, FreshIndex, Freshness, VaultMismatch, missing_notes_remark};
pub use import::{Imported, ImportedLog};
pub use index_transfer::{IndexTransferError, TransferredIndex};
pub use language_model::{
    ChatChoice, ChatModelError, ConversationModel, MODEL_OFFER, ModelLedger, ModelUse, TaskPrompt,
};
pub use languages::{LanguageReport, ModelAdvice, line_of_languages};
pub use memory::HOOK_COMMAND;
pub use model::Model;
pub use model_change::ModelChange;
pub use pauses::{Pause, PausedTimes, Pauses};
pub use problem::{Problem, ProblemKind};
pub use roots::NoVault;
use roots::resolved;
pub use second_stage::{PreparedStage, SecondStage, StageRequest};
pub use status::{CollectionReport, DatabaseReport, ModelReport, NotesReport, StatusReport};

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use tars_base::domain::{Progress, Query};
use tars_base::private;
use tars_chat::mcp_client::Servers;
use tars_config::{Environment, Provider, Settings, VaultSettings};
use tars_engine::index::{self, IndexLock, IndexOptions, Report, RunPart};
use tars_engine::search::SearchOptions;
use tars_store::{Engine, Index, Sqlite, StoreError};
use tars_text::chunker::ChunkOptions;
use tars_text::languages::LanguageShares;
use tars_vault::WalkOptions;

/// Name of the vault's collection.
pub const VAULT: &str = "vault";

/// How long a run with changes may spend on merging the full text to speed up questions; later changes wait for it.
const MERGING: Duration = Duration::from_millis(100);

/// The engine of the index.
pub const ENGINE: &dyn Engine = &Sqlite;

/// The application: creates the parts that a command needs, from the settings and on demand.
#[derive(Debug)]
pub struct App {
    /// The process' variables and folders.
    pub environment: Environment,
    /// The merged settings.
    pub settings: Settings,
    /// Whether a writer for the memory folder was opened.
    written: AtomicBool,
    /// Whether answers go to other programs.
    hides_private_files: bool,
    /// The servers of tools that conversations may use.
    mcp_servers: Servers,
    /// The model that the index was made with, while it answers instead of the configured one.
    former_model: model_change::FormerModelSlot,
}

/// The scope of an index run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexScope {
    /// If not empty, only these files and folders; absolute, with links resolved. They need not exist any more.
    pub paths: Vec<PathBuf>,
    /// Whether to read and embed everything again.
    pub full: bool,
    /// Which parts of the work to do.
    pub part: RunPart,
}

/// A question with everything that affects its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResolvedQuery {
    /// The question and its filters.
    pub query: Query,
    /// How candidate lists are built and fused.
    pub options: SearchOptions,
    /// Number of chunks to show on either side of a hit.
    pub window: u32,
    /// Maximum number of tokens of text.
    pub budget: Option<usize>,
}

impl App {
    /// Reads the settings. `flags` are keys and values given on the command line.
    ///
    /// # Errors
    /// The configuration cannot be read or is invalid.
    pub fn new(environment: Environment, flags: &[(String, String)]) -> Result<Self> {
        let settings = tars_config::load(&environment, flags)?;
        Ok(Self::of(environment, settings))
    }

    /// Returns the application for settings that were loaded before.
    pub fn of(environment: Environment, settings: Settings) -> Self {
        let mcp_servers = mcp_servers::servers(&environment, &settings);
        Self {
            environment,
            settings,
            written: AtomicBool::new(false),
            hides_private_files: false,
            mcp_servers,
            former_model: Default::default(),
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

    /// Returns the data directory, and creates it if necessary.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn data_dir(&self) -> Result<&Path> {
        let data = &self.settings.config.data.dir;
        private::create_folder(data).with_context(|| format!("cannot create the data directory {}", data.display()))?;
        Ok(data)
    }

    /// Updates the index. The caller holds `lock`. A damaged index is set aside and rebuilt, with a warning. If a second look
    /// finds no damage, the disk returned wrong data once, and the run is tried again.
    ///
    /// # Errors
    /// See [`index::IndexError`].
    pub fn index(
        &self,
        lock: &IndexLock,
        request: &IndexScope,
        model: &Model,
        progress: &dyn Progress,
    ) -> Result<Report> {
        let damage = match self.bring_up_to_date(lock, request, model, progress) {
            Err(error) if rescue::of_store(&error).is_some_and(StoreError::is_damage) => error,
            done => return done,
        };
        if !self.is_damaged()? {
            progress.warn(&format!("{damage}: a full check found no damage, so the run starts over"));
            return self.bring_up_to_date(lock, request, model, progress);
        }
        let aside = ENGINE.set_aside(&self.database(), self.environment.clock.timestamp())?;
        let said = format!("{damage}: it is set aside as {} and rebuilt from the notes", aside.display());
        progress.warn(&said);
        let part = if request.part == RunPart::Vectors { RunPart::Both } else { request.part };
        let everything = IndexScope { part, ..IndexScope::default() };
        let mut report = self.bring_up_to_date(lock, &everything, model, progress)?;
        report.warnings.insert(0, said);
        report.set_aside = Some(aside);
        Ok(report)
    }

    fn bring_up_to_date(
        &self,
        _lock: &IndexLock,
        request: &IndexScope,
        model: &Model,
        progress: &dyn Progress,
    ) -> Result<Report> {
        let roots = self.roots()?;
        let mut store = ENGINE.open(&self.database())?;
        let model_to_keep = self.model_to_keep(&*store.snapshot()?, model)?;
        let mut report = match &model_to_keep {
            None => index::run(&mut *store, model.embedder(), &roots, &self.index_options(request), progress)?,
            Some(_) if request.part == RunPart::Vectors => Report::default(),
            // The notes keep their cut, and the former vectors go on answering.
            Some(former) => {
                let words = IndexScope { part: RunPart::Words, full: false, ..request.clone() };
                index::run(&mut *store, Some(&**former), &roots, &self.index_options(&words), progress)?
            }
        };
        if !report.interrupted && request.paths.is_empty() {
            store.set_meta("indexed_at", &self.environment.clock.timestamp().to_string())?;
        }
        let changed = report.added + report.changed + report.moved + report.removed > 0;
        if request.paths.is_empty() && (changed || store.snapshot()?.meta(LanguageShares::KEY)?.is_none()) {
            let shares = languages::of_index(&*store.snapshot()?, &self.settings.config.vault.memory_folder)?;
            store.set_meta(LanguageShares::KEY, &shares.to_string())?;
        }
        let mut settle = || -> Result<(), StoreError> {
            if report.pending > 0 || report.interrupted {
                return Ok(());
            }
            let changed = report.added + report.changed + report.moved + report.removed + report.embedded;
            if changed > 0 {
                store.merge_full_text(MERGING)?;
            }
            store.truncate_log()?;
            let made = report.added > 0 && report.added == report.files;
            if !store.vacuum(made)? && changed == 0 {
                store.keep_log()?;
            }
            Ok(())
        };
        if let Err(error) = settle() {
            if error.is_damage() {
                return Err(error.into());
            }
            tracing::warn!(%error, "the index is slower or larger than it could be");
        }
        match (&model_to_keep, model.embedder()) {
            (Some(_), Some(embedder)) => {
                let is_known = !report.interrupted && report.roots_missing == 0;
                if is_known && request.part != RunPart::Words {
                    let run = model_change::ChangeRun { embedder, full: request.full, progress };
                    self.embed_into_copy(store, &run, &mut report)?;
                }
            }
            _ => self.discard_needless_copy(&*store, model)?,
        }
        Ok(report)
    }

    /// Returns the options for finding and cutting notes.
    fn index_options(&self, request: &IndexScope) -> IndexOptions {
        let config = &self.settings.config;
        IndexOptions {
            walk: WalkOptions { only: request.paths.clone(), ..self.walk_options() },
            max_file_size: config.index.max_file_size,
            chunk: ChunkOptions {
                target_tokens: config.chunk.target_tokens,
                passage_tokens: config.chunk.passage_tokens,
                window_tokens: match config.embedding.provider {
                    Provider::OpenAi => config.embedding.window,
                    // The model's own window is smaller or equal; this one applies if there is no model.
                    Provider::Onnx | Provider::None => {
                        ChunkOptions::default().window_tokens.max(config.chunk.passage_tokens)
                    }
                },
                overlap: config.chunk.overlap,
                context_prefix: config.chunk.context_prefix,
                facts: false,
            },
            memory_folder: config.vault.memory_folder.clone(),
            vault: VAULT.into(),
            full: request.full,
            part: request.part,
        }
    }

    /// Returns the options that decide which files are notes.
    pub fn walk_options(&self) -> WalkOptions {
        let index = &self.settings.config.index;
        WalkOptions {
            extensions: index.extensions.clone(),
            exclude: index.exclude.clone(),
            exclude_in: self
                .client_memory()
                .map(|path| (path, NO_MEMORY.map(str::to_owned).to_vec()))
                .into_iter()
                .collect(),
            gitignore: index.gitignore,
            obsidian: index.obsidian,
            conflict_copies: index.conflict_copies,
            memory: self.memory_path(),
            only: Vec::new(),
        }
    }

    /// Returns the path of the memory folder, with links resolved; `None` without a vault.
    fn memory_path(&self) -> Option<PathBuf> {
        let VaultSettings { path, memory_folder } = &self.settings.config.vault;
        Some(resolved(path.as_ref()?).join(memory_folder))
    }
}
