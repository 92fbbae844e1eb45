//! The kinds of models.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a model is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ModelKind {
    /// It turns a text into a vector.
    #[default]
    Embedding,
    /// It reads a question and a text together and says how well the one answers the other: a cross-encoder.
    Reranker,
}

impl ModelKind {
    /// Returns the word used in manifests.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Embedding => "embedding",
            Self::Reranker => "reranker",
        }
    }
}
