//! Documents to chunks, and chunks to passages.
//!
//! A chunk is what is retrieved and shown: whole lines, about `target_tokens` long, cut where the text itself pauses.
//! A passage is what is embedded: a piece of a chunk that fits the model's window, with its title and headings before
//! it. Every line of a document's text lies in a chunk; overlapping lines lie in two, and are embedded with the first. This module counts tokens through
//! the counter it is given, reads nothing and embeds nothing.

mod boundaries;
mod cut;
mod passages;
mod segment;

use crate::domain::{Chunk, CountTokens, Document};

/// Changes whenever this module cuts differently under equal options: documents cut by another version are cut again.
pub const VERSION: u32 = 3;

/// Sizes, in the tokens of the counter in use.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkOptions {
    /// Size a chunk aims at.
    pub target_tokens: usize,
    /// Size a passage does not exceed, its context prefix left out.
    pub passage_tokens: usize,
    /// Size that a passage and its prefix together never exceed: the model's window without its special tokens.
    pub window_tokens: usize,
    /// Share of a chunk repeated at the head of the next where no heading parts them, 0 to 0.5.
    pub overlap: f64,
    /// Whether `title > heading` is embedded before each passage.
    pub context_prefix: bool,
    /// Whether the document is a list of facts, each of which is a passage of its own. It follows from where the document
    /// stands, so it is no part of the fingerprint.
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
    /// Returns a name for these options under `counter`: chunks made under another name are made again.
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

/// Returns the chunks of `document`, first line first. A document without text has none.
///
/// `indexed` turns a line of the file into what is searched and embedded of it; sizes are counted after it.
pub fn chunk(
    document: &Document,
    indexed: &dyn Fn(&str) -> String,
    counter: &dyn CountTokens,
    options: &ChunkOptions,
) -> Vec<Chunk> {
    let maker = passages::Maker::new(document, counter, options);
    let mut lines = boundaries::lines(document, indexed, counter);
    segment::mark(&mut lines, maker.limit(), options.facts);
    let spans = cut::spans(&lines, options);
    let sections = document.sections();
    spans
        .into_iter()
        .map(|span| {
            let covered = &lines[span.first..=span.last];
            let head = covered.iter().find(|line| !line.text.trim().is_empty()).unwrap_or(&covered[0]);
            let (start_line, end_line) = (covered[0].number, covered[covered.len() - 1].number);
            let before = |last: usize| sections.partition_point(|section| section.line <= last);
            Chunk {
                start_line,
                end_line,
                headings: document.heading_path(head.number).into_iter().map(str::to_owned).collect(),
                content: document.lines(start_line, end_line).to_owned(),
                sections: sections[before(start_line - 1)..before(end_line)].to_vec(),
                passages: maker.passages(&lines[span.own..=span.last]),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests;
