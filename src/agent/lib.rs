//! Agents: their clients, transcripts and projects, short forms of their turns, and the block that an agent is given.
//!
//! It knows no index, no memory folder and no language model.

pub mod chat_export;
pub mod client;
pub mod context_block;
pub mod digest;
pub mod project;
pub mod recall;
pub mod transcript;
