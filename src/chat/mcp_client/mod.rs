//! Servers of the Model Context Protocol whose tools a conversation may use.
//!
//! [`Servers`] knows the servers of the person's configuration and contacts none of them before one of its tools is
//! needed. The tool list of each server is cached in a file (`tool_cache`), so later processes know the tools without
//! starting the server. A server that is a program runs in its own process group with a small environment, and ends
//! when the [`Servers`] value is dropped. A server that exits by itself is restarted once and then paused.
//!
//! Names, descriptions, schemas and results are untrusted text: this module limits their size, and callers mark them as data.
//! Requests of a server to its client (to call a model, to list folders, to ask the person) are refused, and its instructions
//! are not read. Callers decide which tools may be used. All calls block; the asynchronous runtime stays inside this module.

#[cfg(feature = "serve")]
mod connect;
#[cfg(feature = "serve")]
mod connection;
mod error;
#[cfg(feature = "serve")]
mod process;
#[cfg(feature = "serve")]
mod results;
#[cfg(feature = "serve")]
mod schema;
mod servers;
#[cfg(not(feature = "serve"))]
mod stub;
#[cfg(feature = "serve")]
mod timeout;
mod tool;
mod tool_cache;

pub use error::McpClientError;
pub use servers::{Connected, ServerState, Servers};
pub use tool::{CallResult, RemoteTool, ServerSpec, ServerTransport};

#[cfg(feature = "serve")]
use connection::{Connection, Runtime};
#[cfg(not(feature = "serve"))]
use stub::{Connection, Runtime};
