//! The index in one SQLite database (WAL): full text by FTS5, vectors in blobs that are compared here.

mod carried;
mod codes;
mod collections;
mod columns;
mod compared;
mod connection;
mod convert;
mod counts;
mod damage;
mod documents;
mod engine;
mod error;
mod examine;
mod former;
mod lexical;
mod lookup;
mod maintenance;
mod migrate;
mod nine_bits;
mod pruning;
mod reader;
mod rows;
mod schema;
mod scope;
mod scoring;
mod sections;
mod seven_bits;
mod text;
mod vacuum;
mod vectors;
mod writer;

use std::cell::Cell;
use std::fmt::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::{ChunkRef, StoreError};
use crate::analysis;
use crate::private;
use counts::Counts;
pub use engine::Sqlite;

/// An open index database.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    connection: Connection,
    /// How many snapshots are held.
    snapshots: Cell<usize>,
    counts: Counts,
}

impl SqliteStore {
    /// Opens the database at `path`, creating it where there is none.
    ///
    /// # Errors
    /// A database of another program, of a newer tars, a damaged one or one that cannot be opened; all are left as they are.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        // It holds the text of the notes: whatever the folder allows, it is its owner's. SQLite's further files follow.
        let _ = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
        for suffix in ["", "-wal", "-shm"] {
            let mut file = path.as_os_str().to_owned();
            file.push(suffix);
            private::tighten(Path::new(&file));
        }
        Self::open_with(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
    }

    /// Opens the database at `path` to ask it; there must be one.
    ///
    /// # Errors
    /// As [`SqliteStore::open`], and [`StoreError::Missing`].
    pub fn open_existing(path: &Path) -> Result<Self, StoreError> {
        check_there(path)?;
        Self::open_with(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
    }

    /// Opens the database at `path` where nothing can be written: for one question, since what others write meanwhile is not
    /// seen.
    ///
    /// # Errors
    /// It cannot be read, is of an older tars, or has a log that would have to be read too.
    pub fn open_still(path: &Path) -> Result<Self, StoreError> {
        let connection = connection::open_still(path)?;
        Ok(Self::new(path, connection))
    }

    fn open_with(path: &Path, flags: OpenFlags) -> Result<Self, StoreError> {
        let connection = connection::open(path, flags)?;
        let mut store = Self::new(path, connection);
        store.refresh_full_text().map_err(|error| error.at(path))?;
        Ok(store)
    }

    fn new(path: &Path, connection: Connection) -> Self {
        Self { path: path.to_owned(), connection, snapshots: Cell::default(), counts: Counts::default() }
    }

    /// Marks every file to be cut again where its full text was made by another version of the analysis.
    fn refresh_full_text(&mut self) -> Result<(), StoreError> {
        let current = analysis::VERSION.to_string();
        match collections::meta(&self.connection, "analysis")? {
            Some(version) if version == current => return Ok(()),
            Some(_) => {
                self.connection.execute("UPDATE files SET chunker = ''", [])?;
            }
            None => {}
        }
        collections::set_meta(&self.connection, "analysis", &current)
    }

    /// Gives the errors of statements the path of the index.
    fn at<T>(&self, done: Result<T, StoreError>) -> Result<T, StoreError> {
        done.map_err(|error| error.at(&self.path))
    }
}

/// Checks that there is a database at `path`: a folder that cannot be looked into is no folder without one.
fn check_there(path: &Path) -> Result<(), StoreError> {
    match std::fs::metadata(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            Err(StoreError::Open { path: path.to_owned(), detail: error.to_string() })
        }
        Err(_) => Err(StoreError::Missing { path: path.to_owned() }),
    }
}

/// Rows as a JSON array: the form in which a set of any size is bound to one parameter.
fn json_rows(rows: impl Iterator<Item = i64>) -> String {
    let mut json = String::from("[");
    for row in rows {
        if json.len() > 1 {
            json.push(',');
        }
        let _ = write!(json, "{row}");
    }
    json.push(']');
    json
}

/// The same of chunks.
fn json_chunks(chunks: &[ChunkRef]) -> String {
    json_rows(chunks.iter().map(|chunk| chunk.0))
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use codes::as_stored;
#[cfg(test)]
pub(crate) use tests::fixture;
