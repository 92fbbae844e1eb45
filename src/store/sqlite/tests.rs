//! Tests of SQLite beyond the conformance suite of all engines (`store::conformance`).

mod concurrency;
mod consistency;
mod documents;
mod lexical;
mod upgrades;
mod vectors;

use std::path::PathBuf;
use std::time::Duration;

use tempfile::TempDir;

use super::*;
use crate::conformance::fixture::*;
use crate::*;
use tars_base::domain::{ChunkId, ContentHash, ModelId};
use tars_text::analysis::index_text;

/// A fixture with an index in its own folder.
type Fixture = conformance::fixture::Fixture<SqliteStore>;

/// The temporary folder of an index.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn database(&self) -> PathBuf {
        self.0.path().join("index.db")
    }
}

impl Home for Folder {
    fn open(&self) -> Index {
        Sqlite.open(&self.database()).unwrap()
    }

    /// Panics if the tables are inconsistent.
    fn check(&self) {
        let connection = Connection::open(self.database()).unwrap();
        connection.pragma_update(None, "foreign_keys", true).unwrap();
        let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(count("SELECT count(*) FROM chunks_fts"), count("SELECT count(*) FROM chunks"));
        assert_eq!(count("SELECT count(*) FROM chunks WHERE id NOT IN (SELECT rowid FROM chunks_fts)"), 0);
        connection.execute("INSERT INTO chunks_fts(chunks_fts) VALUES('integrity-check')", []).unwrap();
        let orphans = "SELECT count(*) FROM vectors v WHERE NOT EXISTS (SELECT 1 FROM passages WHERE vector_id = v.id)";
        assert_eq!(count(orphans), 0, "vectors that no passage uses");
        assert_eq!(count("SELECT count(*) FROM pragma_foreign_key_check"), 0);
        let shadowed = "SELECT count(*) FROM retired WHERE chunk_key IN (SELECT chunk_key FROM chunks)";
        assert_eq!(count(shadowed), 0, "ids both live and retired");
        let sequences = "SELECT count(*) FROM (SELECT file_id, max(chunk_sequence) + 1 AS length, count(*) AS chunks
                         FROM chunks GROUP BY file_id) WHERE length <> chunks";
        assert_eq!(count(sequences), 0, "places with gaps");
    }
}

/// Creates an empty index for the conformance suite.
pub(crate) fn fixture() -> conformance::fixture::Fixture<dyn Maintenance + Send> {
    let folder = Folder::new();
    conformance::fixture::Fixture::of(folder.open(), folder)
}

impl Fixture {
    fn new() -> Self {
        let folder = Folder::new();
        Self::of(Box::new(SqliteStore::open(&folder.database()).unwrap()), folder)
    }

    fn path(&self) -> PathBuf {
        self.store.path.clone()
    }

    fn folder(&self) -> PathBuf {
        self.path().parent().unwrap().to_owned()
    }

    fn count(&self, sql: &str) -> i64 {
        self.store.connection.query_row(sql, [], |row| row.get(0)).unwrap()
    }
}
