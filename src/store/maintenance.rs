//! Looking after an index: what makes it fast and small, and what tells whether it is sound.

use std::path::Path;
use std::time::Duration;

use super::{Store, StoreError};

/// Housekeeping of an open index. An engine that keeps nothing of the kind has nothing to do, and says so by `Ok`.
///
/// Nothing but [`Maintenance::take_over`] changes an answer. The caller holds the right to write the index wherever `&mut self` is asked for.
pub trait Maintenance: Store {
    /// Makes questions faster after many changes: joins parts of the full text for as long as `time`.
    ///
    /// # Errors
    /// The index cannot be written.
    fn merge_full_text(&mut self, time: Duration) -> Result<(), StoreError>;

    /// Gives space back to the disk where much of the index is free, or all of it was just `made`; returns whether it did.
    ///
    /// # Errors
    /// The disk is full or the index in use; nothing is lost.
    fn reclaim(&mut self, made: bool) -> Result<bool, StoreError>;

    /// Gives the space of a log back that has grown beside a long reader, if nobody reads it any more.
    ///
    /// # Errors
    /// The disk is full or cannot be written.
    fn shorten_log(&mut self) -> Result<(), StoreError>;

    /// Leaves what little was written in the log when the index is closed, where the next writer finds it: to move it into its
    /// place, the disk must be waited for.
    ///
    /// # Errors
    /// The engine refuses.
    fn leave_log(&self) -> Result<(), StoreError>;

    /// Writes the index as it is now to `path`, where there must be no file; nothing of this one is changed. No snapshot is
    /// held meanwhile.
    ///
    /// # Errors
    /// There is a file, or it cannot be written.
    fn copy_to(&self, path: &Path) -> Result<(), StoreError>;

    /// Has the index hold what the one at `path` holds, in one transaction: others see all that was there before, or all that is
    /// there afterwards. Nobody writes the other one meanwhile.
    ///
    /// # Errors
    /// The other one cannot be read, or this one cannot be written; it is then as it was.
    fn take_over(self: Box<Self>, path: &Path) -> Result<(), StoreError>;

    /// Returns whether the structure of the index is sound. All of it is read.
    ///
    /// # Errors
    /// The disk cannot be read. Damage is no error.
    fn is_whole(&self) -> Result<bool, StoreError>;
}

/// Something that is wrong with the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// What, in a line.
    pub detail: String,
}
