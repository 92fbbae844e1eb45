//! Servers and their tools as plain types.

use std::ffi::OsString;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A configured server.
#[derive(Debug, Clone)]
pub struct ServerSpec {
    /// The person's name for it: ASCII letters, digits, `-` and `_`.
    pub name: String,
    /// How it is reached.
    pub transport: ServerTransport,
    /// Time limit for its start and for each call.
    pub timeout: Duration,
}

/// How a server is reached.
#[derive(Clone)]
pub enum ServerTransport {
    /// A program that tars starts.
    Program {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Its complete environment.
        env: Vec<(String, OsString)>,
        /// Its working directory.
        directory: std::path::PathBuf,
        /// An environment variable to pass on that is not set.
        missing: Option<String>,
    },
    /// A server at an HTTP address.
    Address {
        /// The address.
        url: String,
        /// Bearer token.
        token: Option<String>,
    },
}

impl std::fmt::Debug for ServerTransport {
    /// Leaves out environment and token, which may be secret.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Program { command, args, .. } => write!(formatter, "{command} {args:?}"),
            Self::Address { url, .. } => formatter.write_str(url),
        }
    }
}

/// A tool of a server. All its texts are untrusted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RemoteTool {
    /// The server's name.
    pub server: String,
    /// The server's own name for the tool.
    pub name: String,
    /// Description; may be empty.
    pub description: String,
    /// JSON schema of its arguments, an object.
    pub schema: Map<String, Value>,
}

impl RemoteTool {
    /// Returns the name that people see.
    pub fn full_name(&self) -> String {
        format!("{}.{}", self.server, self.name)
    }
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallResult {
    /// Untrusted text; other content appears as a note in brackets.
    pub text: String,
    /// Whether the server reports a failure.
    pub failed: bool,
}
