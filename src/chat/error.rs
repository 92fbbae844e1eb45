//! What can go wrong between tars and a model.

use std::io;
use std::time::Duration;

use crate::endpoint::EndpointError;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChatError {
    /// There is no program to run.
    #[error("no program is named")]
    NoProgram,
    /// There is no model to ask for.
    #[error("no model is named")]
    NoModelName,
    /// The request offers tools to a model that cannot call any.
    #[error("{name} can call no tools")]
    NoTools {
        /// Who was asked.
        name: String,
    },
    /// The caller gave up.
    #[error("cancelled")]
    Cancelled,
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
    #[error("{program} took longer than {} s", after.as_secs_f64())]
    TimedOut {
        /// The program.
        program: String,
        /// How long it had.
        after: Duration,
    },
    /// The server took too long altogether.
    #[error("{url} cannot be asked: timed out after {} s", after.as_secs_f64())]
    ServerTimedOut {
        /// The address.
        url: String,
        /// How long it had.
        after: Duration,
    },
    /// The server stopped sending, or never began to.
    #[error("{url} sent nothing for {} s", after.as_secs_f64())]
    Silent {
        /// The address.
        url: String,
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
    /// The server reports an error in the middle of an answer.
    #[error("{url} reports an error: {excerpt}")]
    Reported {
        /// The address.
        url: String,
        /// What it said.
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

impl ChatError {
    /// Returns what to do next, where there is something.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::InsecureKey { .. } => Some("use an https:// address".into()),
            Self::Network { .. } => Some("start the model's server there, or set another address".into()),
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

/// Why an answer of a server is not read to its end; [`Server`](super::Server) makes a [`ChatError`] of it, which names the
/// server.
#[derive(Debug)]
pub(super) enum Fault {
    /// The callback or the token said so.
    Cancelled,
    /// The time for everything is over.
    TimedOut,
    /// Nothing came for so long.
    Silent(Duration),
    /// The connection cannot be made, or ends too early.
    BrokenOff {
        /// Why.
        reason: String,
        /// Whether another try may succeed.
        is_passing: bool,
    },
    /// The server reports an error in the middle of the answer.
    Reported {
        /// What it says.
        excerpt: String,
        /// Whether another try may succeed.
        is_passing: bool,
    },
    /// The answer is not what it should be.
    Unusable(String),
}
