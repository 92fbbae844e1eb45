//! Which prompts are a person's, and what is looked for.

use crate::analysis::{bare, is_little_word_elsewhere, is_stop_word};
use crate::client::claude_code::typed_prompt;
use crate::digest::own_words;
use crate::languages::is_general;
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
    is_meant.then_some(Question { text, intent })
}

/// Whether a prompt names something that notes could be about: "now the tests too" goes on with what the session is at.
fn has_subject(text: &str) -> bool {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).map(bare);
    let says_something = |word: &String| {
        word.chars().count() > 1 && !is_stop_word(word) && !is_little_word_elsewhere(word) && !is_general(word)
    };
    words.filter(says_something).count() > 0
}

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
            "continua così, grazie",
            "adesso anche gli altri file",
            "obrigado, agora também outros arquivos",
            "bedankt, nu graag verder",
            "dobrze, teraz to samo jeszcze raz",
            "спасибо, теперь и остальное",
            "harika, şimdi aynı dosya",
        ] {
            assert_eq!(question(text), None, "{text}");
        }
        for text in [
            "now the tests of the importer",
            "adesso anche il modulo delle fatture",
            "agora os testes do importador",
            "nu ook de facturen graag",
            "teraz testy importera proszę",
            "теперь тесты импорта",
            "şimdi fatura testleri lütfen",
            "open the door please",
            "was ist der bestand",
            "cual es el fallo",
            "wie war das mit der Inna",
            "tez ne zaman",
        ] {
            assert_eq!(sought(text).as_deref(), Some(text));
        }
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
