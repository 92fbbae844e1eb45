//! What can go wrong with a task.

use crate::chat::ChatError;

/// Why a task is not done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    /// The settings name neither a program nor a server.
    #[error("summary.provider names no language model")]
    NoModel,
    /// A setting is missing.
    #[error("{what} is not set")]
    Unset {
        /// The key.
        what: &'static str,
    },
    /// The model says nothing that could be looked for.
    #[error("{name} gives no other words for the question")]
    NoRewording {
        /// Who was asked.
        name: String,
    },
    /// The model calls a tool in the place of an answer.
    #[error("{name} called the tool {tool}, and was given none")]
    CalledTool {
        /// Who was asked.
        name: String,
        /// The tool, in the model's words.
        tool: String,
    },
    /// The model gives no answer.
    #[error(transparent)]
    Chat(#[from] ChatError),
}

impl TaskError {
    /// Returns what to do next, where there is something.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoModel => Some("tars config set summary.provider command, or openai or anthropic".into()),
            Self::Unset { what } => Some(format!("tars config set {what} VALUE")),
            Self::Chat(error) => error.hint(),
            Self::NoRewording { .. } | Self::CalledTool { .. } => None,
        }
    }
}
