//! Errors of calls to a language model.

use std::io;
use std::time::Duration;

use super::{StopReason, Usage};
use tars_base::endpoint::{self, EndpointError};
use tars_text::redact::redact;

/// Returns the message in a response or an output, as [`endpoint::excerpt`] does, without the secrets that it repeats.
pub(super) fn excerpt(body: &[u8], key: Option<&str>) -> String {
    redact(&endpoint::excerpt(body, key)).text.into_owned()
}

/// Why a call gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum ChatError {
    /// The settings name no program.
    #[error("no program is named")]
    NoProgram,
    /// The settings name no model.
    #[error("no model is named")]
    NoModelName,
    /// The request offers tools to a model that does not support them.
    #[error("{name} can call no tools")]
    NoTools {
        /// Name of the model or program.
        name: String,
    },
    /// The callback or the token cancelled the call.
    #[error("cancelled")]
    Cancelled,
    /// The program cannot be run.
    #[error("cannot run {program}: {reason}")]
    Run {
        /// The program.
        program: String,
        /// The reason.
        reason: io::Error,
    },
    /// The program exited with a failure.
    #[error("{program} ended with {status}: {excerpt}")]
    Failed {
        /// The program.
        program: String,
        /// The exit status.
        status: String,
        /// The beginning of its output.
        excerpt: String,
    },
    /// The program exceeded its time limit and was killed.
    #[error("{program} took longer than {} s", after.as_secs_f64())]
    TimedOut {
        /// The program.
        program: String,
        /// The time limit.
        after: Duration,
    },
    /// The call exceeded its total time limit.
    #[error("cannot reach {url}: timed out after {} s", after.as_secs_f64())]
    ServerTimedOut {
        /// The address.
        url: String,
        /// The time limit.
        after: Duration,
    },
    /// The server stopped sending, or never began.
    #[error("{url} sent nothing for {} s", after.as_secs_f64())]
    Silent {
        /// The address.
        url: String,
        /// The time limit that passed in silence.
        after: Duration,
    },
    /// The address of the server is invalid or not allowed.
    #[error("the address {url} cannot be used: {reason}")]
    Address {
        /// The address.
        url: String,
        /// The reason.
        reason: String,
    },
    /// The key would travel unencrypted.
    #[error("the key is not sent to {url}: the address is not https")]
    InsecureKey {
        /// The address.
        url: String,
    },
    /// The server is unreachable, or the connection broke.
    #[error("cannot reach {url}: {reason}")]
    Network {
        /// The address.
        url: String,
        /// The reason.
        reason: String,
    },
    /// The connection ended in the middle of the answer.
    #[error("{url} ended in the middle of its answer: {reason}")]
    CutOff {
        /// The address.
        url: String,
        /// The reason.
        reason: String,
    },
    /// The answer has no text and calls no tool.
    #[error("{name} gave an empty answer: {reason}")]
    Empty {
        /// The address or program.
        name: String,
        /// Why it has no text.
        reason: &'static str,
        /// Token counts.
        usage: Usage,
    },
    /// The conversation is longer than the model's context window.
    #[error("{url} finds the conversation too long for the model: {excerpt}")]
    TooLong {
        /// The address.
        url: String,
        /// The beginning of the response body.
        excerpt: String,
        /// The window in tokens, if the server names it.
        window: Option<usize>,
    },
    /// The server refuses tools for this model.
    #[error("{url} refuses tools for this model: {excerpt}")]
    ToolsRefused {
        /// The address.
        url: String,
        /// The beginning of the response body.
        excerpt: String,
    },
    /// The server refused the request.
    #[error("{url} answers {status}: {excerpt}")]
    Status {
        /// The address.
        url: String,
        /// The HTTP status.
        status: u16,
        /// The beginning of the response body.
        excerpt: String,
    },
    /// The server reports an error in the middle of an answer.
    #[error("{url} reports an error: {excerpt}")]
    Reported {
        /// The address.
        url: String,
        /// The error text.
        excerpt: String,
    },
    /// The answer cannot be parsed, is empty or is too large.
    #[error("{url} sent an unusable answer: {reason}")]
    Answer {
        /// The address.
        url: String,
        /// The problem.
        reason: String,
    },
}

impl ChatError {
    /// Returns what the user can do next, if anything.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::InsecureKey { .. } => Some("use an https:// address".into()),
            Self::Network { .. } => Some("start the model's server there, or set another address".into()),
            Self::CutOff { .. } => Some("ask again; the log of the model's server says why it stopped".into()),
            Self::Empty { .. } => Some("ask again in other words, or ask another model".into()),
            Self::TooLong { .. } => Some(
                "/compact sums up the conversation, /clear begins a new one; or give the model a larger context window"
                    .into(),
            ),
            Self::NoTools { .. } | Self::ToolsRefused { .. } => {
                Some("tars chat --no-tools, or take another model".into())
            }
            Self::Status { status: 401 | 403, .. } => Some("check the key that the settings name".into()),
            Self::Status { status: 404, .. } => {
                Some("check the model's name and the address (ollama pull MODEL)".into())
            }
            Self::Status { status: 429, .. } => Some("wait a while, or ask another model".into()),
            Self::Silent { .. } | Self::ServerTimedOut { .. } | Self::TimedOut { .. } => {
                Some("give it more time in the settings, or take a smaller model".into())
            }
            _ => None,
        }
    }
}

impl From<EndpointError> for ChatError {
    fn from(error: EndpointError) -> Self {
        match error {
            EndpointError::Address { url, reason } => Self::Address { url, reason },
            EndpointError::InsecureKey { url } => Self::InsecureKey { url },
        }
    }
}

/// Why reading an answer stopped early. [`Server`](super::Server) turns it into a [`ChatError`], which names the server.
#[derive(Debug)]
pub(super) enum ReadError {
    /// The callback or the token cancelled the call.
    Cancelled,
    /// The total time limit passed.
    TimedOut,
    /// Nothing arrived for this long.
    Silent(Duration),
    /// The connection failed before an answer began.
    Unreachable {
        /// The reason.
        reason: String,
        /// Whether a retry may succeed.
        is_transient: bool,
    },
    /// The connection ended too early.
    BrokenOff {
        /// The reason.
        reason: String,
        /// Whether a retry may succeed.
        is_transient: bool,
    },
    /// The server reports an error in the middle of the answer.
    Reported {
        excerpt: String,
        /// Whether a retry may succeed.
        is_transient: bool,
    },
    /// The conversation is longer than the model's context window.
    Overflow { excerpt: String, window: Option<usize> },
    /// The answer has no text and calls no tool.
    Empty { stop: StopReason, has_thought: bool, usage: Usage },
    /// The answer is malformed or too large.
    Unusable(String),
}

/// Returns why an answer has no text.
pub(super) fn empty_reason(stop: &StopReason, has_thought: bool) -> &'static str {
    match (stop, has_thought) {
        (StopReason::Refused, _) => "the model or a filter of the server refused",
        (StopReason::MaxTokens, true) => "its reasoning reached the length limit",
        (StopReason::MaxTokens, false) => "it reached the length limit",
        (_, true) => "only reasoning came",
        (_, false) => "neither text nor a call of a tool came",
    }
}
