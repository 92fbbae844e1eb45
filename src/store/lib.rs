//! The index on disk: files, chunks, full text and vectors.
//!
//! Four traits define what the crates above need, in plain types. An [`Engine`] opens indexes. A [`Store`] is an open index: it
//! takes snapshots, which a [`Reader`] queries, and a [`Writer`] changes it. [`Maintenance`] is its housekeeping. SQLite is the
//! only engine ([`Sqlite`]); tests have another one in memory, and `conformance` tests the behaviour that every engine must have.
//!
//! Everything here is derived from the files and can be rebuilt. The store does not read markdown, embed or rank.

#[cfg(test)]
mod conformance;
mod engine;
mod error;
#[cfg(any(test, feature = "testing"))]
pub mod in_memory;
mod lexical;
mod maintenance;
mod new_text;
mod path_filter;
mod property_filter;
mod reader;
mod records;
mod sqlite;
mod writer;

pub use engine::{Engine, Index};
pub use error::{BackendError, BackendErrorKind, StoreError};
pub use lexical::{ColumnWeights, LexicalQuery, PartWeight, QueryWeights};
pub use maintenance::{Flaw, Maintenance};
pub use new_text::NewText;
pub use path_filter::MAX_PATTERN_BYTES;
pub use property_filter::{property_key, property_number};
pub use reader::Reader;
pub use records::{
    Candidate, ChunkRef, ChunkRow, Collection, CollectionId, CollectionSize, DataVersion, ExcludedFile,
    FileDescription, FileId, FileRecord, IdLookup, KnownFile, NamedChunk, NewChunk, NewFile, NewPassage, PassageId,
    PassageLines, PendingPassage, PendingSelection, Scope, Statistics,
};
pub use sqlite::{Sqlite, SqliteStore};
pub use writer::Writer;

/// The work of one transaction.
pub type Work<'w> = &'w mut dyn FnMut(&mut dyn Writer) -> Result<(), StoreError>;

/// An open index. Each method of [`Writer`] is a transaction.
pub trait Store: Writer {
    /// Takes a snapshot of the index: until it is dropped, its queries see no writes of other processes. A search takes several
    /// queries, and without a snapshot a chunk's number could be reused between two of them. Snapshots held at the same time see
    /// the same state. The state is fixed by the first query at the latest.
    ///
    /// # Errors
    /// The index cannot be read.
    fn snapshot(&self) -> Result<Box<dyn Reader + '_>, StoreError>;

    /// Runs `work` in one transaction, which is rolled back if it fails. Other writers wait for it.
    ///
    /// # Errors
    /// The error of `work`, or the index cannot be written.
    fn transaction(&mut self, work: Work<'_>) -> Result<(), StoreError>;

    /// Returns the function that converts a text to this store's stored form. It is slow and needs no store, so a caller that cuts
    /// notes on another thread can run it there.
    fn text_preparer(&self) -> fn(&NewText);
}
