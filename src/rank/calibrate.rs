//! A score that is comparable between answers.
//!
//! The confidence in the first result depends on three measurements that are comparable between questions:
//! - *matched*, 0 to 1: the share of the question's information that the result holds (its bm25 over the highest possible
//!   bm25), times how much information that is. One rare word in a question of common words is little, however large its
//!   share.
//! - *similarity*: the cosine similarity.
//! - *named*: the share of the question's words that the name of the note and the headings hold, squared, because a title that says
//!   all of a question answers it, and one that says half is a coincidence.
//! - *unknown*: the share of the question's words that no note holds.
//! - *lead*: the distance to the best result of another note, or of another fact of the memory, because a result with many
//!   rivals is often wrong.
//!
//! A logistic regression maps them to [0, 1].
//!
//! `scripts/quality/fit-calibration` fits the constants, those below and those of each model (`scale`), and prints them in this form.
//! It contrasts answered questions of the development sets with questions about other notes, and with the same questions
//! after the answering notes were left out. docs/quality.md shows how well scores and truth agree.

use super::evidence::{Evidence, Signals};
use tars_base::embedding::Calibration;

const WORDS_ALONE: Calibration = Calibration { intercept: -1.84, matched: 6.42, similarity: 0.0, lead: 4.0 };

/// Factors of what names and unknown words say. They give the least error, with the other constants in place, on the development sets and
/// on half of the questions that another author asked of three public vaults: see docs/quality.md.
const NAMED: f64 = 1.5;
const UNKNOWN: f64 = -0.7;

/// The confidence that the first candidate answers the question, and its inputs.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Confidence {
    /// Share of the question's information that the candidate holds; `None` if no words were searched.
    pub coverage: Option<f64>,
    /// That share times the information it carries, 0 to 1; `None` if no words were searched.
    pub matched: Option<f64>,
    /// Its cosine similarity; `None` if it was not compared by meaning.
    pub similarity: Option<f64>,
    /// Share of the question's words that its note's name and its headings hold.
    pub named: f64,
    /// Share of the question's words that no text holds.
    pub unknown: f64,
    /// Distance to the best candidate of another file, or to the next fact of its chunk, as a share of its own sum.
    pub lead: f64,
    /// The confidence, in [0, 1].
    pub score: f64,
}

/// Computes the confidence from the first candidate.
pub(super) fn confidence(first: &Evidence, lead: f64, signals: &Signals) -> Confidence {
    let ceiling = signals.lexical_ceiling - signals.missing_common_weight + signals.guessed_weight;
    let coverage = (signals.lexical_ceiling > 0.0).then(|| (first.words().unwrap_or(0.0) / ceiling).min(1.0));
    let matched = coverage.map(|coverage| coverage * (1.0 - (-coverage * signals.information).exp()));
    let similarity = first.similarity;
    let calibration = match (matched, similarity) {
        (Some(_), Some(_)) => &signals.scale.both,
        (Some(_), None) => &WORDS_ALONE,
        (None, _) => &signals.scale.meaning_alone,
    };
    let (m, s) = (matched.unwrap_or(0.0), similarity.unwrap_or(0.0).max(0.0));
    let (named, unknown) = matched.map_or((0.0, 0.0), |_| (first.named, signals.unknown_share));
    let logit = calibration.intercept
        + NAMED * named.powi(2)
        + UNKNOWN * unknown
        + calibration.matched * m
        + calibration.similarity * s
        + calibration.lead * lead * (m + s);
    Confidence { coverage, matched, similarity, named, unknown, lead, score: probability(logit) }
}

/// Returns the probability of a logit: the logistic function.
pub fn probability(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}
