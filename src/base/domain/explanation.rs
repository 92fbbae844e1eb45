//! Explains how an answer came about.

use std::fmt;
use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a hit got its score.
///
/// `raw = words + meaning + neighbour + link`, each already weighted. `share` is `raw * (1 + boost)` divided by that
/// of the first hit, and `score = confidence * share`. A session log that ranks before the daily section it links to
/// swaps places with it: each then has the other's share.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HitExplanation {
    /// Rank among the candidates found by words, from 1.
    pub lexical_rank: Option<usize>,
    /// bm25 score, positive.
    pub lexical_score: Option<f64>,
    /// Bonus to bm25 for words of the question that are also adjacent in the chunk.
    pub pairs: f64,
    /// Rank among the candidates compared by meaning, from 1.
    pub vector_rank: Option<usize>,
    /// Cosine similarity of its nearest passage.
    pub similarity: Option<f64>,
    /// Its passages, nearest first: first and last line, and cosine similarity. No part of an answer's JSON.
    #[serde(skip)]
    pub passages: Vec<(RangeInclusive<usize>, f64)>,
    /// Contribution of words.
    pub words: f64,
    /// Contribution of meaning.
    pub meaning: f64,
    /// Contribution of the better neighbour in the note.
    pub neighbour: f64,
    /// Contribution of a link from the best hit's note.
    pub link: f64,
    /// Relative adjustment: raised for the current project, lowered for its age or for repeating a better hit.
    #[serde(rename = "favour")]
    pub boost: f64,
    /// Its adjusted sum divided by that of the first hit.
    pub share: f64,
    /// The weight of its collection, which moves it among hits on the same side of the gate, unless it is 1. The score stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collection_weight: Option<f64>,
    /// How the use of its line moved it, if the recall ledger knows the line. The score stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worth: Option<LineWorth>,
}

/// The recorded use of a line, and how it moves the line among those that are relevant.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LineWorth {
    /// Sessions that were shown the line as the result of a search, in any project.
    pub sessions: u32,
    /// Those of them that used it.
    pub used: u32,
    /// Those in which somebody marked it as not helpful.
    pub not_helpful: u32,
    /// Those in the project at hand; left out if no project is at hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub here: Option<u32>,
    /// The factor for its place, close to 1.
    pub factor: f64,
}

/// In words: `shown in 6 sessions (4 of this project), used in 5: moves up (+4 %)`.
impl fmt::Display for LineWorth {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.sessions == 1 { "session" } else { "sessions" };
        write!(out, "shown in {} {plural}", self.sessions)?;
        if let Some(here) = self.here.filter(|here| *here < self.sessions) {
            write!(out, " ({here} of this project)")?;
        }
        match self.used {
            0 => write!(out, ", never used")?,
            used => write!(out, ", used in {used}")?,
        }
        if self.not_helpful > 0 {
            write!(out, ", marked as not helpful in {}", self.not_helpful)?;
        }
        let percent = (self.factor - 1.0) * 100.0;
        match percent.round() {
            0.0 => write!(out, ": keeps its place"),
            up if up > 0.0 => write!(out, ": moves up (+{up:.0} %)"),
            down => write!(out, ": moves down ({down:.0} %)"),
        }
    }
}

/// How a question was interpreted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QueryExplanation {
    /// The terms of the keyword search.
    pub terms: Vec<TermExplanation>,
    /// Phrases that every hit must hold.
    pub required: Vec<String>,
    /// Terms that no hit may hold.
    pub excluded: Vec<String>,
    /// Weight of meaning against words for this question, 0 to 1.
    pub vector_weight: f64,
    /// Share of the question's information that the first hit covers, 0 to 1.
    pub coverage: Option<f64>,
    /// Strength of the match: that share times how informative it is, 0 to 1.
    pub matched: Option<f64>,
    /// Cosine similarity of the first hit.
    pub similarity: Option<f64>,
    /// Share of the question's words that the name of the first hit's note and its headings hold, 0 to 1.
    #[serde(default)]
    pub named: f64,
    /// Share of the question's words that no note holds, 0 to 1.
    #[serde(default)]
    pub unknown: f64,
    /// Lead of the first hit over the best hit of another note, 0 to 1.
    pub lead: f64,
    /// Confidence that the first hit answers the question, 0 to 1.
    pub confidence: f64,
}

/// A term of the keyword search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TermExplanation {
    /// The words, or the token of a date.
    pub text: String,
    /// Number of chunks that hold it.
    pub chunks: usize,
    /// Inverse document frequency.
    pub weight: f64,
}
