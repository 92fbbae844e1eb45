//! What a model is asked, and within which limits.

use std::time::Duration;

use serde_json::Value;

use super::{CancelToken, ToolCall};

/// One call of a model.
#[derive(Debug, Clone, Default)]
pub struct ChatRequest {
    /// What the model is told before the conversation; empty for nothing.
    pub system: String,
    /// The conversation, oldest message first. It ends with what the model shall answer: a user's message or tool results.
    pub messages: Vec<Message>,
    /// The tools that the model may call. Without any, no call can come of the answer, whatever the model writes.
    pub tools: Vec<Tool>,
    /// Whether the answer is delivered in pieces while the model writes it. Without streaming it is delivered as one piece.
    pub stream: bool,
    /// What the call may cost.
    pub limits: Limits,
    /// Ends the call from another thread.
    pub cancel: CancelToken,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// A person, or a program in a person's place. Each of these begins a turn.
    User(String),
    /// The model's answer, as [`Completion`](super::Completion) had it.
    Assistant {
        /// What it wrote; may be empty beside calls.
        text: String,
        /// The tools it called; each must be followed by its result.
        calls: Vec<ToolCall>,
    },
    /// What a tool gave.
    ToolResult {
        /// The [`ToolCall::id`] that it answers.
        call_id: String,
        /// The result, or what went wrong.
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
    /// What it does and when it helps, for the model.
    pub description: String,
    /// A JSON Schema of type `object` for its arguments.
    pub parameters: Value,
}

/// What a call may cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Longest answer in tokens; `None` leaves it to the server. Anthropic's dialect must name a number and then sends 4096.
    pub max_tokens: Option<u32>,
    /// Most tokens of system, tools and messages together, by an estimate. Whole turns are left out from the oldest on; the
    /// newest one always stays.
    pub history_tokens: Option<usize>,
    /// How often the request is sent at the most.
    pub tries: u32,
    /// Time until a connection stands, name resolution and TLS included.
    pub connect: Duration,
    /// Time from the connection attempt to the first byte of the answer. A local model reads the whole conversation in it.
    pub first_byte: Duration,
    /// Time between two pieces of an answer that has begun; a keep-alive comment is a piece too.
    pub between: Duration,
    /// Time for everything, further tries and the waits before them included.
    pub total: Duration,
}

impl Default for Limits {
    /// Four tries, 10 s to connect, two minutes to the first byte, one minute between pieces, 15 minutes altogether.
    fn default() -> Self {
        Self {
            max_tokens: None,
            history_tokens: None,
            tries: 4,
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(120),
            between: Duration::from_secs(60),
            total: Duration::from_secs(15 * 60),
        }
    }
}

impl Limits {
    /// Returns limits for one try that may take `total`, however that time is spent.
    pub fn single_try(total: Duration) -> Self {
        let connect = total.min(Duration::from_secs(10));
        Self { tries: 1, connect, first_byte: total, between: total, total, ..Self::default() }
    }
}
