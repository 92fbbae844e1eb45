//! The formats of the clients that run agents: how they record events, and how they wrap a person's words.
//!
//! Each client has its own module. These formats belong to the clients and change without notice, so everything unknown
//! is skipped. This module opens no file and decides nothing about an event.

pub mod claude_code;
mod lenient;
mod mcp_config;
mod repair;

pub use mcp_config::{ConfigPlaces, McpClient, McpConfigError, ServerCommand};
use repair::repair_json_text;
