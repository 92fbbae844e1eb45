//! Recognizes small talk: sentences without content at the start of an answer or a request.

use super::cues;
use super::words::subject_words;

/// Minimum number of subject words for a sentence before a list to say something.
const MIN_LEAD_WORDS: usize = 4;

/// Beginnings of an agent's sentences without content.
#[rustfmt::skip]
const PREAMBLES: &[&str] = &[
    "sure", "great", "good choice", "perfect", "absolutely", "certainly", "of course", "okay", "ok,", "you're right",
    "you're welcome", "good question", "good catch", "let me", "i'll ", "i will ", "now i", "now let", "here's",
    "here is", "here are", "thanks", "thank you", "glad", "happy to", "any time", "anytime", "no problem", "all done",
    "done", "got it", "noted", "gern", "gerne", "klar", "alles klar", "natürlich", "perfekt", "super", "ich schaue",
    "ich werde", "hier ist", "hier sind", "verstanden", "fertig", "erledigt", "avec plaisir", "de rien", "bien sûr",
    "parfait", "d'accord", "voici", "je vais", "c'est fait", "de nada", "claro", "perfecto", "por supuesto", "aquí",
    "voy a", "entendido", "hecho", "listo",
];

/// Greetings and praise with which a person opens a request.
#[rustfmt::skip]
const GREETINGS: &[&str] = &[
    "moin", "hallo", "hi", "hey", "hello", "morning", "good", "nice", "fine", "cool", "lovely", "ok", "ah", "ha",
    "gut", "guten morgen", "danke", "bonjour", "salut", "merci", "hola", "buenos días", "gracias", "vale",
];
/// Maximum number of words of a greeting.
const MAX_GREETING_WORDS: usize = 3;

/// Whether a sentence of a person only greets, thanks or praises.
pub(super) fn is_small_talk(sentence: &str) -> bool {
    sentence.split_whitespace().count() <= MAX_GREETING_WORDS
        && [PREAMBLES, GREETINGS].iter().any(|words| begins(sentence, words))
}

/// Whether a sentence of an agent has content and is no thanks, praise or announcement.
pub(super) fn has_content(sentence: &str) -> bool {
    let lower = cues::plain(sentence);
    sentence.chars().count() >= 12
        // "It is in place:" introduces a list and says nothing, unless it names its subject.
        && (!lower.ends_with(':') || subject_words(&lower).len() >= MIN_LEAD_WORDS)
        && !begins(sentence, PREAMBLES)
}

/// Whether a sentence begins with one of these phrases as whole words.
fn begins(sentence: &str, beginnings: &[&str]) -> bool {
    let lower = cues::plain(sentence);
    beginnings.iter().any(|words| {
        lower
            .strip_prefix(words)
            .is_some_and(|rest| !words.ends_with(char::is_alphanumeric) || !rest.starts_with(char::is_alphanumeric))
    })
}
