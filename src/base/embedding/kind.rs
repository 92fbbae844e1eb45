//! Kinds of models.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The purpose of a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ModelKind {
    /// Turns a text into a vector.
    #[default]
    Embedding,
    /// Reads a question and a text together and rates how well the text answers the question (a cross-encoder).
    Reranker,
}

impl ModelKind {
    /// Returns the word for the kind in manifests.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Embedding => "embedding",
            Self::Reranker => "reranker",
        }
    }
}
