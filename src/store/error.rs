//! Errors of the index on disk.

use std::fmt;
use std::path::{Path, PathBuf};

/// An error of the store. None affects a note: the index can always be rebuilt.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file is a database, but not one of tars.
    #[error("{path} is a database of another program: tars does not touch it")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file is not a database, or is damaged.
    #[error("{path} is damaged or not a database: {detail}")]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The engine's own message.
        detail: String,
    },
    /// The database was made by a newer tars.
    #[error("{path} was made by a newer tars (schema {found}; this one knows up to {known})")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        found: u32,
        /// The newest version that this binary knows.
        known: u32,
    },
    /// The database was made by an older tars, and it was opened read-only.
    #[error("{path} was made by an older tars (schema {found})")]
    Older {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        found: u32,
    },
    /// There is no index yet.
    #[error("no index at {path}")]
    Missing {
        /// Its expected path.
        path: PathBuf,
    },
    /// The file or its folder cannot be used: permissions, or a full or read-only disk.
    #[error("cannot use the index {path}: {detail}")]
    Open {
        /// The file.
        path: PathBuf,
        /// The reason.
        detail: String,
    },
    /// A glob of the filter is invalid.
    #[error("'{glob}' is not a path pattern: {detail}")]
    Glob {
        /// The pattern.
        glob: String,
        /// The reason.
        detail: String,
    },
    /// A filter names an unknown collection.
    #[error("no collection '{name}': there is {known}")]
    UnknownCollection {
        /// The requested name.
        name: String,
        /// The existing names.
        known: String,
    },
    /// The index holds vectors of another model; this model must be adopted first.
    #[error("the index does not hold vectors of {model}")]
    OtherModel {
        /// The model of the vectors to store.
        model: String,
    },
    /// Any other error of the engine.
    #[error("index database: {0}")]
    Backend(#[from] BackendError),
}

impl StoreError {
    /// Returns the next step, if there is one.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Foreign { path } => format!(
                "point TARS_DATA_DIR at a folder of tars' own; if {} is one, move {} away and run 'tars index'",
                path.parent().unwrap_or(path).display(),
                path.file_name().unwrap_or_default().display()
            ),
            Self::Corrupt { .. } => {
                "tars doctor --repair (the index contains nothing beyond your notes, and is rebuilt from them)".into()
            }
            Self::Newer { .. } => "update tars, or set TARS_DATA_DIR to another folder and run 'tars index'".into(),
            Self::Missing { .. } | Self::Older { .. } | Self::OtherModel { .. } => "tars index".into(),
            Self::Open { .. } => "check that the folder exists, is writable and is not full".into(),
            _ => return None,
        })
    }

    /// Whether the index is damaged and must be rebuilt.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Corrupt { .. })
    }

    /// Whether another program held the lock of the index for too long.
    pub fn is_busy(&self) -> bool {
        matches!(self, Self::Backend(error) if error.kind == BackendErrorKind::Busy)
    }

    /// Adds the path of the index to a backend error and classifies it: damage, an unusable disk, or neither.
    pub(super) fn at(self, path: &Path) -> Self {
        match self {
            Self::Backend(error) => {
                let (path, detail) = (path.to_owned(), error.to_string());
                match error.kind {
                    BackendErrorKind::Damage => Self::Corrupt { path, detail },
                    BackendErrorKind::Unavailable | BackendErrorKind::ReadOnly | BackendErrorKind::DiskFull => {
                        Self::Open { path, detail }
                    }
                    BackendErrorKind::Busy | BackendErrorKind::Other => Self::Backend(error),
                }
            }
            other => other,
        }
    }
}

/// An error of an engine's library, with its own message.
#[derive(Debug)]
pub struct BackendError {
    /// The meaning for the caller.
    pub kind: BackendErrorKind,
    source: Box<dyn std::error::Error + Send + Sync>,
}

/// The meaning of a backend error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackendErrorKind {
    /// The stored data is corrupt.
    Damage,
    /// The disk is full.
    DiskFull,
    /// The disk or the index cannot be written.
    ReadOnly,
    /// Another process held the lock longer than the timeout.
    Busy,
    /// The index cannot be opened or read: permissions, or a failing disk.
    Unavailable,
    /// Anything else.
    Other,
}

impl BackendError {
    /// Wraps the error of a library.
    pub fn new(kind: BackendErrorKind, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self { kind, source: source.into() }
    }
}

impl fmt::Display for BackendError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(formatter)
    }
}

impl std::error::Error for BackendError {
    /// Returns the source of the library's error, because this error already prints that error's message.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.source()
    }
}
