//! Servers and their tools in plain types.

use std::ffi::OsString;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A server, and how it is reached.
#[derive(Debug, Clone)]
pub struct ServerSpec {
    /// The person's name for it: ASCII letters, digits, `-` and `_`.
    pub name: String,
    /// How it is reached.
    pub place: ServerPlace,
    /// How long its start and each call may take.
    pub timeout: Duration,
}

/// How a server is reached.
#[derive(Clone)]
pub enum ServerPlace {
    /// A program.
    Program {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Its whole environment.
        env: Vec<(String, OsString)>,
        /// Where it runs.
        directory: std::path::PathBuf,
        /// A variable that the configuration wants passed on and that is not set.
        missing: Option<String>,
    },
    /// An address.
    Address {
        /// The address.
        url: String,
        /// What is sent as the bearer's token.
        token: Option<String>,
    },
}

impl std::fmt::Debug for ServerPlace {
    /// Environment and token may hold secrets.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Program { command, args, .. } => write!(formatter, "{command} {args:?}"),
            Self::Address { url, .. } => formatter.write_str(url),
        }
    }
}

/// A tool of a server. All texts are foreign.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RemoteTool {
    /// The server's name.
    pub server: String,
    /// The server's own name for the tool.
    pub name: String,
    /// What it does; may be empty.
    pub description: String,
    /// The JSON schema of its arguments, an object.
    pub schema: Map<String, Value>,
}

impl RemoteTool {
    /// Returns the name by which people know it.
    pub fn full_name(&self) -> String {
        format!("{}.{}", self.server, self.name)
    }
}

/// What a call gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallResult {
    /// Foreign text; what is no text is named in brackets.
    pub text: String,
    /// Whether the server says that it failed.
    pub failed: bool,
}
