//! The settings of a search: its options, and the collections that it may look into.

use std::borrow::Cow;

use crate::{App, NoVault, Result, VAULT};
use tars_base::domain::Query;
use tars_engine::search::{FeatureOptions, PartOptions, SearchError, SearchOptions};
use tars_rank::{Fusion, FusionOptions};
use tars_store::{ColumnWeights, Reader, StoreError};

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
            parts: PartOptions {
                cover: search.part_cover,
                places: search.part_places,
                hits: search.part_hits,
                score: search.part_score,
            },
        }
    }

    /// Returns the names of the configured collections, without private ones if the answers of this process go to other programs.
    pub fn collections(&self) -> Vec<String> {
        self.configured_collections().into_iter().filter(|name| self.shows(name)).collect()
    }

    /// Returns the names of all configured collections.
    pub(crate) fn configured_collections(&self) -> Vec<String> {
        let config = &self.settings.config;
        let vault = config.vault.path.as_ref().map(|_| VAULT.to_owned());
        let memories = self.client_memories().into_iter().map(|memory| memory.collection.to_owned());
        vault.into_iter().chain(memories).chain(config.collections.keys().cloned()).collect()
    }

    /// Whether the person has kept a collection from agents, models and other programs.
    pub(crate) fn is_private_collection(&self, collection: &str) -> bool {
        self.settings.config.collections.get(collection).is_some_and(|one| one.private)
    }

    /// Whether this process may show a collection to those who ask it.
    pub(crate) fn shows(&self, collection: &str) -> bool {
        !self.hides_private_files || !self.is_private_collection(collection)
    }

    /// Returns the collections that a question names to the process that answers it, which may itself hide fewer; none means all.
    ///
    /// # Errors
    /// A named collection is hidden here, or all of them are.
    pub(crate) fn asked_collections(&self, named: &[String]) -> Result<Vec<String>> {
        if self.hides_collections() { self.resolve_collections(named) } else { Ok(named.to_vec()) }
    }

    /// Whether this process hides any collection.
    pub(crate) fn hides_collections(&self) -> bool {
        self.settings.config.collections.keys().any(|name| !self.shows(name))
    }

    /// Returns those of the collections that agents may be shown without asking, in the form of [`App::asked_collections`]; `None` if there
    /// are none.
    pub(crate) fn collections_for_agents(&self, named: &[String]) -> Option<Vec<String>> {
        if !self.settings.config.collections.values().any(|one| one.private) {
            return Some(named.to_vec());
        }
        let all = if named.is_empty() { self.collections() } else { named.to_vec() };
        let shown: Vec<String> = all.into_iter().filter(|name| !self.is_private_collection(name)).collect();
        (!shown.is_empty()).then_some(shown)
    }

    /// Returns the collections to search: the named ones, or all configured ones. The index may still hold others.
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
    pub(crate) fn of_configured<'q>(
        &self,
        store: &dyn Reader,
        query: &'q Query,
    ) -> Result<Cow<'q, Query>, SearchError> {
        // The process that took the question has left out what it hides: a server answers its own user as well.
        let configured = self.configured_collections();
        let is_configured = |name: &String| configured.contains(name);
        let (known, gone): (Vec<String>, Vec<String>) =
            store.collections()?.into_iter().map(|collection| collection.name).partition(is_configured);
        // A collection without a note is not in the index yet.
        let is_empty = |name: &String| configured.contains(name) && !known.contains(name);
        let wanted = &query.filter.collections;
        let has_empty = wanted.iter().any(is_empty) && wanted.iter().any(|name| known.contains(name));
        if gone.is_empty() && !has_empty {
            return Ok(Cow::Borrowed(query));
        }
        if let Some(name) = query.filter.collections.iter().find(|name| gone.contains(name)) {
            let (name, known) = (name.clone(), known.join(", "));
            return Err(StoreError::UnknownCollection { name, known }.into());
        }
        let mut narrowed = query.clone();
        let filter = &mut narrowed.filter;
        if has_empty {
            filter.collections.retain(|name| !is_empty(name));
        }
        if known.is_empty() {
            // No indexed collection is configured. An empty collection filter would match all, so a path filter excludes everything.
            filter.without_paths.push("**".into());
        } else if filter.collections.is_empty() {
            filter.collections = known;
        }
        Ok(Cow::Owned(narrowed))
    }
}
