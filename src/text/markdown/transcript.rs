//! Recognizes a saved chat with an assistant in a note: lines that name who speaks, in turn.
//!
//! Programs and people save chats in many forms (`**User:** text`, `### You`, `> [!human]`, `Assistant:`). They share that a line begins with
//! the name of a side, marked as bold, as a heading, as a callout or by a colon, and that both sides occur. Without both there is no chat.

use std::ops::RangeInclusive;

use tars_base::domain::Exchange;

use super::CodeFence;
use super::indexed_line;
use crate::sentences::sentences;

/// Names of the person's side, lower-case.
const PERSONS: &[&str] = &[
    "user",
    "you",
    "me",
    "human",
    "prompt",
    "ich",
    "du",
    "nutzer",
    "benutzer",
    "moi",
    "vous",
    "utilisateur",
    "usuario",
    "tú",
    "yo",
    "utente",
    "usuário",
    "você",
    "gebruiker",
    "użytkownik",
    "пользователь",
    "вы",
    "я",
    "kullanıcı",
    "sen",
    "あなた",
    "ユーザー",
    "你",
    "用户",
    "我",
    "사용자",
];
/// Names of the assistant's side, lower-case; a version may follow.
const ASSISTANTS: &[&str] = &[
    "assistant",
    "ai",
    "bot",
    "model",
    "llm",
    "agent",
    "chatgpt",
    "gpt",
    "openai",
    "claude",
    "gemini",
    "bard",
    "copilot",
    "deepseek",
    "mistral",
    "llama",
    "grok",
    "qwen",
    "perplexity",
    "assistent",
    "asystent",
    "asistente",
    "assistente",
    "ассистент",
    "asistan",
    "助手",
    "アシスタント",
    "어시스턴트",
];
/// Longest name of a side, in characters.
const MAX_NAME: usize = 30;
/// Longest topic, in bytes: about what the context of a passage has room for.
const MAX_TOPIC: usize = 200;
/// Maximum number of bytes of a line to read for its topic. A line may be as long as its note.
const MAX_READ: usize = 4 << 10;

/// The side that speaks from a line on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Person,
    Assistant,
}

/// Returns the exchanges of a saved chat, in order: each begins with words of the person. `lines` start with line `first`. Empty for other
/// notes.
pub(super) fn exchanges<'t>(lines: impl Iterator<Item = &'t str>, first: usize) -> Vec<Exchange> {
    let mut fence = CodeFence::default();
    let mut found: Vec<Exchange> = Vec::new();
    let (mut speaks, mut has_answer, mut waits) = (None, false, false);
    let mut end = first;
    for (number, line) in (first..).zip(lines) {
        end = number + 1;
        if fence.holds(line) {
            continue;
        }
        let mut said = line;
        if let Some((side, rest)) = speaker(line) {
            // Several messages of one side are one turn.
            waits = side == Side::Person && speaks != Some(side);
            if side == Side::Assistant && speaks == Some(Side::Person) {
                has_answer = true;
                if let Some(exchange) = found.last_mut() {
                    exchange.answer_line = number;
                }
            }
            (speaks, said) = (Some(side), rest);
            if waits {
                found.push(Exchange {
                    line: number,
                    answer_line: usize::MAX,
                    topic_line: number,
                    topic: String::new(),
                });
            }
        }
        if waits && let Some(exchange) = found.last_mut() {
            (exchange.topic_line, exchange.topic) = (number, topic(said));
            waits = exchange.topic.is_empty();
        }
    }
    found.retain(|exchange| !exchange.topic.is_empty());
    found.iter_mut().for_each(|exchange| exchange.answer_line = exchange.answer_line.min(end));
    if has_answer { found } else { Vec::new() }
}

/// Returns the exchanges in a part of a saved chat whose first line is `first`. A part without an answer has none, because only a note as a
/// whole shows that it is a chat.
pub fn exchanges_in(part: &str, first: usize) -> Vec<Exchange> {
    exchanges(part.split('\n'), first)
}

/// Returns the line ranges of the person's messages in a part of a saved chat whose first line is `first`, both ends included.
pub fn persons_lines(part: &str, first: usize) -> Vec<RangeInclusive<usize>> {
    exchanges_in(part, first).into_iter().map(|one| one.line..=one.answer_line - 1).collect()
}

/// Returns the side that a line names, and the text behind its name.
fn speaker(line: &str) -> Option<(Side, &str)> {
    let line = line.trim();
    let heading = line.trim_start_matches('#');
    let (name, rest, is_marked) = if heading.len() < line.len() {
        // "#ai" is a tag.
        (heading.strip_prefix([' ', '\t'])?, "", true)
    } else if let Some(callout) = line.strip_prefix("> [!") {
        let (name, rest) = callout.split_once(']')?;
        (name, rest, true)
    } else if let Some((name, rest)) = line.strip_prefix("**").and_then(|line| line.split_once("**")) {
        (name, rest.strip_prefix(':').unwrap_or(rest), true)
    } else {
        let (name, rest) = line.split_once([':', '：'])?;
        (name, rest, false)
    };
    let name = name.trim().trim_end_matches([':', '：']);
    if name.chars().nth(MAX_NAME).is_some() {
        return None;
    }
    let name = name.to_lowercase();
    // An emoji may precede a name; a version, a time or a model may follow it.
    let mut words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let (first, second) = (words.next()?, words.next());
    let side = match first {
        // "You need to" is no name.
        person if PERSONS.contains(&person) && (is_marked || rest.is_empty()) && second.is_none_or(is_suffix) => {
            Side::Person
        }
        person if person == "user" || person == "human" => second.is_none().then_some(Side::Person)?,
        assistant if ASSISTANTS.contains(&assistant) && (is_marked || second.is_none()) => Side::Assistant,
        _ => return None,
    };
    Some((side, rest.trim()))
}

/// Whether a word may follow a person's name: "You said:", "User 12:30".
fn is_suffix(word: &str) -> bool {
    matches!(word, "said" | "asked" | "wrote" | "message" | "input") || word.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns the first sentences of a message that fit, as they are searched; empty for a line without words.
fn topic(line: &str) -> String {
    let line = line.trim_start_matches(['>', '-', '*', ' ']);
    let text = indexed_line(&line[..line.floor_char_boundary(MAX_READ)]);
    let text = text.trim();
    if !text.contains(char::is_alphanumeric) {
        return String::new();
    }
    let fitting =
        sentences(text, MAX_TOPIC).into_iter().map(|sentence| sentence.end).take_while(|end| *end <= MAX_TOPIC);
    text[..fitting.last().unwrap_or(0)].trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topics(text: &str) -> Vec<(usize, String)> {
        exchanges(text.lines(), 1).into_iter().map(|one| (one.line, one.topic)).collect()
    }

    #[test]
    fn a_chat_is_recognized_in_the_forms_that_programs_save() {
        for text in [
            "**User**\n\nWhy does the pump hum?\n\n**Assistant**\n\nAir in it.",
            "**You:** Why does the pump hum?\n**ChatGPT:** Air in it.",
            "### User\nWhy does the pump hum?\n### Claude 3.5 Sonnet\nAir in it.",
            "User: Why does the pump hum?\n\nAssistant: Air in it.",
            "> [!user] \n> Why does the pump hum?\n\n> [!assistant]\n> Air in it.",
            "**You said:**\nWhy does the pump hum?\n**ChatGPT said:**\nAir in it.",
            "## 🧑 Human\nWhy does the pump hum?\n## 🤖 AI\nAir in it.",
        ] {
            assert_eq!(topics(text), [(1, "Why does the pump hum?".to_owned())], "{text}");
        }
    }

    #[test]
    fn each_exchange_has_the_first_sentences_of_the_person() {
        let long = "and so on ".repeat(40);
        let text = format!(
            "# Pump\n**You:** It hums. Why is that? {long}.\n**AI:** Air.\n**You:** And now?\n**You:** Still.\n**AI:** Vent it."
        );
        assert_eq!(topics(&text), [(2, "It hums. Why is that?".to_owned()), (4, "And now?".to_owned())]);
    }

    #[test]
    fn other_notes_are_no_chats() {
        for text in [
            "You: the reader\nMe: the author",
            "## Model\nT-800\n## Prompt\nnone",
            "AI: a field of study\nUser: a person",
            "**Caroline:** Hey!\n**Melanie:** Hi!",
            "```\nUser: a\nAssistant: b\n```",
            "You should vent it: soon\nAssistant manager: Ida",
            "#prompt\nDraw a pump.\n#ai",
            "",
        ] {
            assert_eq!(topics(text), [], "{text}");
        }
    }
}
