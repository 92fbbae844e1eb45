//! Questions to answers.
//!
//! [`search`] takes the question apart (`language`, `understand`, `spelling`), asks both retrievers, has their candidates
//! fused, takes a closer look at the best (`closer`) and hydrates them; [`expand()`] shows what stands around a chunk. Both read the index alone: no note is opened and nothing is written.

mod closer;
mod error;
mod expand;
mod language;
mod retrieve;
mod semantics;
mod spelling;
mod understand;
mod window;

pub use closer::CloserOptions;
pub use error::SearchError;
pub use expand::{Expansion, Extent, expand};
pub use retrieve::{SearchOptions, search};
pub use semantics::Semantics;
pub use window::{fit, widen};

#[cfg(test)]
mod tests;
