//! What is retrieved, and what is embedded.

use super::{Document, Section, TextHash};

/// A contiguous range of whole lines of a document, retrieved and shown as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// First line, from 1.
    pub start_line: usize,
    /// Last line, inclusive.
    pub end_line: usize,
    /// Headings that enclose its first line, outermost first.
    pub headings: Vec<String>,
    /// The lines as they stand in the file.
    pub content: String,
    /// Sections that begin in it, in order.
    pub sections: Vec<Section>,
    /// Its pieces for embedding, in order; empty where there is nothing to embed.
    pub passages: Vec<Passage>,
}

/// A piece of a chunk that fits the embedding model's window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// First line of its text, from 1. Pieces of one long line share it.
    pub line: usize,
    /// What is embedded: the context prefix, a line break, the text.
    pub text: String,
    /// Hash of `text`: equal hashes under one model have equal vectors.
    pub hash: TextHash,
    /// Hash of the text and its declared context, leaving out a title that only the file's name gave, so that a renamed
    /// note keeps its vectors; equal to `hash` where there is no such title.
    pub lineage: TextHash,
}

impl Chunk {
    /// Returns the heading path as one string, `outer > inner`; empty above the first heading.
    pub fn heading(&self) -> String {
        self.headings.join(" > ")
    }

    /// Returns the chunk's lines in `document` again.
    pub fn slice<'a>(&self, document: &'a Document) -> &'a str {
        document.lines(self.start_line, self.end_line)
    }
}
