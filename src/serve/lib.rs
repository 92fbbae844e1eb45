//! The doors that stay open: the watcher with its socket, HTTP with the page, and the Model Context Protocol.

pub mod daemon;
#[cfg(feature = "serve")]
pub mod http;
#[cfg(feature = "serve")]
pub mod mcp;
