//! Answers a question from one snapshot of the index, according to the settings.

use std::borrow::Cow;

use anyhow::Result;

use crate::{App, CLIENT_MEMORY, Model, NoVault, PreparedStage, ResolvedQuery, VAULT};
use tars_base::domain::{ApproximateTokens, Mode, Query, SearchAnswer};
use tars_config::Provider;
use tars_engine::search::{self, FeatureOptions, SearchError, SearchOptions, VectorSearch};
use tars_rank::{Fusion, FusionOptions};
use tars_store::{ColumnWeights, Reader, StoreError};

/// Runs the search itself, by meaning too if a model is available.
type Find<'a> = dyn Fn(&Query, VectorSearch<'_>) -> Result<SearchAnswer, SearchError> + 'a;

impl App {
    /// Returns the search options of the settings.
    pub fn search_options(&self, fusion: Fusion) -> SearchOptions {
        let search = &self.settings.config.search;
        SearchOptions {
            fusion: FusionOptions {
                fusion,
                vector_weight: search.vector_weight,
                neighbour_credit: search.neighbour_credit,
                link_credit: search.link_credit,
                balance: self.settings.config.fusion,
            },
            features: FeatureOptions {
                pair_credit: search.pair_credit,
                repeat_penalty: search.repeat_penalty,
                recency: search.recency,
                project_credit: search.project_credit,
            },
            columns: ColumnWeights { title: search.title_weight, meta: search.meta_weight },
            candidates: search.candidates,
        }
    }

    /// Answers a question from one snapshot of the index, with the model and the second stage if they are available.
    ///
    /// # Errors
    /// See [`SearchError`]. A failing reranker is an error only if the command line requested it. A failing language model never
    /// is: the answer says so.
    pub fn answer(
        &self,
        store: &dyn Reader,
        model: &Model,
        asked: &ResolvedQuery,
        stage: Option<&PreparedStage<'_>>,
    ) -> Result<SearchAnswer, SearchError> {
        self.answer_by(store, model, asked, &|query, semantics| match stage {
            Some(stage) => stage.search(store, query, semantics, asked),
            None => search::search(store, semantics, query, &asked.options),
        })
    }

    /// Answers a question with the hits of `find`, in the caller's snapshot.
    fn answer_by(
        &self,
        store: &dyn Reader,
        model: &Model,
        asked: &ResolvedQuery,
        find: &Find<'_>,
    ) -> Result<SearchAnswer, SearchError> {
        let reason = model.unavailable_reason();
        let former = if asked.query.mode == Mode::Keyword { None } else { self.former(store, model)? };
        let semantics = match (&former, model.embedder(), &reason) {
            (Some(former), ..) => VectorSearch::Model(&**former),
            (None, Some(embedder), _) => VectorSearch::Model(embedder),
            (None, None, Some(reason)) => VectorSearch::Unavailable { reason, report: true },
            (None, None, None) => VectorSearch::Unavailable { reason: "embedding.provider is 'none'", report: false },
        };
        let query = self.of_configured(store, &asked.query)?;
        let mut answer = find(&query, semantics)?;
        if let Some(former) = &former {
            answer.degrade(Some(self.answered_by_former(store, &**former, model)?));
        }
        if self.settings.config.embedding.provider == Provider::None {
            // Without a model nobody waits for vectors.
            answer.index.pending = 0;
        }
        answer.hits = search::widen(store, answer.hits, asked.window)?;
        if let Some(budget) = asked.budget {
            answer.hits = search::fit(answer.hits, budget, &ApproximateTokens);
        }
        Ok(answer)
    }

    /// Returns the names of the configured collections.
    pub fn collections(&self) -> Vec<String> {
        let config = &self.settings.config;
        let vault = config.vault.path.as_ref().map(|_| VAULT.to_owned());
        let client_memory = config.index.client_memory.then(|| CLIENT_MEMORY.to_owned());
        vault.into_iter().chain(client_memory).chain(config.collections.keys().cloned()).collect()
    }

    /// Returns the collections to search: the named ones, or all that are configured. The index may still hold others.
    ///
    /// # Errors
    /// A named collection is not configured; or none is configured.
    pub fn resolve_collections(&self, named: &[String]) -> Result<Vec<String>> {
        let known = self.collections();
        match named.iter().find(|name| !known.contains(name)) {
            Some(name) => Err(StoreError::UnknownCollection { name: name.clone(), known: known.join(", ") }.into()),
            None if known.is_empty() => Err(NoVault.into()),
            None if named.is_empty() => Ok(known),
            None => Ok(named.to_vec()),
        }
    }

    /// Returns the question, limited to the configured collections if the index still holds others.
    fn of_configured<'q>(&self, store: &dyn Reader, query: &'q Query) -> Result<Cow<'q, Query>, SearchError> {
        let configured = self.collections();
        let is_configured = |name: &String| configured.contains(name);
        let (known, gone): (Vec<String>, Vec<String>) =
            store.collections()?.into_iter().map(|collection| collection.name).partition(is_configured);
        if gone.is_empty() {
            return Ok(Cow::Borrowed(query));
        }
        if let Some(name) = query.filter.collections.iter().find(|name| gone.contains(name)) {
            let (name, known) = (name.clone(), known.join(", "));
            return Err(StoreError::UnknownCollection { name, known }.into());
        }
        let mut narrowed = query.clone();
        let filter = &mut narrowed.filter;
        if known.is_empty() {
            // No indexed collection is configured. An empty collection filter would match all, so a path filter excludes everything.
            filter.without_paths.push("**".into());
        } else if filter.collections.is_empty() {
            filter.collections = known;
        }
        Ok(Cow::Owned(narrowed))
    }
}
