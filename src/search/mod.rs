//! Questions to answers.
//!
//! [`search`] asks both retrievers, has their candidates fused and hydrates the best; [`expand()`] shows what stands around
//! a chunk. Both read the index alone: no note is opened and nothing is written.
//!
//! Where a person asks for it and has the time, [`search_reworded`] asks a question in several wordings, and [`rerank()`] has
//! the best hits read once more.

mod error;
mod expand;
mod rerank;
mod retrieve;
mod reworded;
mod understand;
mod window;

pub use error::SearchError;
pub use expand::{Expansion, Extent, expand};
pub use rerank::rerank;
pub use retrieve::{SearchOptions, Semantics, search};
pub use reworded::search_reworded;
pub use window::{fit, widen};

#[cfg(test)]
mod tests;
