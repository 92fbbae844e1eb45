//! The SQLite engine.

use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::{SqliteStore, import};
use crate::{Engine, Flaw, Index, StoreError};

/// Stores each index in one SQLite database.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sqlite;

impl Engine for Sqlite {
    fn open(&self, path: &Path) -> Result<Index, StoreError> {
        Ok(Box::new(SqliteStore::open(path)?))
    }

    fn open_existing(&self, path: &Path) -> Result<Index, StoreError> {
        Ok(Box::new(SqliteStore::open_existing(path)?))
    }

    fn open_immutable(&self, path: &Path) -> Result<Index, StoreError> {
        Ok(Box::new(SqliteStore::open_immutable(path)?))
    }

    fn in_memory(&self) -> Result<Index, StoreError> {
        Ok(Box::new(SqliteStore::in_memory()?))
    }

    fn examine(&self, path: &Path) -> Result<Vec<Flaw>, StoreError> {
        SqliteStore::examine(path)
    }

    fn set_aside(&self, path: &Path, now: Timestamp) -> Result<PathBuf, StoreError> {
        SqliteStore::set_aside(path, now)
    }

    fn set_aside_indexes(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        SqliteStore::set_aside_indexes(path)
    }

    fn version(&self) -> u32 {
        import::version()
    }

    fn check_import(&self, path: &Path, roots: &[(String, String)]) -> Result<(), StoreError> {
        import::check_import(path, roots)
    }

    fn replace(&self, path: &Path, from: &Path, now: Timestamp) -> Result<Option<PathBuf>, StoreError> {
        import::replace(path, from, now)
    }
}
