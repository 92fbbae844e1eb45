//! Beginnings of words that were typed with a star.
//!
//! The full text finds by itself all stems that begin so. A word may begin so while its stem does not: that of
//! `organization` is `organ`, which `organiz*` is longer than. Such words are looked up in the texts that hold shorter stems.

use std::collections::BTreeSet;

use super::SearchError;
use super::limits;
use crate::analysis::{self, Term, bare};
use crate::store::Reader;

/// So many letters a stem lacks at most of the beginning of its word.
const STEM_LACKS: usize = 5;
/// Chunks of a shorter stem in which words are looked for.
const CHUNKS: usize = 8;

/// Makes `terms` ask for any word that begins as one of `beginnings`, in place of the word that the beginning would be.
pub(super) fn ask_for_beginnings(
    store: &dyn Reader,
    terms: &mut Vec<Term>,
    beginnings: &[String],
) -> Result<(), SearchError> {
    for beginning in beginnings {
        let Some(word) = analysis::terms(beginning).into_iter().next() else { continue };
        let start = word.text().to_owned();
        let beginning = Term::Beginning { others: with_shorter_stems(store, &bare(&start))?, start };
        match terms.iter().position(|term| *term == word) {
            Some(place) => terms[place] = beginning,
            None if terms.contains(&beginning) => {}
            None => terms.push(beginning),
        }
    }
    Ok(())
}

/// Returns words of the notes that begin with `start` and whose stems do not.
fn with_shorter_stems(store: &dyn Reader, start: &str) -> Result<Vec<String>, SearchError> {
    let letters: Vec<char> = start.chars().collect();
    if letters.len() > limits::MISSPELT {
        return Ok(Vec::new());
    }
    let mut words = BTreeSet::new();
    for end in letters.len().saturating_sub(STEM_LACKS).max(3)..letters.len() {
        let stem: String = letters[..end].iter().collect();
        // The stemmer puts an `e` where one went: `baking` is `bake`.
        for stem in [format!("{stem}e"), stem] {
            for row in store.chunks(&store.chunks_with(&stem, CHUNKS)?)? {
                let texts = [&row.content, &row.title, &row.heading];
                let all = texts.into_iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric())).map(bare);
                words.extend(all.filter(|word| word.starts_with(start)));
            }
        }
    }
    if words.is_empty() {
        return Ok(Vec::new());
    }
    // The full text finds the others by itself.
    let longer = store.vocabulary(start, letters.len()..=limits::MISSPELT)?;
    words.retain(|word| !longer.iter().any(|stem| word.starts_with(stem)));
    Ok(words.into_iter().take(limits::SHORTER_STEMS).collect())
}
