//! Cleans foreign markdown of several paragraphs and keeps its lists, tables and code.

use super::{cleaned_sentence, inert_line};
use crate::markdown::list_item;

/// Longest line of text outside of code, in bytes. A longer one becomes several.
const MAX_LINE_BYTES: usize = 4_000;
/// Deepest indentation that is kept, in columns.
const MAX_INDENT: usize = 24;
/// Most marks of quotes and lists at the start of a line.
const MAX_MARKS: usize = 8;
/// HTML whose block does not end at a blank line: unclosed, it would swallow the rest of the note.
const ENDLESS_BLOCKS: [&str; 6] = ["!", "?", "pre", "script", "style", "textarea"];

/// Cleans foreign markdown for use below a heading of a note. No line of the result is a heading, a thematic break or the start of
/// something that would reach beyond the result; links, images, comments and HTML tags that load something are broken up. Text in code
/// stays as it is, and each code block is closed. The caller has redacted secrets of several lines.
pub fn cleaned_markdown(text: &str) -> Vec<String> {
    let text = balanced(text);
    let mut out: Vec<String> = Vec::new();
    let mut paragraph: Vec<&str> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(fence) = Fence::opened_by(line) {
            push_paragraph(&mut out, &mut paragraph);
            let block: Vec<&str> = lines.by_ref().take_while(|line| !fence.is_closed_by(line)).collect();
            fence.push(&mut out, &block);
        } else if line.trim().is_empty() {
            push_paragraph(&mut out, &mut paragraph);
            push_line(&mut out, String::new());
        } else {
            paragraph.extend(parts(line));
        }
    }
    push_paragraph(&mut out, &mut paragraph);
    while out.pop_if(|last| last.is_empty()).is_some() {}
    out
}

/// Breaks up marks of formulas that have no counterpart: they would hide the headings up to the next mark in the note.
fn balanced(text: &str) -> String {
    let mut text = text.replace(['\u{2028}', '\u{2029}'], " ");
    if text.matches("$$").count() % 2 == 1 {
        text = text.replace("$$", "$ $");
    }
    if text.matches("\\[").count() != text.matches("\\]").count() {
        text = text.replace("\\[", "\\ [").replace("\\]", "\\ ]");
    }
    text
}

/// Adds a line, but no second blank one and none at the beginning.
fn push_line(out: &mut Vec<String>, line: String) {
    if !line.is_empty() || out.last().is_some_and(|last| !last.is_empty()) {
        out.push(line);
    }
}

fn push_paragraph(out: &mut Vec<String>, paragraph: &mut Vec<&str>) {
    // Backticks pair across the lines of a paragraph. Unless each line pairs its own, no text counts as code.
    let pairs =
        |line: &&str| line.matches('`').count().is_multiple_of(2) && !line.contains("``") && !line.contains("\\`");
    let has_code = paragraph.iter().all(pairs);
    for line in paragraph.drain(..) {
        push_line(out, cleaned(line, has_code));
    }
}

/// Cleans a line outside of code blocks. A mark that becomes the start of the line only by the removal of others is found too.
fn cleaned(line: &str, has_code: bool) -> String {
    let columns: usize = line
        .chars()
        .take_while(|character| character.is_whitespace())
        .map(|character| if character == '\t' { 4 } else { 1 })
        .sum();
    let text = if has_code { cleaned_sentence(line) } else { inert_line(line) };
    let (marks, said) = split_marks(&text);
    // Removing the mark of a fence could leave another mark at the start.
    let said = if said.starts_with("```") { said.replacen("```", "'''", 1) } else { said.replacen("~~~", "~ ~~", 1) };
    let said = said.as_str();
    if !said.is_empty() && said.chars().all(|character| "-=_*+` ~".contains(character)) {
        return String::new();
    }
    let heading = said.trim_start_matches('#');
    let said = if heading.len() < said.len() && (heading.is_empty() || heading.starts_with(' ')) {
        let heading = heading.trim().trim_end_matches('#').trim().trim_matches('*');
        if heading.is_empty() { String::new() } else { format!("**{heading}**") }
    } else if said.strip_prefix('<').is_some_and(is_endless_block) {
        said.replacen('<', "< ", 1)
    } else {
        said.to_owned()
    };
    if said.is_empty() && !marks.starts_with('>') {
        return String::new();
    }
    format!("{}{marks}{said}", " ".repeat(columns.min(MAX_INDENT))).trim_end().to_owned()
}

fn is_endless_block(tag: &str) -> bool {
    ENDLESS_BLOCKS.iter().any(|name| tag.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name)))
}

/// Splits a line into its marks of quotes and lists, in one form, and its text.
fn split_marks(line: &str) -> (String, &str) {
    let (mut marks, mut rest) = (String::new(), line);
    for _ in 0..MAX_MARKS {
        if let Some(quoted) = rest.strip_prefix('>') {
            marks.push_str("> ");
            rest = quoted.trim_start();
        } else if let Some(item) = list_item(rest) {
            marks.push_str(rest.split(' ').next().unwrap_or_default());
            marks.push(' ');
            rest = item;
        } else {
            return (marks, rest);
        }
    }
    (marks, rest.trim_start_matches(['>', '-', '*', '+', ' ']))
}

/// Cuts a long line into parts, at blanks where it has any.
fn parts(line: &str) -> Vec<&str> {
    let (mut parts, mut rest) = (Vec::new(), line);
    while rest.len() > MAX_LINE_BYTES {
        let end = rest.floor_char_boundary(MAX_LINE_BYTES);
        let end = rest[..end].rfind(' ').filter(|at| at * 2 > end).unwrap_or(end);
        parts.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    parts.push(rest);
    parts
}

/// The fence that opens a code block.
struct Fence<'t> {
    mark: char,
    length: usize,
    indent: usize,
    language: &'t str,
}

impl<'t> Fence<'t> {
    /// Reads a fence of any indentation: it may stand in a list.
    fn opened_by(line: &'t str) -> Option<Self> {
        let text = line.trim_start();
        let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let rest = text.trim_start_matches(mark);
        let (length, language) = (text.len() - rest.len(), rest.trim());
        (length >= 3 && !(mark == '`' && language.contains('`'))).then(|| Self {
            mark,
            length,
            indent: line.len() - text.len(),
            language,
        })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let text = line.trim();
        text.len() >= self.length && text.chars().all(|mark| mark == self.mark)
    }

    /// Adds the block with a fence that no line of it closes, at the start of the line: within a list, a line of code could end the list
    /// and with it the block.
    fn push(&self, out: &mut Vec<String>, block: &[&str]) {
        let is_marked = |mark: &str| block.iter().any(|line| line.trim_start().starts_with(mark));
        let (mark, other) = if is_marked("```") { ("~~~", "~~~") } else { ("```", "```") };
        let plain = |c: &char| c.is_ascii_alphanumeric() || "+#-_.".contains(*c);
        let language: String = self.language.chars().take_while(plain).take(30).collect();
        out.push(format!("{mark}{language}"));
        for line in block {
            let blanks = line.len() - line.trim_start_matches(' ').len();
            let line = &line[blanks.min(self.indent)..];
            let is_fence = line.trim_start().starts_with(other);
            out.push(if is_fence { line.replacen("~~~", "~ ~~", 1) } else { line.trim_end().to_owned() });
        }
        out.push(mark.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(text: &str) -> String {
        cleaned_markdown(text).join("\n")
    }

    #[test]
    fn lists_tables_quotes_and_code_stay() {
        let text = "Do this:\n\n1. first\n   - `a[[b]]`\n2) second\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted\n> more\n\n\
                    ```rust\nfn main() {\n    let x = \"[[y]]\"; // # no heading\n}\n```\nafter";
        assert_eq!(cleaned(text), text);
        assert_eq!(cleaned("- a\n   ```sh\n   ls\n     -l\n   ```\n- b"), "- a\n```sh\nls\n  -l\n```\n- b");
    }

    #[test]
    fn no_line_is_a_heading_or_a_break() {
        for (said, kept) in [
            ("# Head ##", "**Head**"),
            ("> ## Head", "> **Head**"),
            ("- # Head", "- **Head**"),
            ("[](x)# Head", "**Head**"),
            ("text\n---", "text"),
            ("text\n===\nmore", "text\n\nmore"),
            ("---\ntars: private\n---\ntext", "tars: private\n\ntext"),
            ("a\n-\nb", "a\n\nb"),
            ("* * *", ""),
            ("#tag and #5", "#tag and #5"),
            ("**bold**", "**bold**"),
        ] {
            assert_eq!(cleaned(said), kept, "{said:?}");
        }
    }

    #[test]
    fn nothing_reaches_beyond_the_text() {
        for (said, kept) in [
            ("```\nopen", "```\nopen\n```"),
            ("~~~~\n```\nx\n~~~\n~~~~", "~~~\n```\nx\n~ ~~\n~~~"),
            ("> ```\n> x", "> '''\n> x"),
            ("<pre>x", "< pre>x"),
            ("<?php", "< ?php"),
            ("<!-- x", "< ! -- x"),
            ("$$ x", "$ $ x"),
            ("\\[ x", "\\ [ x"),
            ("\\[ x \\]", "\\[ x \\]"),
            ("see ![p](http://x/p.png) and [[Private]]", "see p and Private"),
            ("one `\nand `[[Private]]` there", "one `\nand `Private` there"),
        ] {
            assert_eq!(cleaned(said), kept, "{said:?}");
        }
    }

    #[test]
    fn long_lines_become_several() {
        let lines = cleaned_markdown(&"word ".repeat(5_000));
        assert!(lines.len() > 5 && lines.iter().all(|line| line.len() <= MAX_LINE_BYTES), "{}", lines.len());
        assert_eq!(cleaned_markdown(&"é".repeat(5_000)).concat(), "é".repeat(5_000));
        assert_eq!(cleaned_markdown(""), Vec::<String>::new());
    }

    proptest::proptest! {
        #[test]
        fn every_code_block_is_closed_and_no_heading_is_left(text in "([#>`~=$a \n\t-]|```|~~~|<pre>|\\[|\\]|\\(x\\)|%%|<!--){0,60}") {
            let mut fence = crate::markdown::CodeFence::default();
            for line in cleaned_markdown(&text) {
                let is_code = fence.holds(&line);
                proptest::prop_assert!(is_code || !line.trim_start().starts_with("# "), "{line:?}");
            }
            proptest::prop_assert!(!fence.holds("text"), "open: {:?}", cleaned_markdown(&text));
        }
    }
}
