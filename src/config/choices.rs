//! Settings that name one of a few choices.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who makes notes of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SummaryProvider {
    /// Whatever needs nothing: extractive.
    Auto,
    /// Sentences of the turns themselves.
    Extractive,
    /// The person's own `claude -p`.
    Claude,
    /// A program.
    Command,
    /// A server that speaks OpenAI's chat completions.
    OpenAi,
    /// A server that speaks Anthropic's messages.
    Anthropic,
}

impl SummaryProvider {
    /// Returns the word used in settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Extractive => "extractive",
            Self::Claude => "claude",
            Self::Command => "command",
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }
}

/// Who answers in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChatProvider {
    /// The model that makes notes of sessions, if there is one.
    Auto,
    /// Nobody.
    None,
    /// Ollama, or what speaks as it does, on this machine unless another address is named.
    Ollama,
    /// A server that speaks OpenAI's chat completions.
    OpenAi,
    /// OpenRouter.
    OpenRouter,
    /// A server that speaks Anthropic's messages.
    Anthropic,
    /// A program.
    Command,
}

impl ChatProvider {
    /// Returns the word used in settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::None => "none",
            Self::Ollama => "ollama",
            Self::OpenAi => "openai",
            Self::OpenRouter => "openrouter",
            Self::Anthropic => "anthropic",
            Self::Command => "command",
        }
    }
}

/// Whether something may be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Permission {
    /// Without a question.
    Allow,
    /// Where the person says so.
    Ask,
    /// Never.
    Deny,
}

impl Permission {
    /// Returns the word used in settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// Reads the word used in settings.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Allow, Self::Ask, Self::Deny].into_iter().find(|permission| permission.as_str() == word)
    }
}

/// What becomes of what a conversation leaves behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Consolidate {
    /// The model proposes, the person decides.
    Propose,
    /// The model is not asked.
    Off,
}

/// Who runs a model on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kernel {
    /// Tars itself where the model can be prepared for that; otherwise ONNX Runtime.
    Auto,
    /// ONNX Runtime.
    Off,
}

/// How changes are noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Polling {
    /// By the system's events; by polling where these cannot be had.
    Auto,
    /// By polling.
    Always,
}

/// Who turns text into vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// A model on this machine.
    Onnx,
    /// A server that speaks OpenAI's embeddings interface.
    OpenAi,
    /// Nobody: search by words alone.
    None,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Color {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Whose notes of sessions an agent is given unasked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Those of every project.
    All,
    /// Those of the project that the agent works in.
    Project,
}
