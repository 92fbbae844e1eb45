//! Turns questions into answers.
//!
//! [`search`] parses the question (`language`, `understand`, `spelling`), queries both retrievers, fuses their candidates,
//! computes features of the best (`features`) and loads their text. [`expand()`] returns the text around a chunk, and
//! [`note()`] the text of a note. They read only the index: they open no note and write nothing.
//!
//! On request, [`search_reworded`] asks a question in several wordings, and [`rerank()`] reorders the best hits with a cross-encoder.

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
