//! Problems in the form of RFC 9457: `application/problem+json`.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::task::JoinError;

use super::keys::KeyError;
use tars_service::{Problem, ProblemKind};
use tars_text::redact::redact;

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct HttpProblem {
    /// Always `about:blank`: `title` describes `status`, and programs should use `kind`.
    #[serde(rename = "type")]
    about: &'static str,
    /// The text of the status.
    title: &'static str,
    /// The status of the response.
    status: u16,
    /// The problem and its place.
    detail: String,
    /// The remedy, if known: a command, or words.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// The kind of problem of the operation; missing if the request failed before.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<ProblemKind>,
}

impl HttpProblem {
    /// Returns a problem outside of an operation.
    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        let title = status.canonical_reason().unwrap_or("Error");
        let detail = redact(&detail.into()).text.into_owned();
        Self { about: "about:blank", title, status: status.as_u16(), detail, hint: None, kind: None }
    }

    /// Adds the remedy.
    pub(super) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Returns whether the request lacks a valid key.
    pub(super) fn is_unauthorized(&self) -> bool {
        self.status == StatusCode::UNAUTHORIZED.as_u16()
    }

    /// Returns the problem for an unknown path.
    pub(super) fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "there is nothing at this address").with_hint("see /v1/openapi.json")
    }

    /// Returns the problem for a wrong method.
    pub(super) fn wrong_method() -> Self {
        let message = "this address does not take requests of this method";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, message).with_hint("see /v1/openapi.json")
    }

    /// Returns the problem for `what` that a fault ended without an answer.
    pub(super) fn fault(what: &str) -> Self {
        let message = format!("the {what} failed because of a fault in tars");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, message).with_hint("see the log of tars serve")
    }

    /// Returns the problem for an overloaded server.
    pub(super) fn busy() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "too many requests wait for an answer")
            .with_hint("try again in a second")
    }
}

impl From<Problem> for HttpProblem {
    fn from(problem: Problem) -> Self {
        let status = match problem.kind {
            ProblemKind::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
            ProblemKind::NotFound => StatusCode::NOT_FOUND,
            ProblemKind::Conflict => StatusCode::CONFLICT,
            ProblemKind::Changed => StatusCode::PRECONDITION_FAILED,
            ProblemKind::NotReady => StatusCode::SERVICE_UNAVAILABLE,
            ProblemKind::Failed => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self { hint: problem.hint, kind: Some(problem.kind), ..Self::new(status, problem.message) }
    }
}

impl From<JoinError> for HttpProblem {
    fn from(error: JoinError) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
    }
}

impl From<KeyError> for HttpProblem {
    fn from(error: KeyError) -> Self {
        let problem = Self::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string());
        Self { hint: error.hint(), ..problem }
    }
}

impl IntoResponse for HttpProblem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        // Serialization of texts and numbers cannot fail.
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        match status {
            StatusCode::UNAUTHORIZED => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"tars\""));
            }
            StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        response
    }
}
