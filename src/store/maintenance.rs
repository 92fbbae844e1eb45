//! Housekeeping of an index: speed, size and integrity.

use std::path::Path;
use std::time::Duration;

use super::{Store, StoreError};

/// Housekeeping of an open index. An engine without such work returns `Ok`.
///
/// Only [`Maintenance::replace_content`] changes answers. The caller of a method with `&mut self` holds the write lock of the index.
pub trait Maintenance: Store {
    /// Speeds up queries after many changes: merges segments of the full text for up to `time`.
    ///
    /// # Errors
    /// The index cannot be written.
    fn merge_full_text(&mut self, time: Duration) -> Result<(), StoreError>;

    /// Vacuums the index if much of it is free, or if it was just `made` as a whole. Returns whether it did.
    ///
    /// # Errors
    /// The disk is full or the index is in use; nothing is lost.
    fn vacuum(&mut self, made: bool) -> Result<bool, StoreError>;

    /// Sets how long a write waits for another program's lock; ten seconds otherwise.
    ///
    /// # Errors
    /// The engine reports an error.
    fn set_patience(&mut self, patience: Duration) -> Result<(), StoreError>;

    /// Truncates a log that has grown during a long read, if nobody reads it any more.
    ///
    /// # Errors
    /// The disk is full or cannot be written.
    fn truncate_log(&mut self) -> Result<(), StoreError>;

    /// Overwrites what is left of deleted notes: their words in the full text, and their text in the log.
    ///
    /// # Errors
    /// The disk is full or cannot be written.
    fn purge_deleted(&mut self) -> Result<(), StoreError>;

    /// Keeps a small log when the index is closed, for the next writer to continue. Checkpointing it would wait for the disk.
    ///
    /// # Errors
    /// The engine reports an error.
    fn keep_log(&self) -> Result<(), StoreError>;

    /// Copies the current index to `path`, where there must be no file; this index stays unchanged. No snapshot is held during the
    /// copy.
    ///
    /// # Errors
    /// The file exists, or cannot be written.
    fn copy_to(&self, path: &Path) -> Result<(), StoreError>;

    /// Replaces the content of the index with that of the index at `path`, in one transaction: others see either the old content or
    /// the new one. Nobody writes to the other index meanwhile.
    ///
    /// # Errors
    /// The other index cannot be read, or this one cannot be written; this one is then unchanged.
    fn replace_content(self: Box<Self>, path: &Path) -> Result<(), StoreError>;

    /// Returns whether the structure of the index is sound. Reads the whole index.
    ///
    /// # Errors
    /// The disk cannot be read. Damage is not an error.
    fn is_intact(&self) -> Result<bool, StoreError>;
}

/// A flaw of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// A description in one line.
    pub detail: String,
}
