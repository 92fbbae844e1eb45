//! Errors as plain data: what happened, and the one thing to do next.

use serde::Serialize;

use super::Refusal;
use crate::app::{NoVault, OtherVault};
use crate::config::ConfigError;
use crate::embed::EmbedError;
use crate::eval::{QuestionError, SelfQuestionsError};
use crate::index::IndexError;
use crate::ipc::Foreign;
use crate::memory::MemoryError;
use crate::search::SearchError;
use crate::store::StoreError;
use crate::tasks::TaskError;
use crate::vault::WriteError;

/// Why a request was not answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// What happened, and where.
    pub message: String,
    /// What to do, if that is known: a command, or words.
    pub hint: Option<String>,
}

impl From<&anyhow::Error> for Problem {
    fn from(error: &anyhow::Error) -> Self {
        Self { message: format!("{error:#}"), hint: error.chain().find_map(hint) }
    }
}

/// Returns what to do about one error of a chain.
fn hint(cause: &(dyn std::error::Error + 'static)) -> Option<String> {
    cause
        .downcast_ref::<StoreError>()
        .and_then(StoreError::hint)
        .or_else(|| cause.downcast_ref::<IndexError>().and_then(IndexError::hint))
        .or_else(|| cause.downcast_ref::<SearchError>().and_then(SearchError::hint))
        .or_else(|| cause.downcast_ref::<EmbedError>().and_then(EmbedError::hint))
        .or_else(|| cause.downcast_ref::<TaskError>().and_then(TaskError::hint))
        .or_else(|| cause.downcast_ref::<ConfigError>().and_then(ConfigError::hint))
        .or_else(|| cause.downcast_ref::<WriteError>().and_then(WriteError::hint))
        .or_else(|| match cause.downcast_ref::<MemoryError>() {
            Some(MemoryError::Write(error)) => error.hint(),
            _ => None,
        })
        .or_else(|| cause.downcast_ref::<QuestionError>().and_then(QuestionError::hint))
        .or_else(|| cause.downcast_ref::<SelfQuestionsError>().map(|error| error.hint().to_owned()))
        .or_else(|| cause.downcast_ref::<Foreign>().map(Foreign::hint))
        .or_else(|| cause.downcast_ref::<NoVault>().map(|_| "tars init FOLDER".into()))
        .or_else(|| cause.downcast_ref::<OtherVault>().map(|_| "tars index".into()))
        .or_else(|| cause.downcast_ref::<Refusal>().map(|refusal| refusal.hint.clone()))
}
