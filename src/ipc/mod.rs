//! How processes of one user speak to each other: one JSON object a line over a Unix stream socket.
//!
//! The server speaks first: `{"tars":"0.1.0","protocol":4,"pid":4711,"settings":"…"}`; a client that finds another protocol, or
//! other settings than its own, does without. Then each line of the client is a request, each line of the server a response.
//! What these are, the floors above say. Both sides speak to processes of the same user only, and every line has a bound.

mod address;
mod client;
mod framing;

pub use address::{Foreign, check_folder, is_own, socket_path};
pub use client::{ask, running};
pub use framing::{receive, send};

use serde::{Deserialize, Serialize};

/// Version of the protocol: of this greeting and of the messages that the floors above send.
pub const PROTOCOL: u32 = 4;

/// The longest lines that are read, in bytes. A greeting:
pub const GREETING: usize = 4 << 10;
/// A question: hooks ask with two thousand characters. The one who asks with more answers for itself. Times the conversations
/// that a daemon has at once, this is the most that unfinished lines can occupy in it.
pub const QUESTION: usize = 256 << 10;
/// An answer of a thousand large chunks.
pub const ANSWER: usize = 64 << 20;

/// The daemon's first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Greeting {
    /// Version of tars.
    pub tars: String,
    /// Version of the protocol.
    pub protocol: u32,
    /// Process id.
    pub pid: u32,
    /// Fingerprint of the settings that decide about answers.
    pub settings: String,
}
