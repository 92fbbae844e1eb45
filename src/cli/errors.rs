//! Errors as a person reads them: what happened, where, and the one thing to do next.

use crate::app::{NoVault, OtherVault};
use crate::config::ConfigError;
use crate::daemon::{Foreign, ServiceError};
use crate::embed::EmbedError;
use crate::eval::{QuestionError, SelfQuestionsError};
use crate::index::IndexError;
use crate::memory::MemoryError;
use crate::search::SearchError;
use crate::store::StoreError;
use crate::tasks::TaskError;
use crate::vault::WriteError;

use super::terminal;

/// An error of the command line itself, with its hint.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(super) struct Usage {
    pub(super) message: String,
    pub(super) hint: String,
}

/// Prints an error and its hint to standard error.
pub(super) fn print(error: &anyhow::Error) {
    terminal::note(&format!("{error:#}"));
    if let Some(hint) = hint(error) {
        terminal::note(&format!("try: {hint}"));
    }
}

fn hint(error: &anyhow::Error) -> Option<String> {
    error.chain().find_map(|cause| {
        cause
            .downcast_ref::<StoreError>()
            .and_then(StoreError::hint)
            .or_else(|| cause.downcast_ref::<IndexError>().and_then(IndexError::hint))
            .or_else(|| cause.downcast_ref::<SearchError>().and_then(SearchError::hint))
            .or_else(|| cause.downcast_ref::<EmbedError>().and_then(EmbedError::hint))
            .or_else(|| cause.downcast_ref::<TaskError>().and_then(TaskError::hint))
            .or_else(|| cause.downcast_ref::<ConfigError>().and_then(ConfigError::hint))
            .or_else(|| cause.downcast_ref::<QuestionError>().and_then(QuestionError::hint))
            .or_else(|| cause.downcast_ref::<SelfQuestionsError>().map(|error| error.hint().to_owned()))
            .or_else(|| cause.downcast_ref::<WriteError>().and_then(WriteError::hint))
            .or_else(|| match cause.downcast_ref::<MemoryError>() {
                Some(MemoryError::Write(error)) => error.hint(),
                _ => None,
            })
            .or_else(|| cause.downcast_ref::<Foreign>().map(Foreign::hint))
            .or_else(|| cause.downcast_ref::<ServiceError>().and_then(ServiceError::hint))
            .or_else(|| cause.downcast_ref::<NoVault>().map(|_| "tars init FOLDER".into()))
            .or_else(|| cause.downcast_ref::<OtherVault>().map(|_| "tars index".into()))
            .or_else(|| cause.downcast_ref::<Usage>().map(|usage| usage.hint.clone()))
    })
}

/// Whether the reader of standard output has gone away, `head` for example.
pub(super) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
            || cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind)
                == Some(std::io::ErrorKind::BrokenPipe)
    })
}
