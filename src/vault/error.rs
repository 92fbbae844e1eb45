//! Errors of writes to the memory folder.

use std::io;
use std::path::PathBuf;

use tars_base::disk::Folder;

/// The reason why a write did not happen.
#[derive(Debug, thiserror::Error)]
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
    #[error("the vault {path} is not a folder")]
    NotAFolder {
        /// The configured vault.
        path: PathBuf,
    },
    /// The name does not stay within the memory folder.
    #[error("'{name}' is not a valid file name in the memory folder")]
    InvalidName {
        /// The name.
        name: String,
    },
    /// A link lies at the place that tars would write to.
    #[error("{path} is a link (to {target}): tars writes into the memory folder itself, never through a link")]
    Link {
        /// The link.
        path: PathBuf,
        /// The link's target.
        target: PathBuf,
    },
    /// A folder is no vault of Obsidian.
    #[error("{path} holds no folder .obsidian: Obsidian has not opened it as a vault")]
    NotObsidian {
        /// The folder.
        path: PathBuf,
    },
    /// A link lies at the place of the plugin for Obsidian.
    #[error("{path} is a link (to {target}): tars installs its plugin in the vault itself, never through a link")]
    PluginLink {
        /// The link.
        path: PathBuf,
        /// The link's target.
        target: PathBuf,
    },
    /// The system refused.
    #[error("cannot {action} {path}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The attempted action.
        action: &'static str,
        /// Why.
        source: io::Error,
    },
    /// Another process holds the write lock.
    #[error("another tars has been writing to {path} for ten seconds")]
    Busy {
        /// The memory folder.
        path: PathBuf,
    },
    /// The file is in another encoding, and an edit would mix the two.
    #[error("{path} is not UTF-8: tars reads it, but does not edit it; save it as UTF-8 in an editor")]
    NotUtf8 {
        /// The file.
        path: PathBuf,
    },
    /// A redo would need the text of a file that the journal does not hold.
    #[error("{path} cannot be brought back: the journal does not keep the text of imported chats")]
    TextNotKept {
        /// The file.
        path: PathBuf,
    },
    /// The file changes faster than tars can write to it.
    #[error("{path} keeps changing: nothing was written")]
    KeepsChanging {
        /// The file.
        path: PathBuf,
    },
}

impl WriteError {
    /// Returns the one command to run next, if there is one.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Vault { .. } | Self::NotAFolder { .. } => "tars init FOLDER".into(),
            Self::Link { .. } => "tars config set vault.memory_folder NAME".into(),
            Self::NotObsidian { .. } => {
                "open the folder in Obsidian once, or name the vault: tars obsidian install VAULT".into()
            }
            Self::PluginLink { .. } => {
                "replace the link with a folder of its own, or copy the plugin's files by hand".into()
            }
            Self::TextNotKept { .. } => "tars import chatgpt FILE, or tars import claude FILE".into(),
            _ => return None,
        })
    }

    /// Returns the error of `action` on `name` in `folder`. If a link lies there, the error names it.
    pub(super) fn at(folder: &Folder, name: &str, action: &'static str, source: io::Error) -> Self {
        let path = folder.path().join(name);
        match folder.link_target(name) {
            Some(target) => Self::Link { path, target },
            None => Self::Io { path, action, source },
        }
    }
}
