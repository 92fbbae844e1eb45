//! Words that are looked for beside one of a question.

use super::SearchError;
use crate::analysis::Term;
use crate::store::{LexicalQuery, Reader, Weight};

/// What a find by other words counts where some notes hold the word itself.
pub(super) const BESIDE: f64 = 0.7;

/// Words that are looked for beside one of the question.
#[derive(Debug, Clone)]
pub(super) struct Alternative {
    /// The word of the question.
    pub(super) typed: String,
    /// What is looked for.
    pub(super) terms: Vec<Term>,
    /// How much each of these tells.
    pub(super) weights: Vec<Weight>,
    /// What the score of a find is multiplied by.
    pub(super) worth: f64,
    /// Whether the words are parts, all of which are wanted, or any of them will do.
    pub(super) parts: bool,
}

impl Alternative {
    /// Returns words any of which will do.
    pub(super) fn any_of(store: &dyn Reader, typed: &str, words: Vec<String>) -> Result<Self, SearchError> {
        Self::new(store, typed, words, false)
    }

    /// Returns words all of which are wanted.
    pub(super) fn all_of(store: &dyn Reader, typed: &str, words: Vec<String>) -> Result<Self, SearchError> {
        Self::new(store, typed, words, true)
    }

    fn new(store: &dyn Reader, typed: &str, words: Vec<String>, parts: bool) -> Result<Self, SearchError> {
        let terms: Vec<Term> = words.into_iter().map(Term::Word).collect();
        let weights = store.weights(&LexicalQuery { terms: terms.clone(), ..LexicalQuery::default() })?.terms;
        Ok(Self { typed: typed.to_owned(), terms, weights, worth: 1.0, parts })
    }

    /// Returns how much the words tell that stand for the one of the question.
    pub(super) fn idf(&self) -> f64 {
        let idf = self.weights.iter().map(|weight| weight.idf);
        if self.parts { idf.sum() } else { idf.fold(0.0, f64::max) }
    }
}
