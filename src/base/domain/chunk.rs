//! Chunks, the unit of retrieval, and passages, the unit of embedding.

use super::{Section, TextHash};

/// A contiguous range of lines of a document, retrieved and shown as a unit. The lines are whole, unless the chunk begins or ends within a
/// line that is too long for one chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// First line, from 1.
    pub start_line: usize,
    /// Characters of the first line before the chunk.
    pub start_column: usize,
    /// Last line, inclusive.
    pub end_line: usize,
    /// Characters of the last line up to the chunk's end, or `None` if it holds the line's end.
    pub end_column: Option<usize>,
    /// Headings that enclose its first line, outermost first.
    pub headings: Vec<String>,
    /// The lines as they are in the file.
    pub content: String,
    /// Sections that begin in the chunk, in order.
    pub sections: Vec<Section>,
    /// Its passages, in order. Empty if there is nothing to embed.
    pub passages: Vec<Passage>,
}

/// A piece of a chunk that fits the embedding model's window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// First line of its text, from 1. Passages cut from one long line share it.
    pub line: usize,
    /// The embedded text: the context prefix, a line break, the text.
    pub text: String,
    /// Hash of `text`: equal hashes under one model have equal vectors.
    pub hash: TextHash,
    /// Hash of the text and its declared context, without a title that only comes from the file's name, so that a
    /// renamed note keeps its vectors. Equal to `hash` if there is no such title.
    pub lineage: TextHash,
}

impl Chunk {
    /// Returns the heading path as one string, `outer > inner`. Empty above the first heading.
    pub fn heading(&self) -> String {
        self.headings.join(" > ")
    }
}
