//! The stage in which the weights of collections move hits.

use super::Search;
use crate::recall::{Place, reorder};
use crate::{App, Result};
use tars_base::domain::Hit;

/// More hits that a search asks for if collections have weights: a hit beyond the limit may pass one within it.
pub(super) const EXTRA_HITS: usize = 20;

/// Lets hits pass those before them whose score times the weight of their collection is lower, on the same side of the gate. No score
/// changes. Hits that another stage has put in their place stay.
pub(super) fn by_weight(search: &Search<'_, '_>, mut hits: Vec<Hit>) -> Result<Vec<Hit>> {
    apply(search.service.app, &mut hits);
    Ok(hits)
}

/// Orders hits by the weights of their collections; without weights, no order changes.
pub(crate) fn apply(app: &App, hits: &mut [Hit]) {
    if !app.has_weights() {
        return;
    }
    for hit in hits.iter_mut() {
        let weight = app.weight(&hit.collection);
        if let Some(explanation) = &mut hit.explanation {
            explanation.collection_weight = (weight != 1.0).then_some(weight);
        }
    }
    let gate = app.settings.config.search.gate;
    reorder(hits, |hit| Place {
        group: is_free(hit).then(|| u32::from(hit.score >= gate)),
        score: hit.score,
        factor: app.weight(&hit.collection),
    });
}

/// Whether no other stage has decided the place of a hit.
pub(super) fn is_free(hit: &Hit) -> bool {
    hit.superseded.is_none() && hit.reranked.is_none() && !hit.matched_by.is_empty()
}

impl App {
    /// Whether any collection has a weight of its own.
    pub(super) fn has_weights(&self) -> bool {
        self.settings.config.collections.values().any(|one| one.weight != 1.0)
    }

    /// Returns the weight of a collection.
    pub(super) fn weight(&self, collection: &str) -> f64 {
        self.settings.config.collections.get(collection).map_or(1.0, |one| one.weight)
    }
}
