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
    "good choice",
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

/// How a person begins who greets or praises before they ask.
const GREETINGS: &[&str] = &[
    "moin",
    "hallo",
    "hi",
    "hey",
    "hello",
    "morning",
    "good",
    "nice",
    "fine",
    "cool",
    "lovely",
    "ok",
    "ah",
    "ha",
    "gut",
    "guten morgen",
    "danke",
    "bonjour",
    "salut",
    "merci",
    "hola",
    "buenos días",
    "gracias",
    "vale",
];
/// Words of a greeting at most.
const GREETING: usize = 3;

/// Whether a sentence of a person does nothing but greet, thank or praise.
pub(super) fn is_small_talk(sentence: &str) -> bool {
    sentence.split_whitespace().count() <= GREETING
        && [PREAMBLES, GREETINGS].iter().any(|words| begins(sentence, words))
}

/// Whether a sentence of an agent says something: it is no thanks, praise or announcement.
pub(super) fn says_something(sentence: &str) -> bool {
    let lower = cues::plain(sentence);
    sentence.chars().count() >= 12
        && !is_farewell(&lower)
        // "It is in place:" leads to a list and says nothing, unless it says what is.
        && (!lower.ends_with(':') || stems(&lower).len() >= LEADS)
        && !begins(sentence, PREAMBLES)
}

/// Whether a sentence begins with one of these, as whole words.
fn begins(sentence: &str, beginnings: &[&str]) -> bool {
    let lower = cues::plain(sentence);
    beginnings.iter().any(|words| {
        lower
            .strip_prefix(words)
            .is_some_and(|rest| !words.ends_with(char::is_alphanumeric) || !rest.starts_with(char::is_alphanumeric))
    })
}
