//! What the index answers.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ChunkId, HitExplanation, MemoryType, Mode, QueryExplanation};

/// A fused, scored result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// Public id of the chunk.
    pub id: ChunkId,
    /// Path relative to the collection's root, `/` between its parts.
    pub path: String,
    /// Title of the note.
    pub title: String,
    /// Heading path of `line`, `outer > inner`; empty above the first heading.
    pub heading: String,
    /// Name of the collection.
    pub collection: String,
    /// Kind of memory.
    pub memory_type: MemoryType,
    /// First line shown, from 1.
    pub start_line: usize,
    /// Last line shown, inclusive.
    pub end_line: usize,
    /// The line that answers best, from 1; lies among those shown.
    pub line: usize,
    /// The day that the lines are of, as the note itself says: by the heading over `line`, the file's name or the front matter.
    pub date: Option<Date>,
    /// In [0, 1], comparable between queries; see `rank::calibrate`.
    pub score: f64,
    /// The lines themselves.
    pub content: String,
    /// Who found it.
    pub matched_by: Vec<Retriever>,
    /// How well it answers the question in the opinion of a reranker, in [0, 1]; `None` if none was asked about it.
    #[serde(default)]
    pub reranked: Option<f64>,
    /// How it came by its score, where that was asked.
    pub explanation: Option<HitExplanation>,
}

impl Hit {
    /// Returns the score in words.
    pub fn relevance(&self) -> Relevance {
        Relevance::of_score(self.score)
    }
}

/// A source of candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Retriever {
    /// Full text.
    Keyword,
    /// Nearest vectors.
    Vector,
}

/// A score in words: 0.75 and more is relevant, 0.5 kinda, 0.25 maybe, less is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub enum Relevance {
    /// Below 0.25.
    #[serde(rename = "not relevant")]
    Not,
    /// 0.25 to 0.5.
    #[serde(rename = "maybe relevant")]
    Maybe,
    /// 0.5 to 0.75.
    #[serde(rename = "kinda relevant")]
    Kinda,
    /// 0.75 to 1.
    #[serde(rename = "relevant")]
    Relevant,
}

impl Relevance {
    /// Returns the word for a score in [0, 1].
    pub fn of_score(score: f64) -> Self {
        match score {
            s if s >= 0.75 => Self::Relevant,
            s if s >= 0.5 => Self::Kinda,
            s if s >= 0.25 => Self::Maybe,
            _ => Self::Not,
        }
    }

    /// Returns the words shown to people and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Relevant => "relevant",
            Self::Kinda => "kinda relevant",
            Self::Maybe => "maybe relevant",
            Self::Not => "not relevant",
        }
    }
}

/// How the index stood when it answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IndexState {
    /// Files indexed.
    pub files: usize,
    /// Chunks in them.
    pub chunks: usize,
    /// Files that the index is behind with: changed on disk, or waiting for their vectors.
    pub pending: usize,
    /// How long ago the oldest change was made that is not in the index yet, milliseconds; 0 if there is none.
    pub lag_ms: u64,
}

/// Hits and what they rest on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchAnswer {
    /// The question as it was given.
    pub query: String,
    /// How it was asked.
    pub mode: Mode,
    /// Why the answer is less than it could be, if it is.
    pub degraded: Option<String>,
    /// What was done to the question, as far as the person who asked may want to know it, a line each.
    pub remarks: Vec<String>,
    /// The index at that moment.
    pub index: IndexState,
    /// Best first.
    pub hits: Vec<Hit>,
    /// How the question was understood, where that was asked.
    pub explanation: Option<QueryExplanation>,
}

impl SearchAnswer {
    /// Says something more that makes the answer less than it could be, before what it says already.
    pub fn degrade(&mut self, said: Option<String>) {
        let all: Vec<String> = said.into_iter().chain(self.degraded.take()).collect();
        self.degraded = (!all.is_empty()).then(|| all.join("; "));
    }
}
