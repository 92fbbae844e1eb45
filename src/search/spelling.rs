//! Words that no note holds, and the words that were probably meant.

use std::collections::HashSet;

use super::SearchError;
use crate::analysis::{Term, distance};
use crate::store::{Store, Weights};

/// Shorter words have too many neighbours.
const SHORTEST: usize = 4;
/// From this length on two slips are forgiven, below it one.
const LONG: usize = 8;
/// So many words of one question are corrected at most: what holds more is not misspelt but of another subject.
const MOST: usize = 3;

/// A word and what it is taken for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Correction {
    pub(super) typed: String,
    pub(super) meant: String,
}

/// Returns what the words that no chunk holds were probably meant to be: the most similar word of the notes that begins with
/// the same letter, or with the first two exchanged. A word of another script, with a digit, or unlike all others stays.
pub(super) fn corrections(
    store: &dyn Store,
    terms: &[Term],
    weights: &Weights,
) -> Result<Vec<Correction>, SearchError> {
    let unknown =
        terms.iter().zip(&weights.terms).filter(|(_, weight)| weight.chunks == 0).filter_map(|(term, _)| match term {
            Term::Word(word) if word.chars().count() >= SHORTEST && word.chars().all(char::is_alphabetic) => Some(word),
            _ => None,
        });
    let unknown: Vec<&String> = unknown.collect();
    if unknown.len() > MOST {
        return Ok(Vec::new());
    }
    let mut corrections = Vec::new();
    for word in unknown {
        if let Some(meant) = nearest(store, word)? {
            corrections.push(Correction { typed: word.clone(), meant });
        }
    }
    Ok(corrections)
}

fn nearest(store: &dyn Store, word: &str) -> Result<Option<String>, SearchError> {
    let letters: Vec<char> = word.chars().collect();
    let slips = if letters.len() >= LONG { 2 } else { 1 };
    let (first, second) = (letters[0].to_string(), letters[1].to_string());
    // The index holds stems: what was typed may have an ending more.
    let is_near = |stem: &str| {
        let stem: Vec<char> = stem.chars().collect();
        let endings = letters.len().saturating_sub(3).max(SHORTEST - 1)..=letters.len();
        endings.into_iter().any(|end| distance(&letters[..end], &stem) <= slips)
    };
    let mut best: Option<(usize, String)> = None;
    for start in [first.clone(), format!("{second}{first}")] {
        for stem in store.vocabulary(&start)?.iter().filter(|stem| is_near(stem)) {
            for candidate in words_like(store, stem, &start)? {
                let slipped = distance(&letters, &candidate.chars().collect::<Vec<_>>());
                let better = best.as_ref().is_none_or(|(least, known)| (slipped, &candidate) < (*least, known));
                if slipped <= slips && better {
                    best = Some((slipped, candidate));
                }
            }
        }
    }
    Ok(best.map(|(_, word)| word))
}

/// The words of one text that may have this stem, lower-case, as they are written.
fn words_like(store: &dyn Store, stem: &str, start: &str) -> Result<HashSet<String>, SearchError> {
    let mut words = HashSet::new();
    let Some(chunk) = store.chunk_with(stem)? else { return Ok(words) };
    for row in store.chunks(&[chunk])? {
        let texts = [&row.content, &row.title, &row.heading];
        let all = texts.into_iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
        words.extend(all.map(str::to_lowercase).filter(|word| word.starts_with(start)));
    }
    Ok(words)
}
