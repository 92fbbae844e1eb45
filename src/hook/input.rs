//! What the client says on standard input.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::project::project_of;
use crate::transcript::mended;

/// The events that tars answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A session begins or goes on.
    SessionStart,
    /// A person has sent a prompt.
    UserPromptSubmit,
    /// The agent has answered.
    Stop,
    /// The conversation is about to be summarised.
    PreCompact,
    /// A session ends.
    SessionEnd,
    /// Any other.
    Other,
}

impl Event {
    /// Returns the client's name of the event.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::Stop => "Stop",
            Self::PreCompact => "PreCompact",
            Self::SessionEnd => "SessionEnd",
            Self::Other => "",
        }
    }

    fn named(name: &str) -> Self {
        let known = [Self::SessionStart, Self::UserPromptSubmit, Self::Stop, Self::PreCompact, Self::SessionEnd];
        known.into_iter().find(|event| event.as_str() == name).unwrap_or(Self::Other)
    }
}

/// One call of a hook. A field that is missing, or of another type than it should be, is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// What happened.
    pub event: Event,
    /// The session's id.
    pub session: String,
    /// Path of the session's transcript.
    pub transcript: String,
    /// The client's directory.
    pub directory: String,
    /// Why a session starts: `startup`, `resume`, `clear`, `compact`, `fork`.
    pub source: String,
    /// The prompt.
    pub prompt: String,
    /// The id of the prompt that a turn answers, where the client tells it.
    pub prompt_id: String,
    /// The agent's last message, which the transcript may lack yet.
    pub last_message: String,
}

impl Input {
    /// Reads the client's JSON. Invalid UTF-8, NUL and halves of surrogate pairs are replaced.
    ///
    /// # Errors
    /// It is no JSON object.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let text = mended(bytes);
        let value: Value = serde_json::from_str(&text).context("the hook's input is no JSON")?;
        anyhow::ensure!(value.is_object(), "the hook's input is no JSON object");
        let field = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().replace('\0', "\u{fffd}");
        Ok(Self {
            event: Event::named(&field("hook_event_name")),
            session: field("session_id"),
            transcript: field("transcript_path"),
            directory: field("cwd"),
            source: field("source"),
            prompt: field("prompt"),
            prompt_id: field("prompt_id"),
            last_message: field("last_assistant_message"),
        })
    }

    /// Returns the name of the project that the client works in, if it says where that is.
    pub fn project(&self) -> Option<String> {
        (!self.directory.is_empty()).then(|| project_of(Path::new(&self.directory)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_and_others_passed_over() {
        let text =
            r#"{"hook_event_name":"Stop","session_id":"a","cwd":7,"new_field":{"x":[1]},"prompt":"\ud83d x \u0000"}"#;
        let input = Input::parse(text.as_bytes()).unwrap();
        assert_eq!((input.event, input.session.as_str(), input.directory.as_str()), (Event::Stop, "a", ""));
        assert_eq!(input.prompt, "\u{fffd} x \u{fffd}");
        assert_eq!(Input::parse(br#"{"hook_event_name":"Later"}"#).unwrap().event, Event::Other);
        for wrong in [&b""[..], b"[]", b"{", b"null", b"\xff"] {
            assert!(Input::parse(wrong).is_err());
        }
    }
}
