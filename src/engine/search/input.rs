//! Input of a search.

use serde::{Deserialize, Serialize};

use super::features::FeatureOptions;
use super::parts::PartOptions;
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

/// A query with the store, the model and the options to answer it.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) store: &'a dyn Reader,
    pub(super) vectors: VectorSearch<'a>,
    pub(super) query: &'a Query,
    pub(super) options: &'a SearchOptions,
}
