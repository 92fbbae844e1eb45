//! Why a server gives nothing.

use std::io;
use std::time::Duration;

#[cfg(feature = "serve")]
use crate::domain::clean_line;

/// Why a server gives nothing.
#[derive(Debug, Clone, thiserror::Error)]
pub enum McpClientError {
    /// There is no such server.
    #[error("there is no server '{0}' in the configuration")]
    Unknown(String),
    /// A variable that it needs is not set.
    #[error("{server} needs the environment variable {variable}, which is not set")]
    NoVariable {
        /// The server.
        server: String,
        /// The variable.
        variable: String,
    },
    /// It cannot be started, or does not speak the protocol.
    #[error("{server} cannot be used: {reason}")]
    Start {
        /// The server.
        server: String,
        /// What went wrong, in a line; foreign text in part.
        reason: String,
    },
    /// It took too long.
    #[error("{server} has not answered within {} s", .after.as_secs())]
    TimedOut {
        /// The server.
        server: String,
        /// How long it was waited for.
        after: Duration,
    },
    /// The person stopped the call.
    #[error("the call was stopped")]
    Cancelled,
    /// It ended while it was asked, or before; whether the call was carried out is not known.
    #[error("{server} has ended{}{}", because(.reason), after_that(*.again))]
    Ended {
        /// The server.
        server: String,
        /// The last that it said on standard error; foreign text.
        reason: String,
        /// Whether it is started again when it is next needed.
        again: bool,
    },
    /// It ended or failed to start repeatedly, and rests.
    #[error("{server} is not started again for now: {reason}")]
    Resting {
        /// The server.
        server: String,
        /// Why; foreign text in part.
        reason: String,
    },
    /// The server refuses the call.
    #[error("{server} refuses: {reason}")]
    Refused {
        /// The server.
        server: String,
        /// What it says; foreign text.
        reason: String,
    },
    /// The asynchronous runtime cannot be had.
    #[error("cannot start the runtime: {0}")]
    Runtime(String),
    /// This build of tars cannot speak with servers.
    #[error("this build of tars knows no servers of tools: build it with the feature 'serve'")]
    NotBuilt,
}

fn because(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(" ({reason})") }
}

fn after_that(again: bool) -> &'static str {
    if again { "; it is started again when it is next needed" } else { "; it is not started again for now" }
}

impl McpClientError {
    /// Returns the one command to run next.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unknown(_) => Some("tars mcp servers list".into()),
            Self::NoVariable { variable, .. } => Some(format!("export {variable}=…")),
            Self::Start { server, .. } | Self::Ended { server, .. } | Self::Resting { server, .. } => {
                Some(format!("tars mcp servers test {server}"))
            }
            Self::TimedOut { server, .. } => Some(format!("timeout_seconds in [mcp.servers.{server}] gives it longer")),
            Self::Cancelled | Self::Refused { .. } | Self::Runtime(_) | Self::NotBuilt => None,
        }
    }

    #[cfg(feature = "serve")]
    pub(super) fn start(server: &str, reason: impl std::fmt::Display) -> Self {
        Self::Start { server: server.to_owned(), reason: short(&reason.to_string()) }
    }
}

impl From<io::Error> for McpClientError {
    fn from(error: io::Error) -> Self {
        Self::Runtime(error.to_string())
    }
}

/// Returns foreign words in one clean line of at most 200 characters.
#[cfg(feature = "serve")]
pub(super) fn short(text: &str) -> String {
    const LONGEST: usize = 200;
    let line = clean_line(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
