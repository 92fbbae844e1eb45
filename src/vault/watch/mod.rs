//! Watches the disk: turns the system's events into batches of changed paths.
//!
//! Events are hints. Some are lost, many come in bursts, and none is trusted to describe a change: a batch names paths to compare
//! with the index, or requests a full comparison. This module reads no file, creates none but cookies, and does not know the index.

mod cookie;
mod debounce;
#[cfg(test)]
mod debouncer_crate;
mod inbox;
mod relevance;
mod source;

pub use cookie::Cookies;
pub use debounce::{Batch, Debouncer};
pub use inbox::{Inbox, InboxWork, PendingChanges};
pub use source::{EventSource, EventSourceOptions, EventsUnavailable};
