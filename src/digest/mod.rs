//! Short forms of texts, made by rules alone: the bullets of a turn, the sentences of a text, a request's headline.
//!
//! Nothing here knows a language model, a file or a clock. The memory's notes rest on these rules where no model is
//! configured or where it fails, and whatever a model says passes through [`cleaned`] before it stands in a note.

mod bullets;
mod extractive;
mod sentences;

pub use bullets::{LONGEST_BULLET, MOST_BULLETS, cleaned};
pub use extractive::{changed_file, command_line, extract, headline};
pub use sentences::{is_decision, sentences, shortened};
