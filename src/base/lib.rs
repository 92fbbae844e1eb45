//! The words of the field as types, and what every crate above needs of the system: the clock, files by descriptor, private
//! files, processes, sockets, addresses of servers.
//!
//! It imports nothing of tars.

#[cfg(not(unix))]
compile_error!("tars runs on Linux and macOS: it relies on locks, sockets and permissions of Unix");

pub mod clock;
pub mod data_files;
pub mod disk;
pub mod domain;
pub mod embedding;
pub mod endpoint;
pub mod ipc;
pub mod private;
pub mod process;
