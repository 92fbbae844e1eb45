//! What can go wrong with a summary.

use std::io;
use std::time::Duration;

use crate::endpoint::EndpointError;

/// Why there is no summary.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LlmError {
    /// The settings name neither a program nor a server.
    #[error("summary.provider names no language model")]
    NoModel,
    /// It says nothing that could be looked for.
    #[error("{name} gives no other words for the question")]
    NoRewording {
        /// Who was asked.
        name: String,
    },
    /// A setting is missing.
    #[error("{what} is not set")]
    Unset {
        /// The key.
        what: &'static str,
    },
    /// The program cannot be run.
    #[error("cannot run {program}: {reason}")]
    Run {
        /// The program.
        program: String,
        /// Why.
        reason: io::Error,
    },
    /// The program says that it failed.
    #[error("{program} ended with {status}: {excerpt}")]
    Failed {
        /// The program.
        program: String,
        /// How it ended.
        status: String,
        /// The beginning of what it said.
        excerpt: String,
    },
    /// The program took too long and was ended.
    #[error("{program} took longer than {} s", after.as_secs())]
    TimedOut {
        /// The program.
        program: String,
        /// How long it had.
        after: Duration,
    },
    /// The address of a server that cannot be asked.
    #[error("the address {url} cannot be used: {reason}")]
    Address {
        /// The address.
        url: String,
        /// Why.
        reason: String,
    },
    /// A key would travel readable by anyone in between.
    #[error("the key is not sent to {url}: the address is not https")]
    InsecureKey {
        /// The address.
        url: String,
    },
    /// The server cannot be reached, or breaks off.
    #[error("{url} cannot be asked: {reason}")]
    Network {
        /// The address.
        url: String,
        /// Why.
        reason: String,
    },
    /// The server refuses.
    #[error("{url} answers {status}: {excerpt}")]
    Status {
        /// The address.
        url: String,
        /// HTTP's number for it.
        status: u16,
        /// The beginning of what it said.
        excerpt: String,
    },
    /// The server says nothing that can be used.
    #[error("{url} gives no answer that can be used: {reason}")]
    Answer {
        /// The address.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl LlmError {
    /// Returns what to do next, where there is something.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoModel => Some("tars config set summary.provider command, or openai or anthropic".into()),
            Self::Unset { what } => Some(format!("tars config set {what} VALUE")),
            Self::InsecureKey { .. } => Some("use an https:// address".into()),
            _ => None,
        }
    }
}

impl From<EndpointError> for LlmError {
    fn from(error: EndpointError) -> Self {
        match error {
            EndpointError::Address { url, reason } => Self::Address { url, reason },
            EndpointError::InsecureKey { url } => Self::InsecureKey { url },
        }
    }
}
