//! Keeping the index equal to the files.
//!
//! A run has two halves. The first compares disk and store and brings what changed in by words, with one transaction for
//! each batch of notes (`prefetch`), so that a whole vault answers by keyword within seconds; vectors of unchanged passages
//! are kept. The second embeds what still lacks a vector, newest notes first, in batches outside any transaction. A run
//! that is interrupted anywhere leaves a consistent index; the next one goes on where it ended. Notes are only ever read.

mod backlog;
mod diff;
mod error;
#[cfg(test)]
mod fuzz;
mod lock;
mod look;
mod note;
mod options;
mod order;
mod prefetch;
mod report;
mod run;

pub use error::IndexError;
pub use lock::IndexLock;
pub use options::{IndexOptions, Part, Root};
pub use report::Report;
pub use run::run;

pub use diff::{Difference, Judging};
pub use look::{Known, Look, LookedAt, look};

#[cfg(test)]
mod tests;
