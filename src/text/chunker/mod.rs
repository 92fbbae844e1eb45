//! Cuts documents into chunks, and chunks into passages.
//!
//! A chunk is the unit of retrieval and display: whole lines, about `target_tokens` long, cut at natural breaks of the text.
//! A passage is the unit of embedding: a piece of a chunk that fits the model's window, preceded by its title and headings.
//! Every line of a document's text is in a chunk; overlapping lines are in two, and are embedded with the first. This module
//! counts tokens with the given counter, reads nothing and embeds nothing.

mod boundaries;
mod cut;
mod passages;
mod segment;

use tars_base::domain::{Chunk, CountTokens, Document};

/// Increases whenever this module cuts differently under equal options; documents of other versions are cut again.
pub const VERSION: u32 = 4;

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
    let mut lines = boundaries::lines(document, indexed, counter);
    segment::mark_passages(&mut lines, passage_maker.limit(), options.facts);
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
                passages: passage_maker.passages(&lines[span.own..=span.last]),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests;
