//! Rule-based summaries of texts: the outcomes of a turn and of a session, the sentences of a text, a request's
//! headline, and a person's own words next to pasted text.
//!
//! This module uses no language model, file or clock. The memory's notes rely on these rules where no model is
//! configured or where it fails, and text from a model passes [`cleaned_line`](tars_text::cleaning::cleaned_line) or [`cleaned_text`](tars_text::cleaning::cleaned_text) before it reaches a
//! note.

mod chosen;
mod cues;
mod extractive;
mod outcome;
mod own_words;
mod preamble;
mod said;
mod sentences;
mod session;
mod standing;
#[cfg(test)]
mod tests;
mod words;

pub use cues::holds_any;
pub use extractive::{changed_file, command_line, headline};
pub use own_words::own_words;
pub use said::{Phrases, Said};
pub use session::{SessionDigest, TurnDigest};
pub use standing::{commands_an_agent, standing, without_foreign};
pub use words::{same_subject, says_too, share_a_subject, subject_words, supports};
