//! What changed on disk: the system's events to batches of paths.
//!
//! Events are hints. Some are lost, many come in bursts, and none is trusted to say what happened: a batch names places to
//! compare with the index, or asks to compare everything. This module reads no file, makes none but cookies, and knows no index.

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
