//! Incremental markdown rendering for a terminal: bold, code, headings, lists and quotations. Wraps at blanks, and between wide
//! characters, because languages without blanks use them.

use anstyle::{AnsiColor, Style};

use crate::snippet::columns;

const BOLD: Style = Style::new().bold();
const HEADING: Style = AnsiColor::Cyan.on_default().bold();
const CODE: Style = AnsiColor::Yellow.on_default();
const FAINT: Style = Style::new().dimmed();

/// Renders text piece by piece. It holds back text whose meaning is still open: a marker, or a word that may not fit on the line.
#[derive(Default)]
pub(super) struct Renderer {
    width: usize,
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
    in_code: bool,
    in_bold: bool,
    in_heading: bool,
}

impl Renderer {
    pub(super) fn new(width: usize) -> Self {
        Self { width, is_line_start: true, ..Self::default() }
    }

    /// Returns the output for one more piece of text.
    pub(super) fn push(&mut self, piece: &str) -> String {
        let mut out = String::new();
        for letter in piece.chars() {
            match letter {
                '\n' => self.line_end(&mut out),
                ' ' | '\t' if !self.in_block => {
                    self.flush(&mut out);
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
                        self.flush(&mut out);
                    }
                }
            }
        }
        out
    }

    /// Returns the remaining output.
    pub(super) fn finish(&mut self) -> String {
        let mut out = String::new();
        self.flush(&mut out);
        if self.column > 0 {
            out.push('\n');
        }
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
        (self.in_code, self.in_bold, self.in_heading) = (false, false, false);
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
        let shown: String = word.replace("**", "").replace('`', "");
        let taken = columns(&shown);
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
        let mut rest = word.as_str();
        while !rest.is_empty() {
            let at = rest.find(['*', '`']).unwrap_or(rest.len());
            self.styled(out, &rest[..at]);
            rest = &rest[at..];
            if let Some(behind) = rest.strip_prefix('`') {
                (self.in_code, rest) = (!self.in_code, behind);
            } else if let Some(behind) = rest.strip_prefix("**").filter(|_| !self.in_code) {
                (self.in_bold, rest) = (!self.in_bold, behind);
            } else if let Some(letter) = rest.chars().next() {
                self.styled(out, &rest[..letter.len_utf8()]);
                rest = &rest[letter.len_utf8()..];
            }
        }
    }

    fn styled(&self, out: &mut String, text: &str) {
        let style = match (self.in_code, self.in_heading, self.in_bold) {
            (true, ..) => CODE,
            (_, true, _) => HEADING,
            (.., true) => BOLD,
            _ => Style::new(),
        };
        if !text.is_empty() {
            out.push_str(&format!("{style}{text}{style:#}"));
        }
    }
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

fn is_wide(letter: char) -> bool {
    columns(letter.encode_utf8(&mut [0; 4])) > 1
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

    proptest! {
        #[test]
        fn pieces_render_like_the_whole_text(text in "[a-z*`#\\- \n]{0,80}", at in 0..80usize) {
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
