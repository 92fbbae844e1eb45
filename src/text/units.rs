//! Splits a text into self-contained units: list items, paragraphs, table rows, code blocks.

use std::ops::RangeInclusive;

use crate::languages::QUESTION_MARKS;
use crate::markdown::list_item;

/// Maximum number of lines of one unit.
const LONGEST: usize = 6;

/// A self-contained part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Its line numbers in the file.
    pub lines: RangeInclusive<usize>,
    /// Its text.
    pub text: String,
    /// The word in front of the code that it belongs to, empty if there is none; `None` outside of code.
    pub code: Option<String>,
}

/// Returns the units of lines whose first line has the number `first`. Headings, rules and blank lines belong to no unit. A list
/// item ends where the next one begins, however deep. Longer units are split after six lines.
pub fn units(lines: &[&str], first: usize) -> Vec<Unit> {
    let mut found: Vec<Unit> = Vec::new();
    let mut is_open = false;
    // The word in front of the code.
    let mut code: Option<String> = None;
    for (index, line) in lines.iter().enumerate() {
        let text = line.trim();
        let is_fence = text.starts_with("```") || text.starts_with("~~~");
        let is_code = code.is_some();
        let is_text = text.chars().any(char::is_alphanumeric) || is_code || is_fence;
        if !is_text || (text.starts_with('#') && !is_code && is_heading(text)) {
            is_open = false;
            continue;
        }
        let begins = !is_code && (is_fence || list_item(text).is_some() || text.starts_with('|'));
        if is_fence && !is_code {
            let words = text.trim_start_matches(['`', '~']).trim_start();
            code = Some(words.split([' ', ',', '{']).next().unwrap_or_default().to_owned());
        }
        let number = first + index;
        match found.last_mut().filter(|last| is_open && !begins && last.lines.clone().count() < LONGEST) {
            Some(last) => {
                last.lines = *last.lines.start()..=number;
                last.text.push('\n');
                last.text.push_str(text);
            }
            None => found.push(Unit { lines: number..=number, text: text.to_owned(), code: code.clone() }),
        }
        if is_fence && is_code {
            code = None;
        }
        // A line that ends a sentence ends the unit: a wrapped paragraph becomes several units, and unmarked list lines one unit each.
        is_open =
            code.is_some() || !(is_fence || text.ends_with(['.', '!', '。', '！']) || text.ends_with(QUESTION_MARKS));
    }
    found
}

fn is_heading(text: &str) -> bool {
    let marks = text.len() - text.trim_start_matches('#').len();
    marks <= 6 && text[marks..].starts_with(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_paragraphs_rows_and_code_are_separate_units() {
        let text = "# People\nAnna likes tea.\nShe is tall.\n\n- Ben: dentist\n  on Friday\n  - 9:30\n- Cleo\n\n| a | b |\n|---|---|\n| c | d |\n```sh\nls\n\ncd x\n```\nend";
        let lines: Vec<&str> = text.split('\n').collect();
        let units = units(&lines, 10);
        let found: Vec<(usize, usize)> = units.iter().map(|unit| (*unit.lines.start(), *unit.lines.end())).collect();
        assert_eq!(found, [(11, 11), (12, 12), (14, 15), (16, 16), (17, 17), (19, 19), (21, 21), (22, 26), (27, 27)]);
        assert_eq!(units[2].text, "- Ben: dentist\non Friday");
        let code: Vec<Option<&str>> = units.iter().map(|unit| unit.code.as_deref()).skip(6).collect();
        assert_eq!(code, [None, Some("sh"), None]);
    }

    #[test]
    fn a_long_unit_is_split() {
        let lines = vec!["word"; 20];
        assert_eq!(units(&lines, 1).len(), 4);
    }
}
