//! A turn to a few bullets, which is worth knowing of it later; and a question in other words.
//!
//! Bullets are made without any model ([`Extractive`]), by a program ([`Command`]) or by a server ([`Http`]); only the last
//! two reword a question. A model sees a turn or a question without its secrets and marked as data; what it answers is
//! cleaned like any foreign text. Where it fails the extractive way takes its place, or the question stands alone.

mod bullets;
mod command;
mod descendants;
mod error;
mod extractive;
mod http;
mod prompt;
mod reword;
mod sentences;

pub use bullets::{LONGEST_BULLET, MOST_BULLETS, cleaned};
pub use command::Command;
pub use error::LlmError;
pub use extractive::{EXTRACTIVE, Extractive, changed_file, command_line, headline};
pub use http::{Dialect, Http, HttpOptions};
pub use prompt::is_own_task;
pub use reword::{MOST_REWRITES, Rewording, reword};
pub use sentences::{is_decision, sentences, shortened};

use crate::domain::Turn;
use crate::redact::redact_turn;

/// Follows a task in words: a program or a server.
pub trait LanguageModel {
    /// Returns a word for who does it: letters, digits, `-`, `_`, `.`, `:`.
    fn name(&self) -> &str;

    /// Returns what it says to a task and the data that the task is about. Both are sent as they are; what comes back is
    /// foreign text.
    ///
    /// # Errors
    /// It cannot be had, takes too long, or gives nothing that can be read.
    fn complete(&self, task: &str, data: &str) -> Result<String, LlmError>;
}

/// Makes bullets of turns.
pub trait Summarizer {
    /// Returns a word for who does it: letters, digits, `-`, `_`, `.`, `:`.
    fn name(&self) -> &str;

    /// Returns at most [`MOST_BULLETS`] bullets, without their markers, each one line of at most [`LONGEST_BULLET`]
    /// characters; none if there is nothing worth noting.
    ///
    /// # Errors
    /// The provider cannot be reached, or gives nothing that can be used.
    fn summarize(&self, turn: &Turn) -> Result<Vec<String>, LlmError>;
}

impl<M: LanguageModel + ?Sized> Summarizer for M {
    fn name(&self) -> &str {
        LanguageModel::name(self)
    }

    fn summarize(&self, turn: &Turn) -> Result<Vec<String>, LlmError> {
        let (task, data) = prompt::prompt(turn);
        Ok(cleaned([self.complete(&task, &data)?.as_str()]))
    }
}

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
pub fn summarize_or_extract(summarizer: &(impl Summarizer + ?Sized), turn: &Turn) -> Notes {
    let turn = redact_turn(turn);
    match summarizer.summarize(&turn) {
        Ok(bullets) => {
            let marked: Vec<String> = bullets.iter().map(|bullet| format!("- {bullet}")).collect();
            let bullets = cleaned(marked.iter().map(String::as_str));
            if bullets.is_empty() && summarizer.name() != EXTRACTIVE {
                return extract_instead(&turn, summarizer.name(), "it had nothing to say".into());
            }
            Notes { bullets, by: summarizer.name().into(), instead_of: None, failure: None }
        }
        Err(error) => extract_instead(&turn, summarizer.name(), error.to_string()),
    }
}

/// Returns the extractive notes of a turn, without its secrets, in the place of those that `name` could not make.
pub fn extract_instead(turn: &Turn, name: &str, failure: String) -> Notes {
    let bullets = extractive::extract(&redact_turn(turn));
    Notes { bullets, by: EXTRACTIVE.into(), instead_of: Some(name.to_owned()), failure: Some(failure) }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Says(Option<&'static str>);

    impl Summarizer for Says {
        fn name(&self) -> &str {
            "says"
        }

        fn summarize(&self, turn: &Turn) -> Result<Vec<String>, LlmError> {
            assert!(!turn.request.contains("house key"));
            self.0.map(|text| vec![text.to_owned()]).ok_or(LlmError::Unset { what: "a" })
        }
    }

    #[test]
    fn where_a_model_fails_the_turn_speaks_for_itself() {
        let turn = Turn { request: "Where is <private>the house key</private>?".into(), ..Turn::default() };
        let notes = summarize_or_extract(&Says(Some("# Fixed\u{1b}[31m it <!--")), &turn);
        assert_eq!((notes.by.as_str(), notes.instead_of), ("says", None));
        assert_eq!(notes.bullets, ["Fixed[31m it <! --"]);
        for silent in [None, Some(" \n")] {
            let notes = summarize_or_extract(&Says(silent), &turn);
            assert_eq!(notes.bullets, ["Asked: Where is [redacted:private]?"]);
            assert_eq!((notes.by.as_str(), notes.instead_of.as_deref()), (EXTRACTIVE, Some("says")));
            assert!(notes.failure.is_some());
        }
    }
}
