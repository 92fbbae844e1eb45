//! Answers when the index fails: it is damaged, or the disk does not allow its use.
//!
//! The next process that may write rebuilds a damaged index. A question rebuilds it by words only and for a short time; if it may
//! not write, it reads the notes into an index in memory. Either way the answer says what it is based on.

use super::deadline::Deadline;
use super::freshness::lag_of;
use crate::app::PDF;
use crate::{App, ENGINE, Error, Freshness, IndexScope, Model, Result};
use tars_base::domain::pluralize;
use tars_engine::index::{self, IndexLock, IndexOptions, Report, RunPart};
use tars_store::{Index, Store, StoreError};

impl App {
    /// Returns a replacement for the index that failed with `error`, and a remark about it. With `sync`, a damaged index is set
    /// aside and rebuilt as far as time allows.
    ///
    /// # Errors
    /// `error` itself if the index did not cause it; or the notes cannot be read either.
    pub fn replacement_index(&self, error: Error, model: &Model, sync: bool) -> Result<(Index, Freshness)> {
        let (is_damage, said) = match error.store_cause() {
            Some(damage @ StoreError::Corrupt { .. }) => (true, damage.to_string()),
            Some(unusable @ StoreError::Open { .. }) => (false, unusable.to_string()),
            _ => return Err(error),
        };
        tracing::warn!("{said}");
        if is_damage && sync {
            match self.rebuilt_index(model) {
                Ok(Some(made)) => return Ok(made),
                Ok(None) => {}
                Err(error) => tracing::debug!("the index was not rebuilt: {error:#}"),
            }
        }
        if !is_damage && let Ok(store) = ENGINE.open_immutable(&self.database()) {
            let compared = self.compared(&*store, sync)?;
            let said = format!("{said}: it is read as it is, without changed notes");
            let said = compared.missing.iter().cloned().chain([said]).collect::<Vec<_>>().join("; ");
            return Ok((store, Freshness { said: Some(said), ..lag_of(&compared.differences) }));
        }
        self.read_notes(model, &said, is_damage)
    }

    /// Sets the index aside if the damage shows again under the lock, and rebuilds it by words. `None` if another process holds
    /// the lock, or if the file is not damaged: then nothing is changed.
    fn rebuilt_index(&self, model: &Model) -> Result<Option<(Index, Freshness)>> {
        let Some(lock) = IndexLock::try_acquire(self.data_dir()?)? else { return Ok(None) };
        if !self.is_damaged()? {
            return Ok(None);
        }
        ENGINE.set_aside(&self.database(), self.environment.clock.timestamp())?;
        let request = IndexScope { part: RunPart::Words, ..IndexScope::default() };
        let report = self.index(&lock, &request, model, &Deadline::of_a_question())?;
        self.open_rebuilt(&report).map(Some)
    }

    /// Whether a second look at the whole index finds damage: a single read may fail without any. An index is not set aside for
    /// that, because rebuilding a large one takes hours.
    ///
    /// # Errors
    /// The index cannot be opened or read.
    pub(crate) fn is_damaged(&self) -> Result<bool> {
        let database = self.database();
        // Opening for writing would run the migrations of an older schema, and these may be what failed.
        match ENGINE.open_existing(&database).and_then(|store| store.is_intact()) {
            Ok(true) => {
                let flaws = ENGINE.examine(&database)?;
                Ok(!flaws.is_empty())
            }
            Ok(false) => Ok(true),
            Err(error) if error.is_damage() => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens the index that this run has rebuilt.
    pub(crate) fn open_rebuilt(&self, report: &Report) -> Result<(Index, Freshness)> {
        let store = self.open_index()?;
        let freshness = freshness(&*store, report, |read| {
            format!(
                "the index was damaged: it is set aside and rebuilt, by words so far ({read}; 'tars index' does the rest)"
            )
        })?;
        Ok((store, freshness))
    }

    /// Reads the notes into an index in memory, by words, as far as time allows.
    fn read_notes(&self, model: &Model, said: &str, is_damage: bool) -> Result<(Index, Freshness)> {
        let mut store = ENGINE.in_memory()?;
        let options = self.index_options(&IndexScope { part: RunPart::Words, ..IndexScope::default() });
        // A question does not wait for PDFs.
        let mut walk = options.walk;
        walk.extensions.retain(|extension| extension != PDF);
        let options = IndexOptions { walk, pdf: None, ..options };
        let deadline = Deadline::of_a_question();
        let report = index::run(&mut *store, model.embedder(), &self.roots()?, &options, &deadline)?;
        let fix = if is_damage { "tars doctor --repair" } else { "check that the folder is writable and not full" };
        let freshness = freshness(&*store, &report, |read| {
            format!("{said}; the notes themselves were read, by words ({read}; fix it with: {fix})")
        })?;
        Ok((store, freshness))
    }
}

/// Returns how far the `read` notes are behind all notes, with a remark.
fn freshness(store: &dyn Store, report: &Report, said: impl Fn(String) -> String) -> Result<Freshness> {
    let read = store.snapshot()?.statistics()?.files;
    let (pending, of_notes) = match report.interrupted {
        true => {
            let left_out = report.private + report.skipped + report.failed;
            (
                report.files.saturating_sub(read + left_out),
                format!("the newest {read} of {}", pluralize(report.files, "note")),
            )
        }
        false => (0, pluralize(read, "note")),
    };
    Ok(Freshness { pending, lag_ms: 0, said: Some(said(of_notes)) })
}
