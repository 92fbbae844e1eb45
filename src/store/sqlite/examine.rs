//! Examines the whole index: whether the database is sound, and whether its tables hold what tars would have written.
//!
//! The check opens the database read-only and changes nothing. It does not detect a vector value that is off by a step or so, or a
//! missing word in the full text if its structure is right. It compares texts and their places with the ids derived from them.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use rusqlite::{Connection, OptionalExtension};

use super::quantized::{self, BlockCheck};
use super::{SqliteStore, collections, columns, documents};
use crate::{Flaw, StoreError};
use tars_base::domain::{ChunkId, ContentHash};

/// Most findings reported per check.
const MAX_FINDINGS: usize = 20;

/// Returns the flaws, one line each.
type Check = fn(&Connection) -> Result<Vec<String>, StoreError>;

impl SqliteStore {
    /// See [`Engine::examine`](crate::Engine::examine).
    pub fn examine(path: &Path) -> Result<Vec<Flaw>, StoreError> {
        super::check_there(path)?;
        let mut flaws = Vec::new();
        match examine(path, &mut flaws) {
            Err(StoreError::Corrupt { detail, .. }) => flaws.push(Flaw { detail }),
            other => other?,
        }
        Ok(flaws)
    }
}

fn examine(path: &Path, flaws: &mut Vec<Flaw>) -> Result<(), StoreError> {
    let connection = super::connection::open_read_only(path)?;
    let checks: [Check; 6] = [integrity, references, full_text, vectors, texts, records];
    for check in checks {
        let found = match check(&connection).map_err(|error| error.at(path)) {
            Ok(found) => found,
            // The other checks may find more.
            Err(StoreError::Corrupt { detail, .. }) => vec![detail],
            Err(error) => return Err(error),
        };
        flaws.extend(found.into_iter().map(|detail| Flaw { detail }));
    }
    Ok(())
}

/// Runs SQLite's check of pages, indexes and constraints, and FTS5's check of the full text.
fn integrity(connection: &Connection) -> Result<Vec<String>, StoreError> {
    let mut statement = connection.prepare(&format!("PRAGMA integrity_check({MAX_FINDINGS})"))?;
    let rows = statement.query_map([], |row| row.get(0))?;
    let found: Vec<String> = rows.collect::<Result<_, _>>()?;
    Ok(found.into_iter().filter(|line| line != "ok").collect())
}

fn references(connection: &Connection) -> Result<Vec<String>, StoreError> {
    let sql = "SELECT \"table\", \"parent\", count(*) FROM pragma_foreign_key_check GROUP BY 1, 2";
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| {
        let (table, parent, count): (String, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(format!("{count} rows of {table} belong to no row of {parent}"))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Checks that the full text has one row per chunk.
fn full_text(connection: &Connection) -> Result<Vec<String>, StoreError> {
    let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let missing = count("SELECT count(*) FROM chunks WHERE id NOT IN (SELECT id FROM chunks_fts_docsize)")?;
    let surplus = count("SELECT count(*) FROM chunks_fts_docsize WHERE id NOT IN (SELECT id FROM chunks)")?;
    let findings = [(missing, "chunks are not in the full text"), (surplus, "full-text rows belong to no chunk")];
    Ok(findings.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect())
}

/// Checks that all vectors have the most common dimensions, and that their blocks agree with their rows.
fn vectors(connection: &Connection) -> Result<Vec<String>, StoreError> {
    let sql = "SELECT length(rest) FROM vectors GROUP BY 1 ORDER BY count(*) DESC LIMIT 1";
    let length: Option<i64> = connection.query_row(sql, [], |row| row.get(0)).optional()?;
    let mut statement = connection.prepare("SELECT id FROM vectors WHERE length(rest) = ?1")?;
    let rows: HashSet<i64> = statement.query_map([length], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let all: i64 = connection.query_row("SELECT count(*) FROM vectors", [], |row| row.get(0))?;
    let BlockCheck { occupied, wrong } = quantized::examine(connection)?;
    let findings = [
        (
            all as usize - rows.len(),
            format!("vectors do not have {} bytes like the others", length.unwrap_or_default()),
        ),
        (rows.difference(&occupied).count(), "vectors are missing from the blocks".to_owned()),
        (occupied.difference(&rows).count(), "block slots belong to no vector".to_owned()),
        (wrong, "block slots do not match their vectors".to_owned()),
    ];
    Ok(findings.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect())
}

/// Checks that each chunk's id matches its collection, path, heading and text.
fn texts(connection: &Connection) -> Result<Vec<String>, StoreError> {
    let sql = "SELECT lower(hex(c.chunk_key)), l.name, f.path, c.heading, c.content, c.file_id FROM chunks c
               JOIN files f ON f.id = c.file_id JOIN collections l ON l.id = f.collection_id
               ORDER BY c.file_id, c.chunk_sequence";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut flaws = Vec::new();
    let mut twins: HashMap<(String, ContentHash), u32> = HashMap::new();
    let mut file = None;
    while let Some(row) = rows.next()? {
        let of: i64 = row.get(5)?;
        if file.replace(of) != Some(of) {
            twins.clear();
        }
        let (key, collection, path, heading): (String, String, String, String) =
            (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        let content = match columns::content(row, 4) {
            Ok(text) => ContentHash::of(text.as_bytes()),
            Err(error) => {
                flaws.push(format!("a text of {path} cannot be read: {error}"));
                continue;
            }
        };
        let ordinal = twins.entry((heading.clone(), content)).or_default();
        let made = ChunkId::new(&collection, &path, &heading, &content, *ordinal);
        *ordinal += 1;
        if made.as_str() != key {
            flaws.push(format!("a text of {path} does not match its id"));
        }
        if flaws.len() >= MAX_FINDINGS {
            break;
        }
    }
    Ok(flaws)
}

/// Checks that each file's record can be read. Damage surfaces as an error of the read.
fn records(connection: &Connection) -> Result<Vec<String>, StoreError> {
    for collection in collections::all(connection)? {
        documents::files(connection, collection.id)?;
        documents::excluded_files(connection, collection.id)?;
    }
    Ok(Vec::new())
}
