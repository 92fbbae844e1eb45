//! Watches the disk: turns the system's events into batches of changed paths.
//!
//! Events are hints. Some are lost, many come in bursts, and none is trusted to describe a change: a batch names paths to compare
//! with the index, or requests a full comparison. This module reads no file, creates none but cookies, and does not know the index.

mod coalesce;
mod cookie;
#[cfg(test)]
mod debouncer;
mod inbox;
mod relevance;
mod source;

pub use coalesce::{Batch, Coalescer};
pub use cookie::Cookies;
pub use inbox::{Inbox, Taken, Waiting};
pub use source::{NoEvents, Source, SourceOptions};
