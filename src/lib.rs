//! Tars: local memory for people and their agents.
//!
//! A hybrid index (full text and vectors, in SQLite) over folders of markdown, and the commands that ask it. The
//! modules stand on floors; each imports from lower floors only, and neighbours on a floor do not know each other (a test
//! checks it). ARCHITECTURE.md lists the floors and says what each module may touch and what it never does.

#[cfg(not(unix))]
compile_error!("tars runs on Linux and macOS: it relies on locks, sockets and permissions of Unix");

pub mod analysis;
pub mod app;
pub mod assistant;
pub mod chat;
pub mod chunker;
pub mod cli;
pub mod client;
pub mod clock;
pub mod config;
pub mod daemon;
pub mod digest;
pub mod disk;
pub mod domain;
pub mod embed;
pub mod endpoint;
pub mod eval;
#[cfg(test)]
mod fuzz;
pub mod hook;
#[cfg(feature = "serve")]
pub mod http;
pub mod index;
pub mod injection;
pub mod ipc;
pub mod languages;
#[cfg(test)]
mod loopback;
pub mod markdown;
#[cfg(feature = "serve")]
pub mod mcp;
pub mod mcp_client;
pub mod memory;
pub mod metrics;
pub mod private;
mod process;
pub mod project;
pub mod rank;
pub mod recall;
pub mod redact;
pub mod schedule;
pub mod search;
pub mod service;
pub mod store;
pub mod tasks;
pub mod transcript;
pub mod upkeep;
pub mod vault;
pub mod watch;
