//! Errors as an agent reads them.

use serde_json::{Value, json};

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

    /// Returns it as the JSON that goes with an error of the protocol.
    pub(super) fn data(&self) -> Value {
        json!({ "kind": self.kind })
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        let Problem { kind, message, hint } = Problem::from(&error);
        let said = hint.map_or_else(|| message.clone(), |hint| format!("{message}; try: {hint}"));
        Self { kind, text: clean(&redact(&said).text) }
    }
}
