//! What a model answers.

use std::ops::ControlFlow;
use std::time::Duration;

use serde_json::{Value, json};

use super::ChatError;

/// A whole answer. All of it is foreign text.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// What the model wrote, without its reasoning.
    pub text: String,
    /// The tools it called, in order; each is one of the request's tools.
    pub calls: Vec<ToolCall>,
    /// Calls of tools that the request did not offer. They must not be carried out; a caller may tell the model so.
    pub refused_calls: Vec<ToolCall>,
    /// Why it stopped.
    pub stop: StopReason,
    /// What it cost.
    pub usage: Usage,
    /// How many of the oldest messages were left out to keep [`Limits::history_tokens`](super::Limits::history_tokens).
    pub omitted_messages: usize,
}

/// A tool that a model calls.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// What its result must name.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it is called with. No schema was applied to it.
    pub arguments: Arguments,
}

impl ToolCall {
    /// Returns the call for a model that cannot be told of it otherwise.
    pub(super) fn in_words(&self) -> String {
        format!("[called the tool {} with {}]", self.name, self.arguments.for_history())
    }
}

/// The arguments of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Arguments {
    /// A JSON object, as the model wrote it; `{}` if it wrote nothing.
    Complete(Value),
    /// A JSON object of what the model wrote before it was cut off: open strings, arrays and objects were closed, and a key
    /// without a value dropped. A text in it may lack its end, so nothing should be written by it.
    Repaired(Value),
    /// Text that is no JSON object even when it is closed.
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

    /// Returns what is sent back to a server, which accepts objects only.
    pub(super) fn for_history(&self) -> Value {
        self.object().cloned().unwrap_or_else(|| json!({}))
    }
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// It had said everything.
    Finished,
    /// It waits for the results of its calls.
    ToolCalls,
    /// The answer reached the longest length allowed and is cut off.
    MaxTokens,
    /// The model or a filter of the server refused.
    Refused,
    /// Something else, in the server's words.
    Other(String),
}

/// Tokens as the server counts them; `None` where it does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the request, cached ones included.
    pub input_tokens: Option<u64>,
    /// Tokens of the answer, reasoning included.
    pub output_tokens: Option<u64>,
}

/// Something that happens during a call.
#[derive(Debug, Clone, Copy)]
pub enum ChatEvent<'e> {
    /// The next piece of the answer's text.
    Text(&'e str),
    /// The next piece of the reasoning before it.
    Reasoning(&'e str),
    /// The model begins to write the arguments of a call.
    ToolCallStarted {
        /// One of the request's tools.
        name: &'e str,
    },
    /// The request will be sent again.
    Retrying {
        /// How often it was sent.
        tried: u32,
        /// How long to wait before.
        wait: Duration,
        /// Why it failed.
        error: &'e ChatError,
    },
}

/// Is told what happens; [`ControlFlow::Break`] cancels the call.
pub type OnEvent<'f> = dyn FnMut(ChatEvent<'_>) -> ControlFlow<()> + 'f;
