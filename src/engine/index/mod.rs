//! Keeps the index equal to the files.
//!
//! A run has two halves. The first compares the disk with the store and indexes the words of changed notes, with one transaction
//! per batch of notes (`prefetch`), so that a whole vault answers by keyword within seconds; unchanged passages keep their vectors.
//! The second embeds the passages without a vector, the newest notes first, in batches outside any transaction. A run interrupted
//! anywhere leaves a consistent index, and the next one continues where it ended. Notes are only read.

mod backlog;
mod collection_run;
mod compare_root;
mod diff;
mod error;
#[cfg(test)]
mod fuzz;
mod lock;
mod note_properties;
mod note_rows;
mod options;
mod order;
mod prefetch;
mod report;
mod run;

pub use error::IndexError;
pub use lock::IndexLock;
pub use options::{IndexOptions, Root, RunPart};
pub use report::{HidingNote, Report};
pub use run::run;

pub use compare_root::{ComparedRoot, KnownFiles, RootComparison, compare_root};
pub use diff::{ChangeRules, Difference, LeftOut};

#[cfg(test)]
mod tests;
