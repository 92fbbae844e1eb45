//! The engine: opens and manages index files.

use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::{Flaw, Maintenance, StoreError};

/// An open index.
pub type Index = Box<dyn Maintenance + Send>;

/// An index engine: opens indexes, and handles those that cannot be opened.
pub trait Engine: Debug + Send + Sync {
    /// Opens the index at `path`, creating it if needed, and migrates it to the current version.
    ///
    /// # Errors
    /// The index belongs to another program or a newer tars, is damaged, or cannot be opened. It is then left unchanged.
    fn open(&self, path: &Path) -> Result<Index, StoreError>;

    /// Opens the existing index at `path` for queries.
    ///
    /// # Errors
    /// As [`Engine::open`], and [`StoreError::Missing`].
    fn open_existing(&self, path: &Path) -> Result<Index, StoreError>;

    /// Opens the index at `path` read-only, on a medium where nothing can be written. For a single search, because it does not see
    /// later writes.
    ///
    /// # Errors
    /// The index cannot be read, belongs to an older tars, or has a log that would have to be read too.
    fn open_immutable(&self, path: &Path) -> Result<Index, StoreError>;

    /// Creates an empty index in memory, for answers when the index on disk is unusable.
    ///
    /// # Errors
    /// Memory is exhausted.
    fn in_memory(&self) -> Result<Index, StoreError>;

    /// Returns all flaws of the index at `path` and of the files beside it; empty if it is sound. Reads the whole index and changes
    /// nothing.
    ///
    /// # Errors
    /// There is no index, it belongs to another program or another version of tars, or the disk cannot be read. Damage is not an
    /// error.
    fn examine(&self, path: &Path) -> Result<Vec<Flaw>, StoreError>;

    /// Moves the index at `path` aside and returns its new path. The last two indexes set aside are kept, and older ones if they
    /// are intact. The caller holds the write lock of the index.
    ///
    /// # Errors
    /// The folder cannot be written.
    fn set_aside(&self, path: &Path, now: Timestamp) -> Result<PathBuf, StoreError>;

    /// Returns the indexes that were set aside, oldest first.
    ///
    /// # Errors
    /// The folder cannot be read.
    fn set_aside_indexes(&self, path: &Path) -> io::Result<Vec<PathBuf>>;

    /// Returns the version of the index format of this engine. Only indexes of this version can be imported.
    fn version(&self) -> u32;

    /// Checks the index at `path`, which comes from another machine and is used by nobody else, and resets its machine-specific
    /// data: the roots of its collections (`roots` maps names to local roots), and when its files were last read.
    ///
    /// # Errors
    /// It is no index of this version, it is damaged, or it holds content that tars would not have written.
    fn check_import(&self, path: &Path, roots: &[(String, String)]) -> Result<(), StoreError>;

    /// Replaces the index at `path` with the admitted one at `from`. A file at `path` that is no index of tars is moved aside, and
    /// its new path is returned; an index of tars is deleted. The caller holds the write lock of the index.
    ///
    /// # Errors
    /// The folder cannot be written; the former index is then unchanged.
    fn replace(&self, path: &Path, from: &Path, now: Timestamp) -> Result<Option<PathBuf>, StoreError>;
}
