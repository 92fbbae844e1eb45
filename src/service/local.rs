//! Answering in this process.

use std::cell::OnceCell;

use anyhow::Result;

use crate::app::{App, CatchUp, Freshness, Model, ResolvedQuery, SecondStage};
use crate::domain::{Mode, SearchAnswer};
use crate::search::{Expansion, Extent, LinkedNote, Part, SearchError, expand, linked_notes, names, note};
use crate::store::{Index, Store};

/// What it takes to answer without a daemon.
pub(super) struct Local<'a> {
    app: &'a App,
    model: Model,
    /// Whether the model was sought.
    by_meaning: bool,
    catch_up: CatchUp,
    opened: Opened,
    /// What is asked instead once the index that was opened has failed.
    rescued: OnceCell<Opened>,
}

struct Opened {
    store: Index,
    freshness: Freshness,
}

impl<'a> Local<'a> {
    /// Opens the index and, where the mode needs it, the model. `catch_up` says what is done about changed notes first.
    pub(super) fn open(app: &'a App, mode: Mode, catch_up: CatchUp) -> Result<Self> {
        match mode {
            Mode::Hybrid | Mode::Vector => Self::with(app, true, catch_up, || app.model(1)),
            // Words need no model: neither it nor its runtime is touched.
            Mode::Keyword => Self::with(app, false, catch_up, || Model::Off),
        }
    }

    /// Opens the index again, with the model that is loaded.
    pub(super) fn opened_again(self, catch_up: CatchUp) -> Result<Self> {
        let Self { app, model, by_meaning, .. } = self;
        Self::with(app, by_meaning, catch_up, move || model)
    }

    fn with(app: &'a App, by_meaning: bool, catch_up: CatchUp, load: impl FnOnce() -> Model + Send) -> Result<Self> {
        let (model, opened) = app.open_fresh(load, catch_up);
        let (store, freshness) = opened.or_else(|error| app.rescue(error, &model, catch_up.looks_at_disk()))?;
        Ok(Self { app, model, by_meaning, catch_up, opened: Opened { store, freshness }, rescued: OnceCell::new() })
    }

    /// Whether it was opened for questions in such a mode.
    pub(super) fn serves(&self, mode: Mode) -> bool {
        self.by_meaning || mode == Mode::Keyword
    }

    /// Answers a question, with a second stage where there is one.
    pub(super) fn answer(&self, asked: &ResolvedQuery, stage: Option<&SecondStage>) -> Result<SearchAnswer> {
        // Before anything of the index is held: a language model takes its time.
        let stage = stage.map(|stage| stage.prepared(&asked.query));
        let mut answer = self.ask(|store| self.app.answer(&*store.snapshot()?, &self.model, asked, stage.as_ref()))?;
        self.now().freshness.date(&mut answer);
        Ok(answer)
    }

    /// Returns what stands around a chunk.
    pub(super) fn expand(&self, id: &str, extent: Extent) -> Result<Expansion> {
        self.ask(|store| expand(&*store.snapshot()?, id, extent))
    }

    /// Returns a part of a note.
    pub(super) fn note(&self, name: &str, part: &Part, collections: &[String]) -> Result<Expansion> {
        self.ask(|store| note(&*store.snapshot()?, name, part, collections))
    }

    /// Returns the names of the notes of these collections, each with that of its collection.
    pub(super) fn names(&self, collections: &[String]) -> Result<Vec<(String, String)>> {
        self.ask(|store| Ok(names(&*store.snapshot()?, collections)?))
    }

    /// Returns the notes that are linked with one.
    pub(super) fn linked(&self, collection: &str, path: &str, collections: &[String]) -> Result<Vec<LinkedNote>> {
        self.ask(|store| linked_notes(&*store.snapshot()?, collection, path, collections))
    }

    fn now(&self) -> &Opened {
        self.rescued.get().unwrap_or(&self.opened)
    }

    /// Asks the index, and once more where it turns out to be of no use and another takes its place.
    fn ask<T>(&self, ask: impl Fn(&dyn Store) -> Result<T, SearchError>) -> Result<T> {
        match ask(&*self.now().store) {
            Err(error @ SearchError::Store(_)) if self.rescued.get().is_none() => {
                let (store, freshness) = self.app.rescue(error.into(), &self.model, self.catch_up.looks_at_disk())?;
                Ok(ask(&*self.rescued.get_or_init(|| Opened { store, freshness }).store)?)
            }
            answer => Ok(answer?),
        }
    }
}
