//! Which prompts are a person's, and what is looked for.

use crate::analysis::{bare, is_little_word_elsewhere, is_stop_word};
use crate::client::claude_code::typed_prompt;
use crate::digest::own_words;
use crate::service::{Intent, intent};

/// Fewer words than this are an answer ("yes, please") rather than a question.
const WORDS: usize = 3;
/// Characters that say as much as [`WORDS`] in a script without blanks.
const UNSPACED: usize = 6;
/// So much of a long prompt is looked for: its beginning and its end.
const BEGINNING: usize = 1_500;
const END: usize = 500;

/// What is looked for, and how ready notes are to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Question {
    /// What is looked for.
    pub(super) text: String,
    /// What the person wants.
    pub(super) intent: Intent,
}

/// Returns what a person asks in a prompt; `None` if it is not a person's, a command of the client, or too short to be
/// asked for.
pub(super) fn question(prompt: &str) -> Option<Question> {
    let typed = own_words(&typed_prompt(prompt)?);
    let text = typed.trim();
    let unspaced = text.chars().filter(|character| crate::analysis::is_unspaced(*character)).count();
    if text.split_whitespace().count() < WORDS && unspaced < UNSPACED {
        return None;
    }
    let text = shortened(text);
    let intent = intent(&text);
    let is_meant = (unspaced > 0 || has_subject(&text)) && intent != Intent::Code;
    is_meant.then(|| Question { text: without_little_words(&text), intent })
}

/// Whether a prompt names something that notes could be about: "now the tests too" goes on with what the session is at.
fn has_subject(text: &str) -> bool {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).map(bare);
    let says_something = |word: &String| {
        word.chars().count() > 1
            && !is_stop_word(word)
            && !is_little_word_elsewhere(word)
            && !GENERAL.contains(&word.as_str())
    };
    words.filter(says_something).count() > 0
}

/// Returns a question without the little words of languages other than English, if it is in one of them: notes in which such a
/// word is rare would be found by it.
fn without_little_words(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let plain = |word: &str| bare(word.trim_matches(|c: char| !c.is_alphanumeric()));
    let elsewhere = words.iter().filter(|word| is_little_word_elsewhere(&plain(word))).count();
    let english = words.iter().filter(|word| is_stop_word(&plain(word))).count();
    if elsewhere <= english {
        return text.to_owned();
    }
    let is_little = |word: &str| is_little_word_elsewhere(word) || LITTLE.contains(&word);
    words.into_iter().filter(|word| !is_little(&plain(word))).collect::<Vec<_>>().join(" ")
}

/// Little words of other languages that are words of English too, or the beginnings of such. Without diacritics.
#[rustfmt::skip]
const LITTLE: &[&str] = &[
    // German
    "die", "der", "das", "den", "war", "was", "wie", "wo", "ob", "als", "bis", "um", "aus", "mal", "nochmal", "ja", "nein", "halt", "eben",
    "gerade", "sei", "so", "es", "er", "man", "hat", "habe", "hast", "bin", "du", "da", "wir", "in", "an", "am", "im", "zu", "fur", "auf",
    "kurz", "anderes", "eigentlich", "bitte", "denn", "also", "dann", "und", "steht", "machen", "genau", "welche", "wieso", "waren",
    // French
    "de", "la", "le", "et", "du", "au", "a", "il", "elle", "je", "tu", "on", "se", "ce", "ne", "y", "sur", "par", "pour", "plus", "en", "un",
    "d", "l", "s", "c", "j", "m", "n", "qu", "deja", "comment", "ou", "est", "fait",
    // Spanish
    "el", "los", "las", "no", "lo", "su", "es", "al", "con", "sin", "o", "si", "me", "ya", "era", "como", "para", "mas", "hay", "son", "nos",
];

/// Words of everyday work with an agent that say nothing of what it is about, in small letters without diacritics. A prompt of
/// nothing else goes on with what the session is at.
#[rustfmt::skip]
const GENERAL: &[&str] = &[
    // English
    "push", "pull", "commit", "merge", "rebase", "branch", "test", "tests", "run", "rerun", "build", "fix", "module", "modules", "file",
    "files", "function", "functions", "method", "class", "code", "line", "lines", "please", "thanks", "thank", "great", "good", "nice",
    "perfect", "ok", "okay", "yes", "yeah", "sure", "go", "ahead", "continue", "same", "other", "another", "again", "next", "one", "ones",
    "now", "too", "also", "well", "back", "format", "lint", "rename", "try", "done", "let", "make", "do", "it", "change", "changes",
    "everything", "rest", "thing", "things", "way", "looks", "look", "green", "ci", "pr", "show", "diff", "undo", "revert", "step",
    "one", "two", "three", "four", "five", "remaining", "push", "tell", "first", "last", "second", "third", "both", "all", "new", "old", "like", "want", "need", "keep", "going", "stop", "wait", "moment", "still",
    // German
    "weiter", "danke", "bitte", "mach", "mache", "machen", "jetzt", "gut", "super", "passt", "genau", "nochmal", "noch", "gleiche",
    "gleichen", "dasselbe", "anderen", "andere", "datei", "dateien", "funktion", "modul", "ebenso", "auch", "so", "ja", "nein", "klar",
    "prima", "toll", "schon", "fertig", "den", "die", "das", "rest", "zeig", "nimm", "teste", "formatiere", "pushen",
    // French
    "continue", "merci", "oui", "non", "parfait", "encore", "pareil", "meme", "autre", "fichier", "fichiers", "fonction", "vas", "fais",
    "lance", "maintenant", "aussi", "suite", "suivant", "bien", "stp", "pousse", "modules", "bon", "plait",
    // Spanish
    "sigue", "gracias", "vale", "si", "perfecto", "ahora", "tambien", "mismo", "misma", "otro", "otra", "archivo", "archivos", "funcion",
    "modulo", "sube", "haz", "bien", "favor", "hazlo", "siguiente", "genial",
];

fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= BEGINNING + END {
        return text.to_owned();
    }
    let beginning: String = text.chars().take(BEGINNING).collect();
    let end: String = text.chars().skip(count - END).collect();
    format!("{beginning}\n{end}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::claude_code::{ClientTag, TagRole};

    fn sought(prompt: &str) -> Option<String> {
        question(prompt).map(|question| question.text)
    }

    #[test]
    fn a_persons_questions_are_asked() {
        for text in [
            "which port does the server use",
            "/home/anna/app.rs does not compile",
            "服务器使用哪个端口",
            "<div> is not closed here",
        ] {
            assert_eq!(sought(text).as_deref(), Some(text));
        }
        let reminded = "which port <system-reminder>do not tell</system-reminder>do we use";
        assert_eq!(sought(reminded).unwrap(), "which port do we use");
    }

    #[test]
    fn others_are_not() {
        for text in [
            "",
            "yes",
            "go on",
            "/compact",
            "/tars:recall the port of it",
            "!ls -la /tmp here",
            "<task-notification>a b c d</task-notification>",
            "<command-name>/clear</command-name> a b c",
            "[Request interrupted by user] a b c",
            "<system-reminder>a b c d e</system-reminder>",
        ] {
            assert_eq!(question(text), None, "{text}");
        }
    }

    #[test]
    fn a_prompt_that_goes_on_asks_for_nothing() {
        for text in [
            "push it please",
            "now the tests too",
            "same in the other module please",
            "weiter so, danke",
            "ok go ahead and do that",
        ] {
            assert_eq!(question(text), None, "{text}");
        }
        assert_eq!(sought("now the tests of the importer").as_deref(), Some("now the tests of the importer"));
    }

    #[test]
    fn little_words_of_other_languages_are_not_sought() {
        assert_eq!(sought("wann war der Termin beim Augenarzt").as_deref(), Some("Termin Augenarzt"));
        assert_eq!(sought("what does the German word der mean").as_deref(), Some("what does the German word der mean"));
    }

    #[test]
    fn a_tag_that_transcripts_know_is_known_to_prompts() {
        for tag in ClientTag::ALL {
            let block = format!("<{0}>a b c d</{0}>", tag.name);
            assert_eq!(question(&block), None, "{block}");
        }
        for tag in ClientTag::ALL.iter().filter(|tag| tag.role == TagRole::Addition) {
            let added = format!("<{0}>a b c d</{0}>which port do we use", tag.name);
            assert_eq!(sought(&added).as_deref(), Some("which port do we use"));
        }
    }

    #[test]
    fn long_prompts_are_cut_to_their_ends() {
        let text = format!("first words {} last words", "x ".repeat(2_500_000));
        let asked = sought(&text).unwrap();
        assert!(asked.starts_with("first words") && asked.ends_with("last words") && asked.len() < 2_100);
    }
}
