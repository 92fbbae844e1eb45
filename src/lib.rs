//! Tars: local memory for people and their agents.
//!
//! A hybrid index (full text and vectors, in SQLite) over folders of markdown, and the commands that ask it. The
//! modules stand on floors; each imports from lower floors only, and neighbours on a floor do not know each other
//! (a test checks it):
//!
//! | floor | modules |
//! |---|---|
//! | 7 | [`cli`] |
//! | 6 | [`daemon`], [`eval`], [`hook`] |
//! | 5 | [`app`] |
//! | 4 | [`config`] |
//! | 3 | [`index`], [`memory`], [`search`] |
//! | 2 | [`embed`], [`llm`], [`project`], [`store`], [`transcript`], [`vault`], [`watch`] |
//! | 1 | [`analysis`], [`chunker`], [`disk`], [`endpoint`], [`injection`], [`markdown`], [`metrics`], [`private`], [`rank`], [`redact`] |
//! | 0 | [`domain`] |
//!
//! ARCHITECTURE.md says what each may touch and what it never does.

pub mod analysis;
pub mod app;
pub mod chunker;
pub mod cli;
pub mod config;
pub mod daemon;
pub mod disk;
pub mod domain;
pub mod embed;
pub mod endpoint;
pub mod eval;
#[cfg(test)]
mod fuzz;
pub mod hook;
pub mod index;
pub mod injection;
pub mod llm;
pub mod markdown;
pub mod memory;
pub mod metrics;
pub mod private;
pub mod project;
pub mod rank;
pub mod redact;
pub mod search;
pub mod store;
pub mod transcript;
pub mod vault;
pub mod watch;
