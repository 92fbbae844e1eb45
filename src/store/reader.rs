//! Asking an index.

use std::ops::RangeInclusive;

use jiff::civil::Date;

use super::{
    Candidate, ChunkRef, ChunkRow, Collection, CollectionId, DataVersion, FileId, FileRecord, KnownFile, LeftOut,
    LexicalQuery, Located, NamedChunk, PassageLines, PendingPassage, Scope, Statistics, StoreError, Waiting, Weights,
};
use crate::domain::{ChunkId, Filter, ModelId};

/// One state of an index: see [`Store::snapshot`](super::Store::snapshot). Every method fails where the index cannot be read.
///
/// Chunks that score alike stand in the order of their collections' names, paths and places: a store's own numbers depend on
/// how the index grew, and answers must not.
pub trait Reader {
    /// Returns the version that is seen, to be compared with those of other snapshots of the same [`Store`](super::Store) alone.
    fn data_version(&self) -> Result<DataVersion, StoreError>;
    /// Returns all collections, by name.
    fn collections(&self) -> Result<Vec<Collection>, StoreError>;
    /// Returns what is known of each file of a collection, by path.
    fn files(&self, collection: CollectionId) -> Result<Vec<FileRecord>, StoreError>;
    /// Returns what tells of each file of a collection whether it has changed, in no order. A file is cut as asked for if it was
    /// cut under `chunker`; where no cut is asked for, if it is not marked to be cut again.
    fn known_files(&self, collection: CollectionId, chunker: Option<&str>) -> Result<Vec<KnownFile>, StoreError>;
    /// Returns the file of that id.
    fn file(&self, id: FileId) -> Result<Option<FileRecord>, StoreError>;
    /// Returns the files of a collection that were left out by rule.
    fn left_out(&self, collection: CollectionId) -> Result<Vec<LeftOut>, StoreError>;
    /// Returns counts over the whole index.
    fn statistics(&self) -> Result<Statistics, StoreError>;
    /// Returns a value kept beside the index.
    fn meta(&self, key: &str) -> Result<Option<String>, StoreError>;

    /// Narrows a search to the chunks that a filter admits; `None` where it admits all.
    fn scope(&self, filter: &Filter) -> Result<Option<Scope>, StoreError>;
    /// Returns how much each part of a question tells texts apart.
    fn weights(&self, query: &LexicalQuery) -> Result<Weights, StoreError>;
    /// Returns the best chunks by words, best first, with scores on the scale that the head of `store/lexical.rs` describes.
    fn lexical(&self, query: &LexicalQuery, scope: Option<&Scope>, limit: usize) -> Result<Vec<Candidate>, StoreError>;
    /// Returns those of `chunks` that a question admits by what they must and must not hold.
    fn admitted(&self, query: &LexicalQuery, chunks: &[ChunkRef]) -> Result<Vec<ChunkRef>, StoreError>;

    /// Returns the stems of indexed words that begin with `start` and have so many letters.
    fn vocabulary(&self, start: &str, letters: RangeInclusive<usize>) -> Result<Vec<String>, StoreError>;
    /// Returns long words (of eight letters or more) of the notes that end so, as `analysis::bare` writes them, in the order of
    /// their letters from the last; at most so many.
    fn words_ending(&self, end: &str, most: usize) -> Result<Vec<String>, StoreError>;
    /// Returns for each of these words whether a chunk holds it in some form.
    fn held(&self, words: &[String]) -> Result<Vec<bool>, StoreError>;
    /// Returns the first chunks with a word of that stem, at most so many, in the order of collections, paths and places. Of a
    /// stem that stands in very many, only some of these are looked at.
    fn chunks_with(&self, stem: &str, most: usize) -> Result<Vec<ChunkRef>, StoreError>;

    /// Returns the chunks with the nearest passages, nearest first, scored by cosine similarity.
    fn nearest(
        &self,
        vector: &[f32],
        model: &ModelId,
        scope: Option<&Scope>,
        limit: usize,
    ) -> Result<Vec<Candidate>, StoreError>;
    /// Returns how near each of these chunks is that has vectors: five sixths the cosine similarity of its nearest passage, by
    /// which [`Reader::nearest`] proposes, and one sixth the mean of all its passages. A chunk that is about the question
    /// is nearer than one that touches it in one place. Facts stand for themselves: a chunk of them is as near as the nearest.
    fn similarities(&self, vector: &[f32], model: &ModelId, chunks: &[ChunkRef]) -> Result<Vec<Candidate>, StoreError>;
    /// Returns the first and the last line of the passage that is nearest, for each of these chunks that has vectors.
    fn nearest_lines(&self, vector: &[f32], model: &ModelId, chunks: &[ChunkRef]) -> Result<PassageLines, StoreError>;

    /// Returns these chunks in the order asked for; those that are not there are left out.
    fn chunks(&self, rows: &[ChunkRef]) -> Result<Vec<ChunkRow>, StoreError>;
    /// Returns the chunks of a file whose places lie in `first..=last`, in order.
    fn chunk_range(&self, file: FileId, first: u32, last: u32) -> Result<Vec<ChunkRow>, StoreError>;
    /// Returns the chunk of exactly that id.
    fn chunk_by_id(&self, id: &ChunkId) -> Result<Option<ChunkRow>, StoreError>;
    /// Returns what a prefix of a chunk's id stands for.
    fn locate(&self, prefix: &str) -> Result<Located, StoreError>;
    /// Returns the chunks whose ids begin so, by their ids, at most so many.
    fn ids(&self, prefix: &str, limit: usize) -> Result<Vec<NamedChunk>, StoreError>;
    /// Returns all tags of notes by name, each with how many notes have it.
    fn tags(&self) -> Result<Vec<(String, usize)>, StoreError>;
    /// Returns the newest files that a scope admits, by their days as [`Reader::days`] tells them; those of one day stand by the
    /// time of their last change, then by collection and path.
    fn newest(&self, scope: &Scope, limit: usize) -> Result<Vec<FileId>, StoreError>;
    /// Returns files in the order of their collections' names and their paths.
    fn in_order(&self, files: &[FileId]) -> Result<Vec<FileId>, StoreError>;
    /// Returns the newest day that each of these files is of: of its dates, else the one it was modified on. That is for
    /// ranking alone: copies and synchronisation set the time of modification, so nobody is shown it as a note's date.
    fn days(&self, files: &[FileId]) -> Result<Vec<(FileId, Date)>, StoreError>;
    /// Returns the names of the notes that a file links to, as the links say them.
    fn link_targets(&self, file: FileId) -> Result<Vec<String>, StoreError>;
    /// Returns the names that notes link to, as the links say them, each with how many files do; in no order.
    fn link_counts(&self) -> Result<Vec<(String, usize)>, StoreError>;

    /// Returns the files with passages to be embedded: first those that lack a vector, then the others, newest first.
    fn pending_files(&self, waiting: Waiting) -> Result<Vec<FileId>, StoreError>;
    /// Returns how many files have passages to be embedded.
    fn pending_file_count(&self) -> Result<usize, StoreError>;
    /// Returns a file's passages to be embedded.
    fn pending_passages(&self, file: FileId, waiting: Waiting) -> Result<Vec<PendingPassage>, StoreError>;
    /// Returns those of `chunks` that have passages without a vector.
    fn awaiting_vectors(&self, chunks: &[ChunkRef]) -> Result<Vec<ChunkRef>, StoreError>;
}
