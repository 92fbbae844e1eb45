//! The index: which folders it holds, runs that update it, and its state while a question waits.

mod client_memory;
mod deadline;
mod embed_now;
mod freshness;
mod request;
mod rescue;
mod roots;
mod transfer;

pub use client_memory::ClientMemoryFolder;
pub use freshness::{CATCH_UP, CatchUp, FreshIndex, Freshness, VaultMismatch, missing_notes_remark, places};
pub use request::{IndexRequest, IndexResponse};
pub use roots::NoVault;
pub(crate) use roots::resolved;
pub use transfer::{ExportIndexRequest, ImportIndexRequest, IndexTransferError, TransferredIndex};

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::models::{ChangeRun, languages_of_index};
use crate::{App, Context, ENGINE, Interrupted, Model, Result, Service, VAULT};
use tars_base::domain::Progress;
use tars_config::Provider;
use tars_engine::index::{self, IndexLock, IndexOptions, Report, RunPart};
use tars_store::StoreError;
use tars_text::chunker::ChunkOptions;
use tars_text::languages::LanguageShares;
use tars_vault::WalkOptions;

/// How long a run with changes may spend on merging the full text to speed up questions; later changes wait for it.
pub(crate) const MERGING: Duration = Duration::from_millis(100);

/// The scope of an index run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexScope {
    /// If not empty, only these files and folders; absolute, with links resolved. They need not exist any more.
    pub paths: Vec<PathBuf>,
    /// Whether to read and embed everything again.
    pub full: bool,
    /// Which parts of the work to do.
    pub part: RunPart,
    /// How long to wait for another program's lock, if not as long as usual.
    pub patience: Option<Duration>,
}

impl Service<'_> {
    /// Takes the lock of the index. While another process holds it, the observer receives a warning and may cancel the wait.
    pub(crate) fn lock_index(&self) -> Result<IndexLock> {
        let observer = self.observer;
        let waiting = || observer.warn("another tars is indexing: waiting for it to finish");
        let lock = IndexLock::acquire(self.app.data_dir()?, waiting, || observer.cancelled())?;
        lock.ok_or_else(|| Interrupted.into())
    }
}

impl App {
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
            Err(error) if error.store_cause().is_some_and(StoreError::is_damage) => error,
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
        if let Some(patience) = request.patience {
            store.set_patience(patience)?;
        }
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
        self.forget_hidden(&report.hiding);
        if report.hiding.iter().any(|note| note.is_private) {
            match store.purge_deleted() {
                Err(error) if error.is_damage() => return Err(error.into()),
                Err(error) => tracing::warn!(%error, "the index still holds words of a note that is private now"),
                Ok(()) => {}
            }
        }
        if !report.interrupted && request.paths.is_empty() {
            store.set_meta("indexed_at", &self.environment.clock.timestamp().to_string())?;
        }
        let changed = report.added + report.changed + report.moved + report.removed > 0;
        if request.paths.is_empty() && (changed || store.snapshot()?.meta(LanguageShares::KEY)?.is_none()) {
            let shares = languages_of_index(&*store.snapshot()?, &self.settings.config.vault.memory_folder)?;
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
                    let run = ChangeRun { embedder, full: request.full, progress };
                    self.embed_into_copy(store, &run, &mut report)?;
                }
            }
            _ => self.discard_needless_copy(&*store, model)?,
        }
        Ok(report)
    }

    /// Returns the options for finding and cutting notes.
    pub(crate) fn index_options(&self, request: &IndexScope) -> IndexOptions {
        let config = &self.settings.config;
        IndexOptions {
            walk: WalkOptions { only: request.paths.clone(), ..self.walk_options() },
            pdf: self.pdf_reader(),
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

    /// Deletes the index, which can be rebuilt from the notes. The caller holds `lock`.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub(crate) fn delete_index(&self, _lock: &IndexLock) -> Result<()> {
        self.discard_copy()?;
        if !self.database().exists() {
            return Ok(());
        }
        // Setting the whole index aside first stops processes that have it open from using it further.
        let aside = ENGINE.set_aside(&self.database(), self.environment.clock.timestamp())?;
        fs::remove_file(&aside).with_context(|| format!("cannot delete {}", aside.display()))?;
        for part in ["-wal", "-shm"] {
            let mut beside = aside.clone().into_os_string();
            beside.push(part);
            let _ = fs::remove_file(beside);
        }
        Ok(())
    }
}
