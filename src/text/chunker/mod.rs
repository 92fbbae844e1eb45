//! Cuts documents into chunks, and chunks into passages.
//!
//! A chunk is the unit of retrieval and display: whole lines, about `target_tokens` long, cut at natural breaks of the text. A line of
//! more than twice that is cut at its sentences.
//! A passage is the unit of embedding: a piece of a chunk that fits the model's window, preceded by its title, its headings and the callouts
//! around it, and followed by the footnotes that it cites.
//! Every line of a document's text is in a chunk, except opaque data; overlapping lines are in two, and are embedded with the first.
//! This module counts tokens with the given counter, reads nothing and embeds nothing.

mod boundaries;
mod cut;
mod long_lines;
mod passages;
mod segment;

use boundaries::Line;
use tars_base::domain::{Chunk, CountTokens, Document};

/// Increases whenever this module cuts differently under equal options; documents of other versions are cut again.
pub const VERSION: u32 = 7;

/// Sizes in tokens of the counter in use.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkOptions {
    /// Target size of a chunk.
    pub target_tokens: usize,
    /// Maximum size of a passage without its context prefix.
    pub passage_tokens: usize,
    /// Maximum size of a passage with its prefix: the model's window without its special tokens.
    pub window_tokens: usize,
    /// Share of a chunk that is repeated at the start of the next one, unless a heading separates them, 0 to 0.5.
    pub overlap: f64,
    /// Whether `title > heading` is embedded with each passage.
    pub context_prefix: bool,
    /// Whether the document is a list of facts, each of which becomes a passage. This depends on the path of the document, so
    /// it is not part of the fingerprint.
    pub facts: bool,
}

impl Default for ChunkOptions {
    fn default() -> Self {
        Self {
            target_tokens: 400,
            passage_tokens: 200,
            window_tokens: 254,
            overlap: 0.1,
            context_prefix: true,
            facts: false,
        }
    }
}

impl ChunkOptions {
    /// Returns a fingerprint of these options and `counter`: chunks with another fingerprint are made again.
    pub fn fingerprint(&self, counter: &dyn CountTokens) -> String {
        format!(
            "v{VERSION} target={} passage={} window={} overlap={} prefix={} tokens={}",
            self.target_tokens,
            self.passage_tokens,
            self.window_tokens,
            self.overlap,
            self.context_prefix,
            counter.name()
        )
    }
}

/// Returns the chunks of `document`, in order. A document without text has none.
///
/// `indexed` maps a line of the file to its searchable text, which determines the sizes.
pub fn chunk(
    document: &Document,
    indexed: &dyn Fn(&str) -> String,
    counter: &dyn CountTokens,
    options: &ChunkOptions,
) -> Vec<Chunk> {
    let passage_maker = passages::PassageMaker::new(document, counter, options);
    let limits = (passage_maker.limit(), cut::hard_limit(options));
    let lines = boundaries::lines(document, indexed, counter);
    let mut lines = long_lines::cut_long_lines(lines, document, indexed, counter, limits);
    let sections = document.sections();
    let mut chunks = Vec::new();
    // No chunk reaches over opaque data.
    for lines in lines.chunk_by_mut(|one, next| document.is_opaque(one.number) == document.is_opaque(next.number)) {
        // A fence or comment around the data leaves only its marks.
        let says_something = |line: &Line| line.text.contains(char::is_alphanumeric);
        if document.is_opaque(lines[0].number) || !document.opaque.is_empty() && !lines.iter().any(says_something) {
            continue;
        }
        segment::mark_passages(lines, limits.0, options.facts);
        chunks.extend(cut::spans(lines, options).into_iter().map(|span| {
            let covered = &lines[span.first..=span.last];
            let head = covered.iter().find(|line| !line.text.trim().is_empty()).unwrap_or(&covered[0]);
            let (first, last) = (&covered[0], &covered[covered.len() - 1]);
            let before = |last: usize| sections.partition_point(|section| section.line <= last);
            // The heading of a line that is cut belongs to its first piece.
            let above = if first.start_column == 0 { first.number - 1 } else { first.number };
            Chunk {
                start_line: first.number,
                start_column: first.start_column,
                end_line: last.number,
                end_column: last.end_column,
                headings: document.heading_path(head.number).into_iter().map(str::to_owned).collect(),
                content: content(document, first, last).to_owned(),
                sections: sections[before(above)..before(last.number)].to_vec(),
                passages: passage_maker.passages(&lines[span.own..=span.last]),
            }
        }));
    }
    chunks
}

/// Returns the text of the file from one line or piece to another.
fn content<'d>(document: &'d Document, first: &Line, last: &Line) -> &'d str {
    let text = document.lines(first.number, last.number);
    let end = last.end_column.map_or(text.len(), |_| {
        let line = document.line(last.number).unwrap_or_default();
        text.len() - line.len() + last.end_byte
    });
    &text[first.start_byte..end]
}

#[cfg(test)]
mod tests;
