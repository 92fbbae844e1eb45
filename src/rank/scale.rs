//! What the ranking has to know of the model whose vectors are compared.

use serde::{Deserialize, Serialize};

/// How much a model's cosine similarities say. [`ModelScale::default`] is that of the English model that tars ships; a model's
/// manifest may hold its own.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelScale {
    /// Maps what was found by words and by meaning to a score.
    pub both: Calibration,
    /// Maps what was found by meaning alone to a score.
    pub meaning_alone: Calibration,
    /// Whether it reads every script, so that its vectors count for a question in any.
    #[serde(skip)]
    pub every_script: bool,
}

/// `intercept + matched * m + similarity * s + lead * l * (m + s)`, through the logistic function: how sure it is that the first
/// result is right.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// What nothing found is worth.
    pub intercept: f64,
    /// Of what was matched, 0 to 1.
    #[serde(default)]
    pub matched: f64,
    /// Of the cosine similarity.
    #[serde(default)]
    pub similarity: f64,
    /// Of the lead, which counts as far as there is evidence at all: what matches nothing leads nowhere.
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
    /// Says which number is none, if one is.
    pub fn check(&self) -> Result<(), String> {
        let numbers = |one: &Calibration| [one.intercept, one.matched, one.similarity, one.lead];
        match [self.both, self.meaning_alone].iter().flat_map(numbers).all(f64::is_finite) {
            true => Ok(()),
            false => Err("scale holds a number that is not finite".into()),
        }
    }
}
