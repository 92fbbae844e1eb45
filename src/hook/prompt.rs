//! Decides which prompts are a person's questions, and extracts the query.

use tars_agent::client::AgentClient;
use tars_agent::digest::own_words;
use tars_service::{Intent, intent};
use tars_text::analysis::{is_foreign_stop_word, is_stop_word, normalize_word};
use tars_text::languages::is_generic_word;

/// A prompt with fewer words is an answer ("yes, please") rather than a question.
const MIN_WORDS: usize = 3;
/// Characters that correspond to [`MIN_WORDS`] in a script without blanks.
const MIN_UNSPACED: usize = 6;
/// A long prompt is cut to its beginning and its end, in characters.
const BEGINNING: usize = 1_500;
const END: usize = 500;

/// A query, with the intent that decides how easily notes match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Question {
    /// The query text.
    pub(super) text: String,
    /// The intent of the person.
    pub(super) intent: Intent,
}

/// Returns the question in a prompt; `None` if the prompt does not come from a person, is a command of the client, or is too short to
/// search for.
pub(super) fn question(client: AgentClient, prompt: &str) -> Option<Question> {
    let typed = own_words(&client.typed_prompt(prompt)?);
    let text = typed.trim();
    let unspaced = text.chars().filter(|character| tars_text::analysis::is_unspaced(*character)).count();
    if text.split_whitespace().count() < MIN_WORDS && unspaced < MIN_UNSPACED {
        return None;
    }
    let text = shortened(text);
    let intent = intent(&text);
    let is_meant = (unspaced > 0 || has_subject(&text)) && intent != Intent::Code;
    is_meant.then_some(Question { text, intent })
}

/// Returns whether a prompt has a subject that notes could be about. "now the tests too" has none: it continues the current work.
fn has_subject(text: &str) -> bool {
    let words =
        text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).map(normalize_word);
    let says_something = |word: &String| {
        word.chars().count() > 1 && !is_stop_word(word) && !is_foreign_stop_word(word) && !is_generic_word(word)
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
    use tars_agent::client::claude_code::{ClientTag, TagRole};

    fn query(prompt: &str) -> Option<String> {
        question(AgentClient::ClaudeCode, prompt).map(|question| question.text)
    }

    #[test]
    fn questions_of_a_person_become_queries() {
        for text in [
            "which port does the server use",
            "/home/anna/app.rs does not compile",
            "服务器使用哪个端口",
            "<div> is not closed here",
        ] {
            assert_eq!(query(text).as_deref(), Some(text));
        }
        let reminded = "which port <system-reminder>do not tell</system-reminder>do we use";
        assert_eq!(query(reminded).unwrap(), "which port do we use");
    }

    #[test]
    fn commands_tags_and_short_answers_become_no_query() {
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
            assert_eq!(query(text), None, "{text}");
        }
    }

    #[test]
    fn a_prompt_that_only_continues_becomes_no_query() {
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
            assert_eq!(query(text), None, "{text}");
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
            assert_eq!(query(text).as_deref(), Some(text));
        }
    }

    #[test]
    fn every_client_tag_is_stripped_from_prompts() {
        for tag in ClientTag::ALL {
            let block = format!("<{0}>a b c d</{0}>", tag.name);
            assert_eq!(query(&block), None, "{block}");
        }
        for tag in ClientTag::ALL.iter().filter(|tag| tag.role == TagRole::Addition) {
            let added = format!("<{0}>a b c d</{0}>which port do we use", tag.name);
            assert_eq!(query(&added).as_deref(), Some("which port do we use"));
        }
    }

    #[test]
    fn long_prompts_keep_their_beginning_and_end() {
        let text = format!("first words {} last words", "x ".repeat(2_500_000));
        let asked = query(&text).unwrap();
        assert!(asked.starts_with("first words") && asked.ends_with("last words") && asked.len() < 2_100);
    }
}
