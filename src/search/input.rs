//! What a search works with.

use serde::{Deserialize, Serialize};

use super::features::FeatureOptions;
use super::semantics::Semantics;
use crate::domain::Query;
use crate::rank::FusionOptions;
use crate::store::{ColumnWeights, Reader};

/// How a search goes about its work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchOptions {
    /// How lists are fused.
    pub fusion: FusionOptions,
    /// What the features of the best candidates are worth.
    pub features: FeatureOptions,
    /// How much words count outside the text itself.
    pub columns: ColumnWeights,
    /// How many candidates each retriever proposes.
    pub candidates: usize,
}

/// What a question is answered with.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) store: &'a dyn Reader,
    pub(super) semantics: Semantics<'a>,
    pub(super) query: &'a Query,
    pub(super) options: &'a SearchOptions,
}
