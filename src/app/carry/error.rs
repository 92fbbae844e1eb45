//! What keeps an index from being carried to another machine.

use std::io;
use std::path::{Path, PathBuf};

/// Why an index was not exported or imported. Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CarryError {
    /// The file does not begin as one.
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
    /// It is not what was written.
    #[error("{path} is damaged: {detail}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How.
        detail: String,
    },
    /// Another form of the index than this tars has.
    #[error("{path} was written by tars {theirs}, which keeps its index in another form than tars {ours}")]
    OtherForm {
        /// The file.
        path: PathBuf,
        /// The version that wrote it.
        theirs: String,
        /// This version.
        ours: &'static str,
    },
    /// The machine it was made on is set up otherwise.
    #[error("{path} does not fit this machine: {differences}")]
    Differs {
        /// The file.
        path: PathBuf,
        /// What differs.
        differences: String,
        /// What makes both alike.
        mend: String,
    },
    /// What is there is newer, or somebody else's.
    #[error("{path} would be replaced: {reason}")]
    Replaces {
        /// The index that is there.
        path: PathBuf,
        /// Why that is asked for.
        reason: String,
    },
    /// The file that was to be written is another one.
    #[error("{path} is there already and is no exported index")]
    Taken {
        /// The file.
        path: PathBuf,
    },
    /// The disk has no room.
    #[error("the index takes {needed} bytes unpacked, and {path} has room for {free}")]
    NoRoom {
        /// The folder.
        path: PathBuf,
        /// Bytes of the index.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// The system refuses.
    #[error("cannot {action} {path}: {reason}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// Why; it is part of the message.
        reason: io::Error,
    },
}

impl CarryError {
    /// Returns what makes an error of the system.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |reason| Self::Io { action, path, reason }
    }

    /// Returns what to do next.
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
                format!("{mend}; or --force, after which 'tars index' makes anew what does not fit")
            }
            Self::Replaces { .. } => "--force replaces it all the same".into(),
            Self::Taken { .. } => "name another file".into(),
            Self::NoRoom { .. } => "make room, or name another folder by --data-dir".into(),
            Self::Io { .. } => return None,
        })
    }
}
