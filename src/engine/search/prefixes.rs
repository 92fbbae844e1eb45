//! Word prefixes, typed with a star.
//!
//! The full text finds all stems with the prefix. A word may have the prefix while its stem does not: the stem of `organization` is
//! `organ`, which is shorter than `organiz*`. Such words are looked up in the texts that hold a shorter stem.

use std::collections::BTreeSet;

use super::SearchError;
use super::limits;
use super::spelling::words_of_chunks;
use tars_store::Reader;
use tars_text::analysis::{self, Term, normalize_word};

/// Number of letters by which a stem may be shorter than the prefix.
const MAX_MISSING_LETTERS: usize = 5;
/// Number of chunks searched per shorter stem.
const CHUNKS_PER_STEM: usize = 8;

/// Makes `terms` match any word with one of the `prefixes`. The prefix replaces its word in `terms`.
pub(super) fn expand_prefixes(
    store: &dyn Reader,
    terms: &mut Vec<Term>,
    prefixes: &[String],
) -> Result<(), SearchError> {
    for prefix in prefixes {
        let Some(word) = analysis::terms(prefix).into_iter().next() else { continue };
        let start = word.text().to_owned();
        let prefix = Term::TypedPrefix { others: words_with_shorter_stems(store, &normalize_word(&start))?, start };
        match terms.iter().position(|term| *term == word) {
            Some(place) => terms[place] = prefix,
            None if terms.contains(&prefix) => {}
            None => terms.push(prefix),
        }
    }
    Ok(())
}

/// Returns words of the notes that begin with `start` while their stems do not.
fn words_with_shorter_stems(store: &dyn Reader, start: &str) -> Result<Vec<String>, SearchError> {
    let letters: Vec<char> = start.chars().collect();
    if letters.len() > limits::WORD_LETTERS {
        return Ok(Vec::new());
    }
    let mut words = BTreeSet::new();
    for end in letters.len().saturating_sub(MAX_MISSING_LETTERS).max(3)..letters.len() {
        let stem: String = letters[..end].iter().collect();
        // The stemmer adds an `e` where one was dropped: `baking` becomes `bake`.
        for stem in [format!("{stem}e"), stem] {
            let found = words_of_chunks(store, &stem, CHUNKS_PER_STEM)?;
            words.extend(found.iter().map(|word| normalize_word(word)).filter(|word| word.starts_with(start)));
        }
    }
    if words.is_empty() {
        return Ok(Vec::new());
    }
    // The full text finds words whose stems have the prefix.
    let longer = store.vocabulary(start, letters.len()..=limits::WORD_LETTERS)?;
    words.retain(|word| !longer.iter().any(|stem| word.starts_with(stem)));
    Ok(words.into_iter().take(limits::SHORTER_STEMS).collect())
}
