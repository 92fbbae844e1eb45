//! The subject words of a text, as subject_words, and comparisons of texts by them.

use std::collections::{BTreeSet, HashMap};

use super::cues;
use tars_text::analysis::{is_foreign_stop_word, is_stop_word, is_unspaced, terms};
use tars_text::languages::{fold_letters, normalize_word};

/// Length of a stem, in letters. Word forms with the same stem are equal.
const STEM: usize = 5;
/// The share of its subject words with which a text is mentioned.
const MENTION_SHARE: f64 = 0.6;
/// The share of its subject words with which a text is repeated.
const REPEATED_SHARE: f64 = 0.75;

/// Returns the stems of the words of a text, without stop words and the cues themselves.
pub fn subject_words(text: &str) -> BTreeSet<String> {
    let plain = cues::plain(text);
    let plain = fold_letters(&plain);
    let words = plain.split(|c: char| !c.is_alphanumeric()).filter(|word| {
        let is_stop_word = is_stop_word(word) || is_foreign_stop_word(&normalize_word(word));
        (word.chars().count() > 2 || word.chars().all(|c| c.is_ascii_digit()))
            && !word.is_empty()
            && !is_stop_word
            && !NO_SUBJECT.contains(word)
    });
    words.flat_map(stems_of_word).collect()
}

/// Returns the stem of a word. A run in a script without blanks gives pairs of characters, because its words are not
/// separated.
fn stems_of_word(word: &str) -> Vec<String> {
    match word.contains(is_unspaced) {
        false => vec![word.chars().take(STEM).collect()],
        true => terms(word).into_iter().map(|term| term.text().to_owned()).collect(),
    }
}

/// Caches the stems of texts that are compared repeatedly: each outcome of a session with all later ones.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownStems(HashMap<String, BTreeSet<String>>);

impl KnownStems {
    /// Returns the stems of `text`, computed once.
    pub(super) fn of(&mut self, text: &str) -> &BTreeSet<String> {
        if !self.0.contains_key(text) {
            self.0.insert(text.to_owned(), subject_words(text));
        }
        &self.0[text]
    }
}

/// Whether two outcomes have the same subject: apart from numbers, which change, one holds all subject words of the
/// other.
pub fn same_subject(one: &str, other: &str) -> bool {
    Subject::of(one).is_same(&Subject::of(other))
}

/// The subject of an outcome, for many comparisons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject(BTreeSet<String>);

impl Subject {
    /// Returns the subject of a text: its subject words without numbers.
    pub fn of(text: &str) -> Self {
        Self(subject_words(text).into_iter().filter(|word| !word.bytes().all(|byte| byte.is_ascii_digit())).collect())
    }

    /// See [`same_subject`].
    pub fn is_same(&self, other: &Self) -> bool {
        self.0.len().min(other.0.len()) > 1 && (self.0.is_subset(&other.0) || other.0.is_subset(&self.0))
    }
}

/// Whether two texts have a subject word in common.
pub fn have_common_subject(one: &str, other: &str) -> bool {
    !subject_words(one).is_disjoint(&subject_words(other))
}

/// Whether two outcomes say the same, one of them perhaps more: one holds all subject words and numbers of the other.
pub(super) fn same_statement(one: &str, other: &str) -> bool {
    same_stems(&subject_words(one), &subject_words(other))
}

/// [`same_statement`] for the stems of two outcomes.
pub(super) fn same_stems(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    !one.is_empty() && !other.is_empty() && (one.is_subset(other) || other.is_subset(one))
}

/// Whether a text mentions another one: it holds most of its subject words.
pub(super) fn mentions(said: &str, other: &str) -> bool {
    stems_mention(&subject_words(said), &subject_words(other))
}

/// [`mentions`] for the stems of two texts.
pub(super) fn stems_mention(said: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    holds(said, other, MENTION_SHARE)
}

/// Whether a text repeats another one: it holds nearly all of its subject words.
pub fn repeats(said: &str, other: &str) -> bool {
    holds(&subject_words(said), &subject_words(other), REPEATED_SHARE)
}

/// Whether a text supports a claim: it holds at least half of the claim's subject words, and at least two if there are
/// two.
pub fn supports(said: &str, claim: &str) -> bool {
    let (said, claim) = (subject_words(said), subject_words(claim));
    let shared = claim.intersection(&said).count();
    shared >= claim.len().min(2) && shared as f64 >= SUPPORT_SHARE * claim.len() as f64 && shared > 0
}

/// Whether a text has two subject words of a claim, or all of a claim with fewer.
pub fn shares_words(said: &str, claim: &str) -> bool {
    let (said, claim) = (subject_words(said), subject_words(claim));
    !claim.is_empty() && claim.intersection(&said).count() >= claim.len().min(2)
}

/// Returns the subject words right after a negation: "not Redis", "kein Redis".
pub fn denied_words(sentence: &str) -> BTreeSet<String> {
    let plain = cues::plain(sentence);
    let words: Vec<&str> = plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut found = BTreeSet::new();
    for (index, word) in words.iter().enumerate() {
        if ["not", "no", "nicht", "kein", "keine", "keinen", "pas", "drop", "instead", "statt", "lieu"].contains(word) {
            let behind = words[index + 1..]
                .iter()
                .filter(|word| !["of", "de", "du", "the", "mehr", "longer", "el", "la", "le"].contains(word));
            found.extend(behind.take(1).flat_map(|word| subject_words(word)));
        }
    }
    found
}

fn holds(said: &BTreeSet<String>, other: &BTreeSet<String>, share: f64) -> bool {
    !other.is_empty() && other.intersection(said).count() as f64 >= share * other.len() as f64
}

/// The share of its subject words with which a claim is supported. A model rephrases and adds few words of its own.
const SUPPORT_SHARE: f64 = 0.5;

/// Words of refutations and open tasks that say nothing about the subject.
#[rustfmt::skip]
const NO_SUBJECT: &[&str] = &[
    "cause", "wasn", "isn", "wrong", "scrap", "forget", "scratch", "ruled", "rules", "said", "culprit", "herring",
    "dead", "mind", "thought", "actually", "needs", "need", "still", "open", "todo", "next", "step", "later",
    "tomorrow", "know", "weiß", "weiss", "bin", "sais", "ursache", "fehler", "falsche", "noch", "offen", "morgen",
    "muss", "doch", "problème", "était", "encore", "reste", "demain", "causa", "queda", "falta", "fehlt", "fehlen",
    "missing", "manque", "mañana", "pendiente", "todavía", "aún", "sure", "certain", "sicher", "sûr", "seguro",
    "guess", "earlier", "first", "revert", "undo",
];
