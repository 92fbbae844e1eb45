//! Turns questions into answers.
//!
//! [`search`] parses the question (`query_syntax`, `query_plan`, `spelling`), queries both retrievers, fuses their candidates,
//! computes features of the best (`features`), loads their text, and lets in hits of parts that none covers (`parts`). [`expand()`] returns the text around a chunk, and
//! [`note()`] the text of a note. They read only the index: they open no note and write nothing.
//!
//! On request, [`search_reworded`] asks a question in several wordings, and [`rerank()`] reorders the best hits with a cross-encoder.

mod alternative;
mod answer_line;
mod answer_only;
mod block;
mod breadth;
mod chunk_excerpt;
mod compounds;
mod embeds;
mod error;
mod expand;
mod explain;
mod features;
mod filter_list;
mod forms;
#[cfg(test)]
mod fuzz;
mod input;
mod known_notes;
mod limits;
mod link_graph;
mod linked;
mod listing;
mod listing_tasks;
mod month_summaries;
mod note;
mod parts;
mod prefixes;
mod property_filters;
mod query_plan;
mod query_syntax;
mod rare_names;
mod requests;
mod rerank;
mod retrieve;
mod reworded;
mod session_outcomes;
mod spelling;
mod vector_search;
mod window;
mod word_weights;

pub use answer_only::{answer_lines, answer_only};
pub use breadth::{Breadth, by_day};
pub use embeds::{expand, note};
pub use error::SearchError;
pub use expand::{Embed, Expansion, Extent};
pub use features::FeatureOptions;
pub use input::{PartOptions, SearchOptions};
pub use link_graph::{NoteLink, links_from, links_to};
pub(crate) use linked::link_name;
pub use linked::{LinkedNote, linked_notes};
pub use listing::{NoteList, list_notes};
pub use listing_tasks::{DateCondition, NoteTask, TaskConditions, TaskDate, TaskList, list_tasks};
pub use note::{NotePart, NoteReference, note_paths, parse_reference};
pub use query_syntax::{plain_text, without_tokens};
pub use requests::{add_requests, requests_first, with_requests};
pub use rerank::rerank;
pub use retrieve::search;
pub use reworded::{Reworded, search_reworded};
pub use vector_search::VectorSearch;
pub use window::{fit, widen};

#[cfg(test)]
mod tests;
