//! Sends a question to the daemon, or answers it in this process from its own index.

use std::cell::OnceCell;
use std::rc::Rc;

use super::{ResolvedQuery, SearchRequest, SecondStage, StageRequest};
use crate::protocol::{Request as Message, Response as Reply};
use crate::{App, CatchUp, FreshIndex, Freshness, Model, Result, Service};
use tars_base::domain::{Mode, Query, SearchAnswer};
use tars_engine::search::{
    Expansion, Extent, LinkedNote, NoteLink, NotePart, SearchError, expand, linked_notes, links_from, links_to, note,
    note_paths,
};
use tars_store::{Index, Reader, Store};

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
struct OpenOptions<'q> {
    /// The mode of the questions.
    mode: Mode,
    /// How to handle changed notes first.
    catch_up: CatchUp,
    /// The first question, which is answered while the scan for changed notes runs.
    asked: Option<&'q ResolvedQuery>,
}

impl<'a> Service<'a> {
    /// Opens everything that questions such as `request` need in this process, so that problems with the index show before the
    /// first question.
    ///
    /// # Errors
    /// The index cannot be used, or a requested part of the second stage is unavailable.
    pub fn prepare(&self, request: &SearchRequest) -> Result<()> {
        self.stage.get(self.app, StageRequest { expand: request.expand, rerank: request.rerank })?;
        self.local(request.mode.unwrap_or(self.app.settings.config.search.mode), request.sync).map(|_| ())
    }

    /// Answers a question within the reach. With `sync`, earlier changes of notes are indexed first. If this process answers and
    /// its index is not open yet, it answers while the scan for changed notes runs.
    pub(crate) fn find(&self, asked: &ResolvedQuery, sync: bool) -> Result<SearchAnswer> {
        let question = Box::new(asked.clone());
        let message = if sync { Message::Search(question) } else { Message::AsIs(question) };
        if let Some(Reply::Answer(answer)) = self.ask_daemon(&message)? {
            return Ok(answer);
        }
        match self.opened(OpenOptions { asked: Some(asked), ..self.options(asked.query.mode, sync) })? {
            (_, Some(answer)) => Ok(answer),
            (local, None) => local.answer(asked, None),
        }
    }

    /// Returns the index of this process, opened for questions in `mode`.
    pub(crate) fn local(&self, mode: Mode, sync: bool) -> Result<Rc<LocalBackend<'a>>> {
        self.opened(self.options(mode, sync)).map(|(local, _)| local)
    }

    fn options(&self, mode: Mode, sync: bool) -> OpenOptions<'static> {
        OpenOptions { mode, catch_up: if sync { self.catch_up } else { CatchUp::Nothing }, asked: None }
    }

    /// Returns the index of this process, and the answer to the first question if opening the index produced one.
    fn opened(&self, options: OpenOptions<'_>) -> Result<(Rc<LocalBackend<'a>>, Option<SearchAnswer>)> {
        let is_stale = self.is_stale.replace(false);
        if let Some(local) = self.local.borrow().as_ref().filter(|local| local.serves(options.mode) && !is_stale) {
            return Ok((Rc::clone(local), None));
        }
        let known = self.local.take().and_then(Rc::into_inner).filter(|local| local.serves(options.mode));
        let (opened, first) = match known {
            Some(known) => known.reopened(options)?,
            None => LocalBackend::open(self.app, options)?,
        };
        let opened = Rc::new(opened);
        *self.local.borrow_mut() = Some(Rc::clone(&opened));
        Ok((opened, first))
    }
}

impl<'a> LocalBackend<'a> {
    /// Opens the index and, if the mode needs it, the model. Also returns the answer to the first question, if there is one and
    /// no note has changed.
    fn open(app: &'a App, options: OpenOptions<'_>) -> Result<(Self, Option<SearchAnswer>)> {
        match options.mode {
            Mode::Hybrid | Mode::Vector => Self::with(app, true, options, || app.model(1)),
            // Keyword search needs no model: neither the model nor its runtime is loaded.
            Mode::Keyword => Self::with(app, false, options, || Model::Off),
        }
    }

    /// Opens the index again and keeps the loaded model.
    fn reopened(self, options: OpenOptions<'_>) -> Result<(Self, Option<SearchAnswer>)> {
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
    fn serves(&self, mode: Mode) -> bool {
        self.by_meaning || mode == Mode::Keyword
    }

    /// Answers a question, with the second stage if there is one.
    pub(super) fn answer(&self, asked: &ResolvedQuery, stage: Option<&SecondStage>) -> Result<SearchAnswer> {
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

    /// Returns the links in a note, or with `back` the links to it.
    pub(crate) fn links(
        &self,
        collection: &str,
        path: &str,
        collections: &[String],
        back: bool,
    ) -> Result<Vec<NoteLink>> {
        self.ask(|store| {
            let reader = store.snapshot()?;
            match back {
                true => links_to(&*reader, collection, path, collections),
                false => links_from(&*reader, collection, path, collections),
            }
        })
    }

    /// Answers a query that lists something, within the configured collections.
    pub(crate) fn read<T>(
        &self,
        query: &Query,
        read: impl Fn(&dyn Reader, &Query) -> Result<T, SearchError>,
    ) -> Result<T> {
        self.ask(|store| {
            let reader = store.snapshot()?;
            let query = self.app.of_configured(&*reader, query)?;
            read(&*reader, &query)
        })
    }

    /// Returns why answers of this index are degraded, if they are.
    pub(crate) fn degraded(&self) -> Option<String> {
        self.now().freshness.said.clone()
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
