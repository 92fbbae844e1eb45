//! What stops a run.

use std::path::PathBuf;

use crate::embed::EmbedError;
use crate::store::StoreError;

/// An error that ends a run. A file that cannot be read is none: it is reported and passed over.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The root of a collection is not there. Nothing was removed from the index.
    #[error("{path} (collection '{collection}') is not there: {detail}")]
    RootMissing {
        /// Name of the collection.
        collection: String,
        /// Its root.
        path: PathBuf,
        /// Why it cannot be read.
        detail: String,
    },
    /// The root holds no note although the index knows some: an unmounted vault looks like that.
    #[error("{path} holds no notes, but the index knows {known}: nothing was removed")]
    Emptied {
        /// The root.
        path: PathBuf,
        /// Files in the index.
        known: usize,
    },
    /// Another folder takes the name of one that is indexed, and holds other notes.
    #[error(
        "the index holds {known} notes of {former} as '{collection}', and {path} holds others: nothing was changed"
    )]
    OtherRoot {
        /// Name of the collection.
        collection: String,
        /// The folder that is to be indexed.
        path: PathBuf,
        /// The folder that is.
        former: PathBuf,
        /// Files in the index.
        known: usize,
    },
    /// A path to index lies in no collection.
    #[error("{path} lies outside every indexed folder ({roots})")]
    OutsideRoots {
        /// The path.
        path: PathBuf,
        /// The roots there are.
        roots: String,
    },
    /// A pattern of `index.exclude` is not one.
    #[error("index.exclude: {0}")]
    Exclude(String),
    /// Another process indexes and does not come to an end.
    #[error("another process has held {path} for {} minutes", after.as_secs() / 60)]
    Busy {
        /// The lock file.
        path: PathBuf,
        /// How long it was waited for.
        after: std::time::Duration,
    },
    /// The lock file cannot be used.
    #[error("cannot lock {path}: {reason}")]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// Why; it is part of the message, so it is not a source that would be printed after it once more.
        reason: std::io::Error,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The embedder failed. What was indexed before stays; words are searchable.
    #[error(transparent)]
    Embed(#[from] EmbedError),
}

impl IndexError {
    /// Returns what to do next, where there is something.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::RootMissing { collection, .. } => {
                // No collection may be named like the vault.
                let key = if collection == "vault" { "vault.path".into() } else { format!("collections.{collection}") };
                Some(format!("mount it, or name another folder: tars config set {key} FOLDER"))
            }
            Self::Emptied { .. } => Some("if it is meant to be empty: tars index --full".into()),
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
