//! The words of a text that say what it is about.

use std::collections::BTreeSet;

use super::cues;
use crate::analysis::{is_little_word_elsewhere, is_stop_word};

/// Letters by which two forms of a word are the same.
const STEM: usize = 5;

/// Returns the beginnings of the words of a text, without little words and the cues themselves.
pub(super) fn stems(text: &str) -> BTreeSet<String> {
    let plain = cues::plain(text);
    let words = plain.split(|c: char| !c.is_alphanumeric()).filter(|word| {
        let is_little = is_stop_word(word) || is_little_word_elsewhere(word);
        (word.chars().count() > 2 || word.chars().all(|c| c.is_ascii_digit()))
            && !word.is_empty()
            && !is_little
            && !NO_SUBJECT.contains(word)
    });
    words.map(|word| word.chars().take(STEM).collect()).collect()
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
    let (one, other) = (stems(one), stems(other));
    !one.is_empty() && !other.is_empty() && (one.is_subset(&other) || other.is_subset(&one))
}

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
