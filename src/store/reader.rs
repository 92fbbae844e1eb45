//! Queries of an index.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use jiff::civil::Date;

use super::{
    Candidate, ChunkRef, ChunkRow, Collection, CollectionId, CollectionSize, DataVersion, ExcludedFile,
    FileDescription, FileId, FileRecord, IdLookup, KnownFile, LexicalQuery, NamedChunk, PassageLines, PendingPassage,
    PendingSelection, QueryWeights, Scope, Statistics, StoreError,
};
use tars_base::domain::{ChunkId, Filter, Link, ModelId, Property};

/// A snapshot of an index: see [`Store::snapshot`](super::Store::snapshot). Every method fails if the index cannot be read.
///
/// Chunks with equal scores are sorted by collection name, path and position: a store's own numbers depend on the index's history,
/// and answers must not.
pub trait Reader {
    /// Returns the version of the snapshot, comparable only with other snapshots of the same [`Store`](super::Store).
    fn data_version(&self) -> Result<DataVersion, StoreError>;
    /// Returns all collections, sorted by name.
    fn collections(&self) -> Result<Vec<Collection>, StoreError>;
    /// Returns the records of a collection's files, sorted by path.
    fn files(&self, collection: CollectionId) -> Result<Vec<FileRecord>, StoreError>;
    /// Returns the data for change detection of a collection's files, unordered. `is_chunked` means that the file was cut by `chunker`,
    /// or, if that is `None`, that it is not marked to be cut again.
    fn known_files(&self, collection: CollectionId, chunker: Option<&str>) -> Result<Vec<KnownFile>, StoreError>;
    /// Returns the file with this id.
    fn file(&self, id: FileId) -> Result<Option<FileRecord>, StoreError>;
    /// Returns the files of a collection that were excluded by a rule.
    fn excluded_files(&self, collection: CollectionId) -> Result<Vec<ExcludedFile>, StoreError>;
    /// Returns the paths of a collection's files whose text is not wholly that of their bytes, sorted, each with the reason.
    fn damaged_files(&self, collection: CollectionId) -> Result<Vec<(String, String)>, StoreError>;
    /// Returns how much of the index a collection takes.
    fn collection_size(&self, collection: CollectionId) -> Result<CollectionSize, StoreError>;
    /// Returns counts over the whole index.
    fn statistics(&self) -> Result<Statistics, StoreError>;
    /// Returns a value from the metadata of the index.
    fn meta(&self, key: &str) -> Result<Option<String>, StoreError>;

    /// Returns the scope of the chunks that a filter admits; `None` if it admits all.
    fn scope(&self, filter: &Filter) -> Result<Option<Scope>, StoreError>;
    /// Returns the discriminative weights of a query's parts.
    fn weights(&self, query: &LexicalQuery) -> Result<QueryWeights, StoreError>;
    /// Returns the best lexical matches, best first, with scores on the scale in the module docs of `store/lexical.rs`.
    fn lexical(&self, query: &LexicalQuery, scope: Option<&Scope>, limit: usize) -> Result<Vec<Candidate>, StoreError>;
    /// Returns those of `chunks` that satisfy a query's required and excluded terms.
    fn filter_by_terms(&self, query: &LexicalQuery, chunks: &[ChunkRef]) -> Result<Vec<ChunkRef>, StoreError>;

    /// Returns the stems of indexed words that begin with `start` and have a length within `letters`.
    fn vocabulary(&self, start: &str, letters: RangeInclusive<usize>) -> Result<Vec<String>, StoreError>;
    /// Returns long words (of eight letters or more) of the notes that end with `end`, as `analysis::normalize_word` writes them, sorted by
    /// their letters from the last to the first; at most `most`.
    fn words_ending(&self, end: &str, most: usize) -> Result<Vec<String>, StoreError>;
    /// Returns for each of these words whether a chunk contains it in some form.
    fn contains_words(&self, words: &[String]) -> Result<Vec<bool>, StoreError>;
    /// Returns the first chunks with a word of this stem, at most `most`, sorted by collection, path and position. For a very
    /// frequent stem, only some of its chunks are examined.
    fn chunks_with(&self, stem: &str, most: usize) -> Result<Vec<ChunkRef>, StoreError>;

    /// Returns the chunks with the nearest passages, nearest first, scored by cosine similarity.
    fn nearest(
        &self,
        vector: &[f32],
        model: &ModelId,
        scope: Option<&Scope>,
        limit: usize,
    ) -> Result<Vec<Candidate>, StoreError>;
    /// Returns the similarity of each of these chunks that has vectors: five sixths of its nearest passage's cosine similarity (the
    /// score of [`Reader::nearest`]) plus one sixth of the mean of all its passages. So a chunk about the query's subject ranks
    /// above one that mentions it once. Facts are independent of each other: a chunk of facts gets the similarity of its nearest
    /// fact.
    fn similarities(&self, vector: &[f32], model: &ModelId, chunks: &[ChunkRef]) -> Result<Vec<Candidate>, StoreError>;
    /// Returns the passages of each of these chunks that has vectors, nearest first: first and last line, and cosine similarity.
    fn nearest_lines(&self, vector: &[f32], model: &ModelId, chunks: &[ChunkRef]) -> Result<PassageLines, StoreError>;

    /// Returns these chunks in the given order, without missing ones.
    fn chunks(&self, rows: &[ChunkRef]) -> Result<Vec<ChunkRow>, StoreError>;
    /// Returns the chunks of a file at positions `first..=last`, in order.
    fn chunk_range(&self, file: FileId, first: u32, last: u32) -> Result<Vec<ChunkRow>, StoreError>;
    /// Returns the chunk with exactly this id.
    fn chunk_by_id(&self, id: &ChunkId) -> Result<Option<ChunkRow>, StoreError>;
    /// Resolves a prefix of a chunk's id.
    fn locate(&self, prefix: &str) -> Result<IdLookup, StoreError>;
    /// Returns the chunks whose ids begin with `prefix`, sorted by id; at most `limit`.
    fn ids(&self, prefix: &str, limit: usize) -> Result<Vec<NamedChunk>, StoreError>;
    /// Returns all tags sorted by name, each with its number of notes.
    fn tags(&self) -> Result<Vec<(String, usize)>, StoreError>;
    /// Returns the newest files of a scope by their days (see [`Reader::days`]). Files of the same day are sorted by modification
    /// time, then by collection and path.
    fn newest(&self, scope: &Scope, limit: usize) -> Result<Vec<FileId>, StoreError>;
    /// Returns `files` sorted by collection name and path.
    fn in_order(&self, files: &[FileId]) -> Result<Vec<FileId>, StoreError>;
    /// Returns the newest day of each of these files: of its dates, or else of its modification. Only for ranking, never shown as a
    /// note's date: copies and synchronisation change modification times.
    fn days(&self, files: &[FileId]) -> Result<Vec<(FileId, Date)>, StoreError>;
    /// Returns those of `chunks` that belong to saved chats.
    fn in_chats(&self, chunks: &[ChunkId]) -> Result<HashSet<ChunkId>, StoreError>;
    /// Returns the files of a scope (of the whole index without one) with what a list of notes shows of them, sorted by collection and
    /// path.
    fn described_files(&self, scope: Option<&Scope>) -> Result<Vec<FileDescription>, StoreError>;
    /// Returns the values of these properties (see [`property_key`](super::property_key)) of `files`, each with its file, sorted by file,
    /// name and value.
    fn properties(&self, files: &[FileId], names: &[String]) -> Result<Vec<(FileId, Property)>, StoreError>;
    /// Returns a file's links, sorted by line and target.
    fn links(&self, file: FileId) -> Result<Vec<Link>, StoreError>;
    /// Returns the names in a file's links, as written in the links.
    fn link_targets(&self, file: FileId) -> Result<Vec<String>, StoreError>;
    /// Returns the names in links, as written, each with the number of files that link to it; unordered.
    fn link_counts(&self) -> Result<Vec<(String, usize)>, StoreError>;

    /// Returns the files with pending passages: first files that lack vectors, then the others, newest first.
    fn pending_files(&self, waiting: PendingSelection) -> Result<Vec<FileId>, StoreError>;
    /// Returns the number of files with pending passages.
    fn pending_file_count(&self) -> Result<usize, StoreError>;
    /// Returns a file's pending passages.
    fn pending_passages(&self, file: FileId, waiting: PendingSelection) -> Result<Vec<PendingPassage>, StoreError>;
    /// Returns those of `chunks` that have passages without a vector.
    fn chunks_without_vectors(&self, chunks: &[ChunkRef]) -> Result<Vec<ChunkRef>, StoreError>;
}
