//! Errors of the export and import of an index.

use std::io;
use std::path::{Path, PathBuf};

/// Why an index was not exported or imported. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum IndexTransferError {
    /// The file does not start like an export.
    #[error("{path} is no index that tars exported")]
    NotAnExport {
        /// The file.
        path: PathBuf,
    },
    /// A newer tars wrote it.
    #[error("{path} was written by a newer tars (format {found})")]
    Format {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
    /// The file has changed since it was written.
    #[error("{path} is damaged: {detail}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The kind of damage.
        detail: String,
    },
    /// The file has another schema than this tars uses.
    #[error("{path} was written by tars {theirs}, which keeps its index in another form than tars {ours}")]
    OtherForm {
        /// The file.
        path: PathBuf,
        /// The version that wrote it.
        theirs: String,
        /// This version.
        ours: &'static str,
    },
    /// The other machine is set up differently.
    #[error("{path} does not fit this machine: {differences}")]
    Differs {
        /// The file.
        path: PathBuf,
        /// The differences.
        differences: String,
        /// The steps that make both machines alike.
        mend: String,
    },
    /// The existing index is newer, or belongs to another program.
    #[error("{path} would be replaced: {reason}")]
    Replaces {
        /// The existing index.
        path: PathBuf,
        /// Why this needs `--force`.
        reason: String,
    },
    /// The target file exists and is not an exported index.
    #[error("{path} already exists and is not an exported index")]
    Taken {
        /// The file.
        path: PathBuf,
    },
    /// The disk has not enough room.
    #[error("the index takes {needed} bytes unpacked, and {path} has room for {free}")]
    NoRoom {
        /// The folder.
        path: PathBuf,
        /// Bytes of the index.
        needed: u64,
        /// Free bytes.
        free: u64,
    },
    /// The system refused an operation.
    #[error("cannot {action} {path}: {reason}")]
    Io {
        /// The operation.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The reason; it is part of the message.
        reason: io::Error,
    },
}

impl IndexTransferError {
    /// Returns a function that wraps an I/O error.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |reason| Self::Io { action, path, reason }
    }

    /// Returns the next step.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NotAnExport { .. } => "write one on the other machine: tars index --export FILE".into(),
            Self::Format { .. } => "update tars on this machine".into(),
            Self::Damaged { .. } => {
                "copy it again, or write it again on the other machine: tars index --export FILE".into()
            }
            Self::OtherForm { .. } => {
                "have the same version of tars on both machines, run 'tars index' on the other one, and export again"
                    .into()
            }
            Self::Differs { mend, .. } => {
                format!("{mend}; or --force, after which 'tars index' rebuilds what does not fit")
            }
            Self::Replaces { .. } => "--force replaces it anyway".into(),
            Self::Taken { .. } => "name another file".into(),
            Self::NoRoom { .. } => "make room, or name another folder by --data-dir".into(),
            Self::Io { .. } => return None,
        })
    }
}
