//! The inline fields of the Obsidian plugin Dataview: properties within the text.
//!
//! `key:: value` takes a whole line, also in a list or a quote; `[key:: value]` and `(key:: value)` stand within one. Fields of a task say
//! something about the task, not about the note, and code has none.

use super::code_fence::CodeFence;
use super::list_item::list_item;
use super::task::task;
use tars_base::domain::Property;

/// Most fields of a note, and the longest line that is searched for them, in bytes: beyond lies data, not text.
const MOST: usize = 512;
const LONGEST_LINE: usize = 16 * 1024;
/// Longest name, in characters: longer ones are sentences.
const LONGEST_NAME: usize = 40;

/// Returns the fields in the lines of a note's body.
pub(super) fn of_body<'t>(lines: impl Iterator<Item = &'t str>) -> Vec<Property> {
    let (mut fence, mut found) = (CodeFence::default(), Vec::new());
    for line in lines {
        if fence.holds(line) || line.len() > LONGEST_LINE || !line.contains("::") || task(line).is_some() {
            continue;
        }
        of_line(line, &mut found);
        if found.len() >= MOST {
            found.truncate(MOST);
            break;
        }
    }
    found
}

fn of_line(line: &str, found: &mut Vec<Property>) {
    let text = line.trim_start_matches(|c: char| c.is_whitespace() || c == '>');
    let text = list_item(text).unwrap_or(text).trim();
    if let Some((key, value)) = text.split_once("::")
        && value.starts_with([' ', '\t'])
        && let Some(property) = property(key, value)
    {
        found.push(property);
        return;
    }
    let mut is_code = false;
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let after = &rest[next.len_utf8()..];
        rest = after;
        match next {
            '`' => is_code = !is_code,
            '[' | '(' if !is_code => {
                let Some(inside) = enclosed(after, next) else { continue };
                // The brackets of a link hold no field, but those within them may.
                let Some((key, value)) = inside.split_once("::") else { continue };
                if let Some(property) = property(key, value) {
                    found.push(property);
                    rest = &after[inside.len()..];
                }
            }
            _ => {}
        }
    }
}

/// Returns the text up to the bracket that closes `open`, which stands before `text`; bounded, because lines may be full of brackets.
fn enclosed(text: &str, open: char) -> Option<&str> {
    const LONGEST: usize = 512;
    const DEEPEST: usize = 8;
    let close = if open == '[' { ']' } else { ')' };
    let mut depth = 1;
    for (at, letter) in text.char_indices().take(LONGEST) {
        if letter == open {
            depth += 1;
        } else if letter == close {
            depth -= 1;
        }
        if depth == 0 {
            return Some(&text[..at]);
        }
        if depth > DEEPEST {
            return None;
        }
    }
    None
}

fn property(key: &str, value: &str) -> Option<Property> {
    let key = key.trim().trim_matches(['*', '_']).trim();
    let value = value.trim();
    let quoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).filter(|value| !value.contains('"'));
    let value = quoted.unwrap_or(value).trim_start_matches("**").trim();
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, ' ' | '_' | '-' | '/');
    let is_name = key.starts_with(char::is_alphabetic) && key.chars().all(is_part);
    let is_field = is_name && key.chars().count() <= LONGEST_NAME && !value.is_empty() && !value.starts_with(':');
    is_field.then(|| Property { name: key.to_owned(), value: value.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str) -> Vec<String> {
        of_body(text.split('\n')).into_iter().map(|field| format!("{}={}", field.name, field.value)).collect()
    }

    #[test]
    fn fields_take_a_line_or_stand_in_brackets() {
        for (text, expected) in [
            ("Due:: 2026-05-01", "Due=2026-05-01"),
            ("- **rating**:: 4.5", "rating=4.5"),
            ("> > Due Date:: [[2026-05-01]]", "Due Date=[[2026-05-01]]"),
            ("Read it [rating:: 4] twice (with:: [[Anna Berg|Anna]]).", "rating=4 with=[[Anna Berg|Anna]]"),
            ("1. author:: \"Le Guin, Ursula\"", "author=Le Guin, Ursula"),
            ("a [[Link]] and [x](y) [größe::12]", "größe=12"),
        ] {
            assert_eq!(fields(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn code_tasks_and_prose_have_no_fields() {
        for text in [
            "```\na:: b\n```",
            "use std::vec and `[a:: b]`",
            "std::vec::Vec",
            "- [ ] call Mara [due:: 2026-05-01]",
            "due::",
            ":: x",
            "[[a::b",
            "This is a whole sentence that is far too long for a name:: x",
            "1:: one",
        ] {
            assert_eq!(fields(text), [""; 0], "{text}");
        }
        assert_eq!(fields(&"(".repeat(20_000)), [""; 0]);
        assert_eq!(fields(&format!("{}a:: b", "(".repeat(10_000))), [""; 0]);
        assert_eq!(fields(&"a:: b\n".repeat(2_000)).len(), MOST);
    }
}
