//! Questions to answers.
//!
//! [`search`] takes the question apart (`language`, `understand`, `spelling`), asks both retrievers, has their candidates
//! fused, computes features of the best (`features`) and hydrates them; [`expand()`] shows what stands around a chunk, and [`note()`] a note. All read the index alone: no note is opened and nothing is written.
//!
//! Where a person asks for it and has the time, [`search_reworded`] asks a question in several wordings, and [`rerank()`] has
//! the best hits read once more.

mod alternative;
mod beginnings;
mod block;
mod compounds;
mod error;
mod expand;
mod explain;
mod features;
mod forms;
#[cfg(test)]
mod fuzz;
mod input;
mod language;
mod limits;
mod linked;
mod listed;
mod names;
mod note;
mod place;
mod rerank;
mod retrieve;
mod reworded;
mod semantics;
mod session_logs;
mod spelling;
mod summed_up;
mod understand;
mod window;

pub use error::SearchError;
pub use expand::{Expansion, Extent, expand};
pub use features::FeatureOptions;
pub use input::SearchOptions;
pub use language::plain_text;
pub use linked::{LinkedNote, linked_notes};
pub use note::{Named, Part, names, note, readings};
pub use rerank::rerank;
pub use retrieve::search;
pub use reworded::{Reworded, search_reworded};
pub use semantics::Semantics;
pub use window::{fit, widen};

#[cfg(test)]
mod tests;
