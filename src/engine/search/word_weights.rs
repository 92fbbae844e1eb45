//! The weights of a question's words for the confidence in a result.

use super::query_plan::QueryPlan;
use tars_store::PartWeight;
use tars_text::analysis::{Term, is_stop_word};

/// Least weight of a word, as far as names and unknown words are concerned: in a vault about one subject its words are in most notes.
const MIN_TERM_WEIGHT: f64 = 0.3;

impl QueryPlan {
    /// Returns the weight of each word for the confidence in a result.
    pub(super) fn term_weights(&self) -> Vec<f64> {
        self.weights.terms.iter().map(|weight| weight.idf.max(MIN_TERM_WEIGHT)).collect()
    }

    /// Returns the share of its words, by weight, that no note holds, in no other form either.
    pub(super) fn unknown_share(&self) -> f64 {
        let weights = self.term_weights();
        let words = self.lexical.terms.iter().zip(&self.weights.terms).zip(&weights);
        let is_unknown = |term: &Term, weight: &PartWeight| {
            weight.chunks == 0
                && !is_stop_word(term.text())
                && self.alternatives.iter().all(|one| one.typed != term.text())
        };
        let unknown: f64 = words.filter(|((term, found), _)| is_unknown(term, found)).map(|(_, weight)| weight).sum();
        let whole: f64 = weights.iter().sum();
        if whole > 0.0 { unknown / whole } else { 0.0 }
    }
}
