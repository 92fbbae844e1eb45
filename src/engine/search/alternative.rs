//! Alternative words for a word of a question.

use super::SearchError;
use tars_store::{LexicalQuery, PartWeight, Reader};
use tars_text::analysis::Term;

/// Weight of a match by alternative words when some notes hold the word itself.
pub(super) const ALTERNATIVE_FACTOR: f64 = 0.7;

/// Alternative words for one word of the question.
#[derive(Debug, Clone)]
pub(super) struct Alternative {
    /// The word of the question.
    pub(super) typed: String,
    /// The alternative words.
    pub(super) terms: Vec<Term>,
    /// The weight of each alternative word.
    pub(super) weights: Vec<PartWeight>,
    /// Factor for the score of a match.
    pub(super) factor: f64,
    /// Whether the words are parts of a compound, so that all must match. Otherwise any of them is enough.
    pub(super) requires_all: bool,
}

impl Alternative {
    /// Creates an alternative of which any word may match.
    pub(super) fn any_of(store: &dyn Reader, typed: &str, words: Vec<String>) -> Result<Self, SearchError> {
        Self::new(store, typed, words, false)
    }

    /// Creates an alternative of which all words must match.
    pub(super) fn all_of(store: &dyn Reader, typed: &str, words: Vec<String>) -> Result<Self, SearchError> {
        Self::new(store, typed, words, true)
    }

    fn new(store: &dyn Reader, typed: &str, words: Vec<String>, parts: bool) -> Result<Self, SearchError> {
        let terms: Vec<Term> = words.into_iter().map(Term::Word).collect();
        let weights = store.weights(&LexicalQuery { terms: terms.clone(), ..LexicalQuery::default() })?.terms;
        Ok(Self { typed: typed.to_owned(), terms, weights, factor: 1.0, requires_all: parts })
    }

    /// Returns the idf of the alternative as a whole: the sum over parts, else the highest of its words.
    pub(super) fn idf(&self) -> f64 {
        let idf = self.weights.iter().map(|weight| weight.idf);
        if self.requires_all { idf.sum() } else { idf.fold(0.0, f64::max) }
    }
}
