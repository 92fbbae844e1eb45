//! Words that no note holds, and the words that were probably meant.

use std::collections::HashSet;

use super::limits;
use super::retrieve::Search;
use super::{SearchError, Semantics};
use crate::analysis::{Term, distance_within};
use crate::domain::Mode;
use crate::store::{Store, Weights};

/// So many words of one question are corrected at most: what holds more is not misspelt but of another subject.
const MOST: usize = 3;

/// What counts as a slip.
struct Slips {
    /// Shorter words have too many neighbours.
    shortest: usize,
    /// From this length on two are forgiven, below it one.
    long: usize,
}

/// Where the model knows its words, one that it does not know as a whole is misspelt or a name.
const UNKNOWN_TO_THE_MODEL: Slips = Slips { shortest: 4, long: 8 };
/// Where nobody can tell, most words that the notes do not hold are plain words that happen to be elsewhere.
const UNKNOWN_TO_THE_NOTES: Slips = Slips { shortest: 6, long: 10 };

/// A word and what it is taken for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Correction {
    pub(super) typed: String,
    pub(super) meant: String,
}

/// Returns what the words that no chunk holds were probably meant to be: the most similar word of the notes that begins with
/// the same letter, or with the first two exchanged. A word of another script, with a digit, or unlike all others stays, and so
/// does one that the embedding model knows.
pub(super) fn corrections(
    search: &Search<'_>,
    terms: &[Term],
    weights: &Weights,
) -> Result<Vec<Correction>, SearchError> {
    let known = |word: &str| match search.semantics {
        // Who searches by words gets the same answer whether a model happens to be there or not.
        Semantics::Model(embedder) if search.query.mode != Mode::Keyword => embedder.knows(word),
        Semantics::Model(_) | Semantics::None { .. } => None,
    };
    let missing = terms.iter().zip(&weights.terms).filter(|(_, weight)| weight.chunks == 0);
    let unknown: Vec<(&str, Slips)> = missing
        .filter_map(|(term, _)| match term {
            Term::Word(word) if word.chars().all(char::is_alphabetic) => Some((word.as_str(), word.chars().count())),
            _ => None,
        })
        .filter(|(_, letters)| (UNKNOWN_TO_THE_MODEL.shortest..=limits::MISSPELT).contains(letters))
        .filter_map(|(word, letters)| {
            let slips = match known(word) {
                Some(true) => return None,
                Some(false) => UNKNOWN_TO_THE_MODEL,
                None => UNKNOWN_TO_THE_NOTES,
            };
            (letters >= slips.shortest).then_some((word, slips))
        })
        .collect();
    if unknown.len() > MOST {
        return Ok(Vec::new());
    }
    let mut corrections = Vec::new();
    for (word, slips) in unknown {
        if let Some(meant) = nearest(search.store, word, &slips)? {
            corrections.push(Correction { typed: word.to_owned(), meant });
        }
    }
    Ok(corrections)
}

fn nearest(store: &dyn Store, word: &str, slips: &Slips) -> Result<Option<String>, SearchError> {
    let letters: Vec<char> = word.chars().collect();
    let forgiven = if letters.len() >= slips.long { 2 } else { 1 };
    let (first, second) = (letters[0].to_string(), letters[1].to_string());
    // The index holds stems: what was typed may have an ending more.
    let shortest = letters.len().saturating_sub(3).max(3);
    let lengths = shortest.saturating_sub(forgiven)..=letters.len() + forgiven;
    let slipped = |stem: &str| {
        let stem: Vec<char> = stem.chars().collect();
        (shortest..=letters.len()).filter_map(|end| distance_within(&letters[..end], &stem, forgiven)).min()
    };
    let mut best: Option<(usize, String)> = None;
    for start in [first.clone(), format!("{second}{first}")] {
        let stems = store.vocabulary(&start, lengths.clone())?;
        let mut near: Vec<(usize, String)> =
            stems.into_iter().filter_map(|stem| Some((slipped(&stem)?, stem))).collect();
        near.sort();
        near.truncate(limits::STEMS);
        for (_, stem) in near {
            for candidate in words_like(store, &stem, &start)? {
                let candidate_letters: Vec<char> = candidate.chars().collect();
                let Some(slipped) = distance_within(&letters, &candidate_letters, forgiven) else { continue };
                if best.as_ref().is_none_or(|(least, known)| (slipped, &candidate) < (*least, known)) {
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
