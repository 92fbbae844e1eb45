//! A score that means the same in every answer.
//!
//! How sure an answer is follows from two measurements that do not depend on the question: the share of the question's
//! information that the best texts hold (their bm25 over the highest bm25 any text could have), and the cosine similarity of
//! the best passage. A logistic regression maps them to [0, 1].
//!
//! `scripts/fit-calibration` fits the constants below and prints them as they stand here: answered questions of the development
//! sets against questions of other notes, and against the same questions with the notes that answer them left out. docs/quality.md
//! shows how well scores and truth agree.

use super::fuse::{Evidence, Signals};

/// `intercept + coverage * c + similarity * s + brevity / words`, through the logistic function.
struct Calibration {
    intercept: f64,
    coverage: f64,
    similarity: f64,
    /// One matched word of two says less than ten of twenty.
    brevity: f64,
}

const BOTH: Calibration = Calibration { intercept: -3.68, coverage: 6.73, similarity: 4.93, brevity: 0.0 };
const WORDS_ALONE: Calibration = Calibration { intercept: -1.37, coverage: 9.83, similarity: 0.0, brevity: -4.92 };
const MEANING_ALONE: Calibration = Calibration { intercept: -3.24, coverage: 0.0, similarity: 8.19, brevity: 0.0 };

/// How sure it is that the best candidates answer the question, and by what.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Confidence {
    /// Share of the question's information that the best texts hold; `None` where nothing was sought by words.
    pub coverage: Option<f64>,
    /// Their highest cosine similarity; `None` where nothing was compared by meaning.
    pub similarity: Option<f64>,
    /// In [0, 1].
    pub score: f64,
}

/// Weighs the best candidates.
pub(super) fn confidence(leaders: &[&Evidence], signals: &Signals) -> Confidence {
    let best = |side: fn(&Evidence) -> Option<f64>| leaders.iter().filter_map(|one| side(one)).reduce(f64::max);
    let ceiling = signals.lexical_ceiling + signals.misspelt;
    let coverage = (signals.lexical_ceiling > 0.0).then(|| (best(Evidence::words).unwrap_or(0.0) / ceiling).min(1.0));
    let similarity = best(|one| one.similarity);
    let calibration = match (coverage, similarity) {
        (Some(_), Some(_)) => &BOTH,
        (Some(_), None) => &WORDS_ALONE,
        (None, _) => &MEANING_ALONE,
    };
    if leaders.is_empty() {
        return Confidence { coverage, similarity, score: 0.0 };
    }
    let logit = calibration.intercept
        + calibration.coverage * coverage.unwrap_or(0.0)
        + calibration.similarity * similarity.unwrap_or(0.0)
        + calibration.brevity / signals.words.max(1) as f64;
    Confidence { coverage, similarity, score: 1.0 / (1.0 + (-logit).exp()) }
}
