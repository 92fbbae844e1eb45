//! The SQLite engine.

use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::{SqliteStore, carried};
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

    fn open_still(&self, path: &Path) -> Result<Index, StoreError> {
        Ok(Box::new(SqliteStore::open_still(path)?))
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

    fn aside(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        SqliteStore::aside(path)
    }

    fn version(&self) -> u32 {
        carried::version()
    }

    fn admit(&self, path: &Path, roots: &[(String, String)]) -> Result<(), StoreError> {
        carried::admit(path, roots)
    }

    fn replace(&self, path: &Path, from: &Path, now: Timestamp) -> Result<Option<PathBuf>, StoreError> {
        carried::replace(path, from, now)
    }
}
