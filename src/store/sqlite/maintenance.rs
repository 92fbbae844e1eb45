//! Housekeeping of an open database.

use std::path::Path;
use std::time::Duration;

use super::{SqliteStore, damage, lexical, vacuum};
use crate::{Maintenance, StoreError};

impl Maintenance for SqliteStore {
    fn merge_full_text(&mut self, time: Duration) -> Result<(), StoreError> {
        self.at(lexical::merge(&self.connection, time))
    }

    fn vacuum(&mut self, made: bool) -> Result<bool, StoreError> {
        self.at(vacuum::vacuum(&self.connection, made))
    }

    fn set_patience(&mut self, patience: Duration) -> Result<(), StoreError> {
        self.at(self.connection.busy_timeout(patience).map_err(Into::into))
    }

    fn truncate_log(&mut self) -> Result<(), StoreError> {
        self.at(vacuum::truncate_log(&self.connection, &self.path))
    }

    fn purge_deleted(&mut self) -> Result<(), StoreError> {
        self.at(vacuum::purge_deleted(&self.connection))
    }

    fn keep_log(&self) -> Result<(), StoreError> {
        self.at(vacuum::keep_log(&self.connection))
    }

    fn copy_to(&self, path: &Path) -> Result<(), StoreError> {
        let failed = |detail: String| StoreError::Open { path: path.to_owned(), detail };
        let name = path.to_str().ok_or_else(|| failed("the path is not valid UTF-8".into()))?;
        self.connection.execute("VACUUM INTO ?1", [name]).map_err(|error| failed(error.to_string()))?;
        Ok(())
    }

    fn replace_content(self: Box<Self>, path: &Path) -> Result<(), StoreError> {
        let Self { path: own, mut connection, .. } = *self;
        vacuum::replace_content(&mut connection, &own, path).map_err(|error| error.at(&own))
    }

    fn is_intact(&self) -> Result<bool, StoreError> {
        damage::is_intact(&self.connection, &self.path)
    }
}
