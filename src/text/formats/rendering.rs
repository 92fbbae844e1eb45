//! Markdown that is made from a file in JSON, with the line of the file that each of its lines comes from.

use serde::Deserialize;
use serde_json::value::RawValue;

/// The markdown of a file so far.
#[derive(Debug, Default)]
pub(super) struct Rendering<'s> {
    source: &'s str,
    /// Offsets at which the lines of the file begin.
    starts: Vec<usize>,
    /// The markdown; each line ends with `\n`.
    pub(super) text: String,
    /// For each line of the markdown, the line of the file, from 1.
    pub(super) lines: Vec<usize>,
}

impl<'s> Rendering<'s> {
    pub(super) fn of(source: &'s str) -> Self {
        let ends = source.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { source, starts: std::iter::once(0).chain(ends).collect(), text: String::new(), lines: Vec::new() }
    }

    /// Returns the line of the file that holds `part`, a value of the file.
    pub(super) fn line_of(&self, part: &'s RawValue) -> usize {
        let offset = part.get().as_ptr().addr().saturating_sub(self.source.as_ptr().addr());
        self.starts.partition_point(|start| *start <= offset).max(1)
    }

    /// Adds the lines of `text`, all from line `at` of the file.
    pub(super) fn push(&mut self, text: &str, at: usize) {
        for line in text.split('\n') {
            self.text.push_str(line.trim_end_matches('\r'));
            self.text.push('\n');
            self.lines.push(at);
        }
    }
}

/// Returns the string that a value of the file holds; empty for other values.
pub(super) fn string(value: Option<&RawValue>) -> String {
    value.and_then(|value| serde_json::from_str(value.get()).ok()).unwrap_or_default()
}

/// Returns the elements that have the expected shape, `limit` at most.
pub(super) fn shaped<'s, T: Deserialize<'s>>(elements: &[&'s RawValue], limit: usize) -> Vec<(T, &'s RawValue)> {
    let shaped = elements.iter().filter_map(|element| Some((serde_json::from_str(element.get()).ok()?, *element)));
    shaped.take(limit).collect()
}

/// Returns `text` in one line, with single spaces. It opens no comment.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace("<!--", "<! --")
}
