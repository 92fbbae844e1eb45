//! Who answers a command: a daemon if one runs, else the command itself.

use std::cell::OnceCell;

use anyhow::Result;

use super::daemon;
use crate::app::{Answers, App, Asked, Freshness, Model, SecondStage};
use crate::daemon::{Request, Response};
use crate::domain::{ChunkId, Mode, SearchAnswer};
use crate::search::{Expansion, Extent, SearchError, expand};
use crate::store::SqliteStore;

/// What it takes to answer without a daemon.
pub(super) struct Own<'a> {
    app: &'a App,
    store: SqliteStore,
    model: Model,
    freshness: Freshness,
}

impl<'a> Own<'a> {
    /// Opens the index and, where the mode needs it, the model. `sync` says whether to look for changed notes first.
    pub(super) fn open(app: &'a App, mode: Mode, sync: bool) -> Result<Self> {
        let (store, model, freshness) = match mode {
            Mode::Hybrid | Mode::Vector => app.open_fresh_with(|| app.model(1), sync)?,
            // Words need no model: neither it nor its runtime is touched.
            Mode::Keyword => {
                let (store, freshness) = app.open_fresh(&Model::Off, sync)?;
                (store, Model::Off, freshness)
            }
        };
        Ok(Self { app, store, model, freshness })
    }

    pub(super) fn answer(&self, asked: &Asked) -> Result<SearchAnswer, SearchError> {
        self.app.answer(&self.store, &self.model, asked).map(|answer| self.dated(answer))
    }

    /// Answers with a second stage, where there is one.
    pub(super) fn answer_in_stages(
        &self,
        asked: &Asked,
        stage: Option<&SecondStage>,
    ) -> Result<SearchAnswer, SearchError> {
        let Some(stage) = stage else { return self.answer(asked) };
        self.app.answer_in_stages(&self.store, &self.model, asked, stage).map(|answer| self.dated(answer))
    }

    /// Says how far the index was behind.
    fn dated(&self, mut answer: SearchAnswer) -> SearchAnswer {
        answer.index.pending += self.freshness.pending;
        answer.index.lag_ms = self.freshness.lag_ms;
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
            _ => Ok(self.own(asked.query.mode)?.answer(asked)?),
        }
    }

    fn around(&self, id: &ChunkId, window: u32) -> Result<Expansion> {
        let extent = Extent::Window(window);
        // Whoever has answered the question answers this.
        if let Some(own) = self.own.get() {
            return Ok(expand(&own.store, id.as_str(), extent)?);
        }
        match daemon::ask(self.app, &Request::Expand { id: id.as_str().to_owned(), extent }) {
            Some(Response::Expansion(expansion)) => Ok(expansion),
            _ => Ok(expand(&self.own(Mode::Keyword)?.store, id.as_str(), extent)?),
        }
    }
}
