//! What goes into the store and what comes out of it.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::NewText;
use crate::domain::{ChunkId, ContentHash, Link, MemoryType, NoteDate, Passage, Property, Section, TextHash};
use jiff::civil::Date;

/// What a store calls a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CollectionId(pub(crate) i64);

/// A version of what is in the index: two that are alike mean that nothing was written in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataVersion(pub(crate) i64, pub(crate) u64);

/// What a store calls a file. A file keeps its number while it is changed or renamed; one that was removed may leave its number
/// to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub(crate) i64);

/// What a store calls a chunk, in one state of the index: once the file is replaced, the number may be another chunk's. The
/// lasting name of a chunk is its [`ChunkId`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkRef(pub i64);

/// A passage's place: its chunk, and which of the chunk's passages it is, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PassageId {
    pub(crate) chunk: ChunkRef,
    pub(crate) sequence: u32,
}

/// A named set of files below one root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    /// What the store calls it.
    pub id: CollectionId,
    /// Its name, unique.
    pub name: String,
    /// Absolute path of its root.
    pub root: String,
}

/// What the index knows of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRecord {
    /// What the store calls it.
    pub id: FileId,
    /// The collection it belongs to.
    pub collection: CollectionId,
    /// Path relative to the root.
    pub path: String,
    /// Hash of its bytes.
    pub content_hash: ContentHash,
    /// Modification time, nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Size in bytes.
    pub size: u64,
    /// Inode; 0 where there is none.
    pub inode: u64,
    /// When the inode was last changed, nanoseconds since 1970; 0 where that is not known.
    pub ctime_ns: i64,
    /// Under which chunker and options it was cut.
    pub chunker: String,
    /// When its content was last compared with the disk, nanoseconds since 1970.
    pub indexed_at_ns: i64,
}

/// As much of what the index knows of a file as it takes to tell whether the file has changed since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownFile {
    /// What the store calls it.
    pub id: FileId,
    /// Path relative to the root.
    pub path: String,
    /// Its stat data as they were.
    pub stamp: Stamp,
    /// When its content was last compared with the disk, nanoseconds since 1970.
    pub indexed_at_ns: i64,
    /// Whether it was cut as was asked for.
    pub is_cut: bool,
}

/// What tells one state of a file from another without reading it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Modification time, nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Size in bytes.
    pub size: u64,
    /// Inode; 0 where there is none.
    pub inode: u64,
    /// When the inode was last changed, nanoseconds since 1970; 0 where that is not known.
    pub ctime_ns: i64,
}

/// A file that was read and left out by rule. Nothing of its content is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Path relative to the root.
    pub path: String,
    /// Modification time, nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Size in bytes.
    pub size: u64,
    /// Inode; 0 where there is none.
    pub inode: u64,
    /// When the inode was last changed, nanoseconds since 1970; 0 where that is not known.
    pub ctime_ns: i64,
    /// The rule.
    pub rule: String,
    /// When it was left out, nanoseconds since 1970.
    pub noticed_at_ns: i64,
}

/// A file about to be stored.
#[derive(Debug)]
pub struct NewFile<'a> {
    /// Where it belongs.
    pub collection: CollectionId,
    /// The collection's name, part of its chunks' ids.
    pub collection_name: &'a str,
    /// Path relative to the root.
    pub path: &'a str,
    /// Title of the note.
    pub title: &'a str,
    /// Kind of memory.
    pub memory_type: MemoryType,
    /// Hash of its bytes.
    pub content_hash: ContentHash,
    /// Modification time, nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Size in bytes.
    pub size: u64,
    /// Inode; 0 where there is none.
    pub inode: u64,
    /// When the inode was last changed, nanoseconds since 1970; 0 where that is not known.
    pub ctime_ns: i64,
    /// Under which chunker and options it was cut.
    pub chunker: &'a str,
    /// Tags of the note.
    pub tags: &'a [String],
    /// Other names of the note.
    pub aliases: &'a [String],
    /// Its properties.
    pub properties: &'a [Property],
    /// Its outgoing links.
    pub links: &'a [Link],
    /// Its dates.
    pub dates: &'a [NoteDate],
    /// The day that it is of, as it says itself.
    pub day: Option<Date>,
    /// The file of which this one is the continuation under another path, if any; that row goes.
    pub moved_from: Option<FileId>,
    /// Whether all passages are to be embedded again; until then they keep the vectors that are known.
    pub embed_again: bool,
}

/// A chunk about to be stored.
#[derive(Debug)]
pub struct NewChunk {
    /// First line.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
    /// Heading path.
    pub heading: String,
    /// The lines as they stand.
    pub content: NewText,
    /// Sections that begin in it, in order.
    pub sections: Vec<Section>,
    /// Full-text form of title, aliases and headings.
    pub fts_title: String,
    /// Full-text form of the lines.
    pub fts_body: String,
    /// Full-text form of tags, properties and dates.
    pub fts_meta: String,
    /// Its passages, in order.
    pub passages: Vec<NewPassage>,
}

/// A passage about to be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewPassage {
    /// First line.
    pub line: usize,
    /// Hash of the embedded text.
    pub hash: TextHash,
    /// Hash of what the text was before a rename.
    pub lineage: TextHash,
}

impl From<&Passage> for NewPassage {
    fn from(passage: &Passage) -> Self {
        Self { line: passage.line, hash: passage.hash, lineage: passage.lineage }
    }
}

/// A passage to be embedded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PendingPassage {
    /// Its place.
    pub id: PassageId,
    /// Hash of the text to embed.
    pub hash: TextHash,
}

/// The files that a filter admits, in one state of the index. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The files, in no particular order.
    pub files: Arc<[FileId]>,
}

/// A chunk proposed by one retriever.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// The chunk.
    pub chunk: ChunkRef,
    /// The file it stands in.
    pub file: FileId,
    /// Its place in the file, from 0.
    pub sequence: u32,
    /// The retriever's own score: higher is better.
    pub score: f64,
    /// The score that the next fact of the chunk has, where it is one of facts and was compared by all of them.
    pub next: Option<f64>,
}

/// A stored chunk.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkRow {
    /// What the store calls it.
    pub row: ChunkRef,
    /// Public id.
    pub id: ChunkId,
    /// The file it stands in.
    pub file: FileId,
    /// Its place in the file, from 0.
    pub sequence: u32,
    /// Name of the collection.
    pub collection: String,
    /// Root of the collection.
    pub root: String,
    /// Path relative to the root.
    pub path: String,
    /// Title of the note.
    pub title: String,
    /// Kind of memory.
    pub memory_type: MemoryType,
    /// Heading path.
    pub heading: String,
    /// First line.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
    /// The lines as they stand.
    pub content: String,
    /// Sections that begin in it, in order; none where an earlier version stored the file and it has not been read again.
    pub sections: Vec<Section>,
    /// The day that the note is of, as it says itself.
    pub day: Option<Date>,
}

impl ChunkRow {
    /// Returns the heading path over a line of the chunk.
    pub fn heading_at(&self, line: usize) -> &str {
        let before = self.sections.partition_point(|section| section.line <= line);
        before.checked_sub(1).map_or(&self.heading, |last| &self.sections[last].heading)
    }
}

/// Which chunk an id stands for, in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedChunk {
    /// The id.
    pub id: ChunkId,
    /// Name of the collection.
    pub collection: String,
    /// Path relative to the root.
    pub path: String,
    /// Heading path.
    pub heading: String,
}

/// The lines of a passage of each of some chunks.
pub type PassageLines = HashMap<ChunkRef, RangeInclusive<usize>>;

/// What a prefix of a chunk's id stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Located {
    /// This chunk.
    Found(Box<ChunkRow>),
    /// A chunk that was replaced; its text went to `successor`, if anywhere.
    Retired {
        /// The whole id.
        id: ChunkId,
        /// Collection and path it stood in.
        collection: String,
        /// Path it stood in.
        path: String,
        /// The chunk that took over most of its lines.
        successor: Option<Box<ChunkRow>>,
    },
    /// Several chunks, of which these are some.
    Ambiguous(Vec<ChunkId>),
    /// Nothing.
    Unknown,
}

/// Counts over the whole index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Files indexed.
    pub files: usize,
    /// Chunks in them.
    pub chunks: usize,
    /// Passages in those.
    pub passages: usize,
    /// Passages that have a vector.
    pub embedded: usize,
    /// Passages to be embedded: those without a vector, and those whose vector is to be made again.
    pub waiting: usize,
}

/// Which passages are to be embedded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// All that lack a vector or whose vector is to be made again.
    All,
    /// Those that lack a vector.
    Bare,
}
