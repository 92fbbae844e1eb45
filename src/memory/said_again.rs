//! Decides whether a person says again what the memory holds in other words: "I always want short answers" and "Prefers short answers with
//! the reasons afterwards".

use std::collections::BTreeSet;

use tars_agent::digest::subject_words;
use tars_text::languages::fold_letters;

/// Words of stance and habit and about the person, which say nothing about the subject of a line of the memory: each of those holds.
#[rustfmt::skip]
const STANCE: &[&str] = &[
    "i", "me", "my", "mine", "we", "us", "our", "you", "your", "ich", "mir", "mich", "mein", "meine", "meinen", "wir", "uns", "unser", "unsere",
    "du", "dein", "deine", "je", "mon", "ma", "mes", "nous", "notre", "nos", "yo", "mi", "mis", "nosotros", "nuestro", "nuestra", "io", "mio",
    "mia", "noi", "nostro", "ik", "mijn", "wij", "ons", "onze", "from", "künftig", "on",
    "always", "usually", "generally", "please", "remember", "user", "person", "want", "wants", "prefer", "prefers", "preferred", "like",
    "likes", "use", "uses", "using", "now", "immer", "grundsätzlich", "bitte", "merk", "merke", "nutzer", "möchte", "mag", "bevorzugt",
    "bevorzuge", "will", "nutzt", "nutze", "verwende", "verwendet", "ab", "jetzt", "toujours", "préfère", "veux", "utilise",
    "siempre", "prefiero", "prefiere", "quiero", "usa", "uso", "sempre", "preferisce", "preferisco", "voglio", "altijd", "liever", "wil",
];

/// Words with which a person rejects something. If two texts say the same, both hold one or none does.
#[rustfmt::skip]
const REJECTION: &[&str] = &[
    "not", "never", "no", "without", "dislike", "dislikes", "hate", "hates", "avoid", "avoids", "stop", "against", "nie", "nicht", "kein",
    "keine", "keinen", "ohne", "hasse", "hasst", "meide", "meidet", "vermeide", "vermeidet", "gegen", "pas", "jamais", "sans",
    "déteste", "nunca", "sin", "odio", "odia", "non", "senza", "niet", "nooit", "geen", "zonder",
];

/// The content of a line, apart from words of stance, for many comparisons.
#[derive(Debug, Clone)]
pub(super) struct Saying {
    subject: BTreeSet<String>,
    rejects: bool,
}

impl Saying {
    pub(super) fn of(text: &str) -> Self {
        let words = words(text);
        let lower = text.to_lowercase().replace('’', "'");
        let rejects = lower.contains("n't") || words.iter().any(|word| is_one_of(word, REJECTION));
        let content: Vec<String> = words.into_iter().filter(|word| !is_one_of(word, STANCE)).collect();
        Self { subject: subject_words(&content.join(" ")), rejects }
    }

    /// Whether `known` says all of this. A text of fewer than two words of content says too little to be compared.
    pub(super) fn is_in(&self, known: &Self) -> bool {
        self.subject.len() > 1 && self.subject.is_subset(&known.subject) && self.rejects == known.rejects
    }
}

fn words(text: &str) -> Vec<String> {
    let folded = fold_letters(&text.to_lowercase()).into_owned();
    folded
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|one| fold_letters(one) == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_memory_in_the_persons_own_words_is_known() {
        for (text, known) in [
            (
                "I always want short answers, with the reasons after.",
                "Prefers short answers with the reasons afterwards",
            ),
            ("I'm allergic to peanuts.", "The user is allergic to peanuts (since 2019)"),
            ("Always use metric units.", "Units are metric"),
            ("Schreib Antworten immer auf Deutsch.", "Schreibt Antworten auf Deutsch"),
            ("Our API always uses snake_case.", "The **API** uses `snake_case` (see [[Style]])"),
            ("Ich trinke keinen Kaffee.", "Trinkt keinen Kaffee"),
        ] {
            let (said, known) = (Saying::of(text), Saying::of(known));
            assert!(said.is_in(&known), "{text}: {said:?} {known:?}");
        }
    }

    #[test]
    fn more_another_value_or_the_opposite_is_new() {
        for (text, known) in [
            ("I'm allergic to peanuts and celery.", "Allergic to peanuts"),
            ("The port is 9000", "The port is 8444"),
            ("I never want short answers.", "Prefers short answers"),
            ("I like short answers.", "Dislikes short answers"),
            ("I don't use metric units.", "Units are metric"),
            ("Thanks", "Thanks are due to Ada"),
        ] {
            let (said, known) = (Saying::of(text), Saying::of(known));
            assert!(!said.is_in(&known), "{text}: {said:?} {known:?}");
        }
    }
}
