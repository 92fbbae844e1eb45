//! Queries of the full text, and the scale of its scores.
//!
//! # The scale
//! Rankers rely on the following properties of the scores of [`Reader::lexical`](super::Reader::lexical), and the conformance
//! suite checks them for every engine. A *part* of a query is one of its terms or dates.
//!
//! 1. A score is the sum of the contributions of the parts that the chunk contains. `required` terms contribute like parts;
//!    `excluded` terms contribute nothing. If a part has alternatives (the tokens of a date, the words of a prefix), each
//!    contributes separately.
//! 2. A part without alternatives contributes more than 0 and at most [`QueryWeights::saturation`] times its [`PartWeight::idf`]. So no
//!    result has a score of 0. Without required terms, no score exceeds [`QueryWeights::ceiling`], unless a chunk contains several
//!    alternatives of one part.
//! 3. A part that occurs once in the text of a chunk of average length contributes its `idf`. It contributes more if it occurs more
//!    often, if it occurs in a column with a higher weight, or if the chunk is shorter.
//! 4. The scores of one query are comparable between all chunks, whatever the scope: a scope removes candidates and changes no
//!    score.
//!
//! This is bm25 (Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009) with column weights applied
//! to the frequencies. Each engine chooses its constants `k1` and `b`.

use serde::{Deserialize, Serialize};

use tars_text::analysis::Term;

/// A query of the full text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LexicalQuery {
    /// Terms, any of which may match.
    pub terms: Vec<Term>,
    /// Dates, each as alternative tokens. They match only the dates of notes.
    pub dates: Vec<Vec<String>>,
    /// Terms that a chunk must contain.
    pub required: Vec<Term>,
    /// Terms that a chunk must not contain.
    pub excluded: Vec<Term>,
    /// Weights of the columns other than the text.
    pub columns: ColumnWeights,
}

/// The bm25 weights of the columns other than the text, whose weight is 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ColumnWeights {
    /// Title, aliases and headings.
    pub title: f64,
    /// Tags, properties and dates.
    pub meta: f64,
}

impl Default for ColumnWeights {
    /// Measured on the development sets (docs/quality.md).
    fn default() -> Self {
        Self { title: 2.0, meta: 2.0 }
    }
}

/// The discriminative weights of a query's parts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QueryWeights {
    /// Number of chunks in the index.
    pub chunks: usize,
    /// The weight of each term of the query, in order.
    pub terms: Vec<PartWeight>,
    /// The weight of each date.
    pub dates: Vec<PartWeight>,
    /// Highest contribution of a part to a chunk's score, as a multiple of its `idf` (bm25's `k1 + 1`); at least 1.
    pub saturation: f64,
}

impl QueryWeights {
    /// Returns the highest possible score of a text. A part that no text contains counts in full, because a text without it is an
    /// incomplete match.
    pub fn ceiling(&self) -> f64 {
        self.terms.iter().chain(&self.dates).map(|part| part.idf * self.saturation).sum()
    }
}

/// The discriminative weight of one part of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartWeight {
    /// Number of chunks that contain the part.
    pub chunks: usize,
    /// Inverse document frequency, `ln((all - chunks + 0.5) / (chunks + 0.5))` and at least 1e-6: the part's contribution to the
    /// score of a chunk of average length in which it occurs once.
    pub idf: f64,
}

impl PartWeight {
    /// Returns the part's information as a share of the information that singles out one of `all` texts: 0 for none. `elsewhere` is
    /// the share of other texts that contain it. A hundred such texts are added to the count, so that in a vault of few notes a
    /// distinctive word does not look common, as it does with bm25's own weights.
    pub fn information_share(&self, all: usize, elsewhere: f64) -> f64 {
        const OTHERS: f64 = 100.0;
        let all = all as f64 + OTHERS;
        (all / (self.chunks as f64 + elsewhere * OTHERS)).ln().max(0.0) / all.ln()
    }
}
