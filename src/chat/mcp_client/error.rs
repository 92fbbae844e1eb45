//! Errors of servers.

use std::io;
use std::time::Duration;

#[cfg(feature = "serve")]
use tars_base::domain::one_line;

/// Why a server could not be used.
#[derive(Debug, Clone, thiserror::Error)]
pub enum McpClientError {
    /// The configuration has no such server.
    #[error("there is no server '{0}' in the configuration")]
    Unknown(String),
    /// An environment variable that the server needs is not set.
    #[error("{server} needs the environment variable {variable}, which is not set")]
    NoVariable {
        /// The server.
        server: String,
        /// The variable.
        variable: String,
    },
    /// The server cannot be started, or does not speak the protocol.
    #[error("{server} cannot be used: {reason}")]
    Start {
        /// The server.
        server: String,
        /// The reason in one line, partly untrusted text.
        reason: String,
    },
    /// The server exceeded its time limit.
    #[error("{server} has not answered within {} s", .after.as_secs())]
    TimedOut {
        /// The server.
        server: String,
        /// The time limit.
        after: Duration,
    },
    /// The person cancelled the call.
    #[error("the call was stopped")]
    Cancelled,
    /// The server exited before or during the call. Whether it completed the call is unknown.
    #[error("{server} has ended{}{}", because(.reason), after_that(*.again))]
    Ended {
        /// The server.
        server: String,
        /// The line of its standard error that tells why (untrusted text).
        reason: String,
        /// Whether the server restarts when it is next needed.
        again: bool,
    },
    /// The server exited or failed to start repeatedly, and is paused.
    #[error("{server} is not started again for now: {reason}")]
    Paused {
        /// The server.
        server: String,
        /// The reason, partly untrusted text.
        reason: String,
    },
    /// The server rejected the call.
    #[error("{server} refuses: {reason}")]
    Refused {
        /// The server.
        server: String,
        /// The server's reason (untrusted text).
        reason: String,
    },
    /// The asynchronous runtime cannot be started.
    #[error("cannot start the runtime: {0}")]
    Runtime(String),
    /// This build of tars lacks support for servers.
    #[error("this build of tars does not support MCP servers: build it with the feature 'serve'")]
    NotBuilt,
}

fn because(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(" ({reason})") }
}

fn after_that(again: bool) -> &'static str {
    if again { "; it is started again when it is next needed" } else { "; it is not started again for now" }
}

impl McpClientError {
    /// Returns the next command for the user.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unknown(_) => Some("tars mcp servers list".into()),
            Self::NoVariable { variable, .. } => Some(format!("export {variable}=…")),
            Self::Start { server, .. } | Self::Ended { server, .. } | Self::Paused { server, .. } => {
                Some(format!("tars mcp servers test {server}"))
            }
            Self::TimedOut { server, .. } => Some(format!("timeout_seconds in [mcp.servers.{server}] gives it longer")),
            Self::Cancelled | Self::Refused { .. } | Self::Runtime(_) | Self::NotBuilt => None,
        }
    }

    #[cfg(feature = "serve")]
    pub(super) fn start(server: &str, reason: impl std::fmt::Display) -> Self {
        Self::Start { server: server.to_owned(), reason: clean_excerpt(&reason.to_string()) }
    }
}

impl From<io::Error> for McpClientError {
    fn from(error: io::Error) -> Self {
        Self::Runtime(error.to_string())
    }
}

/// Returns untrusted text as one clean line of at most 200 characters.
#[cfg(feature = "serve")]
pub(super) fn clean_excerpt(text: &str) -> String {
    one_line(text, 200)
}
