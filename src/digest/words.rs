//! The words of a text that say what it is about.

use std::collections::BTreeSet;

use super::cues;
use crate::analysis::{is_little_word_elsewhere, is_stop_word};

/// Letters by which two forms of a word are the same.
const STEM: usize = 5;
/// From this share of the words of the shorter one on, two outcomes are about the same.
const SAME: f64 = 0.6;

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

/// Whether two outcomes are about the same: most words of the shorter one stand in the longer. Numbers do not count, since
/// a later outcome may say another.
pub fn same_subject(one: &str, other: &str) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        stems(text).into_iter().filter(|word| !word.bytes().all(|byte| byte.is_ascii_digit())).collect()
    };
    let (one, other) = (words(one), words(other));
    let shorter = one.len().min(other.len());
    shorter > 1 && one.intersection(&other).count() as f64 >= SAME * shorter as f64
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
