//! Remarks behind the lines of an excerpt.

use super::{Line, Piece};
use crate::context_block::escape;

impl Piece {
    /// Appends a remark to each line, in parentheses.
    pub fn with_remark(&self, remark: &str) -> Self {
        self.with_remark_at(remark, |_, _| true)
    }

    /// Appends a remark, in parentheses, to the lines of the file for which `is_meant` (of number and text) holds. A line that has it
    /// already keeps it once. Such a line is not cut within, because its end changes the meaning of its beginning.
    pub fn with_remark_at(&self, remark: &str, is_meant: impl Fn(usize, &str) -> bool) -> Self {
        let remark = format!(" ({})", escape::lines(remark).join(" "));
        let remarked = |line: &Line| match line.number {
            Some(number) if !line.text.is_empty() && is_meant(number, &line.text) => {
                let text = line.text.strip_suffix(&remark).unwrap_or(&line.text);
                Line { text: format!("{text}{remark}"), is_whole: true, ..line.clone() }
            }
            _ => line.clone(),
        };
        Self { lines: self.lines.iter().map(remarked).collect(), ..self.clone() }
    }
}
