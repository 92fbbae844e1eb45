//! What is asked of the full text, and the scale of its scores.
//!
//! # The scale
//! Whatever ranks candidates relies on this much of the scores of [`Reader::lexical`](super::Reader::lexical), and the
//! conformance suite checks it for every engine. A *part* of a question is one of its terms or dates.
//!
//! 1. A score is the sum of what each part adds that the chunk holds. What is `required` adds like a part; what is `excluded`
//!    adds nothing. Of a part with alternatives (the tokens of a date, the words of a beginning) each adds by itself.
//! 2. What a part without alternatives adds is more than 0 and at most [`Weights::saturation`] times its [`Weight::idf`]. So no
//!    chunk of an answer has a score of 0, and where nothing is required none has more than [`Weights::ceiling`], unless it
//!    holds several alternatives of one part.
//! 3. A part that stands once in the text of a chunk of average length adds its `idf`. It adds more where it stands more
//!    often, or in a column that weighs more, and where the chunk is shorter.
//! 4. Scores of one question are comparable between all chunks, whatever the scope: a scope removes candidates and changes no
//!    score.
//!
//! This is bm25 (Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009) with the weights of
//! columns counted into the frequency. The constants `k1` and `b` are the engine's own.

use serde::{Deserialize, Serialize};

use crate::analysis::Term;

/// Words to look for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LexicalQuery {
    /// Any of these.
    pub terms: Vec<Term>,
    /// Dates, each as the tokens of which any will do; looked for among notes' dates alone.
    pub dates: Vec<Vec<String>>,
    /// What a chunk must hold, all of it.
    pub required: Vec<Term>,
    /// What a chunk must not hold, none of it.
    pub excluded: Vec<Term>,
    /// How much words count outside the text itself.
    pub columns: ColumnWeights,
}

/// Weights in bm25 of what is not the text of a chunk; its text weighs 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ColumnWeights {
    /// Title, other names and headings.
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

/// How much each part of a question tells texts apart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Weights {
    /// Chunks in the index.
    pub chunks: usize,
    /// For each term of the question, in order.
    pub terms: Vec<Weight>,
    /// For each date.
    pub dates: Vec<Weight>,
    /// How many times its `idf` a part can add to the score of a chunk, at most (bm25's `k1 + 1`); at least 1.
    pub saturation: f64,
}

impl Weights {
    /// Returns the highest score that any text can have. A part that no text holds counts with all that it could add: what
    /// cannot be found is missed too.
    pub fn ceiling(&self) -> f64 {
        self.terms.iter().chain(&self.dates).map(|part| part.idf * self.saturation).sum()
    }
}

/// How much one part of a question tells texts apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weight {
    /// Chunks that hold it.
    pub chunks: usize,
    /// Inverse document frequency, `ln((all - chunks + 0.5) / (chunks + 0.5))` and at least 1e-6: what the part adds to the
    /// score of a chunk of average length in which it stands once.
    pub idf: f64,
}

impl Weight {
    /// Returns how much it tells, as a share of what it takes to single out one text of `all`: 0 tells nothing. `elsewhere`
    /// is the share of other texts that hold it; a hundred of those are counted in, so that a handful of notes does not make a
    /// telling word a common one, as bm25's own weights do.
    pub fn information(&self, all: usize, elsewhere: f64) -> f64 {
        const OTHERS: f64 = 100.0;
        let all = all as f64 + OTHERS;
        (all / (self.chunks as f64 + elsewhere * OTHERS)).ln().max(0.0) / all.ln()
    }
}
