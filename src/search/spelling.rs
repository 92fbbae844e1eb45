//! Words that no note holds, and the words that were probably meant.
//!
//! A word is taken for another only where a slip of the fingers is the likeliest reason for it (`analysis::Slips`). Words that
//! the embedding model knows, little words of other languages, abbreviations, and all words of a question in a language that
//! the notes are not in, stay what they are.

use std::collections::HashSet;

use super::input::Search;
use super::limits;
use super::{SearchError, Semantics};
use crate::analysis::{Slips, Term, bare, distance_within, is_little_word_elsewhere, spoken};
use crate::domain::Mode;
use crate::store::{LexicalQuery, Reader};

/// So many words of one question are corrected at most: what holds more is not misspelt but of another subject.
const MOST: usize = 3;
/// A word of so many capitals is an abbreviation.
const ABBREVIATION: usize = 6;
/// Shorter words have too many neighbours, whatever the slip.
const SHORTEST: usize = 5;

/// Where the model knows its words, one that it does not know as a whole is misspelt, a name, or of another language.
const UNKNOWN_TO_THE_MODEL: Slips = Slips {
    exchanged: SHORTEST,
    undoubled: SHORTEST,
    doubled: 7,
    left_out: 7,
    near: 7,
    put_in: 8,
    replaced: 9,
    last: 9,
    two: 8,
};
/// Where nobody can tell, most words that the notes do not hold are plain words that happen to be elsewhere, some of them one
/// letter apart from one that is there: `desert` and `dessert`, `contest` and `context`.
const UNKNOWN_TO_THE_NOTES: Slips =
    Slips { exchanged: 6, undoubled: 7, doubled: 8, left_out: 7, near: 9, put_in: 9, replaced: 11, last: 11, two: 10 };

/// A word and what it is taken for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Correction {
    pub(super) typed: String,
    pub(super) meant: String,
}

/// Returns what `missing`, the words of `text` that no chunk holds, were probably meant to be: the word of the notes from which
/// the fewest likely slips lead to it.
pub(super) fn corrections(search: &Search<'_>, text: &str, missing: &[String]) -> Result<Vec<Correction>, SearchError> {
    // Little words of another language are not looked for, so that none of them is missing.
    if spoken(text).is_some() || missing.iter().any(|word| is_little_word_elsewhere(&bare(word))) {
        return Ok(Vec::new());
    }
    let abbreviations = abbreviations(text);
    let unknown: Vec<(&str, Slips)> = missing
        .iter()
        .map(String::as_str)
        .filter(|word| word.chars().all(char::is_alphabetic))
        .filter(|word| (SHORTEST..=limits::MISSPELT).contains(&word.chars().count()) && !abbreviations.contains(*word))
        .filter_map(|word| match is_known(search, word) {
            Some(true) => None,
            Some(false) => Some((word, UNKNOWN_TO_THE_MODEL)),
            None => Some((word, UNKNOWN_TO_THE_NOTES)),
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

/// Whether the embedding model knows a word; `None` where nobody can tell.
pub(super) fn is_known(search: &Search<'_>, word: &str) -> Option<bool> {
    match search.semantics {
        // Who searches by words gets the same answer whether a model happens to be there or not.
        Semantics::Model(embedder) if search.query.mode != Mode::Keyword => embedder.knows(word),
        Semantics::Model(_) | Semantics::None { .. } => None,
    }
}

/// The short words of a text that are written in capitals alone, in small letters.
fn abbreviations(text: &str) -> HashSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| !word.is_empty() && word.chars().count() <= ABBREVIATION && word.chars().all(char::is_uppercase))
        .map(str::to_lowercase)
        .collect()
}

/// Returns the word of the notes that was most likely meant: of those with the fewest slips the one that stands in most chunks,
/// then the first by its letters.
fn nearest(store: &dyn Reader, word: &str, slips: &Slips) -> Result<Option<String>, SearchError> {
    let letters: Vec<char> = bare(word).chars().collect();
    let [first, second, ..] = letters[..] else { return Ok(None) };
    // A letter that is written as several (a ligature, a letter with points) counts as those.
    if letters.len() > limits::MISSPELT {
        return Ok(None);
    }
    let most = slips.most(letters.len());
    // The index holds stems: what was typed may have an ending more.
    let shortest = letters.len().saturating_sub(4).max(3);
    let lengths = shortest.saturating_sub(most)..=letters.len() + most;
    let distance = |stem: &str| {
        let stem: Vec<char> = stem.chars().collect();
        (shortest..=letters.len()).filter_map(|end| distance_within(&letters[..end], &stem, most)).min()
    };
    let mut found: Vec<(usize, String)> = Vec::new();
    for start in [first.to_string(), format!("{second}{first}")] {
        let stems = store.vocabulary(&start, lengths.clone())?;
        let mut near: Vec<(usize, String)> =
            stems.into_iter().filter_map(|stem| Some((distance(&stem)?, stem))).collect();
        near.sort();
        near.truncate(limits::STEMS);
        for (_, stem) in near {
            let words = words_like(store, &stem, &start)?;
            found.extend(words.into_iter().filter_map(|candidate| {
                let meant: Vec<char> = bare(&candidate).chars().collect();
                Some((slips.count(&letters, &meant)?, candidate))
            }));
        }
    }
    found.sort();
    found.dedup();
    let fewest = found.first().map_or(0, |(count, _)| *count);
    let likely: Vec<Term> = found
        .into_iter()
        .filter(|(count, _)| *count == fewest)
        .take(limits::STEMS)
        .map(|(_, word)| Term::Word(word))
        .collect();
    if let [one] = &likely[..] {
        return Ok(Some(one.text().to_owned()));
    }
    let held = store.weights(&LexicalQuery { terms: likely.clone(), ..LexicalQuery::default() })?.terms;
    // Of equals `max_by_key` takes the last, and the first is wanted.
    let often = likely.iter().zip(&held).rev().max_by_key(|(_, weight)| weight.chunks);
    Ok(often.map(|(term, _)| term.text().to_owned()))
}

/// The words of one text that may have this stem, lower-case, as they are written.
fn words_like(store: &dyn Reader, stem: &str, start: &str) -> Result<HashSet<String>, SearchError> {
    let mut words = HashSet::new();
    for row in store.chunks(&store.chunks_with(stem, 1)?)? {
        let texts = [&row.content, &row.title, &row.heading];
        let all = texts.into_iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
        words.extend(all.map(str::to_lowercase).filter(|word| bare(word).starts_with(start)));
    }
    Ok(words)
}
