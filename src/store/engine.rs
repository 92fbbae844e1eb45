//! Where indexes come from.

use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::{Flaw, Maintenance, StoreError};

/// An open index.
pub type Index = Box<dyn Maintenance + Send>;

/// One way to keep indexes: opens them, and deals with those that cannot be opened.
pub trait Engine: Debug + Send + Sync {
    /// Opens the index at `path`, creating it where there is none, and brings it into the form that this tars writes.
    ///
    /// # Errors
    /// It is another program's or a newer tars', damaged, or cannot be opened; all are left as they are.
    fn open(&self, path: &Path) -> Result<Index, StoreError>;

    /// Opens the index at `path` to ask it; there must be one.
    ///
    /// # Errors
    /// As [`Engine::open`], and [`StoreError::Missing`].
    fn open_existing(&self, path: &Path) -> Result<Index, StoreError>;

    /// Opens the index at `path` where nothing can be written: for one question, since what others write meanwhile is not
    /// seen.
    ///
    /// # Errors
    /// It cannot be read, is of an older tars, or has a log that would have to be read too.
    fn open_still(&self, path: &Path) -> Result<Index, StoreError>;

    /// Makes an empty index in memory: what a question is answered from where the one on disk cannot be used.
    ///
    /// # Errors
    /// There is no memory.
    fn in_memory(&self) -> Result<Index, StoreError>;

    /// Returns all that is wrong with the index at `path` and what lies beside it; empty where it is sound. Reads all of it and
    /// changes nothing.
    ///
    /// # Errors
    /// There is no index, it is another program's, an older or a newer tars', or the disk cannot be read. Damage is no error.
    fn examine(&self, path: &Path) -> Result<Vec<Flaw>, StoreError>;

    /// Moves the index at `path` out of the way and returns where it lies now. The last two that were set aside are kept, and
    /// older ones that are whole. The caller holds the right to write the index.
    ///
    /// # Errors
    /// The folder cannot be written.
    fn set_aside(&self, path: &Path, now: Timestamp) -> Result<PathBuf, StoreError>;

    /// Returns the indexes that were set aside, the oldest first.
    ///
    /// # Errors
    /// The folder cannot be read.
    fn aside(&self, path: &Path) -> io::Result<Vec<PathBuf>>;

    /// Returns the version of the form in which this engine keeps an index. One of another version cannot be carried here.
    fn version(&self) -> u32;

    /// Checks the index at `path`, which came from another machine and which nobody else uses, and has it forget what holds there
    /// alone: where its collections lie (`roots` says by name where they do here), and when its files were looked at.
    ///
    /// # Errors
    /// It is no index of this version, damaged, or holds what tars would not have written.
    fn admit(&self, path: &Path, roots: &[(String, String)]) -> Result<(), StoreError>;

    /// Puts the index at `from`, which was admitted, in the place of the one at `path`. What is no index of tars is moved out of the
    /// way, and its new place is returned; an index of tars goes. The caller holds the right to write the index.
    ///
    /// # Errors
    /// The folder cannot be written; then the former index is as it was.
    fn replace(&self, path: &Path, from: &Path, now: Timestamp) -> Result<Option<PathBuf>, StoreError>;
}
