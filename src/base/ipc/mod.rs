//! Communication between processes of one user: one JSON object per line over a Unix stream socket.
//!
//! The server speaks first: `{"tars":"0.1.0","protocol":4,"pid":4711,"settings":"…"}`. A client with another protocol
//! or other settings does not use this server. After that each line of the client is a request and each line of the
//! server a response; higher crates define both. Both sides speak only to processes of the same user, and every line
//! has a maximum length.

mod address;
mod client;
mod framing;

use serde::{Deserialize, Serialize};

pub use address::{ForeignSocketError, check_folder, is_same_user, socket_path};
pub use client::{read_greeting, request};
pub use framing::{receive, send};

/// Version of the protocol, including the messages that higher crates send.
pub const PROTOCOL: u32 = 4;

/// Maximum length of a greeting line, in bytes.
pub const MAX_GREETING: usize = 4 << 10;
/// Maximum length of a request line, in bytes. Hooks send two thousand characters; a client with a longer request
/// answers it in its own process. This bound times the number of open connections limits the memory for unfinished
/// lines in a daemon.
pub const MAX_REQUEST: usize = 256 << 10;
/// Maximum length of a response line, in bytes: a thousand large chunks.
pub const MAX_RESPONSE: usize = 64 << 20;

/// The daemon's first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Greeting {
    /// Version of tars.
    pub tars: String,
    /// Version of the protocol.
    pub protocol: u32,
    /// Process id.
    pub pid: u32,
    /// Fingerprint of the settings that affect answers.
    pub settings: String,
}
