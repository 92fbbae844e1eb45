//! Servers of the Model Context Protocol whose tools a conversation may use.
//!
//! [`Servers`] knows the servers of the person's configuration and speaks with none of them before a tool of it is wanted. The tools
//! that a server offers are kept in a file (`kept`), so that a later process knows them without starting it. A
//! server that is a program runs in a group of processes of its own with a small environment, and ends with this value. A
//! server that ends by itself is started once more, and then rests.
//!
//! Names, descriptions, schemas and results are foreign text: they are bounded here, and marked as data by those who use them. What a
//! server asks of its client (to call a model, to name folders, to ask the person) is refused, and its instructions are not read.
//! The callers decide which tool may be used. All calls block; the asynchronous runtime stays in this room.

#[cfg(feature = "serve")]
mod connect;
#[cfg(feature = "serve")]
mod connection;
mod error;
mod kept;
#[cfg(feature = "serve")]
mod program;
#[cfg(feature = "serve")]
mod results;
mod servers;
mod tool;
#[cfg(feature = "serve")]
mod waiting;
#[cfg(not(feature = "serve"))]
mod without;

pub use error::McpClientError;
pub use servers::{Connected, ServerState, Servers};
pub use tool::{CallResult, RemoteTool, ServerPlace, ServerSpec};

#[cfg(feature = "serve")]
use connection::{Connection, Runtime};
#[cfg(not(feature = "serve"))]
use without::{Connection, Runtime};
