//! Tars: local memory for people and their agents.
//!
//! The command line: it reads arguments, asks the crates below and prints. ARCHITECTURE.md is the map of the crates.

pub mod cli;
