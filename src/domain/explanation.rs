//! How an answer came about, for people who wonder why.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How one hit came by its score.
///
/// `raw = words + meaning + neighbour + link`, each already weighted; `raw * (1 + favour)` over that of the first hit is
/// `share`, and `score = confidence * share`. A session's log that stands before the section of a day which it links to has
/// changed places with it: each has the other's share.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HitExplanation {
    /// Its place among the candidates found by words, from 1.
    pub lexical_rank: Option<usize>,
    /// Its bm25, positive.
    pub lexical_score: Option<f64>,
    /// What is added to its bm25 for words of the question that stand side by side in it too.
    pub pairs: f64,
    /// Its place among the candidates compared by meaning, from 1.
    pub vector_rank: Option<usize>,
    /// Cosine similarity of its nearest passage.
    pub similarity: Option<f64>,
    /// What words contribute.
    pub words: f64,
    /// What meaning contributes.
    pub meaning: f64,
    /// What the better of its neighbours in the note contributes.
    pub neighbour: f64,
    /// What a link from the best hit's note contributes.
    pub link: f64,
    /// Share by which it was raised for being of the project, or lowered for its age or for saying what a better hit says.
    pub favour: f64,
    /// Its sum over that of the first hit.
    pub share: f64,
}

/// How a question was understood.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QueryExplanation {
    /// What was looked for by words.
    pub terms: Vec<TermExplanation>,
    /// Phrases that every hit must hold.
    pub required: Vec<String>,
    /// What no hit may hold.
    pub excluded: Vec<String>,
    /// Weight of meaning against words for this question, 0 to 1.
    pub vector_weight: f64,
    /// Share of the question's information that the first hit holds, 0 to 1.
    pub coverage: Option<f64>,
    /// How much it matched: that share, times how much it tells in itself, 0 to 1.
    pub matched: Option<f64>,
    /// How near it is in meaning.
    pub similarity: Option<f64>,
    /// How far it stands before the best hit of another note, 0 to 1.
    pub lead: f64,
    /// How sure it is that the first hit answers the question, 0 to 1.
    pub confidence: f64,
}

/// One thing that was looked for by words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TermExplanation {
    /// The words, or what stands for a date.
    pub text: String,
    /// How many chunks hold it.
    pub chunks: usize,
    /// How much it tells texts apart: its inverse document frequency.
    pub weight: f64,
}
