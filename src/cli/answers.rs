//! Who answers a command: a daemon if one runs, else the command itself.

use std::cell::OnceCell;

use anyhow::Result;

use super::daemon;
use crate::app::{Answers, App, Asked, Freshness, Model, SecondStage};
use crate::daemon::{Request, Response};
use crate::domain::{ChunkId, Mode, SearchAnswer};
use crate::search::{Expansion, Extent, SearchError, expand};
use crate::store::{Index, Store};

/// What it takes to answer without a daemon.
pub(super) struct Own<'a> {
    app: &'a App,
    model: Model,
    sync: bool,
    opened: Opened,
    /// What is asked instead once the index that was opened has failed.
    rescued: OnceCell<Opened>,
}

struct Opened {
    store: Index,
    freshness: Freshness,
}

impl<'a> Own<'a> {
    /// Opens the index and, where the mode needs it, the model. `sync` says whether to look for changed notes first.
    pub(super) fn open(app: &'a App, mode: Mode, sync: bool) -> Result<Self> {
        let load = || match mode {
            Mode::Hybrid | Mode::Vector => app.model(1),
            // Words need no model: neither it nor its runtime is touched.
            Mode::Keyword => Model::Off,
        };
        let (store, model, freshness) = app.open_fresh_with(load, sync)?;
        Ok(Self { app, model, sync, opened: Opened { store, freshness }, rescued: OnceCell::new() })
    }

    pub(super) fn answer(&self, asked: &Asked) -> Result<SearchAnswer> {
        self.ask(|store| self.app.answer(store, &self.model, asked)).map(|answer| self.dated(answer))
    }

    /// Answers with a second stage, where there is one.
    pub(super) fn answer_in_stages(&self, asked: &Asked, stage: Option<&SecondStage>) -> Result<SearchAnswer> {
        let Some(stage) = stage else { return self.answer(asked) };
        self.ask(|store| self.app.answer_in_stages(store, &self.model, asked, stage)).map(|answer| self.dated(answer))
    }

    fn around(&self, id: &ChunkId, window: u32) -> Result<Expansion> {
        self.ask(|store| expand(&*store.snapshot()?, id.as_str(), Extent::Window(window)))
    }

    fn now(&self) -> &Opened {
        self.rescued.get().unwrap_or(&self.opened)
    }

    /// Asks the index, and once more where it turns out to be of no use and another takes its place.
    fn ask<T>(&self, ask: impl Fn(&dyn Store) -> Result<T, SearchError>) -> Result<T> {
        match ask(&*self.now().store) {
            Err(error @ SearchError::Store(_)) if self.rescued.get().is_none() => {
                let (store, freshness) = self.app.rescue(error.into(), &self.model, self.sync)?;
                Ok(ask(&*self.rescued.get_or_init(|| Opened { store, freshness }).store)?)
            }
            answer => Ok(answer?),
        }
    }

    /// Says how far the index was behind, and what stood in its place.
    fn dated(&self, mut answer: SearchAnswer) -> SearchAnswer {
        let Freshness { pending, lag_ms, said } = &self.now().freshness;
        answer.index.pending += pending;
        answer.index.lag_ms = *lag_ms;
        answer.degrade(said.clone());
        answer
    }
}

/// Asks the daemon, and opens the index only when that gives no answer.
pub(super) struct Either<'a> {
    app: &'a App,
    own: OnceCell<Own<'a>>,
}

impl<'a> Either<'a> {
    pub(super) fn new(app: &'a App) -> Self {
        Self { app, own: OnceCell::new() }
    }

    fn own(&self, mode: Mode) -> Result<&Own<'a>> {
        if self.own.get().is_none() {
            let _ = self.own.set(Own::open(self.app, mode, true)?);
        }
        Ok(self.own.get().expect("it was set just now"))
    }
}

impl Answers for Either<'_> {
    fn search(&self, asked: &Asked) -> Result<SearchAnswer> {
        match daemon::ask(self.app, &Request::Search(Box::new(asked.clone()))) {
            Some(Response::Answer(answer)) => Ok(answer),
            _ => self.own(asked.query.mode)?.answer(asked),
        }
    }

    fn around(&self, id: &ChunkId, window: u32) -> Result<Expansion> {
        let extent = Extent::Window(window);
        // The process that has answered the question answers this.
        if let Some(own) = self.own.get() {
            return own.around(id, window);
        }
        match daemon::ask(self.app, &Request::Expand { id: id.as_str().to_owned(), extent }) {
            Some(Response::Expansion(expansion)) => Ok(expansion),
            _ => self.own(Mode::Keyword)?.around(id, window),
        }
    }
}
