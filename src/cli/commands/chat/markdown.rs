//! Incremental markdown rendering for a terminal: emphasis, code, links, headings, lists, quotations and tables. Wraps at blanks, and
//! between wide characters, because languages without blanks use them.

use anstyle::{AnsiColor, Effects, Style};

use super::inline::{ADDRESS, EMPHASIS, LINK, is_mark, is_wide, translated};
use super::table::Table;
use crate::snippet::columns;

const HEADING: Style = AnsiColor::Cyan.on_default().bold();
const CODE: Style = AnsiColor::Yellow.on_default();
const FAINT: Style = Style::new().dimmed();

/// Renders text piece by piece. It holds back text whose meaning is still open: the rest of a line behind a marker, the lines of a table, or
/// a word that may not fit on the line.
#[derive(Default)]
pub(super) struct Renderer {
    width: usize,
    /// The part of the current line whose meaning is open.
    pending: String,
    /// Whether the kind of the current line is known.
    has_begun: bool,
    /// Whether the current line is taken as it is: code, and the fence before it.
    is_raw: bool,
    /// The last character before `pending`.
    before: char,
    /// The lines of a table that has not ended.
    table: Vec<String>,
    /// Used columns of the current line.
    column: usize,
    /// Indent of the further lines of a list item.
    indent: usize,
    /// Text that is held back.
    word: String,
    /// Whether a blank precedes the next word, if the word fits on the line.
    has_gap: bool,
    is_line_start: bool,
    in_block: bool,
    in_heading: bool,
    style: InlineStyle,
}

/// The open marks of a line.
#[derive(Default, Clone, Copy)]
struct InlineStyle {
    in_code: bool,
    in_bold: bool,
    in_emphasis: bool,
    in_link: bool,
    in_address: bool,
}

impl Renderer {
    pub(super) fn new(width: usize) -> Self {
        Self { width, is_line_start: true, before: ' ', ..Self::default() }
    }

    /// Returns the output for one more piece of text.
    pub(super) fn push(&mut self, piece: &str) -> String {
        let mut out = String::new();
        self.pending.push_str(piece);
        while let Some(end) = self.pending.find('\n') {
            let next = self.pending.split_off(end + 1);
            self.pending.truncate(end);
            self.take(&mut out, true);
            self.pending = next;
        }
        self.take(&mut out, false);
        out
    }

    /// Takes what is known of the current line, all of it if the line has ended (`is_whole`).
    fn take(&mut self, out: &mut String, is_whole: bool) {
        if !self.has_begun {
            let start = self.pending.trim_start();
            // One or two marks may become a fence.
            let is_open = start.is_empty() || (start.len() < 3 && start.bytes().all(|byte| byte == b'`'));
            if is_open && !is_whole {
                return;
            }
            if !self.in_block && start.starts_with('|') {
                if is_whole {
                    self.table.push(std::mem::take(&mut self.pending));
                }
                return;
            }
            self.end_table(out);
            self.is_raw = self.in_block || self.pending.trim_start().starts_with("```");
            (self.has_begun, self.before) = (true, ' ');
        }
        if self.is_raw {
            let text = std::mem::take(&mut self.pending);
            self.words(&text, out);
        } else {
            let (text, taken) = translated(&self.pending, self.before, is_whole);
            self.before = self.pending[..taken].chars().next_back().unwrap_or(self.before);
            self.pending.drain(..taken);
            self.words(&text, out);
        }
        if is_whole {
            self.line_end(out);
            (self.has_begun, self.is_raw) = (false, false);
        }
    }

    /// Prints the table that has ended, or its lines if it is none.
    fn end_table(&mut self, out: &mut String) {
        let lines = std::mem::take(&mut self.table);
        if lines.is_empty() {
            return;
        }
        let Some(table) = Table::of(&lines) else {
            for line in &lines {
                self.words(&translated(line, ' ', true).0, out);
                self.line_end(out);
            }
            return;
        };
        match table.in_columns(self.width, &styled_cell) {
            Some(text) => out.push_str(&text),
            None => {
                for line in table.in_rows().lines() {
                    self.words(line, out);
                    self.line_end(out);
                }
            }
        }
    }

    /// Prints translated text of a line.
    fn words(&mut self, text: &str, out: &mut String) {
        for letter in text.chars() {
            match letter {
                ' ' | '\t' if !self.in_block => {
                    self.flush(out);
                    if self.column > 0 && !self.is_line_start {
                        self.has_gap = true;
                    } else if self.is_line_start {
                        self.indent += 1;
                        out.push(' ');
                        self.column += 1;
                    }
                }
                letter => {
                    self.word.push(letter);
                    if is_wide(letter) && !self.in_block {
                        self.flush(out);
                    }
                }
            }
        }
    }

    /// Returns the remaining output.
    pub(super) fn finish(&mut self) -> String {
        let mut out = String::new();
        if self.has_begun || !self.pending.is_empty() {
            self.take(&mut out, true);
        }
        self.end_table(&mut out);
        let width = self.width;
        *self = Self::new(width);
        out
    }

    fn line_end(&mut self, out: &mut String) {
        if self.is_line_start && self.word.trim_start().starts_with("```") {
            self.in_block = !self.in_block;
            self.word.clear();
            out.push_str(&format!("{FAINT}┄┄┄{FAINT:#}"));
        } else if self.in_block {
            out.push_str(&format!("  {CODE}{}{CODE:#}", self.word));
            self.word.clear();
        }
        self.flush(out);
        out.push('\n');
        (self.column, self.indent, self.has_gap, self.is_line_start) = (0, 0, false, true);
        (self.style, self.in_heading) = (InlineStyle::default(), false);
    }

    /// Prints the pending word, on a new line if it does not fit.
    fn flush(&mut self, out: &mut String) {
        let word = std::mem::take(&mut self.word);
        if word.is_empty() || self.in_block {
            self.word = word;
            return;
        }
        if std::mem::take(&mut self.is_line_start) {
            if word.chars().all(|c| c == '#') {
                self.in_heading = true;
                return;
            }
            if word.starts_with("```") {
                // The fence ends with its line.
                (self.word, self.is_line_start) = (word, true);
                return;
            }
            if let Some(mark) = mark(&word) {
                out.push_str(mark);
                self.column += columns(mark);
                self.indent += columns(mark) + 1;
                return;
            }
        }
        let shown: String = word.chars().filter(|letter| !is_mark(*letter)).collect();
        let taken = columns(&shown.replace("**", "").replace('`', ""));
        let gap = usize::from(std::mem::take(&mut self.has_gap));
        if self.column > self.indent && self.column + gap + taken > self.width {
            out.push('\n');
            out.push_str(&" ".repeat(self.indent));
            self.column = self.indent;
        } else if gap > 0 {
            out.push(' ');
            self.column += gap;
        }
        self.column += taken;
        self.style.print(&word, self.in_heading, out);
    }
}

impl InlineStyle {
    /// Prints a word, and opens and closes styles at its marks.
    fn print(&mut self, word: &str, in_heading: bool, out: &mut String) {
        let mut rest = word;
        while let Some(first) = rest.chars().next() {
            if let Some(behind) = rest.strip_prefix('`') {
                (self.in_code, rest) = (!self.in_code, behind);
            } else if let Some(behind) = rest.strip_prefix("**").filter(|_| !self.in_code) {
                (self.in_bold, rest) = (!self.in_bold, behind);
            } else if is_mark(first) {
                self.mark(first);
                rest = &rest[first.len_utf8()..];
            } else {
                let ends = |letter: char| matches!(letter, '*' | '`') || is_mark(letter);
                let end = rest[first.len_utf8()..].find(ends).map_or(rest.len(), |at| at + first.len_utf8());
                let style = self.style(in_heading);
                out.push_str(&format!("{style}{}{style:#}", &rest[..end]));
                rest = &rest[end..];
            }
        }
    }

    fn mark(&mut self, mark: char) {
        for (marks, is_open) in
            [(EMPHASIS, &mut self.in_emphasis), (LINK, &mut self.in_link), (ADDRESS, &mut self.in_address)]
        {
            if marks.contains(&mark) {
                *is_open = mark == marks[0];
            }
        }
    }

    fn style(self, in_heading: bool) -> Style {
        let base = match (self.in_code, in_heading, self.in_address) {
            (true, ..) => CODE,
            (_, true, _) => HEADING,
            (.., true) => FAINT,
            _ => Style::new(),
        };
        let effects =
            [(self.in_bold, Effects::BOLD), (self.in_emphasis, Effects::ITALIC), (self.in_link, Effects::UNDERLINE)];
        effects.into_iter().filter(|(is_open, _)| *is_open).fold(base, |style, (_, effect)| style | effect)
    }
}

/// Returns a cell of a table with its styles.
fn styled_cell(cell: &str) -> String {
    let mut out = String::new();
    InlineStyle::default().print(cell, false, &mut out);
    out
}

/// Returns the replacement of a word that begins a list item or a quotation.
fn mark(word: &str) -> Option<&str> {
    let digits = word.strip_suffix(['.', ')']).unwrap_or_default();
    let is_number = (1..=3).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    match word {
        "-" | "*" | "+" => Some("•"),
        ">" => Some("│"),
        _ => is_number.then_some(word),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plain(text: &str, width: usize) -> String {
        let mut renderer = Renderer::new(width);
        let out = renderer.push(text) + &renderer.finish();
        anstream::adapter::strip_str(&out).to_string()
    }

    #[test]
    fn markers_become_styles_and_words_are_wrapped() {
        assert_eq!(plain("## Two **words** and `code`\n", 40), "Two words and code\n");
        assert_eq!(plain("- one two three four", 12), "• one two\n  three four\n");
        assert_eq!(plain("```rust\nlet a = **b;\n```\nafter", 40), "┄┄┄\n  let a = **b;\n┄┄┄\nafter\n");
        assert_eq!(plain("a * b", 40), "a * b\n");
        assert_eq!(plain("1. one two three", 12), "1. one two\n   three\n");
        assert_eq!(plain("> one two three", 12), "│ one two\n  three\n");
        assert_eq!(plain("In 2026. It", 40), "In 2026. It\n");
        assert_eq!(plain("日本語のテキスト **太字**", 10), "日本語のテ\nキスト 太\n字\n");
    }

    #[test]
    fn single_stars_are_emphasis_and_other_stars_stay() {
        for (text, shown) in [
            ("It is *very* cold, _really_.", "It is very cold, really."),
            ("***Both*** at once", "Both at once"),
            ("*two words* here", "two words here"),
            ("2*3*4 and a * b", "2*3*4 and a * b"),
            ("*.md and *.rs", "*.md and *.rs"),
            ("snake_case_name and _private", "snake_case_name and _private"),
            ("`*args*` stay", "*args* stay"),
            ("* an item", "• an item"),
            ("*only on Mondays", "*only on Mondays"),
            (r"\*no emphasis\*", "*no emphasis*"),
            ("これは*大事*です", "これは大事です"),
        ] {
            assert_eq!(plain(text, 60), format!("{shown}\n"), "{text}");
        }
        let mut renderer = Renderer::new(40);
        let out = renderer.push("so *far* away") + &renderer.finish();
        let italic = Style::new().italic();
        assert!(out.contains(&format!("{italic}far{italic:#}")), "{out:?}");
    }

    #[test]
    fn links_show_their_text_and_their_address() {
        for (text, shown) in [
            (
                "See [the *manual*](https://example.net/a_b_c \"A title\").",
                "See the manual (https://example.net/a_b_c).",
            ),
            ("[https://example.net](https://example.net)", "https://example.net"),
            ("In [[Boat]] and [[Boat#Hull|the hull]]", "In Boat and the hull"),
            ("![a plan](plan.png)", "a plan (plan.png)"),
            ("- [ ] a task [1]", "• [ ] a task [1]"),
            ("a[0](1", "a[0](1"),
            ("[not closed", "[not closed"),
        ] {
            assert_eq!(plain(text, 80), format!("{shown}\n"), "{text}");
        }
    }

    #[test]
    fn tables_stand_in_columns_or_row_by_row() {
        let table = "Ports:\n\n| name | port |\n|:-----|-----:|\n| **staging** | 8471 |\n| a \\| b | `80` |\n\nDone";
        assert_eq!(plain(table, 40), "Ports:\n\nname     port\n───────  ────\nstaging  8471\na | b    80\n\nDone\n");
        assert_eq!(plain(table, 10), "Ports:\n\nname:\nstaging\nport: 8471\n\nname: a |\nb\nport: 80\n\nDone\n");
        assert_eq!(plain("| no table\nat all", 40), "| no table\nat all\n");
        assert_eq!(plain("```\n| a |\n|---|\n```", 40), "┄┄┄\n  | a |\n  |---|\n┄┄┄\n");
    }

    proptest! {
        #[test]
        fn pieces_render_like_the_whole_text(text in "[a-z*_`#\\[\\]()|!\\\\\\- \n]{0,80}", at in 0..80usize) {
            let at = at.min(text.len());
            let mut renderer = Renderer::new(30);
            let pieces = renderer.push(&text[..at]) + &renderer.push(&text[at..]) + &renderer.finish();
            let mut whole = Renderer::new(30);
            let once = whole.push(&text) + &whole.finish();
            prop_assert_eq!(pieces, once);
        }

        #[test]
        fn no_letter_is_lost(text in "[a-z \n]{0,200}", width in 16..60usize) {
            let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).collect::<String>();
            prop_assert_eq!(letters(&plain(&text, width)), letters(&text));
        }
    }
}
