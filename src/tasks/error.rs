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
    /// The model says nothing of the session that can be used.
    #[error("{name} gives no notes that can be used: {reason}")]
    NoNotes {
        /// Who was asked.
        name: String,
        /// What is wrong with the answer.
        reason: &'static str,
    },
    /// The model says nothing of the lines that can be used.
    #[error("{name} gives no JSON object with a list `{lists}`")]
    NoClaims {
        /// Who was asked.
        name: String,
        /// The lists that were asked for.
        lists: String,
    },
    /// The models were given as many tokens today as they may be.
    #[error("{spent} tokens went to models today, and model.daily_tokens is {budget}")]
    BudgetSpent {
        /// Tokens that were sent and received today.
        spent: u64,
        /// How many there may be.
        budget: u64,
    },
    /// A budget is set, and nobody knows what is left of it.
    #[error("cannot read how many tokens went to models today: {0}")]
    Uncounted(#[from] std::io::Error),
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
