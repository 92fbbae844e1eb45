//! Input of a search.

use serde::{Deserialize, Serialize};

use super::features::FeatureOptions;
use super::vector_search::VectorSearch;
use tars_base::domain::Query;
use tars_rank::FusionOptions;
use tars_store::{ColumnWeights, Reader};

/// Settings of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchOptions {
    /// Options of the fusion.
    pub fusion: FusionOptions,
    /// Weights of the features of the best candidates.
    pub features: FeatureOptions,
    /// Weights of the columns other than the text.
    pub columns: ColumnWeights,
    /// Number of candidates from each retriever.
    pub candidates: usize,
    /// Constants for compound questions. A request without them gets the defaults.
    #[serde(default)]
    pub parts: PartOptions,
}

/// Constants of the search for the parts of a compound question.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PartOptions {
    /// Share of the weight of a part's own words from which a hit covers the part, 0 to 1.
    pub cover: f64,
    /// Number of first hits that should cover all parts. 0 looks for no part by itself.
    pub places: usize,
    /// Maximum number of hits that one part lets in.
    pub hits: usize,
    /// Minimum score of such a hit in the list of its part.
    pub score: f64,
}

impl Default for PartOptions {
    /// Not fitted: chosen before any measurement. Five hits are what a person sees at first.
    fn default() -> Self {
        Self { cover: 0.6, places: 5, hits: 1, score: 0.25 }
    }
}

/// A query with the store, the model and the options to answer it.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) store: &'a dyn Reader,
    pub(super) vectors: VectorSearch<'a>,
    pub(super) query: &'a Query,
    pub(super) options: &'a SearchOptions,
}
