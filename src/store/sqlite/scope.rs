//! Resolves filters to sets of files.

use std::sync::Arc;

use rusqlite::Connection;

use super::properties::Holders;
use super::{json_strings, properties};
use crate::path_filter::{KnownPaths, PathFilter};
use crate::{FileId, Scope, StoreError};
use tars_base::domain::Filter;
use tars_text::names::folded;

pub(super) fn resolve(connection: &Connection, filter: &Filter) -> Result<Option<Scope>, StoreError> {
    if filter.is_empty() {
        return Ok(None);
    }
    let roots = roots(connection)?;
    let paths = PathFilter::of(filter, &KnownPaths { roots: &roots, files: &|| places(connection) })?;
    check_collections(connection, &filter.collections)?;
    let with_properties = properties::conditions(connection, &filter.properties)?;
    // Any `word:word` of a question may be a property, and mostly none is: no file needs a look then.
    if with_properties.iter().any(Holders::admits_none) {
        return Ok(Some(Scope { files: Arc::default() }));
    }
    // A note without a date has the date of its last modification.
    let sql = "SELECT f.id, l.root, f.path FROM files f JOIN collections l ON l.id = f.collection_id
        WHERE (?1 = '[]' OR l.name IN (SELECT value FROM json_each(?1)))
          AND (?2 = '[]' OR f.memory_type IN (SELECT value FROM json_each(?2)))
          AND NOT EXISTS (SELECT 1 FROM json_each(?3) AS wanted WHERE NOT EXISTS (
                  SELECT 1 FROM tags t WHERE t.file_id = f.id
                  AND (t.tag = wanted.value OR substr(t.tag, 1, length(wanted.value) + 1) = wanted.value || '/')))
          AND NOT EXISTS (SELECT 1 FROM json_each(?6) AS unwanted JOIN tags t ON t.file_id = f.id
                  AND (t.tag = unwanted.value OR substr(t.tag, 1, length(unwanted.value) + 1) = unwanted.value || '/'))
          AND (?4 IS NULL
               OR EXISTS (SELECT 1 FROM dates d WHERE d.file_id = f.id AND d.date BETWEEN ?4 AND ?5)
               OR (NOT EXISTS (SELECT 1 FROM dates d WHERE d.file_id = f.id)
                   AND date(f.mtime_ns / 1000000000, 'unixepoch', 'localtime') BETWEEN ?4 AND ?5))";
    let kinds: Vec<&str> = filter.memory_types.iter().map(|kind| kind.as_str()).collect();
    let stored =
        |tags: &[String]| -> Vec<String> { tags.iter().map(|tag| folded(tag.trim_start_matches('#'))).collect() };
    let range = filter.dates.map(|range| (range.first.to_string(), range.last.to_string()));
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query((
        json_strings(&filter.collections),
        json_strings(&kinds),
        json_strings(&stored(&filter.tags)),
        range.as_ref().map(|(first, _)| first),
        range.as_ref().map(|(_, last)| last),
        json_strings(&stored(&filter.without_tags)),
    ))?;
    let mut admitted = Vec::new();
    while let Some(row) = rows.next()? {
        let (root, path): (String, String) = (row.get(1)?, row.get(2)?);
        let id = row.get(0)?;
        if with_properties.iter().all(|holds| holds.admits(id)) && paths.admits(&root, &path) {
            admitted.push(FileId(id));
        }
    }
    Ok(Some(Scope { files: admitted.into() }))
}

fn roots(connection: &Connection) -> Result<Vec<String>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT root FROM collections ORDER BY name")?;
    let found = statement.query_map([], |row| row.get(0))?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// Returns the root and path of every file.
fn places(connection: &Connection) -> Result<Vec<(String, String)>, StoreError> {
    let sql = "SELECT l.root, f.path FROM files f JOIN collections l ON l.id = f.collection_id";
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(found.collect::<Result<_, _>>()?)
}

fn check_collections(connection: &Connection, wanted: &[String]) -> Result<(), StoreError> {
    if wanted.is_empty() {
        return Ok(());
    }
    let mut statement = connection.prepare_cached("SELECT name FROM collections ORDER BY name")?;
    let known: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    match wanted.iter().find(|name| !known.contains(name)) {
        Some(name) => Err(StoreError::UnknownCollection { name: name.clone(), known: known.join(", ") }),
        None => Ok(()),
    }
}
