//! A change of the embedding model. The former model and its vectors answer until it is complete.
//!
//! Ordinary index runs embed the notes with the new model in a copy beside the index. Each run leaves a consistent copy, and the
//! next run continues with it. Once nearly all passages of the copy have a vector, the copy replaces the content of the index in
//! one database transaction. Until then the index keeps its former cut and vectors, and changed notes are indexed by words only.
//! The fingerprint of the model in an index shows which state the index is in.

mod pace;

use std::fmt;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::pace::{Observer, Pace, note, pace};
use super::Model;
use crate::indexing::MERGING;
use crate::{App, ENGINE, IndexScope, Result};
use tars_base::domain::Progress;
use tars_config::Provider;
use tars_embed::{Embedder, InstalledModel, Threads};
use tars_engine::index::{self, Report};
use tars_store::{Index, Maintenance, Reader, Statistics, Store, StoreError};
use tars_text::languages::LanguageShares;

/// The copy of the index with the vectors of the new model.
pub(crate) const COPY: &str = "index-next.db";
/// The copy while it is being written or deleted.
pub(crate) const PART: &str = ".index-next.db.part";
/// The database's files beside the copy.
const DATABASE_FILES: [&str; 2] = ["index-next.db-wal", "index-next.db-shm"];
/// At most one passage in this number may lack its vector when the copy takes over, so that a note that is unreadable for the
/// moment blocks nothing.
const MAX_MISSING: usize = 50;
/// A copy that has been idle for this long is deleted if the settings name the former model again.
const ABANDONED_AFTER: Duration = Duration::from_secs(3600);

/// A running change of the embedding model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelChange {
    /// Fingerprint of the former model, which answers until then.
    pub from: String,
    /// Id of the new model.
    pub to: String,
    /// Number of passages, as far as known.
    pub passages: usize,
    /// Number of passages with a vector of the new model.
    pub embedded: usize,
    /// Time for the rest at the pace of the latest run, in seconds; `None` before the first run.
    pub seconds_left: Option<u64>,
    /// Size of the copy of the index with the new vectors, in bytes.
    pub bytes: u64,
}

/// A run that continues a change of the model.
pub(crate) struct ChangeRun<'a> {
    /// The new model.
    pub(crate) embedder: &'a dyn Embedder,
    /// Whether to start from the beginning.
    pub(crate) full: bool,
    /// Receives the progress.
    pub(crate) progress: &'a dyn Progress,
}

/// The model that made the vectors of the index, loaded once a question needs it although the settings name another model.
#[derive(Default)]
pub(crate) struct FormerModelSlot(Mutex<Option<Arc<dyn Embedder>>>);

impl fmt::Debug for FormerModelSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Former").finish_non_exhaustive()
    }
}

impl App {
    /// Returns the installed model that made the vectors of the index, if it is not the configured `model` and the settings let
    /// it answer. Another form of the same model does not count: its vectors are discarded at once.
    ///
    /// # Errors
    /// The index cannot be read. A failure to load the model is no error.
    pub(crate) fn former(&self, index: &dyn Reader, model: &Model) -> Result<Option<Arc<dyn Embedder>>, StoreError> {
        let configured = match model {
            Model::Off => return Ok(None),
            Model::Missing(_) => None,
            Model::Ready(embedder) => Some(embedder.model().as_str()),
        };
        let known = index.meta("model")?.filter(|known| Some(known.as_str()) != configured);
        Ok(known.and_then(|known| self.model_of(&known)))
    }

    fn model_of(&self, fingerprint: &str) -> Option<Arc<dyn Embedder>> {
        let mut slot = locked(&self.former_model.0);
        if let Some(model) = slot.as_ref().filter(|model| model.model().as_str() == fingerprint) {
            return Some(Arc::clone(model));
        }
        match self.run_locally(&self.installed_with(fingerprint)?, Threads::of(1)) {
            Ok(model) if model.model().as_str() == fingerprint => {
                *slot = Some(Arc::from(model));
                slot.clone()
            }
            Ok(_) => None,
            Err(error) => {
                tracing::debug!(%error, "the former model cannot answer");
                None
            }
        }
    }

    /// Returns the installed model with this fingerprint, if it may answer while the notes are embedded with the configured model.
    fn installed_with(&self, fingerprint: &str) -> Option<InstalledModel> {
        let (settings, id) = (&self.settings.config.embedding, id_of(fingerprint));
        if !settings.keep_former || settings.provider != Provider::Onnx || id == settings.model {
            return None;
        }
        self.catalog().get(id).ok().filter(|model| self.vectors_of(model).as_str() == fingerprint)
    }

    /// Whether the vectors of the former model are worth keeping: at least half of the passages have one, or a change has begun.
    fn is_worth_it(&self, former: &Statistics) -> bool {
        let most_are_embedded = former.embedded > 0 && 2 * former.embedded >= former.passages;
        most_are_embedded || self.beside(COPY).exists()
    }

    /// Unloads the former model.
    pub fn unload_former_model(&self) {
        *locked(&self.former_model.0) = None;
    }

    /// Returns the remark that the former model found an answer.
    pub(crate) fn answered_by_former(
        &self,
        index: &dyn Reader,
        former: &dyn Embedder,
        model: &Model,
    ) -> Result<String, StoreError> {
        let from = id_of(former.model().as_str());
        if let Some(reason) = model.unavailable_reason() {
            return Ok(format!("meaning is compared by {from}: {reason}"));
        }
        let far = match pace(index)? {
            Pace { embedded: 0, .. } => String::new(),
            Pace { passages, embedded, .. } => format!(" ({embedded} of {passages} passages are)"),
        };
        let to = &self.settings.config.embedding.model;
        Ok(format!("meaning is compared by {from} until the notes are embedded with {to}{far}: run 'tars index'"))
    }

    /// Returns the state of a change of the model, if one is due and the vectors of the former model, `indexed_with`, answer
    /// until then. No model is loaded.
    ///
    /// # Errors
    /// The index cannot be read.
    pub(crate) fn model_change(
        &self,
        index: &dyn Reader,
        indexed_with: &str,
    ) -> Result<Option<ModelChange>, StoreError> {
        let statistics = index.statistics()?;
        if self.installed_with(indexed_with).is_none() || !self.is_worth_it(&statistics) {
            return Ok(None);
        }
        let Pace { passages, embedded, rate } = pace(index)?;
        let passages = if passages == 0 { statistics.passages } else { passages };
        let left = passages.saturating_sub(embedded) as f64 / rate;
        Ok(Some(ModelChange {
            from: indexed_with.to_owned(),
            to: self.settings.config.embedding.model.clone(),
            passages,
            embedded,
            seconds_left: left.is_finite().then(|| left.ceil() as u64),
            bytes: [COPY, DATABASE_FILES[0]].iter().map(|name| size(&self.beside(name))).sum(),
        }))
    }

    /// Returns the model that keeps answering while a run embeds the notes with another one. `None` if the vectors come from the
    /// current model, from a model that is not installed, or are too few to be worth keeping.
    ///
    /// # Errors
    /// The index cannot be read.
    pub(crate) fn model_to_keep(
        &self,
        index: &dyn Reader,
        model: &Model,
    ) -> Result<Option<Arc<dyn Embedder>>, StoreError> {
        if model.embedder().is_none() {
            return Ok(None);
        }
        let Some(former) = self.former(index, model)? else { return Ok(None) };
        Ok(self.is_worth_it(&index.statistics()?).then_some(former))
    }

    /// Embeds the notes in a copy of the index `store`, until the run's observer cancels, and adds the work to `report`. A
    /// complete copy replaces the content of the index. A damaged copy is made again. The caller holds the lock of the index.
    ///
    /// # Errors
    /// See [`index::IndexError`]; the index keeps answering as before.
    pub(crate) fn embed_into_copy(&self, store: Index, run: &ChangeRun<'_>, report: &mut Report) -> Result<()> {
        // A provisional value: if this function ends early, all passages are still to be embedded.
        report.pending = store.snapshot()?.statistics()?.passages;
        let error = match self.try_embed_beside(store, run, report) {
            Err(error) => error,
            done => return done,
        };
        match error.store_cause() {
            Some(StoreError::Corrupt { path, .. }) if *path == self.beside(COPY) => {
                run.progress.warn(&format!("{error}: the notes are embedded from the beginning"));
                self.discard_copy()?;
                self.try_embed_beside(ENGINE.open(&self.database())?, run, report)
            }
            _ => Err(error),
        }
    }

    fn try_embed_beside(&self, mut store: Index, run: &ChangeRun<'_>, report: &mut Report) -> Result<()> {
        if run.full {
            self.discard_copy()?;
        }
        if !self.beside(COPY).exists() {
            let passages = store.snapshot()?.statistics()?.passages;
            note(&mut *store, Pace { passages, ..Pace::default() })?;
            self.copy(&*store)?;
        }
        let mut copy = ENGINE.open(&self.beside(COPY))?;
        let known = pace(&*store.snapshot()?)?;
        let options = self.index_options(&IndexScope { full: run.full, ..IndexScope::default() });
        let observer = Observer::new(run.progress, store, known);
        let done = index::run(&mut *copy, Some(run.embedder), &self.roots()?, &options, &observer);
        let (mut store, rate) = observer.ended();
        let done = done?;
        report.embedded += done.embedded;
        report.interrupted |= done.interrupted;
        report.pending = done.pending;
        let passages = copy.snapshot()?.statistics()?.passages;
        note(&mut *store, Pace { passages, embedded: passages.saturating_sub(done.pending), rate })?;
        if done.interrupted || done.roots_missing > 0 || done.pending * MAX_MISSING > passages {
            return Ok(());
        }
        self.take_over(store, copy)?;
        tracing::info!(model = run.embedder.model().as_str(), "the vectors of another model answer from now on");
        Ok(())
    }

    /// Replaces the content of the index with the copy.
    fn take_over(&self, store: Index, mut copy: Index) -> Result<()> {
        for key in ["indexed_at", LanguageShares::KEY] {
            if let Some(value) = store.snapshot()?.meta(key)? {
                copy.set_meta(key, &value)?;
            }
        }
        note(&mut *copy, Pace::default())?;
        copy.forget_former_models()?;
        let mut settle = || {
            copy.merge_full_text(MERGING)?;
            copy.vacuum(true)
        };
        if let Err(error) = settle() {
            tracing::warn!(%error, "the index is slower or larger than it could be");
        }
        drop(copy);
        store.replace_content(&self.beside(COPY))?;
        self.unload_former_model();
        Ok(self.discard_copy()?)
    }

    /// Copies the current index, whole or not at all.
    fn copy(&self, store: &dyn Maintenance) -> Result<()> {
        self.discard_copy()?;
        store.copy_to(&self.beside(PART))?;
        fs::rename(self.beside(PART), self.beside(COPY))?;
        Ok(())
    }

    /// Deletes a copy that no change of the model needs any more: it has taken over, or the settings name the former model again.
    /// The latter copy is kept for a while, because another process may use other settings.
    ///
    /// # Errors
    /// It cannot be deleted.
    pub(crate) fn discard_needless_copy(&self, store: &dyn Store, model: &Model) -> Result<()> {
        let path = self.beside(COPY);
        if model.embedder().is_none() || !path.exists() {
            return Ok(());
        }
        let model_of = |store: &dyn Store| store.snapshot()?.meta("model");
        let index_is_of = model_of(store)?;
        let has_taken_over =
            ENGINE.open_existing(&path).is_ok_and(|copy| model_of(&*copy).is_ok_and(|of| of == index_is_of));
        let modified = |name: &str| fs::metadata(self.beside(name)).and_then(|found| found.modified()).ok();
        let latest = [COPY, DATABASE_FILES[0]].into_iter().filter_map(modified).max();
        let age = latest.and_then(|latest| SystemTime::now().duration_since(latest).ok()).unwrap_or_default();
        if has_taken_over || age >= ABANDONED_AFTER {
            self.discard_copy()?;
        }
        Ok(())
    }

    /// Deletes the copy and its files. The copy is renamed first, because without its log it is incomplete.
    pub(crate) fn discard_copy(&self) -> io::Result<()> {
        let absent_is_fine = |done: io::Result<()>| match done {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
        absent_is_fine(fs::rename(self.beside(COPY), self.beside(PART)))?;
        for name in DATABASE_FILES.into_iter().chain([PART]) {
            absent_is_fine(fs::remove_file(self.beside(name)))?;
        }
        Ok(())
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.settings.config.data.dir.join(name)
    }
}

/// Returns the id of the model in the fingerprint of its vectors.
fn id_of(fingerprint: &str) -> &str {
    fingerprint.split_once('@').map_or(fingerprint, |(id, _)| id)
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |found| found.len())
}

/// Locks a mutex whose value is whole at any time, also after a panic.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
