//! Errors of the keys.

use std::io;
use std::path::PathBuf;

use super::{MAX_KEYS, MAX_NAME_BYTES};
use tars_service::ProblemKind;

/// Why a key cannot be created, found or removed.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file cannot be read or written.
    #[error("cannot use the tokens in {path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file is malformed.
    #[error("{path} is not a token file: {reason}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where and why.
        reason: String,
    },
    /// A token of that name exists already.
    #[error("there is a token '{name}' already")]
    Exists {
        /// The name.
        name: String,
    },
    /// No token has that name.
    #[error("there is no token '{name}'")]
    Unknown {
        /// The requested name.
        name: String,
    },
    /// The name is invalid.
    #[error("'{name}' cannot be the name of a token: letters, digits, '-', '_' and '.', {MAX_NAME_BYTES} at most")]
    Name {
        /// The name.
        name: String,
    },
    /// There are too many tokens.
    #[error("there are {MAX_KEYS} tokens already")]
    Full,
}

impl KeyError {
    /// Returns the suggested remedy.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Exists { name } => Some(format!("tars serve token rotate {name}")),
            Self::Unknown { .. } | Self::Full => Some("tars serve token list".into()),
            Self::Damaged { path, .. } => Some(format!("remove {} and make new tokens", path.display())),
            Self::File { .. } | Self::Name { .. } => None,
        }
    }
}

impl From<KeyError> for tars_service::Error {
    fn from(error: KeyError) -> Self {
        Self::new(ProblemKind::Failed, error.hint(), error)
    }
}
