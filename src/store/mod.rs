//! The index on disk: files, chunks, full text, vectors.
//!
//! [`Store`] says in plain types what the floors above need; [`SqliteStore`] is its only implementation. Everything kept
//! here is derived from the files and can be made again. The store reads no markdown, embeds nothing and ranks nothing.

mod error;
mod records;
mod sections;
mod sqlite;
mod text;

pub use error::StoreError;
pub use records::{
    Candidate, ChunkRow, CodesState, Collection, CollectionId, ColumnWeights, FileId, FileRecord, Flaw, FlawPlace,
    LeftOut, LexicalQuery, Located, NewChunk, NewFile, NewPassage, PassageId, PassageLines, PendingPassage, Scope,
    Stamp, Statistics, Waiting, Weight, Weights,
};
pub use sqlite::{Occasion, Snapshot, SqliteStore};
pub use text::StoredText;

use std::ops::RangeInclusive;

use jiff::civil::Date;

use crate::domain::{ChunkId, Filter, ModelId};

/// What the floors above ask of an index.
pub trait Store {
    /// Holds on to the index as it is now: until the answer is dropped, what is asked sees nothing of what other
    /// processes write meanwhile. A question takes several steps, and rows that are gone between two of them may have
    /// been given to other chunks. Nothing is written and no second snapshot taken while one is held.
    fn snapshot(&self) -> Result<Snapshot<'_>, StoreError>;

    /// Does all that `work` writes in one transaction: whole or, where it fails, not at all. Other writers wait for it.
    fn together(&mut self, work: &mut dyn FnMut(&mut dyn Store) -> Result<(), StoreError>) -> Result<(), StoreError>;

    /// Returns the collection of that name, creating it or moving its root where needed.
    fn ensure_collection(&mut self, name: &str, root: &str) -> Result<CollectionId, StoreError>;
    /// Returns all collections, by name.
    fn collections(&self) -> Result<Vec<Collection>, StoreError>;
    /// Removes a collection with everything in it.
    fn remove_collection(&mut self, id: CollectionId) -> Result<(), StoreError>;

    /// Returns what is known of each file of a collection, by path.
    fn files(&self, collection: CollectionId) -> Result<Vec<FileRecord>, StoreError>;
    /// Replaces everything known of a file by its new state, whole or not at all. Passages whose text already has a
    /// vector under `model`, or that stood in this file (or in the one it was moved from) before, keep that vector.
    /// Returns how many passages are to be embedded.
    fn replace_file(
        &mut self,
        file: &NewFile<'_>,
        chunks: &[NewChunk],
        model: Option<&ModelId>,
    ) -> Result<usize, StoreError>;
    /// Notes that a file's stat data changed while its content did not.
    fn touch_file(&mut self, id: FileId, stamp: Stamp) -> Result<(), StoreError>;
    /// Returns the files of a collection that were left out by rule.
    fn left_out(&self, collection: CollectionId) -> Result<Vec<LeftOut>, StoreError>;
    /// Remembers that a file was left out by rule, so that it need not be read to know it again. `noticed_at_ns` is set
    /// by the store. A file that is stored later is no longer left out.
    fn leave_out(&mut self, collection: CollectionId, file: &LeftOut) -> Result<(), StoreError>;
    /// Removes files with everything that hangs on them.
    fn remove_files(&mut self, ids: &[FileId]) -> Result<(), StoreError>;

    /// Makes `model` the one whose vectors are compared and made. Those of another are set aside; those that were set aside
    /// when `model` was given up serve again. Returns whether there were any.
    fn adopt_model(&mut self, model: &ModelId) -> Result<bool, StoreError>;
    /// Deletes the vectors that are set aside, once all passages have one of the model that was adopted.
    fn forget_former_models(&mut self) -> Result<(), StoreError>;
    /// Returns the files with passages to be embedded: first those that lack a vector, then the others, newest first.
    fn pending_files(&self, waiting: Waiting) -> Result<Vec<FileId>, StoreError>;
    /// Returns those of `chunks` that have passages without a vector.
    fn awaiting_vectors(&self, chunks: &[i64]) -> Result<Vec<i64>, StoreError>;
    /// Returns how many files have passages to be embedded.
    fn pending_file_count(&self) -> Result<usize, StoreError>;
    /// Returns a file's passages to be embedded.
    fn pending_passages(&self, file: FileId, waiting: Waiting) -> Result<Vec<PendingPassage>, StoreError>;
    /// Stores vectors, in one transaction; a passage that has gone meanwhile, or that holds another text now, is
    /// passed over.
    fn put_vectors(&mut self, model: &ModelId, vectors: &[(PendingPassage, &[f32])]) -> Result<(), StoreError>;

    /// Returns the file of that id.
    fn file(&self, id: FileId) -> Result<Option<FileRecord>, StoreError>;
    /// Narrows a search to the chunks that a filter admits; `None` where it admits all.
    fn scope(&self, filter: &Filter) -> Result<Option<Scope>, StoreError>;
    /// Returns how much each part of a question tells texts apart.
    fn weights(&self, query: &LexicalQuery) -> Result<Weights, StoreError>;
    /// Returns the best chunks by words, best first, with positive scores. Ties stand by path and line, here and wherever
    /// candidates are listed.
    fn lexical(&self, query: &LexicalQuery, scope: Option<&Scope>, limit: usize) -> Result<Vec<Candidate>, StoreError>;
    /// Returns those of `chunks` that a question admits by what they must and must not hold.
    fn admitted(&self, query: &LexicalQuery, chunks: &[i64]) -> Result<Vec<i64>, StoreError>;
    /// Returns the stems of indexed words that begin with `start` and have so many letters.
    fn vocabulary(&self, start: &str, letters: RangeInclusive<usize>) -> Result<Vec<String>, StoreError>;
    /// Returns long words (of eight letters or more) of the notes that end so, as `analysis::bare` writes them, in the order of
    /// their letters from the last; at most so many.
    fn words_ending(&self, end: &str, most: usize) -> Result<Vec<String>, StoreError>;
    /// Returns for each of these words whether a chunk holds it in some form.
    fn held(&self, words: &[String]) -> Result<Vec<bool>, StoreError>;
    /// Returns the first chunks with a word of that stem, at most so many, in the order of collections, paths and places. Of a
    /// stem that stands in very many, only some of these are looked at.
    fn chunks_with(&self, stem: &str, most: usize) -> Result<Vec<i64>, StoreError>;
    /// Returns the chunks with the nearest passages, nearest first, scored by cosine similarity.
    fn nearest(
        &self,
        vector: &[f32],
        model: &ModelId,
        scope: Option<&Scope>,
        limit: usize,
    ) -> Result<Vec<Candidate>, StoreError>;
    /// Returns how near each of these chunks is that has vectors: five sixths the cosine similarity of its nearest passage, by
    /// which [`Store::nearest`] proposes, and one sixth the mean of all its passages. A chunk that is about the question
    /// is nearer than one that touches it in one place.
    fn similarities(&self, vector: &[f32], model: &ModelId, chunks: &[i64]) -> Result<Vec<Candidate>, StoreError>;
    /// Returns the first and the last line of the passage that is nearest, for each of these chunks that has vectors.
    fn nearest_lines(&self, vector: &[f32], model: &ModelId, chunks: &[i64]) -> Result<PassageLines, StoreError>;
    /// Returns chunks by row, in the order asked for.
    fn chunks(&self, rows: &[i64]) -> Result<Vec<ChunkRow>, StoreError>;
    /// Returns the chunks of a file whose places lie in `first..=last`, in order.
    fn chunk_range(&self, file: FileId, first: u32, last: u32) -> Result<Vec<ChunkRow>, StoreError>;
    /// Returns the newest files that a scope admits, by their days as [`Store::days`] tells them; those of one day stand by the
    /// time of their last change, then by collection and path.
    fn newest(&self, scope: &Scope, limit: usize) -> Result<Vec<FileId>, StoreError>;
    /// Returns files in the order of their collections' names and their paths: rows depend on how the index grew.
    fn in_order(&self, files: &[FileId]) -> Result<Vec<FileId>, StoreError>;
    /// Returns the names of the notes that a file links to, as the links say them.
    fn link_targets(&self, file: FileId) -> Result<Vec<String>, StoreError>;
    /// Returns the newest day that each of these files is of: of its dates, else the one it was modified on. That is for
    /// ranking alone: copies and synchronisation set the time of modification, so nobody is shown it as a note's date.
    fn days(&self, files: &[FileId]) -> Result<Vec<(FileId, Date)>, StoreError>;
    /// Returns what a prefix of a chunk's id stands for.
    fn locate(&self, prefix: &str) -> Result<Located, StoreError>;
    /// Returns the chunk of exactly that id.
    fn chunk_by_id(&self, id: &ChunkId) -> Result<Option<ChunkRow>, StoreError>;

    /// Returns counts over the whole index.
    fn statistics(&self) -> Result<Statistics, StoreError>;
    /// Returns a value kept beside the index.
    fn meta(&self, key: &str) -> Result<Option<String>, StoreError>;
    /// Keeps a value beside the index.
    fn set_meta(&mut self, key: &str, value: &str) -> Result<(), StoreError>;
}
