//! What requests and answers of the chat hold.

use axum::response::sse::Event;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::problem::HttpProblem;
use crate::assistant::Channel;
use crate::assistant::conversation::ConversationLine;
use crate::chat::Usage;

/// Says something in a conversation, or carries out a command that begins with `/`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct ChatRequest {
    /// The conversation, which begins with its first message; a new one without it.
    pub conversation_id: Option<String>,
    /// What is said.
    pub message: String,
    /// Whether the model is given tools; it is unless this says no.
    pub tools: Option<bool>,
}

/// Answers what a model asked to be allowed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct AnswerRequest {
    /// The question's name, as its event says it.
    pub question: String,
    /// Whether it may be done.
    pub allow: bool,
}

/// The end of a turn.
#[derive(Debug, Default, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct TurnDone {
    /// The conversation to go on with.
    pub conversation_id: String,
    /// The whole answer, or what a command says: markdown.
    pub text: String,
    /// Whether it was stopped.
    pub stopped: bool,
    /// Tokens of all calls of the model together.
    pub usage: Tokens,
    /// What comes after it.
    pub effect: AfterTurn,
}

/// What comes after a turn.
#[derive(Debug, Default, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(in crate::http) enum AfterTurn {
    /// The conversation goes on.
    #[default]
    None,
    /// Another conversation begins.
    Cleared,
}

/// Tokens, where the server says.
#[derive(Debug, Default, Clone, Copy, Serialize, JsonSchema)]
pub(in crate::http) struct Tokens {
    /// Sent.
    pub input: Option<u64>,
    /// Received.
    pub output: Option<u64>,
}

impl From<Usage> for Tokens {
    fn from(usage: Usage) -> Self {
        Self { input: usage.input_tokens, output: usage.output_tokens }
    }
}

/// What happens in a turn.
pub(super) enum Happened {
    Conversation { id: String },
    Text { text: String },
    Tool { name: String, about: String },
    ToolDone { name: String, result: String, failed: bool },
    Notice { text: String },
    Question { question: String, tool: String, what: String },
    Done(TurnDone),
    Problem(Box<HttpProblem>),
}

impl Happened {
    /// Returns it as a server-sent event.
    pub(super) fn event(&self) -> Event {
        let (name, data): (&str, Value) = match self {
            Self::Conversation { id } => ("conversation", json!({"conversation_id": id})),
            Self::Text { text } => ("text", json!({"text": text})),
            Self::Tool { name, about } => ("tool", json!({"name": name, "about": about})),
            Self::ToolDone { name, result, failed } => {
                ("tool_done", json!({"name": name, "result": result, "failed": failed}))
            }
            Self::Notice { text } => ("notice", json!({"text": text})),
            Self::Question { question, tool, what } => {
                ("question", json!({"question": question, "tool": tool, "what": what}))
            }
            Self::Done(end) => ("done", json!(end)),
            Self::Problem(problem) => ("problem", json!(problem)),
        };
        Event::default().event(name).data(data.to_string())
    }
}

/// A turn as a whole.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(in crate::http) struct ChatResponse {
    /// How it ended.
    #[serde(flatten)]
    pub end: TurnDone,
    /// Tools that were used.
    pub tools: Vec<ToolLine>,
    /// What the person should know.
    pub notices: Vec<String>,
}

/// A tool that was used.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(in crate::http) struct ToolLine {
    /// Its name.
    pub name: String,
    /// What for.
    pub about: String,
    /// The beginning of what came of it.
    pub result: String,
    /// Whether it failed.
    pub failed: bool,
}

impl ChatResponse {
    /// Adds what happened before the end.
    pub(super) fn add(&mut self, happened: Happened) {
        match happened {
            Happened::Tool { name, about } => {
                self.tools.push(ToolLine { name, about, ..ToolLine::default() });
            }
            Happened::ToolDone { name, result, failed } => match self.tools.last_mut() {
                Some(last) if last.name == name && last.result.is_empty() => {
                    (last.result, last.failed) = (result, failed);
                }
                // A tool that was refused was never begun.
                _ => self.tools.push(ToolLine { name, result, failed, ..ToolLine::default() }),
            },
            Happened::Notice { text } => self.notices.push(text),
            Happened::Conversation { .. } | Happened::Text { .. } | Happened::Question { .. } => {}
            Happened::Done(_) | Happened::Problem(_) => {}
        }
    }
}

/// A command.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct CommandLine {
    /// Its name, without the slash.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// What comes behind the name.
    pub usage: &'static str,
    /// What it does.
    pub about: &'static str,
    /// The least channel in which it may be used.
    pub from: Channel,
}

/// All conversations, the newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct Listed {
    /// One line each.
    pub conversations: Vec<ConversationLine>,
}

/// What was said in a conversation.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct ConversationPage {
    /// Its id.
    pub id: String,
    /// The beginning of the first message.
    pub title: String,
    /// What was said, oldest first.
    pub entries: Vec<SaidLine>,
}

/// Something that was said.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct SaidLine {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub role: Role,
    /// What: markdown; for a tool its result.
    pub text: String,
    /// Tools that an answer called.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Whether an answer was stopped, or a tool failed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
}

/// Who said something.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(in crate::http) enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A tool.
    Tool,
    /// What stands before it, summed up.
    Summary,
}

/// What a conversation that was deleted left behind.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct Deleted {
    /// Notes that tell of it.
    pub noted_in: Vec<String>,
    /// Proposals that wait for the person.
    pub proposed: usize,
    /// Lines that were kept at once.
    pub applied: usize,
}
