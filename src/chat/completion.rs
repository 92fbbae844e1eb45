//! The answer of a model, and the events on the way to it.

use std::ops::ControlFlow;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Carried, ChatError, StopReason, Usage};

/// A whole answer. All of its text is untrusted.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// The text that the model wrote, without its reasoning.
    pub text: String,
    /// The tools it called, in order. Each is one of the request's tools.
    pub calls: Vec<ToolCall>,
    /// Calls of tools that the request did not offer. The caller must not run them; it may tell the model so.
    pub refused_calls: Vec<ToolCall>,
    /// Why the model stopped.
    pub stop: StopReason,
    /// Token counts.
    pub usage: Usage,
    /// Number of oldest messages that were left out to keep within [`Limits::history_tokens`](super::Limits::history_tokens).
    pub omitted_messages: usize,
    /// The fields that the server needs back with the next request.
    pub carried: Option<Carried>,
}

/// A tool that a model calls.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// Identifies the call; its result must name this id.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// The arguments. They were not checked against the schema.
    pub arguments: Arguments,
}

impl ToolCall {
    /// Returns the call as text, for models and servers that accept no tool calls in the history.
    pub(super) fn as_text(&self) -> String {
        format!("[called the tool {} with {}]", self.name, self.arguments.for_history())
    }
}

/// The arguments of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Arguments {
    /// The JSON object that the model wrote; `{}` if it wrote nothing.
    Complete(Value),
    /// A JSON object that was cut off and then closed: open strings, arrays and objects are closed, and a key without a
    /// value is dropped. A string in it may lack its end, so no caller should write anything based on it.
    Repaired(Value),
    /// Text that is not a JSON object, even after closing.
    Unreadable(String),
}

impl Arguments {
    /// Returns the object, whether or not it was repaired.
    pub fn object(&self) -> Option<&Value> {
        match self {
            Self::Complete(object) | Self::Repaired(object) => Some(object),
            Self::Unreadable(_) => None,
        }
    }

    /// Returns the arguments to send back to a server, which accepts objects only.
    pub(super) fn for_history(&self) -> Value {
        self.object().cloned().unwrap_or_else(|| json!({}))
    }
}

/// A progress event of a call.
#[derive(Debug, Clone, Copy)]
pub enum ChatEvent<'e> {
    /// The next piece of the answer's text.
    Text(&'e str),
    /// The next piece of the reasoning that precedes the answer.
    Reasoning(&'e str),
    /// All text of the answer so far was reasoning: the model has ended it without having opened it.
    Withdrawn,
    /// The model begins to write the arguments of a call.
    ToolCallStarted {
        /// One of the request's tools.
        name: &'e str,
    },
    /// The request failed and will be sent again.
    Retrying {
        /// Number of attempts so far.
        tried: u32,
        /// Wait before the next attempt.
        wait: Duration,
        /// Why it failed.
        error: &'e ChatError,
    },
}

/// Callback for the events of a call; returning [`ControlFlow::Break`] cancels the call.
pub type OnEvent<'f> = dyn FnMut(ChatEvent<'_>) -> ControlFlow<()> + 'f;
