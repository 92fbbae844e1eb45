//! Where the parts are put together: the only place that names concrete adapters.

mod aliases;
mod answer;
mod audit;
mod carry;
mod client_memory;
mod daily_notes;
mod deadline;
mod doctor;
mod embed_now;
mod fingerprint;
mod freshness;
mod import;
mod kept;
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
pub use carry::{CarriedIndex, CarryError};
pub use client_memory::CLIENT_MEMORY;
use client_memory::NO_MEMORY;
pub use daily_notes::OwnDay;
pub use doctor::Examination;
pub(crate) use freshness::places;
pub use freshness::{CATCH_UP, CatchUp, Freshness, Opened, OtherVault, unseen};
pub use import::{Imported, ImportedLog};
pub use language_model::{ChatChoice, ChatModelError, ConversationModel, ModelLedger, ModelUse, OFFER, TaskPrompt};
pub use languages::{LanguageReport, ModelAdvice, line_of_languages};
pub use memory::HOOK;
pub use model::Model;
pub use model_change::ModelChange;
pub use pauses::{Pause, PausedTimes, Pauses};
pub use problem::{Problem, ProblemKind};
pub use roots::NoVault;
use roots::resolved;
pub use second_stage::{PreparedStage, SecondStage, Wanted};
pub use status::{CollectionReport, DatabaseReport, ModelReport, NotesReport, StatusReport};

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::chunker::ChunkOptions;
use crate::config::{self, Environment, Provider, Settings, VaultSettings};
use crate::domain::{Progress, Query};
use crate::index::{self, IndexLock, IndexOptions, Part, Report};
use crate::languages::LanguageShares;
use crate::mcp_client::Servers;
use crate::private;
use crate::search::SearchOptions;
use crate::store::{Engine, Index, Sqlite, StoreError};
use crate::vault::WalkOptions;

/// Name of the collection that is the vault.
pub const VAULT: &str = "vault";

/// How long a run that has changed something goes on to make questions faster; a change that comes meanwhile waits for it.
const MERGING: Duration = Duration::from_millis(100);

/// What keeps the index.
pub(crate) const ENGINE: &dyn Engine = &Sqlite;

/// What a command needs of the world, made from the settings when it is asked for.
#[derive(Debug)]
pub struct App {
    /// The process' variables and folders.
    pub environment: Environment,
    /// The merged settings.
    pub settings: Settings,
    /// Whether the right to write to the memory folder was taken.
    written: AtomicBool,
    /// Whether answers go to other programs.
    is_guarded: bool,
    /// The servers of tools that conversations may use.
    mcp_servers: Servers,
    /// The model that the index was made with, where it answers in place of the configured one.
    former_model: model_change::Former,
}

/// What is to be brought up to date.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexScope {
    /// Where not empty, only these files and folders; absolute, links resolved. They need not exist any more.
    pub paths: Vec<PathBuf>,
    /// Whether to read and embed everything again.
    pub full: bool,
    /// Which halves of the work to do.
    pub part: Part,
}

/// A question with everything that decides about its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResolvedQuery {
    /// The question and its filters.
    pub query: Query,
    /// How lists are made and fused.
    pub options: SearchOptions,
    /// Chunks shown on either side of a hit.
    pub window: u32,
    /// Tokens of text at most.
    pub budget: Option<usize>,
}

impl App {
    /// Reads the settings. `flags` are keys and values given on the command line.
    ///
    /// # Errors
    /// The configuration cannot be read or holds something wrong.
    pub fn new(environment: Environment, flags: &[(String, String)]) -> Result<Self> {
        let settings = config::load(&environment, flags)?;
        Ok(Self::of(environment, settings))
    }

    /// Goes by settings that were read before.
    pub fn of(environment: Environment, settings: Settings) -> Self {
        let mcp_servers = mcp_servers::servers(&environment, &settings);
        Self {
            environment,
            settings,
            written: AtomicBool::new(false),
            is_guarded: false,
            mcp_servers,
            former_model: Default::default(),
        }
    }

    /// Has it answer as other programs may be answered: files of the memory folder that are marked as private are not there. The
    /// index holds none of them in any case.
    pub fn guarded(self) -> Self {
        Self { is_guarded: true, ..self }
    }

    /// Returns the servers of tools that the person's configuration names and that are switched on.
    pub fn mcp_servers(&self) -> &Servers {
        &self.mcp_servers
    }

    /// Returns when tars was told to pause.
    pub fn pauses(&self) -> Pauses {
        Pauses::new(&self.settings.config.data.dir)
    }

    /// Returns the path of the index database.
    pub fn database(&self) -> PathBuf {
        self.settings.config.data.dir.join("index.db")
    }

    /// Opens the index to ask it.
    ///
    /// # Errors
    /// There is none, or it cannot be used. Where no vault is set either, the error says that, since `tars index` could not
    /// make an index.
    pub fn open_index(&self) -> Result<Index> {
        let opened = ENGINE.open_existing(&self.database());
        if matches!(opened, Err(StoreError::Missing { .. })) {
            self.roots()?;
        }
        Ok(opened?)
    }

    /// Returns the data directory, making it where there is none.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn data_dir(&self) -> Result<&Path> {
        let data = &self.settings.config.data.dir;
        private::create_folder(data).with_context(|| format!("cannot create the data directory {}", data.display()))?;
        Ok(data)
    }

    /// Brings the index up to date. The caller holds `lock`. A damaged index is set aside and made anew, which is said. Where a
    /// second look finds no damage, the disk gave something else than it holds: then the run is tried once more.
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
            progress.warn(&format!("{damage}: all of it was read again and is sound, so the run starts over"));
            return self.bring_up_to_date(lock, request, model, progress);
        }
        let aside = ENGINE.set_aside(&self.database(), self.environment.clock.timestamp())?;
        let said = format!("{damage}: it is set aside as {} and made anew of the notes", aside.display());
        progress.warn(&said);
        let part = if request.part == Part::Vectors { Part::Both } else { request.part };
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
        let outgoing = self.outgoing(&*store.snapshot()?, model)?;
        let mut report = match &outgoing {
            None => index::run(&mut *store, model.embedder(), &roots, &self.index_options(request), progress)?,
            Some(_) if request.part == Part::Vectors => Report::default(),
            // Its notes stay cut as they are, and go on to answer.
            Some(former) => {
                let words = IndexScope { part: Part::Words, full: false, ..request.clone() };
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
            store.shorten_log()?;
            let made = report.added > 0 && report.added == report.files;
            if !store.reclaim(made)? && changed == 0 {
                store.leave_log()?;
            }
            Ok(())
        };
        if let Err(error) = settle() {
            if error.is_damage() {
                return Err(error.into());
            }
            tracing::warn!(%error, "the index is slower or larger than it could be");
        }
        match (&outgoing, model.embedder()) {
            (Some(_), Some(embedder)) => {
                let is_known = !report.interrupted && report.roots_missing == 0;
                if is_known && request.part != Part::Words {
                    let run = model_change::ChangeRun { embedder, full: request.full, progress };
                    self.embed_beside(store, &run, &mut report)?;
                }
            }
            _ => self.discard_needless_copy(&*store, model)?,
        }
        Ok(report)
    }

    /// Returns how notes are found and cut.
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
                    // The model's own window is smaller or equal; this one cuts where there is no model.
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

    /// Returns what counts as a note.
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

    /// Returns where the memory folder lies, links resolved; `None` without a vault.
    fn memory_path(&self) -> Option<PathBuf> {
        let VaultSettings { path, memory_folder } = &self.settings.config.vault;
        Some(resolved(path.as_ref()?).join(memory_folder))
    }
}
