//! The words that two bullets share.

use std::collections::BTreeSet;

use tars_text::analysis;

/// Minimum word similarity of two close bullets.
pub(super) const CLOSE_WORDS: f64 = 0.8;

/// Returns the word similarity of two texts, from 0 to 1.
pub(super) fn by_words(one: &str, other: &str) -> f64 {
    let (one, other) = (words(one), words(other));
    let shared = one.intersection(&other).count();
    let (shorter, sum) = (one.len().min(other.len()), one.len() + other.len());
    match shorter {
        0 => 0.0,
        _ if shared == shorter && shorter >= 3 => 1.0,
        _ => 2.0 * shared as f64 / sum as f64,
    }
}

pub(super) fn words(text: &str) -> BTreeSet<String> {
    // Stop words of other languages count, because the thresholds were measured with them.
    analysis::terms_in_any_language(text)
        .iter()
        .map(|term| {
            let word = term.text();
            word.strip_suffix('s').filter(|stem| stem.len() > 2 && !stem.ends_with('s')).unwrap_or(word).to_owned()
        })
        .collect()
}
