//! Errors in the form that an agent reads.

use rmcp::ErrorData;
use serde_json::json;

use super::hint::{for_agent, without_flags};
use tars_base::domain::sanitize;
use tars_service::{Problem, ProblemKind};
use tars_text::redact::redact;

/// The error of a tool, a resource or a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// The kind of problem.
    pub(super) kind: ProblemKind,
    /// The problem and its remedy, in a line or two.
    pub(super) text: String,
}

impl Failure {
    /// Returns the failure for an invalid request.
    pub(super) fn invalid(text: impl Into<String>) -> Self {
        Self { kind: ProblemKind::Invalid, text: text.into() }
    }

    /// Converts the failure into a protocol error, for requests whose answers cannot contain one.
    pub(super) fn as_error(&self) -> ErrorData {
        let data = Some(json!({ "kind": self.kind }));
        match self.kind {
            ProblemKind::NotFound => ErrorData::resource_not_found(self.text.clone(), data),
            ProblemKind::Invalid => ErrorData::invalid_params(self.text.clone(), data),
            _ => ErrorData::internal_error(self.text.clone(), data),
        }
    }
}

impl From<tars_service::Error> for Failure {
    fn from(error: tars_service::Error) -> Self {
        let Problem { kind, message, hint } = Problem::from(&error);
        let message = without_flags(&message);
        let said = match hint.map(|hint| for_agent(kind, &hint)) {
            Some(hint) => format!("{message}; {hint}"),
            None => message,
        };
        Self { kind, text: sanitize(&redact(&said).text) }
    }
}
