//! The calibration of an embedding model's similarities.

use serde::{Deserialize, Serialize};

/// How to interpret a model's cosine similarities. [`ModelScale::default`] belongs to the English model that tars ships; a
/// model's manifest may hold its own.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelScale {
    /// Calibration for results by words and meaning.
    pub both: Calibration,
    /// Calibration for results by meaning only.
    pub meaning_alone: Calibration,
    /// Whether the model reads every script, so that its vectors count for a question in any script.
    #[serde(skip)]
    pub every_script: bool,
}

/// The confidence in the first result is the logistic function of `intercept + matched * m + similarity * s + lead * l * (m + s)`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// The value without any match.
    pub intercept: f64,
    /// Factor of the match, 0 to 1.
    #[serde(default)]
    pub matched: f64,
    /// Factor of the cosine similarity.
    #[serde(default)]
    pub similarity: f64,
    /// Factor of the lead. It is scaled by the evidence: without a match, a lead means nothing.
    #[serde(default = "lead")]
    pub lead: f64,
}

fn lead() -> f64 {
    4.0
}

impl Default for ModelScale {
    fn default() -> Self {
        Self {
            both: Calibration { intercept: -2.18, matched: 5.19, similarity: 1.84, lead: lead() },
            meaning_alone: Calibration { intercept: -1.67, matched: 0.0, similarity: 1.91, lead: lead() },
            every_script: false,
        }
    }
}

impl ModelScale {
    /// Returns an error if a number is not finite.
    pub fn check(&self) -> Result<(), String> {
        let numbers = |one: &Calibration| [one.intercept, one.matched, one.similarity, one.lead];
        match [self.both, self.meaning_alone].iter().flat_map(numbers).all(f64::is_finite) {
            true => Ok(()),
            false => Err("scale holds a number that is not finite".into()),
        }
    }
}
