//! One file a command.

pub(super) mod ask;
pub(super) mod config;
pub(super) mod context;
pub(super) mod daily;
pub(super) mod doctor;
pub(super) mod eval;
pub(super) mod expand;
pub(super) mod forget;
pub(super) mod hook;
pub(super) mod import;
pub(super) mod index;
pub(super) mod init;
pub(super) mod models;
pub(super) mod pause;
pub(super) mod remember;
pub(super) mod review;
pub(super) mod search;
pub(super) mod stats;
pub(super) mod status;
pub(super) mod tidy;
pub(super) mod transcript;
pub(super) mod undo;
pub(super) mod watch;
pub(super) mod why;
