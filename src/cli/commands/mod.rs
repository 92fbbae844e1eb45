//! One file per command.

pub(super) mod agents;
pub(super) mod ask;
pub(super) mod chat;
pub(super) mod collection;
pub(super) mod compact;
pub(super) mod completions;
pub(super) mod config;
pub(super) mod conflicts;
pub(super) mod context;
pub(super) mod daily;
pub(super) mod doctor;
pub(super) mod done;
pub(super) mod eval;
pub(super) mod expand;
pub(super) mod extract;
pub(super) mod forget;
mod forget_source;
pub(super) mod get;
pub(super) mod handoff;
pub(super) mod history;
pub(super) mod hook;
pub(super) mod import;
pub(super) mod index;
pub(super) mod init;
pub(super) mod links;
pub(super) mod list;
pub(super) mod mcp;
mod mcp_install;
mod mcp_servers;
pub(super) mod models;
pub(super) mod next;
pub(super) mod obsidian;
pub(super) mod open;
pub(super) mod pause;
pub(super) mod project;
mod proposals;
pub(super) mod remember;
pub(super) mod review;
pub(super) mod schedule;
pub(super) mod search;
#[cfg(feature = "serve")]
pub(super) mod serve;
#[cfg(not(feature = "serve"))]
#[path = "without_serve.rs"]
pub(super) mod serve;
mod skills;
pub(super) mod stats;
pub(super) mod status;
pub(super) mod tasks;
pub(super) mod tidy;
pub(super) mod transcript;
pub(super) mod ui;
pub(super) mod undo;
pub(super) mod watch;
pub(super) mod week;
pub(super) mod why;
