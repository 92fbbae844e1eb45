//! Short forms of texts without a language model: the outcomes of a turn and of a session, the sentences of a text, a request's headline,
//! and a person's own words next to pasted text. Small linear models tell the kinds of sentences ([`tars_text::classifier`]), rules do the
//! rest.
//!
//! This module uses no file or clock. The memory's notes rely on it where no language model is configured or where it fails, and text from a model passes [`tars_text::cleaning`] before it reaches a note.

mod cues;
mod extractive;
mod outcome;
mod own_words;
mod phrase_matcher;
mod replies;
mod sentences;
mod session;
mod short_forms;
mod small_talk;
mod standing;
#[cfg(test)]
mod tests;
mod wording;
mod words;

pub use cues::holds_any;
pub use own_words::own_words;
pub use phrase_matcher::{PhraseMatcher, Phrases};
pub use sentences::sentences;
pub use session::{SessionDigest, TurnDigest};
pub use short_forms::{changed_file, command_line, headline};
pub use standing::{
    StandingStatement, concerns_person, looks_injected, standing_statements, weighed_statements, without_injected_text,
};
pub use wording::{Wording, is_in_own_words};
pub use words::{
    Subject, denied_words, have_common_subject, repeats, same_subject, shares_words, subject_words, supports,
};
