//! Splits prose into sentences, without a model.

use tars_text::abbreviations::is_abbreviated;
use tars_text::markdown::{CodeFence, list_item};

/// Returns the sentences of a markdown text in order. Each list item or standalone line is split on its own. Headings,
/// code blocks, tables, quotes and rules are skipped, and emphasis marks are removed.
pub fn sentences(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut paragraph = String::new();
    let mut fence = CodeFence::default();
    for line in text.lines().map(str::trim) {
        let item = item(line);
        let is_prose =
            !fence.holds(line) && !line.starts_with(['#', '|', '>', '<']) && line.chars().any(char::is_alphanumeric);
        if !is_prose || item.is_some() {
            split(&std::mem::take(&mut paragraph), &mut found);
        }
        if is_prose {
            paragraph.push(' ');
            paragraph.push_str(item.unwrap_or(line));
        }
    }
    split(&paragraph, &mut found);
    found
}

/// Returns the text of a list item.
fn item(line: &str) -> Option<&str> {
    let rest = list_item(line)?;
    Some(["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| rest.strip_prefix(mark)).unwrap_or(rest))
}

fn split(paragraph: &str, found: &mut Vec<String>) {
    let text = paragraph.replace("**", "").replace("__", "");
    let mut start = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let end = at + character.len_utf8();
        let next = characters.peek().map(|(_, next)| *next);
        let ends = match character {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' | '؟' => {
                next.is_none_or(char::is_whitespace) && !is_abbreviated(&text[start..end], &text[end..])
            }
            _ => false,
        };
        if ends {
            push(&text[start..end], found);
            start = end;
        }
    }
    push(&text[start..], found);
}

fn push(sentence: &str, found: &mut Vec<String>) {
    let sentence = sentence.trim();
    if sentence.chars().any(char::is_alphanumeric) {
        found.push(sentence.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_split_and_other_markdown_skipped() {
        let text = "# Title\nThe **timer** in timer.rs overflowed,\ne.g. at midnight. It counts minutes now!\n\n```rust\nlet a. b\n```\n\
                    | a | b |\n- First item. Second?\n2. Numbered\n- [ ] a task\n> quoted\n---\n日本語。次の文";
        assert_eq!(
            sentences(text),
            [
                "The timer in timer.rs overflowed, e.g. at midnight.",
                "It counts minutes now!",
                "First item.",
                "Second?",
                "Numbered",
                "a task",
                "日本語。",
                "次の文",
            ]
        );
        assert!(sentences("").is_empty());
    }

    #[test]
    fn a_sentence_is_not_cut_at_a_title() {
        let text = "We decided that Dr. Maier from Kiel paints the hull on 12. März. Prof. Dr. med. Weber agrees.";
        let whole =
            ["We decided that Dr. Maier from Kiel paints the hull on 12. März.", "Prof. Dr. med. Weber agrees."];
        assert_eq!(sentences(text), whole);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_split(text in "([-#*.?!`|> \n]|a|é|。|1){0,40}") {
            sentences(&text);
        }
    }
}
