//! Constants that shift weight between the words and the meaning of a question.

use serde::{Deserialize, Serialize};

/// What the weights of the adaptive fusion and the unit of the lexical side rest on. The values of [`Balance::default`] are those
/// of `config/tuning.toml`.
///
/// `scripts/fit-fusion` fits them, one at a time, to nDCG@10 of hybrid search: on the sets of the repository (`tests/everyday`,
/// of which one half is kept for testing, `tests/quality` and `tests/languages`) and on the development sets (docs/quality.md has
/// the table). "Flat from A to B" means that none of the values from A to B differs significantly from the best one, on either
/// group of sets.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Balance {
    /// So few texts do not tell a rare word from a common one: with this many texts, half of the weight that the words of a
    /// sentence have among many texts is left to them. Flat from 0 to 30.
    pub few_texts: f64,
    /// The share of that weight which is left to them however few the texts are, 0 to 1. Flat from 0 to 1.
    pub least_known: f64,
    /// Share of the vector weight that is left for names and single words, 0 to 1: these are matched by their letters.
    /// Flat from 0.5 to 0.9.
    pub name_share: f64,
    /// Share of the vector weight that is left at most for a question with a date, 0 to 1: vectors do not know dates. Flat
    /// from a third to a half.
    pub date_share: f64,
    /// Share of the vector weight that is left at most for a question that is one name and nothing else, 0 to 1. Flat from
    /// 0 to 1: on the sets of the repository no question depends on it.
    pub one_name_share: f64,
    /// The unit of the lexical side is at least so many times the logarithm of the number of texts, which is about the bm25
    /// of a text that one word singles out: a text that holds one middling word then gets no full share. Flat from 0 to 1.5.
    pub least_unit: f64,
    /// How far the best text's bm25 counts as the unit of the lexical side, 0 to 1; the rest is the highest bm25 any text
    /// could have. Where the best text holds little of what was asked, words then weigh less. Flat from 0.4 to 1.
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
