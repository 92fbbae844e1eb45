//! Errors as plain data: what happened, and the one next step.

use schemars::JsonSchema;
use serde::Serialize;

use crate::Error;

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

impl From<&Error> for Problem {
    fn from(error: &Error) -> Self {
        Self { kind: error.kind(), message: format!("{error:#}"), hint: error.hint().map(str::to_owned) }
    }
}
