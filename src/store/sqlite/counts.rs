//! Caches counts of the database until it changes.
//!
//! A search needs the same counts several times, and a watcher repeats those of earlier searches. Counting the chunks with a
//! frequent word takes milliseconds in a large index.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use rusqlite::Connection;

use super::lookup;
use crate::{DataVersion, Statistics, StoreError};

/// Most expressions in the cache.
const MAX_EXPRESSIONS: usize = 4096;

/// Counts of one state of the database.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Identifies a state for a connection: the commits of other connections and its own changes.
    state: Cell<Option<DataVersion>>,
    /// Number of chunks that match an expression of the full text.
    expressions: RefCell<HashMap<String, usize>>,
    statistics: Cell<Option<Statistics>>,
}

impl Counts {
    /// Clears the cache if the connection's transaction sees another state.
    pub(super) fn refresh(&self, connection: &Connection) -> Result<(), StoreError> {
        let version = connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        let state = Some(DataVersion(version, connection.total_changes()));
        if self.state.replace(state) != state {
            self.expressions.borrow_mut().clear();
            self.statistics.set(None);
        }
        Ok(())
    }

    /// Returns the version that the counts belong to.
    pub(super) fn data_version(&self) -> Option<DataVersion> {
        self.state.get()
    }

    /// Returns the statistics of the index.
    pub(super) fn statistics(&self, connection: &Connection) -> Result<Statistics, StoreError> {
        if let Some(known) = self.statistics.get() {
            return Ok(known);
        }
        let statistics = lookup::statistics(connection)?;
        self.statistics.set(Some(statistics));
        Ok(statistics)
    }

    /// Returns the number of chunks.
    pub(super) fn chunks(&self, connection: &Connection) -> Result<usize, StoreError> {
        Ok(self.statistics(connection)?.chunks)
    }

    /// Returns the number of chunks that match an expression of the full text.
    pub(super) fn of(&self, connection: &Connection, expression: &str) -> Result<usize, StoreError> {
        if let Some(known) = self.expressions.borrow().get(expression) {
            return Ok(*known);
        }
        let sql = "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH ?1";
        let count: i64 = connection.prepare_cached(sql)?.query_row([expression], |row| row.get(0))?;
        let count = count.cast_unsigned() as usize;
        let mut expressions = self.expressions.borrow_mut();
        if expressions.len() >= MAX_EXPRESSIONS {
            expressions.clear();
        }
        expressions.insert(expression.to_owned(), count);
        Ok(count)
    }
}
