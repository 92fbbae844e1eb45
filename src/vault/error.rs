//! Why nothing was written.

use std::io;
use std::path::PathBuf;

use crate::disk::Folder;

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The vault cannot be used.
    #[error("the vault {path} cannot be used")]
    Vault {
        /// The configured vault.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The vault is a file.
    #[error("the vault {path} is no folder")]
    NoFolder {
        /// The configured vault.
        path: PathBuf,
    },
    /// A name that does not stay within the memory folder.
    #[error("'{name}' is no name of a file in the memory folder")]
    Name {
        /// The name.
        name: String,
    },
    /// A link lies where tars would write.
    #[error("{path} is a link (to {target}): tars writes into the memory folder itself, never through a link")]
    Link {
        /// The link.
        path: PathBuf,
        /// What it names.
        target: PathBuf,
    },
    /// The system refused.
    #[error("cannot {action} {path}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// Why.
        source: io::Error,
    },
    /// Another process writes.
    #[error("another tars has been writing to {path} for ten seconds")]
    Busy {
        /// The memory folder.
        path: PathBuf,
    },
    /// A file changes faster than it can be written to.
    #[error("{path} keeps changing: nothing was written")]
    Restless {
        /// The file.
        path: PathBuf,
    },
}

impl WriteError {
    /// Returns the one thing to do next, if there is one.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Vault { .. } | Self::NoFolder { .. } => "tars init FOLDER".into(),
            Self::Link { .. } => "tars config set vault.memory_folder NAME".into(),
            _ => return None,
        })
    }

    /// Returns why `action` on `name` in `folder` failed: a link that lies there is named.
    pub(super) fn at(folder: &Folder, name: &str, action: &'static str, source: io::Error) -> Self {
        let path = folder.path().join(name);
        match folder.link_target(name) {
            Some(target) => Self::Link { path, target },
            None => Self::Io { path, action, source },
        }
    }
}
