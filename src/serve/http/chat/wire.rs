//! The requests and answers of the chat.

use axum::response::sse::Event;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::http::problem::HttpProblem;
use tars_assistant::Channel;
use tars_assistant::conversation::ConversationLine;
use tars_chat::Usage;

/// Sends a message in a conversation, or executes a command that begins with `/`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct ChatRequest {
    /// The conversation; a new one if missing.
    pub conversation_id: Option<String>,
    /// The message.
    pub message: String,
    /// Whether the model gets tools; yes by default.
    pub tools: Option<bool>,
}

/// Answers a permission question of a model.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct AnswerRequest {
    /// The question's id from its event.
    pub question: String,
    /// Whether the tool may run.
    pub allow: bool,
}

/// The end of a turn.
#[derive(Debug, Default, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct TurnSummary {
    /// The conversation to continue with.
    pub conversation_id: String,
    /// The whole answer, or the output of a command, as markdown.
    pub text: String,
    /// Whether the answer was stopped.
    pub stopped: bool,
    /// Tokens of all calls of the model together.
    pub usage: Tokens,
    /// The next step after the turn.
    pub effect: AfterTurn,
}

/// The next step after a turn.
#[derive(Debug, Default, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(in crate::http) enum AfterTurn {
    /// The conversation continues.
    #[default]
    None,
    /// A new conversation begins.
    Cleared,
}

/// Token counts, if the model's server reports them.
#[derive(Debug, Default, Clone, Copy, Serialize, JsonSchema)]
pub(in crate::http) struct Tokens {
    /// Sent tokens.
    pub input: Option<u64>,
    /// Received tokens.
    pub output: Option<u64>,
}

impl From<Usage> for Tokens {
    fn from(usage: Usage) -> Self {
        Self { input: usage.input_tokens, output: usage.output_tokens }
    }
}

/// The events of a turn.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum ChatEvent {
    Conversation { conversation_id: String },
    Text { text: String },
    Withdrawn {},
    Tool { name: String, about: String },
    ToolDone { name: String, result: String, failed: bool },
    Notice { text: String },
    Question { question: String, tool: String, what: String },
    Done(TurnSummary),
    Problem(Box<HttpProblem>),
}

impl ChatEvent {
    /// Returns the event as a server-sent event.
    pub(super) fn to_sse(&self) -> Event {
        let name = match self {
            Self::Conversation { .. } => "conversation",
            Self::Text { .. } => "text",
            Self::Withdrawn {} => "withdrawn",
            Self::Tool { .. } => "tool",
            Self::ToolDone { .. } => "tool_done",
            Self::Notice { .. } => "notice",
            Self::Question { .. } => "question",
            Self::Done(_) => "done",
            Self::Problem(_) => "problem",
        };
        Event::default().event(name).data(json!(self).to_string())
    }
}

/// A whole turn in one answer.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(in crate::http) struct ChatResponse {
    /// The end of the turn.
    #[serde(flatten)]
    pub end: TurnSummary,
    /// The tools used.
    pub tools: Vec<ToolLine>,
    /// Notices for the person.
    pub notices: Vec<String>,
}

/// The use of a tool.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(in crate::http) struct ToolLine {
    /// The tool's name.
    pub name: String,
    /// A short description of the call.
    pub about: String,
    /// The beginning of the result.
    pub result: String,
    /// Whether the call failed.
    pub failed: bool,
}

impl ChatResponse {
    /// Adds an event that event before the end.
    pub(super) fn add(&mut self, event: ChatEvent) {
        match event {
            ChatEvent::Tool { name, about } => {
                self.tools.push(ToolLine { name, about, ..ToolLine::default() });
            }
            ChatEvent::ToolDone { name, result, failed } => match self.tools.last_mut() {
                Some(last) if last.name == name && last.result.is_empty() => {
                    (last.result, last.failed) = (result, failed);
                }
                // A refused tool has no start event.
                _ => self.tools.push(ToolLine { name, result, failed, ..ToolLine::default() }),
            },
            ChatEvent::Notice { text } => self.notices.push(text),
            ChatEvent::Conversation { .. }
            | ChatEvent::Text { .. }
            | ChatEvent::Withdrawn {}
            | ChatEvent::Question { .. } => {}
            ChatEvent::Done(_) | ChatEvent::Problem(_) => {}
        }
    }
}

/// A command of the chat.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct CommandLine {
    /// The name, without the slash.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// The arguments after the name.
    pub usage: &'static str,
    /// Its effect, in a line.
    pub about: &'static str,
    /// The least privileged channel that may use it.
    pub from: Channel,
}

/// All conversations, the newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Listed")]
pub(in crate::http) struct ConversationList {
    /// One line per conversation.
    pub conversations: Vec<ConversationLine>,
}

/// The entries of a conversation.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct ConversationPage {
    /// The conversation's id.
    pub id: String,
    /// The beginning of the first message.
    pub title: String,
    /// The entries, oldest first.
    pub entries: Vec<ConversationEntry>,
}

/// One entry of a conversation.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct ConversationEntry {
    /// When it was said.
    pub at: Timestamp,
    /// The speaker.
    pub role: Role,
    /// The text as markdown; for a tool its result.
    pub text: String,
    /// Tools that the answer called.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Whether the answer was stopped, or the tool failed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
}

/// The speaker of an entry.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(in crate::http) enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A tool.
    Tool,
    /// A summary of the earlier conversation.
    Summary,
}

/// The outcomes of a deleted conversation.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct Deleted {
    /// Notes that record the conversation.
    pub noted_in: Vec<String>,
    /// Proposals that wait for the person.
    pub proposed: usize,
    /// Lines that were applied at once.
    pub applied: usize,
}
