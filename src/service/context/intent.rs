//! What somebody wants who sends a prompt: to be reminded of something, to know something, or to have something done.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::analysis::{bare, is_little_word_elsewhere, is_stop_word};
use crate::digest::holds_any;

/// What a prompt is after. It decides how ready notes are to come by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// Something that was said, done or settled before.
    Recall,
    /// An answer, which notes may hold.
    Question,
    /// Something done; notes come where they bind it.
    Task,
    /// Something in the code, which no note knows better.
    Code,
}

/// Returns what a prompt is after, told by its words in four languages.
pub fn intent(prompt: &str) -> Intent {
    let plain = prompt.to_lowercase();
    let holds = |cues: &[&str]| holds_any(prompt, cues);
    let first = plain.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default();
    let asks = plain.contains('?') || QUESTION.contains(&first);
    if holds(CODE) {
        Intent::Code
    } else if holds(RECALL) || (asks && holds(OURS)) {
        Intent::Recall
    } else if asks {
        Intent::Question
    } else {
        Intent::Task
    }
}

/// Whether a question is in a language other than English, by its little words.
pub(super) fn is_foreign(text: &str) -> bool {
    let count = |is: &dyn Fn(&str) -> bool| parted(text).filter(|word| is(&plain_word(word))).count();
    let is_elsewhere =
        |word: &str| is_little_word_elsewhere(word) || ARTICLES.contains(&word) || ELIDED.contains(&word);
    count(&is_elsewhere) > count(&|word| is_stop_word(word) && !ELIDED.contains(&word))
}

/// Returns a question without the little words of languages other than English, if it is in one of them: notes in which such a
/// word is rare would be found by it.
pub(super) fn without_little_words(text: &str) -> String {
    if !is_foreign(text) {
        return text.to_owned();
    }
    let is_little = |word: &str| is_little_word_elsewhere(word) || LITTLE.contains(&word) || ELIDED.contains(&word);
    parted(text).filter(|word| !is_little(&plain_word(word))).collect::<Vec<_>>().join(" ")
}

/// Returns the words of a question, French ones parted from what is elided before them: "l'adresse" is two.
fn parted(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
        .flat_map(|word| match word.split_once(['\'', '\u{2019}']) {
            Some((before, behind)) if ELIDED.contains(&before.to_lowercase().as_str()) => [Some(before), Some(behind)],
            _ => [Some(word), None],
        })
        .flatten()
}

fn plain_word(word: &str) -> String {
    bare(word.trim_matches(|c: char| !c.is_alphanumeric()))
}

/// Articles and pronouns of other languages that stand in English only as a part of names.
const ARTICLES: &[&str] =
    &["de", "la", "le", "il", "et", "du", "au", "je", "tu", "el", "los", "las", "der", "das", "und"];

/// What French elides before an apostrophe.
const ELIDED: &[&str] = &["l", "d", "j", "qu", "n", "c", "s", "m", "t", "jusqu", "lorsqu", "puisqu"];

/// Little words of other languages that are words of English too, or the beginnings of such. Without diacritics.
#[rustfmt::skip]
const LITTLE: &[&str] = &[
    // German
    "die", "der", "das", "den", "war", "was", "wie", "wo", "ob", "als", "bis", "um", "aus", "mal", "nochmal", "ja", "nein", "halt", "eben",
    "gerade", "sei", "so", "es", "er", "man", "hat", "habe", "hast", "bin", "du", "da", "wir", "in", "an", "am", "im", "zu", "fur", "auf",
    "kurz", "anderes", "eigentlich", "bitte", "denn", "also", "dann", "und", "steht", "machen", "genau", "welche", "wieso", "waren",
    // French
    "de", "la", "le", "et", "du", "au", "a", "il", "elle", "je", "tu", "on", "se", "ce", "ne", "y", "sur", "par", "pour", "plus", "en", "un",
    "deja", "comment", "ou", "est", "fait",
    // Spanish
    "el", "los", "las", "no", "lo", "su", "es", "al", "con", "sin", "o", "si", "me", "ya", "era", "como", "para", "mas", "hay", "son", "nos",
];

/// How somebody speaks of what was before.
#[rustfmt::skip]
const RECALL: &[&str] = &[
    "again", "last time", "the other time", "before", "earlier", "remember", "remind me", "did we", "have we", "had we", "we decided", "we settled",
    "we agreed", "did i", "do we", "we had", "was it", "were we", "yesterday", "last week", "last month", "last friday", "last monday",
    "last tuesday", "last wednesday", "last thursday", "still open", "what is open", "settle on", "the reason for", "we had this",
    "nochmal", "noch mal", "letztes mal", "beim letzten", "letzte woche", "letzten", "gestern", "damals", "hatten wir", "haben wir", "wieder",
    "entschieden", "ausgemacht", "noch offen", "woran lag", "eigentlich",
    "la dernière fois", "dernière fois", "hier", "la semaine dernière", "on avait", "avait-on", "nous avions", "déjà", "encore", "rappelle",
    "avons-nous", "décidé", "constaté", "les autres fois",
    "la última vez", "última vez", "otra vez", "ayer", "la semana pasada", "quedamos", "habíamos", "teníamos", "recuerda", "decidimos", "acordamos",
];

/// How somebody speaks of what is theirs.
#[rustfmt::skip]
const OURS: &[&str] = &[
    "we", "our", "us", "my", "ours", "mine", "wir", "unser", "unsere", "unserem", "unseren", "uns", "mein", "meine", "nous", "notre",
    "nos", "mon", "ma", "mes", "nosotros", "nuestro", "nuestra", "nuestros", "mi", "mis", "when is", "wann ist", "who is", "who has",
    "wer hat", "wann", "quand", "cuándo",
];

/// Words that a question begins with.
#[rustfmt::skip]
const QUESTION: &[&str] = &[
    "what", "which", "who", "whom", "whose", "when", "where", "why", "how", "is", "are", "was", "were", "does", "do", "did", "has", "have",
    "wer", "wie", "wo", "wann", "warum", "wieso", "welche", "welcher", "welches", "wem", "wen", "ab", "ist", "sind", "hat", "haben", "quel",
    "quelle", "quels", "qui", "quand", "où", "pourquoi", "comment", "combien", "est", "qu", "que", "qué", "quién", "cuándo", "dónde", "por", "cómo",
    "cuál", "cuánto", "cuántos",
];

/// How somebody asks for a look at the code.
#[rustfmt::skip]
const CODE: &[&str] = &[
    "grep", "in this code", "in the code", "in this file", "in this repo", "in the repo", "im code", "in der datei", "dans le code",
    "dans ce fichier", "en el código", "en este archivo",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_words_of_other_languages_are_not_sought() {
        assert_eq!(without_little_words("wann war der Termin beim Augenarzt"), "Termin Augenarzt");
        assert_eq!(without_little_words("Il me faut l'adresse d\u{2019}Odile"), "faut adresse Odile");
        let english = "what does the German word der mean";
        assert_eq!(without_little_words(english), english);
    }

    #[test]
    fn prompts_are_told_by_their_words() {
        for (prompt, expected) in [
            ("which port was it again?", Intent::Recall),
            ("Woran lag es beim letzten Mal", Intent::Recall),
            ("when is our appointment with the dentist?", Intent::Recall),
            ("what is the difference between a left join and a lateral join?", Intent::Question),
            ("Add a retry to the uploader", Intent::Task),
            ("sortiere die Imports", Intent::Task),
            ("is debounce used anywhere? just grep", Intent::Code),
        ] {
            assert_eq!(intent(prompt), expected, "{prompt}");
        }
    }
}
