//! One file a command.

pub(super) mod config;
pub(super) mod context;
pub(super) mod expand;
pub(super) mod index;
pub(super) mod init;
pub(super) mod models;
pub(super) mod search;
pub(super) mod status;
pub(super) mod watch;
