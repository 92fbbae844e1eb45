//! Questions about the past: told by their words, and answered by superseded lines.

use crate::analysis::{Term, bare, is_little_word_elsewhere, is_stop_word, presence};
use crate::digest::holds_any;
use crate::memory::Superseded;

/// The share of a question's words that a fact must hold which answers a question about the past.
const ANSWERS: f64 = 0.5;
/// And this share of what the best one holds.
const AS_GOOD: f64 = 0.75;

/// Whether a text asks what was so before it changed, by words of four languages.
pub(super) fn asks_about_past(text: &str) -> bool {
    let lower = text.to_lowercase();
    let first = lower.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default();
    if !text.contains('?') && !QUESTION.contains(&first) {
        return false;
    }
    let last = lower.trim_end_matches(|c: char| !c.is_alphanumeric());
    let ends = |cue: &&str| last.ends_with(*cue) && !last[..last.len() - cue.len()].ends_with(char::is_alphanumeric);
    holds_any(text, PAST) || PREPOSITIONS.iter().any(ends) || (holds_any(text, &["before"]) && holds_any(text, WAS))
}

/// Returns the facts that answer a question about the past, with the share of its words that they hold, best first; of equal ones
/// the newest comes first.
pub(super) fn answering<'a>(facts: &'a [Superseded], question: &str) -> Vec<(&'a Superseded, f64)> {
    let sought: Vec<String> = words(question).filter(|word| says_something(word)).collect();
    let share = |fact: &Superseded| {
        let (own, next): (Vec<String>, Vec<String>) = (words(&fact.bullet.text).collect(), words(&fact.by).collect());
        let holds = |held: &[String], word: &String| held.iter().any(|other| are_alike(word, other));
        let count = sought.iter().filter(|word| holds(&own, word) || holds(&next, word)).count();
        count as f64 / sought.len().max(1) as f64
    };
    let mut found: Vec<(&Superseded, f64)> = facts.iter().rev().map(|fact| (fact, share(fact))).collect();
    let best = found.iter().map(|(_, share)| *share).fold(0.0, f64::max);
    found.retain(|(_, share)| *share >= ANSWERS.max(best * AS_GOOD));
    found.sort_by(|one, other| other.1.total_cmp(&one.1));
    found
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(bare)
}

fn says_something(word: &str) -> bool {
    let is_cue = PAST.iter().chain(PREPOSITIONS).any(|cue| bare(cue) == word);
    word.chars().count() > 1
        && !is_cue
        && !is_stop_word(word)
        && !is_little_word_elsewhere(word)
        && !LITTLE.contains(&word)
        && !QUESTION.iter().any(|question| bare(question) == word)
}

/// Whether two words are one in other forms, in any of the four languages: they begin alike, but for the `ge` of a participle.
fn are_alike(one: &str, other: &str) -> bool {
    fn stem(word: &str) -> &str {
        word.strip_prefix("ge")
            .filter(|rest| rest.chars().count() > 4 && (word.ends_with('t') || word.ends_with("en")))
            .unwrap_or(word)
    }
    let begin = |one: &str, other: &str| {
        let shared = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
        let longer = one.chars().count().max(other.chars().count());
        one == other || (shared >= 4 && shared * 10 >= longer * 7)
    };
    begin(one, other)
        || begin(stem(one), other)
        || begin(one, stem(other))
        || presence(one, &[Term::Word(other.to_owned())])[0] > 0.0
}

/// Words that speak of what was before, wherever they stand in a question.
#[rustfmt::skip]
const PAST: &[&str] = &[
    "previously", "formerly", "former", "used to", "in the past", "originally",
    "früher", "vorher", "zuvor", "damals", "ehemals", "vormals",
    "auparavant", "autrefois", "précédemment", "jadis",
    "anteriormente", "previamente", "antiguamente", "solía",
];

/// Words that speak of it at the end of a question, and elsewhere of the order of things.
const PREPOSITIONS: &[&str] = &["before", "earlier", "avant", "antes"];

/// With these, "before" speaks of the past too.
const WAS: &[&str] = &["did", "was", "were", "had"];

/// Words that a question begins with.
#[rustfmt::skip]
const QUESTION: &[&str] = &[
    "where", "what", "who", "whom", "whose", "which", "when", "how", "did", "was", "were",
    "wo", "wer", "wie", "wann", "welche", "welcher", "welches", "wem", "wen", "worin", "womit",
    "où", "qui", "quel", "quelle", "quels", "quelles", "quand", "comment", "que", "qu",
    "dónde", "donde", "qué", "quién", "cuál", "cuándo", "cómo", "en", "a",
];

/// Little words of questions that the lists of the analysis do not hold.
const LITTLE: &[&str] = &["habe", "hatte", "hatten", "haben", "est", "ce", "je", "etait", "yo", "use", "used"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Bullet;

    #[test]
    fn questions_about_the_past_are_told_in_four_languages() {
        for text in [
            "where did I work before",
            "Where did I work before the museum?",
            "what was the port previously?",
            "which port did we use to have before?",
            "wo habe ich früher gearbeitet",
            "où est-ce que je travaillais avant",
            "¿dónde trabajaba antes?",
        ] {
            assert!(asks_about_past(text), "{text}");
        }
        for text in [
            "where do I work",
            "run the tests before every commit",
            "should I run the tests before a commit?",
            "the former office",
            "wo arbeite ich",
            "où est-ce que je travaille",
            "¿dónde trabajo?",
        ] {
            assert!(!asks_about_past(text), "{text}");
        }
    }

    #[test]
    fn words_are_alike_in_other_forms() {
        for (one, other) in [
            ("work", "works"),
            ("gearbeitet", "arbeitet"),
            ("travaillais", "travaille"),
            ("trabajaba", "trabaja"),
            ("wohnte", "wohnt"),
        ] {
            assert!(are_alike(one, other) && are_alike(other, one), "{one} {other}");
        }
        for (one, other) in [("port", "portrait"), ("museum", "music"), ("gestern", "stern"), ("8080", "8081")] {
            assert!(!are_alike(one, other), "{one} {other}");
        }
    }

    #[test]
    fn facts_answer_by_half_of_the_questions_words() {
        let fact = |text: &str, by: &str| Superseded {
            bullet: Bullet { text: text.into(), lines: 0..1, ..Bullet::default() },
            since: None,
            until: jiff::civil::date(2026, 3, 14),
            by: by.into(),
            place: "tars/Memory".into(),
        };
        let facts = [
            fact("Anna works at the harbour office", "Anna works at the museum"),
            fact("Backups run at 03:00", "Backups run at 04:30"),
            fact("Anna arbeitet im Hafen", "Anna arbeitet im Museum"),
            fact("Anna travaille au port", "Anna travaille au musée"),
            fact("Anna trabaja en el puerto", "Anna trabaja en el museo"),
        ];
        let found = |question: &str| -> Vec<&str> {
            answering(&facts, question).into_iter().map(|(fact, _)| fact.bullet.text.as_str()).collect()
        };
        assert_eq!(found("where did I work before"), ["Anna works at the harbour office"]);
        assert_eq!(found("where did Anna work before the museum?"), ["Anna works at the harbour office"]);
        assert_eq!(found("wo habe ich früher gearbeitet"), ["Anna arbeitet im Hafen"]);
        assert_eq!(found("où est-ce que je travaillais avant"), ["Anna travaille au port"]);
        assert_eq!(found("¿dónde trabajaba antes?"), ["Anna trabaja en el puerto"]);
        assert_eq!(found("what did we eat before"), [""; 0]);
    }
}
