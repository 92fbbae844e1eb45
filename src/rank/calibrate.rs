//! A score that means the same in every answer.
//!
//! How sure it is that the first result is right follows from three measurements that do not depend on the question. What was
//! *matched*: the share of the question's information that the result holds (its bm25 over the highest bm25 any text could
//! have), times how much that is in itself, from 0 to 1; one rare word of a question in common words is little, however
//! large a share it is. The cosine *similarity*. And the *lead*: how far the result stands before the best of
//! another note, or of another fact of the memory, since a result that many rival is often the wrong one. A logistic regression maps them to [0, 1].
//!
//! `scripts/fit-calibration` fits the constants, those below and those of each model (`scale`), and prints them as they stand:
//! answered questions of the development
//! sets against questions of other notes, and against the same questions with the notes that answer them left out. docs/quality.md
//! shows how well scores and truth agree.

use super::evidence::{Evidence, Signals};
use super::scale::Calibration;

const WORDS_ALONE: Calibration = Calibration { intercept: -1.84, matched: 6.42, similarity: 0.0, lead: 4.0 };

/// How sure it is that the first candidate answers the question, and by what.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Confidence {
    /// Share of the question's information that it holds; `None` where nothing was sought by words.
    pub coverage: Option<f64>,
    /// How much it matched: that share, times how much it tells in itself, 0 to 1; `None` likewise.
    pub matched: Option<f64>,
    /// Its cosine similarity; `None` where nothing was compared by meaning.
    pub similarity: Option<f64>,
    /// How far it stands before the best candidate of another file, or the next fact of its chunk, as a share of its sum.
    pub lead: f64,
    /// In [0, 1].
    pub score: f64,
}

/// Weighs the first candidate.
pub(super) fn confidence(first: &Evidence, lead: f64, signals: &Signals) -> Confidence {
    let ceiling = signals.lexical_ceiling - signals.unsaid + signals.misspelt;
    let coverage = (signals.lexical_ceiling > 0.0).then(|| (first.words().unwrap_or(0.0) / ceiling).min(1.0));
    let matched = coverage.map(|coverage| coverage * (1.0 - (-coverage * signals.information).exp()));
    let similarity = first.similarity;
    let calibration = match (matched, similarity) {
        (Some(_), Some(_)) => &signals.scale.both,
        (Some(_), None) => &WORDS_ALONE,
        (None, _) => &signals.scale.meaning_alone,
    };
    let (m, s) = (matched.unwrap_or(0.0), similarity.unwrap_or(0.0).max(0.0));
    let logit = calibration.intercept
        + calibration.matched * m
        + calibration.similarity * s
        + calibration.lead * lead * (m + s);
    Confidence { coverage, matched, similarity, lead, score: 1.0 / (1.0 + (-logit).exp()) }
}
