//! What can go wrong with the index on disk.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

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
        /// SQLite's own words.
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
    /// The file of vector codes cannot be written; questions do without.
    #[error("cannot write {path}: {reason}")]
    Codes {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: std::io::Error,
    },
    /// Anything else that SQLite reports.
    #[error("index database: {0}")]
    Sqlite(#[from] rusqlite::Error),
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
            Self::Open { .. } | Self::Codes { .. } => {
                "check that the folder exists, is writable and is not full".into()
            }
            _ => return None,
        })
    }

    /// Whether the index is damaged, so that it must be made anew.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Corrupt { .. })
    }

    /// Says what an error of SQLite means for the index at `path`: that it is damaged, that the disk does not let it be
    /// used, or neither.
    pub(super) fn of_index(error: rusqlite::Error, path: &Path) -> Self {
        let (path, detail) = (path.to_owned(), error.to_string());
        if is_damage(&error) {
            return Self::Corrupt { path, detail };
        }
        match error.sqlite_error_code() {
            Some(
                ErrorCode::CannotOpen
                | ErrorCode::ReadOnly
                | ErrorCode::PermissionDenied
                | ErrorCode::DiskFull
                | ErrorCode::SystemIoFailure,
            ) => Self::Open { path, detail },
            _ => Self::Sqlite(error),
        }
    }

    /// Gives an error of SQLite that came from a statement the path of the index, as [`StoreError::of_index`] does.
    pub(super) fn at(self, path: &Path) -> Self {
        match self {
            Self::Sqlite(error) => Self::of_index(error, path),
            other => other,
        }
    }
}

/// Whether an error can only come of a damaged database: SQLite says so, or a row or a table is not what tars has written.
/// Every statement is tars' own, so a table that is missing was not left out by mistake.
fn is_damage(error: &rusqlite::Error) -> bool {
    const NOT_OURS: [&str; 4] =
        ["no such table", "no such column", "vtable constructor failed", "invalid fts5 file format"];
    match error {
        rusqlite::Error::SqliteFailure(failure, message) => match failure.code {
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => true,
            ErrorCode::Unknown => {
                message.as_ref().is_some_and(|text| NOT_OURS.iter().any(|start| text.starts_with(start)))
            }
            _ => false,
        },
        rusqlite::Error::SqlInputError { msg, .. } => NOT_OURS.iter().any(|start| msg.starts_with(start)),
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::Utf8Error(..) => true,
        _ => false,
    }
}
