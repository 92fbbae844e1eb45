//! Takes out of an answer what the model only repeats: the frame in which tars gives it excerpts, the words of tars' own tools, and lines
//! that the memory holds already. None of it is an outcome of the conversation.

use std::collections::HashSet;

use tars_agent::context_block::{unescape_line, without_frame};
use tars_agent::digest::sentences;

/// Texts that an answer may repeat.
#[derive(Debug, Default)]
pub(super) struct Echoes(HashSet<String>);

impl Echoes {
    /// Adds a text that the model was given: a file of the memory, or the result of a tool.
    pub(super) fn add(&mut self, text: &str) {
        let text = unescape_line(&without_frame(text));
        // A line of a result may be told as a whole, or sentence by sentence.
        self.0.extend(text.lines().map(plain).chain(sentences(&text).iter().map(|sentence| plain(sentence))));
    }

    /// Returns the answer without its sentences that repeat one of the texts.
    pub(super) fn removed_from(&self, answer: &str) -> String {
        let own = without_frame(answer);
        let kept = own.lines().filter_map(|line| {
            let said = sentences(line);
            let new: Vec<&String> = said.iter().filter(|sentence| !self.repeats(sentence)).collect();
            match new.len() {
                count if count == said.len() => Some(line.to_owned()),
                0 => None,
                _ => Some(new.into_iter().map(String::as_str).collect::<Vec<_>>().join(" ")),
            }
        });
        kept.collect::<Vec<_>>().join("\n")
    }

    fn repeats(&self, sentence: &str) -> bool {
        self.0.contains(&plain(&unescape_line(sentence)))
    }
}

/// Returns a sentence without its marks and its case.
fn plain(sentence: &str) -> String {
    let words = sentence.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tars_agent::context_block::Keep;
    use tars_service::agent_text::excerpt;

    #[test]
    fn the_frame_of_excerpts_and_the_words_of_a_tool_are_no_answer() {
        let block = excerpt(("Boat.md", 3), "The boat lies in Kappeln.\n- Hull > keel", Keep::Start, 500).unwrap();
        let mut echoes = Echoes::default();
        echoes.add(&block);
        echoes.add("Remembered in tars/Memory.md.");
        let answer = format!("{block}\nRemembered in tars/Memory.md. The keel was the cause.\n- hull > keel");
        assert_eq!(echoes.removed_from(&answer).trim(), "The keel was the cause.");
        let own = "The boat lies in Kappeln behind the mill.\n```\nlet a = 1;\n```";
        assert_eq!(echoes.removed_from(own), own);
    }
}
