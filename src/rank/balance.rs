//! Constants that shift weight between the words and the meaning of a question.

use serde::{Deserialize, Serialize};

/// Parameters of the adaptive weights and of the unit of the lexical side. [`Balance::default`] equals `config/tuning.toml`.
///
/// `scripts/fit-fusion` fits them, one at a time, to nDCG@10 of hybrid search: on the sets of the repository (`tests/everyday`, half of
/// which is held out for testing, `tests/quality` and `tests/languages`) and on the development sets (docs/quality.md has the table).
/// "Flat from A to B" means that no value from A to B differs significantly from the best one, on either group of sets.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Balance {
    /// Few texts do not distinguish rare words from common ones. With this many texts, words of a sentence keep half of the
    /// weight that they have among many texts. Flat from 0 to 30.
    pub few_texts: f64,
    /// Minimum share of that weight, however few the texts are, 0 to 1. Flat from 0 to 1.
    pub least_known: f64,
    /// Share of the vector weight for names and single words, 0 to 1: their letters matter more. Flat from 0.5 to 0.9.
    pub name_share: f64,
    /// Maximum share of the vector weight for a question with a date, 0 to 1: vectors do not know dates. Flat from a third to a half.
    pub date_share: f64,
    /// Maximum share of the vector weight for a question that is a single name, 0 to 1. Flat from 0 to 1: no question of the
    /// repository's sets depends on it.
    pub one_name_share: f64,
    /// Minimum unit of the lexical side, as a multiple of the logarithm of the number of texts, which is about the bm25 of a text that
    /// one word singles out. It keeps a text with one ordinary word from getting the full share. Flat from 0 to 1.5.
    pub least_unit: f64,
    /// Weight of the best text's bm25 in the unit of the lexical side, 0 to 1; the rest is the highest possible bm25. Words
    /// then weigh less if the best text holds little of the question. Flat from 0.4 to 1.
    pub best_share: f64,
}

impl Default for Balance {
    fn default() -> Self {
        Self {
            few_texts: 11.0,
            least_known: 0.5,
            name_share: 5.0 / 6.0,
            date_share: 1.0 / 3.0,
            one_name_share: 1.0 / 6.0,
            least_unit: 1.0,
            best_share: 0.6,
        }
    }
}
