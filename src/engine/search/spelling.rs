//! Corrects words that no note holds.
//!
//! A word is corrected only if a typing slip is the likeliest explanation (`analysis::Slips`). Unchanged stay: words that the embedding
//! model knows, stop words of other languages, abbreviations, and all words of a question in a language other than that of the notes.

use std::collections::HashSet;

use super::input::Search;
use super::limits;
use super::{SearchError, VectorSearch};
use tars_base::domain::Mode;
use tars_store::{LexicalQuery, Reader};
use tars_text::analysis::{Slips, Term, detect_language, distance_within, fold, is_foreign_stop_word, normalize_word};

/// Number of words of one question that are corrected. A question with more is not misspelt but about another subject.
const MAX_MISSPELT_WORDS: usize = 3;
/// Longest word in capitals that counts as an abbreviation.
const MAX_ABBREVIATION_LETTERS: usize = 6;
/// Shorter words have too many neighbours, whatever the slip.
const MIN_LETTERS: usize = 5;

/// Minimum word lengths when the model can tell. A word that the model does not know is misspelt, a name, or of another language.
const UNKNOWN_TO_THE_MODEL: Slips = Slips {
    exchanged: MIN_LETTERS,
    undoubled: MIN_LETTERS,
    doubled: 7,
    missing: 7,
    near_key: 7,
    extra: 8,
    replaced: 9,
    last: 9,
    two: 8,
};
/// Minimum word lengths when no model can tell. Most words that the notes lack are then ordinary words, some of them one
/// letter apart from a word of the notes: `desert` and `dessert`, `contest` and `context`.
const UNKNOWN_TO_THE_NOTES: Slips = Slips {
    exchanged: 6,
    undoubled: 7,
    doubled: 8,
    missing: 7,
    near_key: 9,
    extra: 9,
    replaced: 11,
    last: 11,
    two: 10,
};

/// A typed word and its correction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Correction {
    pub(super) typed: String,
    pub(super) intended: String,
}

/// Returns the likely corrections of `missing`, the words of `text` that no chunk holds: for each, the word of the notes that
/// the fewest likely slips turn it into.
pub(super) fn corrections(search: &Search<'_>, text: &str, missing: &[String]) -> Result<Vec<Correction>, SearchError> {
    // The search skips stop words of other languages, so `missing` would not show them.
    if detect_language(text).is_some() || missing.iter().any(|word| is_foreign_stop_word(&normalize_word(word))) {
        return Ok(Vec::new());
    }
    let abbreviations = abbreviations(text);
    let unknown: Vec<(&str, Slips)> = missing
        .iter()
        .map(String::as_str)
        .filter(|word| word.chars().all(char::is_alphabetic))
        .filter(|word| {
            (MIN_LETTERS..=limits::WORD_LETTERS).contains(&word.chars().count()) && !abbreviations.contains(*word)
        })
        .filter_map(|word| match is_known(search, word) {
            Some(true) => None,
            Some(false) => Some((word, UNKNOWN_TO_THE_MODEL)),
            None => Some((word, UNKNOWN_TO_THE_NOTES)),
        })
        .collect();
    if unknown.len() > MAX_MISSPELT_WORDS {
        return Ok(Vec::new());
    }
    let mut corrections = Vec::new();
    for (word, slips) in unknown {
        if let Some(meant) = nearest(search.store, word, &slips)? {
            corrections.push(Correction { typed: word.to_owned(), intended: meant });
        }
    }
    Ok(corrections)
}

/// Whether the embedding model knows a word; `None` if it cannot tell.
pub(super) fn is_known(search: &Search<'_>, word: &str) -> Option<bool> {
    match search.vectors {
        // A keyword search must not depend on whether a model happens to be installed.
        VectorSearch::Model(embedder) if search.query.mode != Mode::Keyword => embedder.has_word(word),
        VectorSearch::Model(_) | VectorSearch::Unavailable { .. } => None,
    }
}

/// Returns the short words of a text that are all capitals, in lower case.
fn abbreviations(text: &str) -> HashSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| {
            !word.is_empty() && word.chars().count() <= MAX_ABBREVIATION_LETTERS && word.chars().all(char::is_uppercase)
        })
        .map(str::to_lowercase)
        .collect()
}

/// Returns the most likely intended word of the notes: the fewest slips, then the most chunks, then the alphabet.
fn nearest(store: &dyn Reader, word: &str, slips: &Slips) -> Result<Option<String>, SearchError> {
    let letters: Vec<char> = normalize_word(word).chars().collect();
    let [first, second, ..] = letters[..] else { return Ok(None) };
    // A letter that `bare` expands to several (a ligature, an umlaut) counts as those.
    if letters.len() > limits::WORD_LETTERS {
        return Ok(None);
    }
    let most = slips.max_slips(letters.len());
    // The index holds stems, and the typed word may have an ending as well.
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
            let words: HashSet<String> =
                words_of_chunks(store, &stem, 1)?.iter().map(|word| word.to_lowercase()).collect();
            // A correction never adds a digit: another number is another thing.
            let words = words.into_iter().filter(|word| word.chars().all(char::is_alphabetic));
            found.extend(words.filter_map(|candidate| {
                let intended = normalize_word(&candidate);
                let letters_of_it: Vec<char> = intended.starts_with(&start).then(|| intended.chars().collect())?;
                Some((slips.count(&letters, &letters_of_it)?, candidate))
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
    // `max_by_key` returns the last of equals, hence the reversal.
    let often = likely.iter().zip(&held).rev().max_by_key(|(_, weight)| weight.chunks);
    Ok(often.map(|(term, _)| term.text().to_owned()))
}

/// Returns the words of at most `chunks` chunks that contain a word of this stem.
pub(super) fn words_of_chunks(store: &dyn Reader, stem: &str, chunks: usize) -> Result<Vec<String>, SearchError> {
    let rows = store.chunks(&store.chunks_with(stem, chunks)?)?;
    let texts = rows.iter().flat_map(|row| [&row.content, &row.title, &row.heading]);
    let mut words = Vec::new();
    for text in texts {
        words.extend(fold(text).split(|c: char| !c.is_alphanumeric()).map(str::to_owned));
    }
    Ok(words)
}
