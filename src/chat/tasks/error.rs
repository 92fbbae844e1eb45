//! Errors of tasks.

use crate::ChatError;

/// Why a task failed.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// The settings name no language model.
    #[error("summary.provider names no language model")]
    NoModel,
    /// A setting is missing.
    #[error("{what} is not set")]
    Unset {
        /// The settings key.
        what: &'static str,
    },
    /// The model returned no usable rewording.
    #[error("{name} returned no rewording of the question")]
    NoRewording {
        /// Name of the model.
        name: String,
    },
    /// The model returned no usable notes about the session.
    #[error("{name} returned unusable notes: {reason}")]
    NoNotes {
        /// Name of the model.
        name: String,
        /// The problem with the answer.
        reason: &'static str,
    },
    /// The model returned no usable claims about the lines.
    #[error("{name} returned no JSON object with a list `{lists}`")]
    NoClaims {
        /// Name of the model.
        name: String,
        /// The expected lists.
        lists: String,
    },
    /// The daily token budget is spent.
    #[error("{spent} tokens went to models today, and model.daily_tokens is {budget}")]
    BudgetSpent {
        /// Number of tokens sent and received today.
        spent: u64,
        /// The budget.
        budget: u64,
    },
    /// A budget is set, but today's usage cannot be read.
    #[error("cannot read how many tokens went to models today: {0}")]
    Uncounted(#[from] std::io::Error),
    /// The model called a tool instead of answering.
    #[error("{name} called the tool {tool}, but was offered none")]
    CalledTool {
        /// Name of the model.
        name: String,
        /// The tool's name, as the model wrote it.
        tool: String,
    },
    /// The call of the model failed.
    #[error(transparent)]
    Chat(#[from] ChatError),
}

impl TaskError {
    /// Returns what the user can do next, if anything.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoModel => Some("tars config set summary.provider claude, or command, openai or anthropic".into()),
            Self::Unset { what } => Some(format!("tars config set {what} VALUE")),
            Self::Chat(error) => error.hint(),
            Self::BudgetSpent { .. } => Some("tars config set model.daily_tokens NUMBER, or 0 for no bound".into()),
            Self::NoRewording { .. }
            | Self::NoNotes { .. }
            | Self::NoClaims { .. }
            | Self::Uncounted(_)
            | Self::CalledTool { .. } => None,
        }
    }
}
