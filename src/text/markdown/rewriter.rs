//! Rewrites a line, piece by piece.

/// Copies the kept parts of a line, piece by piece.
pub(super) struct Rewriter<'a> {
    line: &'a str,
    output: Option<String>,
    /// End of what was copied or skipped.
    pub(super) copied: usize,
}

impl<'a> Rewriter<'a> {
    pub(super) fn new(line: &'a str) -> Self {
        Self { line, output: None, copied: 0 }
    }

    /// Copies up to `start`, and continues at `end`.
    pub(super) fn skip(&mut self, start: usize, end: usize) -> &mut String {
        let output = self.output.get_or_insert_with(|| String::with_capacity(self.line.len()));
        output.push_str(&self.line[self.copied..start]);
        self.copied = end;
        output
    }

    pub(super) fn finish(self) -> Option<String> {
        let mut output = self.output?;
        output.push_str(&self.line[self.copied..]);
        Some(output)
    }
}
