//! Alternatives for a rare word: other spellings, the words it is made of, and the words made of it.
//!
//! German joins words: `Zahnarzttermin` should find the note `Zahnarzt: Termin am Montag`, and `Termin` the note with
//! `Zahnarzttermin`. There is no dictionary of cuts, so the words of the notes decide. A cut is accepted if both sides are
//! words of the notes (or of the question), perhaps with one of the few joining letters of German between them. English words
//! can be cut in the same way (`carpet`), so only rare words are examined, and no word that the embedding model knows is cut.

use std::collections::HashSet;

use super::SearchError;
use super::alternative::{ALTERNATIVE_FACTOR, Alternative};
use super::input::Search;
use super::limits;
use super::spelling::is_known;
use tars_store::{LexicalQuery, PartWeight, QueryWeights, Reader};
use tars_text::analysis::{Spellings, Term, is_foreign_stop_word, is_stop_word, normalize_word};
use tars_text::languages::DetectedLanguages;

/// A word in more chunks than this fills a list by itself.
const MAX_RARE_CHUNKS: usize = 20;
/// The shortest part of a compound.
const MIN_PART_LETTERS: usize = 4;
/// The most parts of a compound.
const MAX_PARTS: usize = 4;
/// Joining letters between two parts; the longer ones first.
const JOINTS: [&str; 7] = ["es", "en", "er", "s", "n", "e", ""];
/// Endings that a word may have at the end of a compound.
const ENDINGS: [&str; 6] = ["", "e", "en", "n", "s", "es"];

/// Alternatives for the words of a question.
#[derive(Debug, Default)]
pub(super) struct CompoundMatches {
    /// The alternatives.
    pub(super) alternatives: Vec<Alternative>,
    /// The weights of words that no note holds and that have alternatives.
    pub(super) missing_weights: QueryWeights,
    /// One remark per such word.
    pub(super) remarks: Vec<String>,
}

/// Finds alternatives for the rare words of `lexical`. A word that no note holds then gets the weight of its alternatives.
pub(super) fn compound_matches(
    search: &Search<'_>,
    detected: Option<DetectedLanguages>,
    lexical: &LexicalQuery,
    weights: &mut QueryWeights,
) -> Result<CompoundMatches, SearchError> {
    let words: Vec<&str> = lexical.terms.iter().map(Term::text).collect();
    let asked: HashSet<String> = words.iter().map(|word| normalize_word(word)).collect();
    let rare_enough = if joins_words(&asked, detected) { MAX_RARE_CHUNKS } else { 0 };
    let mut rare: Vec<(usize, &str)> = Vec::new();
    for (place, (term, weight)) in lexical.terms.iter().zip(&weights.terms).enumerate() {
        if let Term::Word(word) = term
            && weight.chunks <= rare_enough
            && (MIN_PART_LETTERS..=limits::WORD_LETTERS).contains(&word.chars().count())
            && word.chars().all(|letter| letter.is_alphabetic() || letter == '\u{308}')
        {
            rare.push((place, word));
        }
    }
    rare.sort_by_key(|(place, _)| weights.terms[*place].chunks);
    rare.truncate(limits::RARE_WORDS);
    // The saturation is that of the question's own words.
    let missing = QueryWeights { saturation: weights.saturation, ..QueryWeights::default() };
    let mut matches = CompoundMatches { missing_weights: missing, ..CompoundMatches::default() };
    for (place, word) in rare {
        let rare = RareWord {
            word,
            asked: &asked,
            known: is_known(search, word),
            is_in_notes: weights.terms[place].chunks > 0,
        };
        let mut found = rare.alternatives(search.store)?;
        if found.is_empty() {
            continue;
        }
        let own = weights.terms[place];
        if own.chunks == 0 {
            let idf = found.iter().map(Alternative::idf).fold(0.0, f64::max);
            weights.terms[place] = PartWeight { idf, ..own };
            // Another spelling is the same word, not a guess, and needs no remark.
            if let Some(remark) = remark(word, &found) {
                matches.missing_weights.terms.push(own);
                matches.remarks.push(remark);
            }
        } else {
            for one in &mut found {
                one.factor = ALTERNATIVE_FACTOR * (own.idf / one.idf()).min(1.0);
            }
        }
        matches.alternatives.append(&mut found);
    }
    Ok(matches)
}

/// Whether compounds of words that the notes hold are looked for: the question is in a language that joins words, or too
/// short to show its language. In English, compounds mislead more often than they help.
fn joins_words(asked: &HashSet<String>, detected: Option<DetectedLanguages>) -> bool {
    match detected {
        Some(detected) => detected.languages().any(|language| language.joins_words),
        None => asked.len() <= 2 || asked.iter().any(|word| is_foreign_stop_word(word)),
    }
}

/// Returns a remark that names the alternatives of a word; `None` if they are only other spellings.
fn remark(word: &str, found: &[Alternative]) -> Option<String> {
    let plain = Spellings::of(word);
    let mut quoted: Vec<String> = Vec::new();
    for one in found {
        let texts: Vec<String> = one.terms.iter().map(|term| format!("'{}'", term.text())).collect();
        quoted.push(texts.join(if one.requires_all { " and " } else { ", " }));
    }
    let spelt =
        found.iter().all(|one| one.terms.iter().all(|term| plain.others.iter().any(|other| other == term.text())));
    (!spelt).then(|| format!("no note holds '{word}': looked for {}", quoted.join(", ")))
}

/// A rare word of a question.
struct RareWord<'a> {
    word: &'a str,
    /// All words of the question, without diacritics.
    asked: &'a HashSet<String>,
    /// Whether the embedding model knows it.
    known: Option<bool>,
    /// Whether a note holds it.
    is_in_notes: bool,
}

impl RareWord<'_> {
    fn alternatives(&self, store: &dyn Reader) -> Result<Vec<Alternative>, SearchError> {
        let spellings = Spellings::of(self.word);
        let mut found = Vec::new();
        // A word that the model knows is spelt correctly, unless it was typed with umlauts.
        let others: &[String] = if self.known == Some(true) && self.word.is_ascii() { &[] } else { &spellings.others };
        found.extend(self.of(store, accepted(others, &store.contains_words(others)?), false)?);
        let mut spelt = vec![spellings.bare.as_str(), spellings.short.as_str()];
        spelt.dedup();
        if self.known != Some(true) {
            for word in &spelt {
                if let Some(parts) = parts(store, word)?.filter(|parts| self.is_made_of(parts)) {
                    found.extend(self.of(store, parts, true)?);
                    break;
                }
            }
        }
        if self.known != Some(true) || !self.is_in_notes {
            for word in &spelt {
                found.extend(self.of(store, self.compounds(store, word)?, false)?);
            }
        }
        Ok(found)
    }

    /// Whether a cut is accepted. Parts of the minimum length are accepted only if no note holds the word or the model does
    /// not know it: when no model can tell, a word of the notes is usually not a compound, such as `database`.
    fn is_made_of(&self, parts: &[String]) -> bool {
        let believed = self.known == Some(false) || !self.is_in_notes;
        believed || parts.iter().all(|part| part.chars().count() > MIN_PART_LETTERS)
    }

    fn of(&self, store: &dyn Reader, words: Vec<String>, parts: bool) -> Result<Option<Alternative>, SearchError> {
        match (words.is_empty(), parts) {
            (true, _) => Ok(None),
            (false, true) => Alternative::all_of(store, self.word, words).map(Some),
            (false, false) => Alternative::any_of(store, self.word, words).map(Some),
        }
    }

    /// Returns words of the notes that begin or end with `word` and consist of one more word, shortest first.
    fn compounds(&self, store: &dyn Reader, word: &str) -> Result<Vec<String>, SearchError> {
        let letters = word.chars().count();
        // Each compound with the possible forms of its other part, and whether it ends with `word`.
        let mut compounds: Vec<(String, Vec<String>, bool)> = Vec::new();
        for stem in store
            .vocabulary(word, letters + MIN_PART_LETTERS..=limits::WORD_LETTERS)?
            .into_iter()
            // A model with its number is no compound.
            .filter(|stem| stem.chars().all(char::is_alphabetic))
            .take(limits::COMPOUNDS)
        {
            let rests = JOINTS.iter().filter_map(|joint| stem[word.len()..].strip_prefix(joint));
            let rests = rests.filter(is_part).flat_map(|rest| [rest.to_owned(), format!("{rest}e")]).collect();
            compounds.push((stem, rests, false));
        }
        for ending in ENDINGS {
            let end = format!("{word}{ending}");
            for compound in store.words_ending(&end, limits::COMPOUNDS)? {
                let first = &compound[..compound.len() - end.len()];
                let rests = JOINTS.iter().filter_map(|joint| first.strip_suffix(joint));
                let rests = rests.filter(is_part).map(str::to_owned).collect();
                compounds.push((compound, rests, true));
            }
        }
        compounds.sort_by_key(|(compound, ..)| (compound.chars().count(), compound.clone()));
        compounds.truncate(limits::COMPOUNDS);
        let mut accepted = Vec::new();
        for (compound, rests, ends) in compounds {
            if accepted.len() == limits::COMPOUNDS_SEARCHED {
                break;
            }
            let known =
                rests.iter().any(|rest| self.asked.contains(rest)) || store.contains_words(&rests)?.contains(&true);
            let wanted = known || (!rests.is_empty() && self.is_long_and_missing());
            if wanted && !accepted.contains(&compound) && (!ends || is_stem(store, &compound)?) {
                accepted.push(compound);
            }
        }
        Ok(accepted)
    }

    /// Whether a longer word is accepted although the notes do not hold its other part.
    fn is_long_and_missing(&self) -> bool {
        !self.is_in_notes && self.known != Some(true) && self.word.chars().count() >= MIN_PART_LETTERS + 2
    }
}

/// Whether the index holds a stem with all but at most two letters of the word. English endings that look like words
/// (`ration` in `configuration`) are not part of stems.
fn is_stem(store: &dyn Reader, word: &str) -> Result<bool, SearchError> {
    const ENDING: usize = 2;
    let letters = word.chars().count();
    let start: String = word.chars().take(letters - ENDING).collect();
    Ok(!store.vocabulary(&start, letters - ENDING..=letters)?.is_empty())
}

fn is_part(rest: &&str) -> bool {
    rest.chars().count() >= MIN_PART_LETTERS && !is_stop_word(rest)
}

fn accepted(words: &[String], held: &[bool]) -> Vec<String> {
    words.iter().zip(held).filter(|(_, held)| **held).map(|(word, _)| word.clone()).collect()
}

/// Returns the fewest words of the notes that make up a long word, in order, if there are any.
fn parts(store: &dyn Reader, word: &str) -> Result<Option<Vec<String>>, SearchError> {
    let letters: Vec<char> = word.chars().collect();
    let text = |from: usize, to: usize| letters[from..to].iter().collect::<String>();
    let mut seen = HashSet::new();
    let mut ways: Vec<(usize, Vec<String>)> = vec![(0, Vec::new())];
    for _ in 0..MAX_PARTS {
        let mut further = Vec::new();
        for (from, parts) in ways {
            // The longest part first. The rest must be empty or long enough for another part.
            let ends: Vec<usize> = (from + MIN_PART_LETTERS..=letters.len())
                .rev()
                .filter(|to| (*to == letters.len() && from > 0) || *to + MIN_PART_LETTERS <= letters.len())
                .collect();
            let candidates: Vec<String> = ends.iter().map(|to| text(from, *to)).collect();
            for ((to, part), held) in ends.iter().zip(&candidates).zip(store.contains_words(&candidates)?) {
                if !held || is_stop_word(part) {
                    continue;
                }
                let parts: Vec<String> = parts.iter().chain([part]).cloned().collect();
                if *to == letters.len() {
                    return Ok(Some(parts));
                }
                for joint in JOINTS {
                    let next = to + joint.len();
                    if text(*to, letters.len()).starts_with(joint)
                        && next + MIN_PART_LETTERS <= letters.len()
                        && seen.insert(next)
                    {
                        further.push((next, parts.clone()));
                    }
                }
            }
        }
        ways = further;
    }
    Ok(None)
}
