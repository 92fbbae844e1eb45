//! Search results.

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
    /// Characters of the first line before what is shown; 0 unless a long line was cut.
    #[serde(default)]
    pub start_column: usize,
    /// Last line shown, inclusive.
    pub end_line: usize,
    /// Characters of the last line up to the end of what is shown, or `None` if the line's end is shown.
    #[serde(default)]
    pub end_column: Option<usize>,
    /// The line that answers best, from 1, within the shown lines.
    pub line: usize,
    /// Characters of that line before the sentence that answers best; 0 unless the line is long.
    #[serde(default)]
    pub column: usize,
    /// The day of the lines according to the note: from the heading above `line`, the file's name or the front matter.
    pub date: Option<Date>,
    /// In [0, 1], comparable across queries; see `rank::calibrate`.
    pub score: f64,
    /// The lines themselves.
    pub content: String,
    /// The retrievers that found it.
    pub matched_by: Vec<Retriever>,
    /// A reranker's score in [0, 1], or `None` if no reranker scored the hit.
    #[serde(default)]
    pub reranked: Option<f64>,
    /// If the lines are no longer true: since when, and what is true instead. A late stage of the search sets it.
    #[serde(skip)]
    pub superseded: Option<SupersededHit>,
    /// The explanation of its score, if the query asked for it.
    pub explanation: Option<HitExplanation>,
    /// For a hit in an answer of a saved chat, if the request asked for it: the beginning of the person's words before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Box<Hit>>,
    /// The text to show to a person, if the request asked for it: from `line` on, and the following text of the note if the hit
    /// contains only headings.
    #[serde(skip)]
    pub preview: Option<String>,
}

/// A hit's note about a line that is no longer true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SupersededHit {
    /// The day from which it was true or known, where that is known.
    pub since: Option<Date>,
    /// The day on which it ceased to be true.
    pub until: Date,
    /// The line that replaced it.
    pub by: String,
    /// Where that line stood, as a link names it: `tars/Memory#People`.
    pub place: String,
    /// The same as text: `was so until 2026-03-14; now: …`.
    #[serde(skip)]
    pub label: String,
}

impl Hit {
    /// Returns what is shown from the answering sentence on. This is the whole line, unless it is long.
    pub fn from_answer(&self) -> &str {
        let before = self.line.saturating_sub(self.start_line);
        let at = self.content.split_inclusive('\n').take(before).map(str::len).sum();
        let rest = &self.content[at..];
        let column = self.column_after((self.start_line, self.start_column));
        let line = rest.split('\n').next().unwrap_or_default();
        let sentence = line.char_indices().nth(column).map_or(0, |(at, _)| at);
        &rest[sentence..]
    }

    /// Returns the characters between the beginning of an excerpt, a line and a column, and the answering sentence in its line.
    pub fn column_after(&self, (line, column): (usize, usize)) -> usize {
        if line == self.line { self.column.saturating_sub(column) } else { self.column }
    }

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

/// A score in words: relevant from 0.75, kinda relevant from 0.5, maybe relevant from 0.25, otherwise not relevant.
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

/// The state of the index at the time of an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IndexState {
    /// Files indexed.
    pub files: usize,
    /// Chunks in them.
    pub chunks: usize,
    /// Files not fully indexed: changed on disk, or waiting for their vectors.
    pub pending: usize,
    /// Age of the oldest change that is not in the index yet, in milliseconds; 0 if there is none.
    pub lag_ms: u64,
}

/// Hits and how they were found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchAnswer {
    /// The question as it was given.
    pub query: String,
    /// The search mode.
    pub mode: Mode,
    /// The reason if the answer is degraded.
    pub degraded: Option<String>,
    /// Changes to the question that may interest the person who asked, one line each.
    pub remarks: Vec<String>,
    /// The state of the index.
    pub index: IndexState,
    /// Best first.
    pub hits: Vec<Hit>,
    /// The interpretation of the question, if the query asked for it.
    pub explanation: Option<QueryExplanation>,
}

impl SearchAnswer {
    /// Adds a reason why the answer is degraded, in front of the present ones.
    pub fn degrade(&mut self, said: Option<String>) {
        let all: Vec<String> = said.into_iter().chain(self.degraded.take()).collect();
        self.degraded = (!all.is_empty()).then(|| all.join("; "));
    }
}
