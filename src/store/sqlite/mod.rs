//! The index in one SQLite database (WAL): FTS5 full text, and vectors in blobs that this module compares itself.

mod collections;
mod columns;
mod connection;
mod convert;
mod counts;
mod damage;
mod descriptions;
mod documents;
mod engine;
mod error;
mod exact_similarity;
mod examine;
mod former_vectors;
mod import;
mod lexical;
mod lookup;
mod maintenance;
mod migrate;
mod nine_bits;
mod properties;
mod pruning;
mod quantized;
mod reader;
mod rename;
mod schema;
mod scope;
mod scoring;
mod sections;
mod seven_bits;
mod text;
mod vacuum;
mod vector_rows;
mod vectors;
mod writer;

use std::cell::Cell;
use std::fmt::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::{ChunkRef, StoreError};
use counts::Counts;
pub use engine::Sqlite;
use tars_base::private;
use tars_text::analysis;

/// An open index database.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    connection: Connection,
    /// Number of open snapshots.
    snapshots: Cell<usize>,
    counts: Counts,
}

impl SqliteStore {
    /// See [`Engine::open`](crate::Engine::open).
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        // The database contains the text of the notes, so only its owner may read it. SQLite's additional files get the same mode.
        let _ = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
        for suffix in ["", "-wal", "-shm"] {
            let mut file = path.as_os_str().to_owned();
            file.push(suffix);
            private::restrict_to_owner(Path::new(&file));
        }
        Self::open_with(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
    }

    /// See [`Engine::open_existing`](crate::Engine::open_existing).
    pub fn open_existing(path: &Path) -> Result<Self, StoreError> {
        check_there(path)?;
        Self::open_with(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
    }

    /// See [`Engine::open_immutable`](crate::Engine::open_immutable).
    pub fn open_immutable(path: &Path) -> Result<Self, StoreError> {
        let connection = connection::open_immutable(path)?;
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

    /// Marks every file to be cut again if another version of the analysis made the full text.
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

    /// Adds the path of the index to errors of statements.
    fn at<T>(&self, done: Result<T, StoreError>) -> Result<T, StoreError> {
        done.map_err(|error| error.at(&self.path))
    }
}

/// Checks that there is a database at `path`. A folder without read permission must not count as one without a database.
fn check_there(path: &Path) -> Result<(), StoreError> {
    match std::fs::metadata(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            Err(StoreError::Open { path: path.to_owned(), detail: error.to_string() })
        }
        Err(_) => Err(StoreError::Missing { path: path.to_owned() }),
    }
}

/// Formats texts as a JSON array, like [`json_rows`].
fn json_strings<S: AsRef<str>>(words: &[S]) -> String {
    serde_json::Value::from(words.iter().map(AsRef::as_ref).collect::<Vec<&str>>()).to_string()
}

/// Formats rows as a JSON array, which binds a set of any size to one parameter.
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

/// Formats chunks the same way.
fn json_chunks(chunks: &[ChunkRef]) -> String {
    json_rows(chunks.iter().map(|chunk| chunk.0))
}

#[cfg(test)]
mod tests;
#[cfg(any(test, feature = "testing"))]
pub(crate) use quantized::as_stored;
#[cfg(test)]
pub(crate) use tests::fixture;
