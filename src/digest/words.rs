//! The words of a text that say what it is about.

use std::collections::{BTreeSet, HashMap};

use super::cues;
use crate::analysis::{is_little_word_elsewhere, is_stop_word, is_unspaced, terms};
use crate::languages::{bare, fold};

/// Letters by which two forms of a word are the same.
const STEM: usize = 5;
/// From this share of its words on, a text is spoken of.
const SPOKEN_OF: f64 = 0.6;
/// From this share of its words on, a text is said.
const SAID: f64 = 0.75;

/// Returns the words by which a text says what it is about, by their beginnings.
pub fn subject_words(text: &str) -> BTreeSet<String> {
    stems(text)
}

/// Returns the beginnings of the words of a text, without little words and the cues themselves.
pub(super) fn stems(text: &str) -> BTreeSet<String> {
    let plain = cues::plain(text);
    let plain = fold(&plain);
    let words = plain.split(|c: char| !c.is_alphanumeric()).filter(|word| {
        let is_little = is_stop_word(word) || is_little_word_elsewhere(&bare(word));
        (word.chars().count() > 2 || word.chars().all(|c| c.is_ascii_digit()))
            && !word.is_empty()
            && !is_little
            && !NO_SUBJECT.contains(word)
    });
    words.flat_map(stems_of_word).collect()
}

/// The beginning of a word; the pairs of characters of a run without blanks, since nothing tells its words.
fn stems_of_word(word: &str) -> Vec<String> {
    match word.contains(is_unspaced) {
        false => vec![word.chars().take(STEM).collect()],
        true => terms(word).into_iter().map(|term| term.text().to_owned()).collect(),
    }
}

/// The stems of texts that are compared again and again: each outcome of a session with all that comes later.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownStems(HashMap<String, BTreeSet<String>>);

impl KnownStems {
    /// Returns the stems of `text`, worked out once.
    pub(super) fn of(&mut self, text: &str) -> &BTreeSet<String> {
        if !self.0.contains_key(text) {
            self.0.insert(text.to_owned(), stems(text));
        }
        &self.0[text]
    }
}

/// Whether two outcomes are about the same: but for numbers, which change, one of them has no word that the other lacks.
pub fn same_subject(one: &str, other: &str) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        stems(text).into_iter().filter(|word| !word.bytes().all(|byte| byte.is_ascii_digit())).collect()
    };
    let (one, other) = (words(one), words(other));
    one.len().min(other.len()) > 1 && (one.is_subset(&other) || other.is_subset(&one))
}

/// Whether two texts have a word in common that says what they are about.
pub fn share_a_subject(one: &str, other: &str) -> bool {
    !stems(one).is_disjoint(&stems(other))
}

/// Whether two outcomes say the same, one of them perhaps more: neither has a word or number that the other lacks, or one of them
/// alone has.
pub(super) fn says_the_same(one: &str, other: &str) -> bool {
    are_the_same(&stems(one), &stems(other))
}

/// [`says_the_same`], of the stems of two outcomes.
pub(super) fn are_the_same(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    !one.is_empty() && !other.is_empty() && (one.is_subset(other) || other.is_subset(one))
}

/// Whether a text speaks of another: it holds most of the words that say what the other is about.
pub(super) fn speaks_of(said: &str, other: &str) -> bool {
    are_spoken_of(&stems(said), &stems(other))
}

/// [`speaks_of`], of the stems of two texts.
pub(super) fn are_spoken_of(said: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    holds(said, other, SPOKEN_OF)
}

/// Whether a text says what another does: it holds nearly all of the words that say what the other is about.
pub fn says_too(said: &str, other: &str) -> bool {
    holds(&stems(said), &stems(other), SAID)
}

/// Whether a text supports a claim: it holds at least half of the words that say what the claim is about, and two of them where
/// there are two.
pub fn supports(said: &str, claim: &str) -> bool {
    let (said, claim) = (stems(said), stems(claim));
    let shared = claim.intersection(&said).count();
    shared >= claim.len().min(2) && shared as f64 >= SUPPORT * claim.len() as f64 && shared > 0
}

fn holds(said: &BTreeSet<String>, other: &BTreeSet<String>, share: f64) -> bool {
    !other.is_empty() && other.intersection(said).count() as f64 >= share * other.len() as f64
}

/// From this share of its words on, a claim is supported by a text: a model puts things in other words, and adds few of its own.
const SUPPORT: f64 = 0.5;

/// Words by which something is ruled out or left open, and which say nothing of what.
const NO_SUBJECT: &[&str] = &[
    "cause",
    "wasn",
    "isn",
    "wrong",
    "scrap",
    "forget",
    "scratch",
    "ruled",
    "rules",
    "said",
    "culprit",
    "herring",
    "dead",
    "mind",
    "thought",
    "actually",
    "needs",
    "need",
    "still",
    "open",
    "todo",
    "next",
    "step",
    "later",
    "tomorrow",
    "know",
    "weiß",
    "weiss",
    "bin",
    "sais",
    "ursache",
    "fehler",
    "falsche",
    "noch",
    "offen",
    "morgen",
    "muss",
    "doch",
    "problème",
    "était",
    "encore",
    "reste",
    "demain",
    "causa",
    "queda",
    "falta",
    "fehlt",
    "fehlen",
    "missing",
    "manque",
    "mañana",
    "pendiente",
    "todavía",
    "aún",
    "sure",
    "certain",
    "sicher",
    "sûr",
    "seguro",
    "guess",
    "earlier",
    "first",
    "revert",
    "undo",
];
