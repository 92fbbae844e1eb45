//! Errors that stop a run.

use std::path::PathBuf;

use tars_base::embedding::EmbedError;
use tars_store::StoreError;

/// An error that ends a run. A file that cannot be read is no such error: it is reported and skipped.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The root of a collection is missing. Nothing was removed from the index.
    #[error("{path} (collection '{collection}') is not there: {detail}")]
    RootMissing {
        /// Name of the collection.
        collection: String,
        /// Its root.
        path: PathBuf,
        /// The reason.
        detail: String,
    },
    /// The root holds no notes although the index knows some, as when a vault is unmounted.
    #[error("{path} holds no notes, but the index knows {known}: nothing was removed")]
    RootEmpty {
        /// The root.
        path: PathBuf,
        /// Files in the index.
        known: usize,
    },
    /// Another folder has the name of an indexed one, and holds other notes.
    #[error(
        "the index holds {known} notes of {former} as '{collection}', and {path} holds others: nothing was changed"
    )]
    OtherRoot {
        /// Name of the collection.
        collection: String,
        /// The folder to be indexed.
        path: PathBuf,
        /// The folder that is indexed.
        former: PathBuf,
        /// Files in the index.
        known: usize,
    },
    /// A path to index lies outside every collection.
    #[error("{path} lies outside every indexed folder ({roots})")]
    OutsideRoots {
        /// The path.
        path: PathBuf,
        /// The existing roots.
        roots: String,
    },
    /// A pattern of `index.exclude` is invalid.
    #[error("index.exclude: {0}")]
    Exclude(String),
    /// Another process holds the index lock for too long.
    #[error("another process has held {path} for {} minutes", after.as_secs() / 60)]
    Busy {
        /// The lock file.
        path: PathBuf,
        /// How long this process waited.
        after: std::time::Duration,
    },
    /// The lock file cannot be used.
    #[error("cannot lock {path}: {reason}")]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// The reason. It is not a `source`, because it is already part of the message.
        reason: std::io::Error,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The embedder failed. Everything indexed before stays, and the words are searchable.
    #[error(transparent)]
    Embed(#[from] EmbedError),
}

impl IndexError {
    /// Returns the next step, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::RootMissing { collection, .. } => {
                // No collection may be named like the vault.
                let key = if collection == "vault" { "vault.path".into() } else { format!("collections.{collection}") };
                Some(format!("mount it, or name another folder: tars config set {key} FOLDER"))
            }
            Self::RootEmpty { .. } => Some("if it is meant to be empty: tars index --full".into()),
            Self::OtherRoot { .. } => {
                Some("to index it instead: tars index --full; to have both: another --data-dir".into())
            }
            Self::OutsideRoots { .. } => Some("add its folder: tars config set collections.NAME FOLDER".into()),
            Self::Store(error) => error.hint(),
            Self::Embed(error) => error.hint(),
            Self::Exclude(_) | Self::Busy { .. } | Self::Lock { .. } => None,
        }
    }
}
