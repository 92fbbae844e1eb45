//! The index on disk: files, chunks, full text, vectors.
//!
//! Four traits say in plain types what the floors above need. An [`Engine`] opens indexes. A [`Store`] is an open index: it takes
//! snapshots, which are asked by [`Reader`], and is changed by [`Writer`]. [`Maintenance`] looks after it. SQLite is the one
//! engine ([`Sqlite`]); tests have another one in memory, and `conformance` holds what every engine must do.
//!
//! Everything kept here is derived from the files and can be made again. The store reads no markdown, embeds nothing and ranks
//! nothing.

#[cfg(test)]
mod conformance;
mod engine;
mod error;
mod lexical;
mod maintenance;
#[cfg(test)]
pub(crate) mod memory_twin;
mod new_text;
mod path_filter;
mod reader;
mod records;
mod sqlite;
mod writer;

pub use engine::{Engine, Index};
pub use error::{BackendError, BackendErrorKind, StoreError};
pub use lexical::{ColumnWeights, LexicalQuery, Weight, Weights};
pub use maintenance::{Flaw, Maintenance};
pub use new_text::NewText;
pub use reader::Reader;
pub use records::{
    Candidate, ChunkRef, ChunkRow, Collection, CollectionId, DataVersion, FileId, FileRecord, KnownFile, LeftOut,
    Located, NamedChunk, NewChunk, NewFile, NewPassage, PassageId, PassageLines, PendingPassage, Scope, Stamp,
    Statistics, Waiting,
};
pub use sqlite::{Sqlite, SqliteStore};
pub use writer::Writer;

/// What is done in one transaction.
pub type Work<'w> = &'w mut dyn FnMut(&mut dyn Writer) -> Result<(), StoreError>;

/// An open index. What is written by [`Writer`]'s methods is a transaction each.
pub trait Store: Writer {
    /// Holds on to the index as it is now: until the answer is dropped, what is asked of it sees nothing of what other
    /// processes write meanwhile. A question takes several steps, and numbers of chunks that are gone between two of them may
    /// have been given to others. Snapshots that are held at the same time see the same state. The state is fixed by the first
    /// question at the latest.
    ///
    /// # Errors
    /// The index cannot be read.
    fn snapshot(&self) -> Result<Box<dyn Reader + '_>, StoreError>;

    /// Does all that `work` writes in one transaction: whole or, where it fails, not at all. Other writers wait for it.
    ///
    /// # Errors
    /// Whatever `work` fails with; or the index cannot be written.
    fn together(&mut self, work: Work<'_>) -> Result<(), StoreError>;

    /// Returns what brings a text into the form in which this store keeps it. It is slow and needs no store: a caller that cuts notes
    /// on another thread calls it there.
    fn preparation(&self) -> fn(&NewText);
}
