//! Answering in this process.

use std::cell::OnceCell;

use anyhow::Result;

use crate::{App, CatchUp, FreshIndex, Freshness, Model, ResolvedQuery, SecondStage};
use tars_base::domain::{Mode, SearchAnswer};
use tars_engine::search::{
    Expansion, Extent, LinkedNote, NotePart, SearchError, expand, linked_notes, note, note_paths,
};
use tars_store::{Index, Store};

/// The index and the model, to answer without a daemon.
pub(crate) struct LocalBackend<'a> {
    app: &'a App,
    model: Model,
    /// Whether it was opened for questions by meaning, which need the model.
    by_meaning: bool,
    catch_up: CatchUp,
    opened: OpenIndex,
    /// The replacement for the opened index, once that has failed.
    replacement: OnceCell<OpenIndex>,
}

struct OpenIndex {
    store: Index,
    freshness: Freshness,
}

impl OpenIndex {
    /// Returns an answer that states how far the index is behind.
    fn with_freshness(&self, mut answer: SearchAnswer) -> SearchAnswer {
        self.freshness.date(&mut answer);
        answer
    }
}

/// How an index is to be opened.
#[derive(Clone, Copy)]
pub(crate) struct OpenOptions<'q> {
    /// The mode of the questions.
    pub(crate) mode: Mode,
    /// How to handle changed notes first.
    pub(crate) catch_up: CatchUp,
    /// The first question, which is answered while the scan for changed notes runs.
    pub(crate) asked: Option<&'q ResolvedQuery>,
}

impl<'a> LocalBackend<'a> {
    /// Opens the index and, if the mode needs it, the model. Also returns the answer to the first question, if there is one and
    /// no note has changed.
    pub(crate) fn open(app: &'a App, options: OpenOptions<'_>) -> Result<(Self, Option<SearchAnswer>)> {
        match options.mode {
            Mode::Hybrid | Mode::Vector => Self::with(app, true, options, || app.model(1)),
            // Keyword search needs no model: neither the model nor its runtime is loaded.
            Mode::Keyword => Self::with(app, false, options, || Model::Off),
        }
    }

    /// Opens the index again and keeps the loaded model.
    pub(crate) fn reopened(self, options: OpenOptions<'_>) -> Result<(Self, Option<SearchAnswer>)> {
        let Self { app, model, by_meaning, .. } = self;
        Self::with(app, by_meaning, options, move || model)
    }

    fn with(
        app: &'a App,
        by_meaning: bool,
        options: OpenOptions<'_>,
        load: impl FnOnce() -> Model + Send,
    ) -> Result<(Self, Option<SearchAnswer>)> {
        let OpenOptions { catch_up, asked, .. } = options;
        let (model, opened) =
            app.open_fresh(load, catch_up, |index, model| app.answer(index, model, asked?, None).ok());
        let (opened, first) = match opened {
            Ok(FreshIndex { store, freshness, first }) => (OpenIndex { store, freshness }, first),
            Err(error) => {
                let (store, freshness) = app.replacement_index(error, &model, catch_up.looks_at_disk())?;
                (OpenIndex { store, freshness }, None)
            }
        };
        let first = first.map(|answer| opened.with_freshness(answer));
        Ok((Self { app, model, by_meaning, catch_up, opened, replacement: OnceCell::new() }, first))
    }

    /// Whether it can answer questions in this mode.
    pub(crate) fn serves(&self, mode: Mode) -> bool {
        self.by_meaning || mode == Mode::Keyword
    }

    /// Answers a question, with the second stage if there is one.
    pub(crate) fn answer(&self, asked: &ResolvedQuery, stage: Option<&SecondStage>) -> Result<SearchAnswer> {
        // Done before any snapshot of the index is held, because a language model may take long.
        let stage = stage.map(|stage| stage.prepared(&asked.query));
        let answer = self.ask(|store| self.app.answer(&*store.snapshot()?, &self.model, asked, stage.as_ref()))?;
        Ok(self.now().with_freshness(answer))
    }

    /// Returns the surroundings of a chunk.
    pub(crate) fn expand(&self, id: &str, extent: Extent) -> Result<Expansion> {
        self.ask(|store| expand(&*store.snapshot()?, id, extent))
    }

    /// Returns a part of a note.
    pub(crate) fn note(&self, name: &str, part: &NotePart, collections: &[String]) -> Result<Expansion> {
        self.ask(|store| note(&*store.snapshot()?, name, part, collections))
    }

    /// Returns the notes of these collections as pairs of collection and path.
    pub(crate) fn names(&self, collections: &[String]) -> Result<Vec<(String, String)>> {
        self.ask(|store| Ok(note_paths(&*store.snapshot()?, collections)?))
    }

    /// Returns the notes that link to a note or that it links to.
    pub(crate) fn linked(&self, collection: &str, path: &str, collections: &[String]) -> Result<Vec<LinkedNote>> {
        self.ask(|store| linked_notes(&*store.snapshot()?, collection, path, collections))
    }

    fn now(&self) -> &OpenIndex {
        self.replacement.get().unwrap_or(&self.opened)
    }

    /// Runs a query on the index; if the index turns out to be unusable, runs it once more on a replacement.
    fn ask<T>(&self, ask: impl Fn(&dyn Store) -> Result<T, SearchError>) -> Result<T> {
        match ask(&*self.now().store) {
            Err(error @ SearchError::Store(_)) if self.replacement.get().is_none() => {
                let (store, freshness) =
                    self.app.replacement_index(error.into(), &self.model, self.catch_up.looks_at_disk())?;
                Ok(ask(&*self.replacement.get_or_init(|| OpenIndex { store, freshness }).store)?)
            }
            answer => Ok(answer?),
        }
    }
}
