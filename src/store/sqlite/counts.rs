//! What has been counted in the database, kept until the database changes.
//!
//! A question asks for the same counts several times, and a watcher for those of the questions before it: to count the chunks that hold
//! a frequent word takes milliseconds in a large index.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use rusqlite::Connection;

use super::lookup;
use crate::store::{DataVersion, Statistics, StoreError};

/// So many expressions are kept at most.
const KEPT: usize = 4096;

/// Counts of one state of the database.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// As a connection tells states apart: by what other connections have committed, and what it has changed itself.
    state: Cell<Option<DataVersion>>,
    /// Chunks that hold an expression of the full text.
    expressions: RefCell<HashMap<String, usize>>,
    statistics: Cell<Option<Statistics>>,
}

impl Counts {
    /// Forgets what was counted in another state than the one that the connection's transaction sees.
    pub(super) fn refresh(&self, connection: &Connection) -> Result<(), StoreError> {
        let version = connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        let state = Some(DataVersion(version, connection.total_changes()));
        if self.state.replace(state) != state {
            self.expressions.borrow_mut().clear();
            self.statistics.set(None);
        }
        Ok(())
    }

    /// Returns the version that was counted in.
    pub(super) fn data_version(&self) -> Option<DataVersion> {
        self.state.get()
    }

    /// Returns how much is indexed.
    pub(super) fn statistics(&self, connection: &Connection) -> Result<Statistics, StoreError> {
        if let Some(known) = self.statistics.get() {
            return Ok(known);
        }
        let statistics = lookup::statistics(connection)?;
        self.statistics.set(Some(statistics));
        Ok(statistics)
    }

    /// Returns how many chunks there are.
    pub(super) fn chunks(&self, connection: &Connection) -> Result<usize, StoreError> {
        Ok(self.statistics(connection)?.chunks)
    }

    /// Returns how many chunks are found by an expression of the full text.
    pub(super) fn of(&self, connection: &Connection, expression: &str) -> Result<usize, StoreError> {
        if let Some(known) = self.expressions.borrow().get(expression) {
            return Ok(*known);
        }
        let sql = "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH ?1";
        let count: i64 = connection.prepare_cached(sql)?.query_row([expression], |row| row.get(0))?;
        let count = count.cast_unsigned() as usize;
        let mut expressions = self.expressions.borrow_mut();
        if expressions.len() >= KEPT {
            expressions.clear();
        }
        expressions.insert(expression.to_owned(), count);
        Ok(count)
    }
}
