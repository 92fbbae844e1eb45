//! A turn to a few bullets: what is worth knowing of it later.
//!
//! Without any model (`Extractive`), by a program (`Command`) or by a server (`Http`). A model sees the turn
//! without its secrets and marked as data; what it answers is cleaned like any foreign text, and where it fails the
//! extractive way takes its place.

mod bullets;
mod extractive;
mod sentences;

pub use bullets::{LONGEST_BULLET, MOST_BULLETS, cleaned};
pub use extractive::{EXTRACTIVE, Extractive};
pub use sentences::{is_decision, sentences, shortened};

use crate::domain::Turn;
use crate::redact::redact_turn;

/// Makes bullets of turns.
pub trait Summarizer {
    /// Returns a word for who does it: letters, digits, `-`, `_`, `.`, `:`.
    fn name(&self) -> &str;

    /// Returns at most [`MOST_BULLETS`] bullets, without their markers, each one line of at most [`LONGEST_BULLET`]
    /// characters; none if there is nothing worth noting.
    ///
    /// # Errors
    /// Whoever does it cannot be had, or gives nothing that can be used.
    fn summarize(&self, turn: &Turn) -> Result<Vec<String>, LlmError>;
}

/// Why there is no summary.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LlmError {}

/// A turn's bullets, and whose they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notes {
    /// At most [`MOST_BULLETS`], without markers, free of secrets and comments.
    pub bullets: Vec<String>,
    /// Who made them.
    pub by: String,
    /// Who should have made them but failed.
    pub instead_of: Option<String>,
    /// Why that one failed.
    pub failure: Option<String>,
}

/// Summarizes a turn, without its secrets; where `summarizer` fails or has nothing to say, extractively.
pub fn summarize_or_extract(summarizer: &dyn Summarizer, turn: &Turn) -> Notes {
    let turn = redact_turn(turn);
    let failure = match summarizer.summarize(&turn) {
        Ok(bullets) => {
            let bullets = cleaned(bullets.iter().map(String::as_str));
            if !bullets.is_empty() {
                return Notes { bullets, by: summarizer.name().into(), instead_of: None, failure: None };
            }
            "it had nothing to say".to_owned()
        }
        Err(error) => error.to_string(),
    };
    let is_other = summarizer.name() != EXTRACTIVE;
    Notes {
        bullets: extractive::extract(&turn),
        by: EXTRACTIVE.into(),
        instead_of: is_other.then(|| summarizer.name().to_owned()),
        failure: is_other.then_some(failure),
    }
}
