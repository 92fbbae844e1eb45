//! A request to a model, and its limits.

use std::time::Duration;

use serde_json::Value;

use super::{CancelToken, Carried, ToolCall};

/// One call of a model.
#[derive(Debug, Clone, Default)]
pub struct ChatRequest {
    /// System prompt; empty for none.
    pub system: String,
    /// The conversation, oldest message first. It ends with a user's message or tool results, which the model answers.
    pub messages: Vec<Message>,
    /// The tools that the model may call. If there are none, the answer contains no calls, whatever the model writes.
    pub tools: Vec<Tool>,
    /// Whether the answer arrives in pieces while the model writes it. Without streaming it arrives as one piece.
    pub stream: bool,
    /// Limits on length, retries and time.
    pub limits: Limits,
    /// Ends the call from another thread.
    pub cancel: CancelToken,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// A message from a person, or from a program acting for one. Each begins a turn.
    User(String),
    /// The model's answer, as in [`Completion`](super::Completion).
    Assistant {
        /// Its text; may be empty if there are calls.
        text: String,
        /// The tools it called; each must be followed by its result.
        calls: Vec<ToolCall>,
        /// The fields that the server which made the answer needs back.
        carried: Option<Box<Carried>>,
    },
    /// The result of a tool.
    ToolResult {
        /// The [`ToolCall::id`] of the call.
        call_id: String,
        /// The result, or an error text.
        text: String,
        /// Whether the tool failed.
        is_error: bool,
    },
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Letters, digits, `_` and `-`, at most 64.
    pub name: String,
    /// Description for the model: what the tool does and when it helps.
    pub description: String,
    /// JSON Schema of type `object` for the arguments.
    pub parameters: Value,
}

/// Limits of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Maximum length of the answer in tokens; `None` leaves it to the server. Anthropic's dialect requires a number and then sends 4096.
    pub max_tokens: Option<u32>,
    /// Maximum estimated tokens of system text, tools and messages together. Whole turns are left out, oldest first;
    /// the newest one always stays.
    pub history_tokens: Option<usize>,
    /// Maximum number of attempts.
    pub max_attempts: u32,
    /// Time limit for connecting, including name resolution and TLS.
    pub connect_timeout: Duration,
    /// Time limit from the connection attempt to the first byte of the answer. A local model reads the whole conversation in this time.
    pub first_byte_timeout: Duration,
    /// Time limit between two pieces of an answer; a keep-alive comment counts as a piece.
    pub idle_timeout: Duration,
    /// Time limit for everything, including retries and the waits before them.
    pub total_timeout: Duration,
}

impl Default for Limits {
    /// Four attempts, 10 s to connect, two minutes to the first byte, one minute between pieces, 15 minutes in total.
    fn default() -> Self {
        Self {
            max_tokens: None,
            history_tokens: None,
            max_attempts: 4,
            connect_timeout: Duration::from_secs(10),
            first_byte_timeout: Duration::from_secs(120),
            idle_timeout: Duration::from_secs(60),
            total_timeout: Duration::from_secs(15 * 60),
        }
    }
}

impl Limits {
    /// Returns limits for one attempt that may take `total`, without stricter limits on its phases (except 10 s to connect).
    pub fn single_attempt(total: Duration) -> Self {
        Self {
            max_attempts: 1,
            connect_timeout: total.min(Duration::from_secs(10)),
            first_byte_timeout: total,
            idle_timeout: total,
            total_timeout: total,
            ..Self::default()
        }
    }
}
