//! What can go wrong with the index on disk.

use std::path::PathBuf;

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
    /// There is no index yet.
    #[error("no index at {path}")]
    Missing {
        /// Where it would be.
        path: PathBuf,
    },
    /// The file or its folder cannot be used.
    #[error("cannot open the index {path}: {detail}")]
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
    #[error("cannot write {path}: {source}")]
    Codes {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Anything else that SQLite reports.
    #[error("index database: {0}")]
    Sqlite(#[from] rusqlite::Error),
}

impl StoreError {
    /// Returns what to do next, where there is something.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Foreign { .. } => "point TARS_DATA_DIR at a folder of tars' own".into(),
            Self::Corrupt { path, .. } => format!(
                "the index holds nothing that your notes do not: move it away (mv '{0}' '{0}.damaged') and run 'tars index'",
                path.display()
            ),
            Self::Newer { .. } => "update tars, or set TARS_DATA_DIR to another folder and run 'tars index'".into(),
            Self::Missing { .. } | Self::OtherModel { .. } => "tars index".into(),
            Self::Open { .. } | Self::Codes { .. } => {
                "check that the folder exists, is writable and is not full".into()
            }
            _ => return None,
        })
    }
}
