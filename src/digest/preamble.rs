//! What an agent says before it says something.

use super::cues;
use super::outcome::is_farewell;
use super::words::stems;

/// Words that a sentence before a list must hold to say something.
const LEADS: usize = 4;

/// How answers begin that say nothing yet.
const PREAMBLES: &[&str] = &[
    "sure",
    "great",
    "perfect",
    "absolutely",
    "certainly",
    "of course",
    "okay",
    "ok,",
    "you're right",
    "you're welcome",
    "good question",
    "good catch",
    "let me",
    "i'll ",
    "i will ",
    "now i",
    "now let",
    "here's",
    "here is",
    "here are",
    "thanks",
    "thank you",
    "glad",
    "happy to",
    "any time",
    "anytime",
    "no problem",
    "all done",
    "done",
    "got it",
    "noted",
    "gern",
    "gerne",
    "klar",
    "alles klar",
    "natürlich",
    "perfekt",
    "super",
    "ich schaue",
    "ich werde",
    "hier ist",
    "hier sind",
    "verstanden",
    "fertig",
    "erledigt",
    "avec plaisir",
    "de rien",
    "bien sûr",
    "parfait",
    "d'accord",
    "voici",
    "je vais",
    "c'est fait",
    "de nada",
    "claro",
    "perfecto",
    "por supuesto",
    "aquí",
    "voy a",
    "entendido",
    "hecho",
    "listo",
];

/// Whether a sentence of an agent says something: it is no thanks, praise or announcement.
pub(super) fn says_something(sentence: &str) -> bool {
    let lower = cues::plain(sentence);
    sentence.chars().count() >= 12
        && !is_farewell(&lower)
        // "It is in place:" leads to a list and says nothing, unless it says what is.
        && (!lower.ends_with(':') || stems(&lower).len() >= LEADS)
        && !PREAMBLES.iter().any(|words| {
            lower
                .strip_prefix(words)
                .is_some_and(|rest| !words.ends_with(char::is_alphanumeric) || !rest.starts_with(char::is_alphanumeric))
        })
}
