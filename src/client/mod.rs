//! What is known of the clients that run agents: how they write what happened, and what they put around a person's words.
//!
//! One room a client. Everything in it is data of the client's own format, which changes without notice: what is not understood
//! is passed over. Nothing here opens a file or decides what is done about an event.

pub mod claude_code;
mod lenient;
mod mcp;
mod mended;

pub use mcp::{McpClient, McpConfigError, Places, ServerCommand};
use mended::mended;
