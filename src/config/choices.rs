//! Settings with a fixed set of values.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Backend that summarizes sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SummaryProvider {
    /// The backend that needs no setup: extractive.
    Auto,
    /// Sentences from the turns themselves.
    Extractive,
    /// The person's own `claude -p`.
    Claude,
    /// A program.
    Command,
    /// A server with OpenAI's chat completions API.
    OpenAi,
    /// A server with Anthropic's messages API.
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

/// Ollama's endpoint that is compatible with OpenAI.
pub const OLLAMA: &str = "http://localhost:11434/v1";

/// The author of the notes of sessions, in the words that a person types into the plugin's settings or gives to `tars init`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotesAuthor {
    /// The person's own Claude Code.
    Claude,
    /// A model of Ollama on this machine.
    Ollama(String),
    /// Rules alone.
    Rules,
}

impl NotesAuthor {
    /// Parses `claude`, `ollama:MODEL` or `rules`.
    pub fn parse(word: &str) -> Option<Self> {
        let word = word.trim();
        match word.to_lowercase().as_str() {
            "claude" => Some(Self::Claude),
            "rules" => Some(Self::Rules),
            lower if lower.starts_with("ollama:") => {
                let model = word["ollama:".len()..].trim();
                (!model.is_empty()).then(|| Self::Ollama(model.to_owned()))
            }
            _ => None,
        }
    }

    /// Returns the settings that mean the same.
    pub fn settings(&self) -> Vec<(&'static str, &str)> {
        let provider = |provider: SummaryProvider| ("summary.provider", provider.as_str());
        match self {
            Self::Claude => vec![provider(SummaryProvider::Claude)],
            Self::Rules => vec![provider(SummaryProvider::Extractive)],
            Self::Ollama(model) => {
                vec![provider(SummaryProvider::OpenAi), ("summary.base_url", OLLAMA), ("summary.model", model)]
            }
        }
    }
}

/// Backend that answers in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChatProvider {
    /// The model that summarizes sessions, if one is configured.
    Auto,
    /// No model: conversations are disabled.
    None,
    /// Ollama or a compatible server, on this machine unless another address is set.
    Ollama,
    /// A server with OpenAI's chat completions API.
    OpenAi,
    /// OpenRouter.
    OpenRouter,
    /// A server with Anthropic's messages API.
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

/// Permission for an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Permission {
    /// Allowed without a question.
    Allow,
    /// Allowed if the person agrees.
    Ask,
    /// Never allowed.
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

    /// Parses the word used in settings.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Allow, Self::Ask, Self::Deny].into_iter().find(|permission| permission.as_str() == word)
    }
}

/// Handling of the results of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Consolidate {
    /// The model proposes, and the person decides.
    Propose,
    /// No consolidation.
    Off,
}

/// Backend that runs a local model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kernel {
    /// Tars itself if it can prepare the model, else ONNX Runtime.
    Auto,
    /// ONNX Runtime.
    Off,
}

/// Method of detecting changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Polling {
    /// Events of the system; polling if they are unavailable.
    Auto,
    /// Polling only.
    Always,
}

/// Backend that computes vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// A local model.
    Onnx,
    /// A server with OpenAI's embeddings API.
    OpenAi,
    /// None: search by words only.
    None,
}

/// Use of colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Color {
    /// Only on a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Projects whose session notes are part of unprompted context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Every project.
    All,
    /// Only the project that the agent works in.
    Project,
}
