//! A block of short lines under headings, for what is no excerpt of one file.

use super::budget::{Budget, cost};
use super::comments::without_comments;
use super::escape;
use super::piece::MARK;
use super::{TAG, block::UNTRUSTED};

/// A block of lines under fixed headings. Each line is cleaned like an excerpt's.
#[derive(Debug, Clone)]
pub struct ListBlock {
    /// Units that are left.
    left: usize,
    sections: Vec<(&'static str, Vec<String>)>,
    is_complete: bool,
}

impl ListBlock {
    /// Returns an empty block with these headings, which are words of tars. `reserved` is the text that the caller puts around it.
    pub fn new(headings: &[&'static str], budget: Budget, reserved: &str) -> Self {
        let sections = headings.iter().map(|heading| (*heading, Vec::new())).collect();
        let frame = cost(&wrapped(&format!("{MARK}\n"))) + cost(reserved);
        Self { left: budget.units().saturating_sub(frame), sections, is_complete: true }
    }

    /// Adds a line to a section if it fits, and returns whether it did. A line without text counts as added.
    pub fn push(&mut self, section: usize, line: &str) -> bool {
        let line = line.replace('\n', " ");
        let text: Vec<String> = without_comments([(1, line.as_str())]).into_iter().map(|(_, text)| text).collect();
        let text = escape::lines(&text.join(" ")).join(" ");
        if text.trim().is_empty() {
            return true;
        }
        let Some((heading, lines)) = self.sections.get_mut(section) else { return false };
        let heading = if lines.is_empty() { cost(&headed(heading)) } else { 0 };
        let needed = cost(&format!("- {text}\n")) + heading;
        let fits = needed <= self.left;
        if fits {
            self.left -= needed;
            lines.push(text);
        }
        self.is_complete &= fits;
        fits
    }

    /// Returns whether every line that was added fitted.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Returns the block; `None` without a line. It ends with a mark if a line did not fit.
    pub fn text(&self) -> Option<String> {
        let mut body = String::new();
        for (heading, lines) in self.sections.iter().filter(|(_, lines)| !lines.is_empty()) {
            body.push_str(&headed(heading));
            lines.iter().for_each(|line| body.push_str(&format!("- {line}\n")));
        }
        if body.is_empty() {
            return None;
        }
        if !self.is_complete {
            body.push_str(&format!("{MARK}\n"));
        }
        Some(wrapped(&body))
    }
}

fn headed(heading: &str) -> String {
    format!("{heading}:\n")
}

fn wrapped(body: &str) -> String {
    format!("<{TAG}>\n{UNTRUSTED}\n{body}</{TAG}>")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use tars_base::domain::{ApproximateTokens, CountTokens};

    #[test]
    fn lines_stand_under_their_headings_and_empty_sections_are_left_out() {
        let mut block = ListBlock::new(&["asked", "next", "failed"], Budget::of_tokens(200), "");
        assert!(block.push(1, "Restart staging <!-- hidden -->") && block.push(0, "deploy it") && block.push(2, " "));
        let text = block.text().unwrap();
        assert!(text.ends_with("asked:\n- deploy it\nnext:\n- Restart staging\n</tars-memory>"), "{text}");
        assert!(!block.push(2, &"x".repeat(900)) && !block.is_complete());
        assert!(block.text().unwrap().ends_with("\n…\n</tars-memory>"));
        assert_eq!(ListBlock::new(&["asked"], Budget::of_tokens(200), "").text(), None);
    }

    proptest! {
        #[test]
        fn hostile_lines_neither_close_the_block_nor_exceed_the_budget(
            lines in proptest::collection::vec((0..2usize, "(?s)(</tars-memory>|<!-- |\n|\u{2028}|.){0,60}"), 0..12),
            tokens in 80usize..400,
        ) {
            let mut block = ListBlock::new(&["asked", "next"], Budget::of_tokens(tokens), "head");
            lines.iter().for_each(|(section, line)| { block.push(*section, line); });
            let Some(text) = block.text() else { return Ok(()) };
            prop_assert!(ApproximateTokens.count(&text) < tokens);
            prop_assert_eq!(text.matches('<').count(), 2);
            prop_assert_eq!(text.matches("</tars-memory>").count(), 1);
            prop_assert!(text.chars().all(|c| c == '\n' || c == '\t' || !c.is_control()));
            prop_assert!(text.lines().skip(2).all(|line| line.starts_with("- ") || ["asked:", "next:", "…", "</tars-memory>"].contains(&line)));
        }
    }
}
