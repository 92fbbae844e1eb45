//! What somebody wants who sends a prompt: to be reminded of something, to know something, or to have something done.

use serde::{Deserialize, Serialize};

/// What a prompt is after. It decides how ready notes are to come by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
    let plain = prompt.to_lowercase().replace('\u{2019}', "'");
    let holds = |cues: &[&str]| cues.iter().any(|cue| holds_phrase(&plain, cue));
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

fn holds_phrase(text: &str, cue: &str) -> bool {
    text.match_indices(cue).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + cue.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

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
    "we", "our", "us", "my", "ours", "mine", "i", "wir", "unser", "unsere", "unserem", "unseren", "uns", "mein", "meine", "ich", "nous", "notre",
    "nos", "mon", "ma", "mes", "je", "on", "nosotros", "nuestro", "nuestra", "nuestros", "mi", "mis", "yo", "when is", "wann ist", "who is", "who has",
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
