//! Errors as plain data: what happened, and the one next step.

use schemars::JsonSchema;
use serde::Serialize;

use crate::evaluation::{QuestionError, SelfQuestionsError};
use crate::{ChatModelError, IndexTransferError, NoVault, Refusal, VaultMismatch, VersionConflict};
use tars_base::ipc::ForeignSocketError;
use tars_chat::ChatError;
use tars_chat::tasks::TaskError;
use tars_config::ConfigError;
use tars_embed::EmbedError;
use tars_engine::index::IndexError;
use tars_engine::search::SearchError;
use tars_memory::MemoryError;
use tars_store::StoreError;
use tars_vault::WriteError;

/// The kind of a problem, for programs that branch on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProblemKind {
    /// The request itself is wrong; a different one may work.
    Invalid,
    /// Its target does not exist or may not be shown.
    NotFound,
    /// Something changed meanwhile or is being changed: the request may be retried.
    Conflict,
    /// The memory folder has another version than the request expects: read it again first.
    Changed,
    /// There is no vault, no index or no model yet.
    NotReady,
    /// A failure that the request did not cause.
    Failed,
}

/// Why a request was not answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Problem {
    /// The kind of problem.
    pub kind: ProblemKind,
    /// The problem and its place.
    pub message: String,
    /// The next step, if known: a command, or words.
    pub hint: Option<String>,
}

impl Problem {
    /// Returns the problem of a thing that cannot be used in its current state.
    pub(super) fn not_ready(error: &impl std::error::Error, hint: Option<String>) -> Self {
        Self { kind: ProblemKind::NotReady, message: error.to_string(), hint }
    }
}

impl From<&anyhow::Error> for Problem {
    fn from(error: &anyhow::Error) -> Self {
        let kind = error.chain().find_map(kind).unwrap_or(ProblemKind::Failed);
        Self { kind, message: format!("{error:#}"), hint: error.chain().find_map(hint) }
    }
}

/// Returns the kind of one error of a chain; `None` if another error of the chain decides.
fn kind(cause: &(dyn std::error::Error + 'static)) -> Option<ProblemKind> {
    use ProblemKind::{Conflict, Invalid, NotFound, NotReady};
    if cause.is::<NoVault>() || cause.is::<VaultMismatch>() {
        return Some(NotReady);
    }
    if cause.is::<ChatModelError>() {
        return Some(NotReady);
    }
    if cause.is::<VersionConflict>() {
        return Some(ProblemKind::Changed);
    }
    if cause.is::<Refusal>() || cause.is::<ConfigError>() || cause.is::<IndexTransferError>() {
        return Some(Invalid);
    }
    if let Some(error) = cause.downcast_ref::<SearchError>() {
        return match error {
            SearchError::UnknownId { .. } | SearchError::UnknownNote { .. } | SearchError::TextGone { .. } => {
                Some(NotFound)
            }
            SearchError::UnknownSection { .. } | SearchError::UnknownBlock { .. } | SearchError::NoSuchLines { .. } => {
                Some(NotFound)
            }
            SearchError::NoSemantics { .. } => Some(NotReady),
            SearchError::Store(error) => kind(error),
            SearchError::Embed(error) => kind(error),
            _ => Some(Invalid),
        };
    }
    if let Some(error) = cause.downcast_ref::<StoreError>() {
        return match error {
            StoreError::Missing { .. } => Some(NotReady),
            StoreError::UnknownCollection { .. } => Some(NotFound),
            StoreError::Glob { .. } => Some(Invalid),
            _ => None,
        };
    }
    if let Some(EmbedError::QuestionTooLong { .. }) = cause.downcast_ref::<EmbedError>() {
        return Some(Invalid);
    }
    match (cause.downcast_ref::<MemoryError>(), cause.downcast_ref::<WriteError>()) {
        (Some(MemoryError::Write(error)), _) => kind(error),
        (Some(MemoryError::Embed(error)), _) => kind(error),
        (Some(MemoryError::Gone { .. }), _) => Some(Conflict),
        (Some(_), _) => Some(Invalid),
        (_, Some(WriteError::Busy { .. } | WriteError::KeepsChanging { .. })) => Some(Conflict),
        (_, Some(WriteError::Vault { .. } | WriteError::NotAFolder { .. })) => Some(NotReady),
        _ => None,
    }
}

/// Returns the next step for one error of a chain.
fn hint(cause: &(dyn std::error::Error + 'static)) -> Option<String> {
    cause
        .downcast_ref::<StoreError>()
        .and_then(StoreError::hint)
        .or_else(|| cause.downcast_ref::<IndexError>().and_then(IndexError::hint))
        .or_else(|| cause.downcast_ref::<IndexTransferError>().and_then(IndexTransferError::hint))
        .or_else(|| cause.downcast_ref::<SearchError>().and_then(SearchError::hint))
        .or_else(|| cause.downcast_ref::<EmbedError>().and_then(EmbedError::hint))
        .or_else(|| cause.downcast_ref::<TaskError>().and_then(TaskError::hint))
        .or_else(|| cause.downcast_ref::<ChatError>().and_then(ChatError::hint))
        .or_else(|| cause.downcast_ref::<ChatModelError>().and_then(ChatModelError::hint))
        .or_else(|| cause.downcast_ref::<ConfigError>().and_then(ConfigError::hint))
        .or_else(|| cause.downcast_ref::<WriteError>().and_then(WriteError::hint))
        .or_else(|| match cause.downcast_ref::<MemoryError>() {
            Some(MemoryError::Write(error)) => error.hint(),
            _ => None,
        })
        .or_else(|| cause.downcast_ref::<QuestionError>().and_then(QuestionError::hint))
        .or_else(|| cause.downcast_ref::<SelfQuestionsError>().map(|error| error.hint().to_owned()))
        .or_else(|| cause.downcast_ref::<ForeignSocketError>().map(ForeignSocketError::hint))
        .or_else(|| cause.downcast_ref::<NoVault>().map(|_| "tars init FOLDER".into()))
        .or_else(|| cause.downcast_ref::<VersionConflict>().map(|_| "read it again, then decide".into()))
        .or_else(|| cause.downcast_ref::<VaultMismatch>().map(|_| "tars index".into()))
        .or_else(|| cause.downcast_ref::<Refusal>().map(|refusal| refusal.hint.clone()))
}
