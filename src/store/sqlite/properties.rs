//! Properties of files, by name.

use std::collections::HashSet;

use rusqlite::Connection;

use super::{json_rows, json_strings};
use crate::property_filter::{passes, property_key};
use crate::{FileId, StoreError};
use tars_base::domain::{Property, PropertyCondition};

/// The files with a value that passes a condition.
pub(super) struct Holders {
    files: HashSet<i64>,
    is_excluded: bool,
}

impl Holders {
    /// Whether the condition admits no file.
    pub(super) fn admits_none(&self) -> bool {
        self.files.is_empty() && !self.is_excluded
    }

    /// Whether the condition admits the file of this row.
    pub(super) fn admits(&self, file: i64) -> bool {
        self.files.contains(&file) != self.is_excluded
    }
}

/// Resolves conditions to files.
pub(super) fn conditions(
    connection: &Connection,
    conditions: &[PropertyCondition],
) -> Result<Vec<Holders>, StoreError> {
    conditions.iter().map(|condition| holders(connection, condition)).collect()
}

fn holders(connection: &Connection, condition: &PropertyCondition) -> Result<Holders, StoreError> {
    let names = names(connection, &[property_key(&condition.name)])?;
    let sql = "SELECT file_id, value FROM properties WHERE name IN (SELECT value FROM json_each(?1))";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([json_strings(&names)])?;
    let mut files = HashSet::new();
    while let Some(row) = rows.next()? {
        if passes(condition, &row.get::<_, String>(1)?) {
            files.insert(row.get(0)?);
        }
    }
    Ok(Holders { files, is_excluded: condition.is_excluded })
}

/// Returns the properties of these names of files.
pub(super) fn of_files(
    connection: &Connection,
    files: &[FileId],
    wanted: &[String],
) -> Result<Vec<(FileId, Property)>, StoreError> {
    let keys: Vec<String> = wanted.iter().map(|name| property_key(name)).collect();
    let names = names(connection, &keys)?;
    let sql =
        "SELECT p.file_id, p.name, p.value FROM json_each(?1) AS wanted JOIN properties p ON p.file_id = wanted.value
               WHERE p.name IN (SELECT value FROM json_each(?2)) ORDER BY p.file_id, p.name, p.value";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map((json_rows(files.iter().map(|file| file.0)), json_strings(&names)), |row| {
        Ok((FileId(row.get(0)?), Property { name: row.get(1)?, value: row.get(2)? }))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the names with one of these keys, as the notes write them. Each name is one step in the index by name, however many files
/// have it.
fn names(connection: &Connection, keys: &[String]) -> Result<Vec<String>, StoreError> {
    let sql = "WITH RECURSIVE names(name) AS (
                   SELECT min(name) FROM properties
                   UNION ALL
                   SELECT (SELECT min(p.name) FROM properties p WHERE p.name > names.name) FROM names WHERE names.name IS NOT NULL
               ) SELECT name FROM names WHERE name IS NOT NULL";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        if keys.contains(&property_key(&name)) {
            found.push(name);
        }
    }
    Ok(found)
}
