//! The records that the store takes and returns.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::NewText;
use jiff::civil::Date;
use tars_base::disk::FileStat;
use tars_base::domain::{ChunkId, ContentHash, Link, MemoryType, NoteDate, Passage, Property, Section, TextHash};

/// The id of a collection in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CollectionId(pub(crate) i64);

/// A version of the index's content. Equal versions mean that nothing was written in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataVersion(pub(crate) i64, pub(crate) u64);

/// The id of a file in the store. A file keeps it when it changes or is renamed. After a removal, another file may get the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub i64);

/// The number of a chunk in one state of the index. Once the file is replaced, another chunk may have the number. The permanent
/// name of a chunk is its [`ChunkId`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkRef(pub i64);

/// The position of a passage: its chunk, and its index among the chunk's passages, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PassageId {
    pub(crate) chunk: ChunkRef,
    pub(crate) sequence: u32,
}

/// A named set of files below one root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    /// Its id in the store.
    pub id: CollectionId,
    /// Its unique name.
    pub name: String,
    /// Absolute path of its root.
    pub root: String,
}

/// How much of an index a collection takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CollectionSize {
    /// Number of files.
    pub files: usize,
    /// Number of passages.
    pub passages: usize,
    /// Bytes of the chunks' texts, as they are stored.
    pub text_bytes: u64,
}

/// The index's record of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRecord {
    /// Its id in the store.
    pub id: FileId,
    /// The collection it belongs to.
    pub collection: CollectionId,
    /// Path relative to the root.
    pub path: String,
    /// Hash of its bytes.
    pub content_hash: ContentHash,
    /// Its metadata.
    pub stat: FileStat,
    /// The chunker and options that cut it.
    pub chunker: String,
    /// When its content was last compared with the disk, nanoseconds since 1970.
    pub indexed_at_ns: i64,
}

/// A file as a list of notes shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDescription {
    /// Its id in the store.
    pub id: FileId,
    /// Name of its collection.
    pub collection: String,
    /// Path relative to the collection's root.
    pub path: String,
    /// Title of the note.
    pub title: String,
    /// Memory type.
    pub memory_type: MemoryType,
    /// Its size in bytes.
    pub size: u64,
    /// Its modification time, nanoseconds since 1970.
    pub mtime_ns: i64,
    /// The day of the note, by its own dates.
    pub day: Option<Date>,
    /// Its tags, sorted.
    pub tags: Vec<String>,
}

/// The part of a file's record that detects a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownFile {
    /// Its id in the store.
    pub id: FileId,
    /// Path relative to the root.
    pub path: String,
    /// Its recorded metadata.
    pub stat: FileStat,
    /// When its content was last compared with the disk, nanoseconds since 1970.
    pub indexed_at_ns: i64,
    /// Whether the requested chunker cut it.
    pub is_chunked: bool,
}

/// A file excluded by a rule after it was read. The store keeps nothing of its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExcludedFile {
    /// Path relative to the root.
    pub path: String,
    /// Its metadata.
    pub stat: FileStat,
    /// The rule.
    pub rule: String,
    /// When it was excluded, nanoseconds since 1970.
    pub noticed_at_ns: i64,
}

/// A file to be stored.
#[derive(Debug)]
pub struct NewFile<'a> {
    /// Its collection.
    pub collection: CollectionId,
    /// The collection's name, which enters its chunks' ids.
    pub collection_name: &'a str,
    /// Path relative to the root.
    pub path: &'a str,
    /// Title of the note.
    pub title: &'a str,
    /// Memory type.
    pub memory_type: MemoryType,
    /// Hash of its bytes.
    pub content_hash: ContentHash,
    /// Its metadata.
    pub stat: FileStat,
    /// The chunker and options that cut it.
    pub chunker: &'a str,
    /// Why its text is not wholly that of its bytes, if it is not.
    pub damage: Option<&'a str>,
    /// Tags of the note.
    pub tags: &'a [String],
    /// Aliases of the note.
    pub aliases: &'a [String],
    /// Its properties.
    pub properties: &'a [Property],
    /// Its outgoing links.
    pub links: &'a [Link],
    /// Its dates.
    pub dates: &'a [NoteDate],
    /// The day of the note, by its own dates.
    pub day: Option<Date>,
    /// The file that was moved to this path, if any; its row is removed.
    pub moved_from: Option<FileId>,
    /// Whether to embed all passages again. Until then they keep their current vectors.
    pub embed_again: bool,
    /// Bytes of opaque data in it, which are not indexed.
    pub opaque_bytes: usize,
    /// Whether it is a saved chat.
    pub is_chat: bool,
}

/// A chunk to be stored.
#[derive(Debug)]
pub struct NewChunk {
    /// First line.
    pub start_line: usize,
    /// Characters of the first line before the chunk.
    pub start_column: usize,
    /// Last line.
    pub end_line: usize,
    /// Characters of the last line up to the chunk's end, or `None` if it holds the line's end.
    pub end_column: Option<usize>,
    /// Heading path.
    pub heading: String,
    /// The lines, unchanged.
    pub content: NewText,
    /// Sections that begin in the chunk, in order.
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

/// A passage to be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewPassage {
    /// First line.
    pub line: usize,
    /// Hash of the embedded text.
    pub hash: TextHash,
    /// Hash of the text independent of the file's name, which survives a rename.
    pub lineage: TextHash,
}

impl From<&Passage> for NewPassage {
    fn from(passage: &Passage) -> Self {
        Self { line: passage.line, hash: passage.hash, lineage: passage.lineage }
    }
}

/// A passage that needs a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PendingPassage {
    /// Its position.
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
    /// Its file.
    pub file: FileId,
    /// Its position in the file, from 0.
    pub sequence: u32,
    /// The retriever's score: higher is better.
    pub score: f64,
    /// The score of the chunk's second-nearest fact, if it is a chunk of facts and all of them were compared.
    pub second_score: Option<f64>,
}

/// A stored chunk.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkRow {
    /// Its number in the store.
    pub row: ChunkRef,
    /// Public id.
    pub id: ChunkId,
    /// Its file.
    pub file: FileId,
    /// Its position in the file, from 0.
    pub sequence: u32,
    /// Name of the collection.
    pub collection: String,
    /// Root of the collection.
    pub root: String,
    /// Path relative to the root.
    pub path: String,
    /// Title of the note.
    pub title: String,
    /// Memory type.
    pub memory_type: MemoryType,
    /// Heading path.
    pub heading: String,
    /// First line.
    pub start_line: usize,
    /// Characters of the first line before the chunk.
    pub start_column: usize,
    /// Last line.
    pub end_line: usize,
    /// Characters of the last line up to the chunk's end, or `None` if it holds the line's end.
    pub end_column: Option<usize>,
    /// The lines, unchanged.
    pub content: String,
    /// Sections that begin in the chunk, in order; empty if an earlier version stored the file and it has not been read since.
    pub sections: Vec<Section>,
    /// The day of the note, by its own dates.
    pub day: Option<Date>,
}

impl ChunkRow {
    /// Returns the heading path of a line of the chunk.
    pub fn heading_at(&self, line: usize) -> &str {
        let before = self.sections.partition_point(|section| section.line <= line);
        before.checked_sub(1).map_or(&self.heading, |last| &self.sections[last].heading)
    }
}

/// A chunk's id with its location.
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

/// The passages of each chunk, nearest first: first and last line, and cosine similarity.
pub type PassageLines = HashMap<ChunkRef, Vec<(RangeInclusive<usize>, f64)>>;

/// The result of resolving a prefix of a chunk's id.
#[derive(Debug, Clone, PartialEq)]
pub enum IdLookup {
    /// The chunk.
    Found(Box<ChunkRow>),
    /// A replaced chunk, with its `successor` if its text was found again.
    Retired {
        /// The whole id.
        id: ChunkId,
        /// Its collection.
        collection: String,
        /// Its path.
        path: String,
        /// The chunk that contains most of its lines.
        successor: Option<Box<ChunkRow>>,
    },
    /// Several chunks; these are some of them.
    Ambiguous(Vec<ChunkId>),
    /// No chunk.
    Unknown,
}

/// Counts over the whole index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Indexed files.
    pub files: usize,
    /// Their chunks.
    pub chunks: usize,
    /// Their passages.
    pub passages: usize,
    /// Passages that have a vector.
    pub embedded: usize,
    /// Pending passages: those without a vector, and those whose vector is to be renewed.
    pub pending: usize,
    /// Files with opaque data, which is not indexed.
    pub opaque_files: usize,
    /// Bytes of opaque data in them.
    pub opaque_bytes: usize,
}

/// A selection of pending passages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PendingSelection {
    /// Passages without a vector and passages whose vector is to be renewed.
    All,
    /// Passages without a vector.
    WithoutVector,
}
