//! Errors as an agent reads them.

use rmcp::ErrorData;
use serde_json::json;

use crate::domain::clean;
use crate::redact::redact;
use crate::service::{Problem, ProblemKind};

/// What a tool, a resource or a prompt says instead of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// What it is about.
    pub(super) kind: ProblemKind,
    /// What happened and what to do, in a line or two.
    pub(super) text: String,
}

impl Failure {
    /// Returns that a request is not one.
    pub(super) fn invalid(text: impl Into<String>) -> Self {
        Self { kind: ProblemKind::Invalid, text: text.into() }
    }

    /// Returns it as an error of the protocol, for requests whose answers have no place for one.
    pub(super) fn as_error(&self) -> ErrorData {
        let data = Some(json!({ "kind": self.kind }));
        match self.kind {
            ProblemKind::NotFound => ErrorData::resource_not_found(self.text.clone(), data),
            ProblemKind::Invalid => ErrorData::invalid_params(self.text.clone(), data),
            _ => ErrorData::internal_error(self.text.clone(), data),
        }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        let Problem { kind, message, hint } = Problem::from(&error);
        let said = hint.map_or_else(|| message.clone(), |hint| format!("{message}; try: {hint}"));
        Self { kind, text: clean(&redact(&said).text) }
    }
}
