//! What can go wrong with the index on disk.

use std::fmt;
use std::path::{Path, PathBuf};

/// An error of the store. None of them harms a note: the index can always be made again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file is a database, but not one of tars.
    #[error("{path} is a database of another program: tars does not touch it")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file is no database, or a damaged one.
    #[error("{path} is damaged or no database: {detail}")]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The engine's own words.
        detail: String,
    },
    /// A newer tars made the database.
    #[error("{path} was made by a newer tars (schema {found}; this one knows up to {known})")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        found: u32,
        /// The newest this binary knows.
        known: u32,
    },
    /// An older tars made the database, and it was to be looked at alone.
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
        /// Where it would be.
        path: PathBuf,
    },
    /// The file or its folder cannot be used: permissions, a full or a read-only disk.
    #[error("cannot use the index {path}: {detail}")]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        detail: String,
    },
    /// A glob among the filters is not one.
    #[error("'{glob}' is not a path pattern: {detail}")]
    Glob {
        /// The pattern.
        glob: String,
        /// Why.
        detail: String,
    },
    /// A filter names a collection that is not there.
    #[error("no collection '{name}': there is {known}")]
    UnknownCollection {
        /// The name asked for.
        name: String,
        /// Those that exist.
        known: String,
    },
    /// The index holds vectors of another model: that one must be adopted first.
    #[error("the index does not hold vectors of {model}")]
    OtherModel {
        /// Whose vectors were to be stored.
        model: String,
    },
    /// Anything else that the engine reports.
    #[error("index database: {0}")]
    Backend(#[from] BackendError),
}

impl StoreError {
    /// Returns what to do next, where there is something.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Foreign { path } => format!(
                "point TARS_DATA_DIR at a folder of tars' own; if {} is one, move {} away and run 'tars index'",
                path.parent().unwrap_or(path).display(),
                path.file_name().unwrap_or_default().display()
            ),
            Self::Corrupt { .. } => {
                "tars doctor --repair (the index holds nothing that your notes do not, and is made anew of them)".into()
            }
            Self::Newer { .. } => "update tars, or set TARS_DATA_DIR to another folder and run 'tars index'".into(),
            Self::Missing { .. } | Self::Older { .. } | Self::OtherModel { .. } => "tars index".into(),
            Self::Open { .. } => "check that the folder exists, is writable and is not full".into(),
            _ => return None,
        })
    }

    /// Whether the index is damaged, so that it must be made anew.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Corrupt { .. })
    }

    /// Gives an error of a backend the path of the index, and says what it means for it: that it is damaged, that the disk
    /// does not let it be used, or neither.
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

/// What an engine's own library reports, in its own words.
#[derive(Debug)]
pub struct BackendError {
    /// What it means for the caller.
    pub kind: BackendErrorKind,
    source: Box<dyn std::error::Error + Send + Sync>,
}

/// What an error of an engine's library means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BackendErrorKind {
    /// What is stored is not what was written.
    Damage,
    /// The disk is full.
    DiskFull,
    /// The disk or the index cannot be written.
    ReadOnly,
    /// Another process holds what is needed, and was waited for long enough.
    Busy,
    /// The index cannot be opened or read: rights, or a failing disk.
    Unavailable,
    /// Anything else.
    Other,
}

impl BackendError {
    /// Takes the error of a library.
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
    /// Returns what is behind the library's error: this one says the same as that.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.source()
    }
}
