//! Lookup of chunks by row, position and id.

use std::collections::HashSet;

use jiff::civil::Date;
use rusqlite::{Connection, OptionalExtension, Row};

use super::{columns, json_chunks, json_rows, sections};
use crate::{ChunkRef, ChunkRow, FileId, IdLookup, NamedChunk, Statistics, StoreError};
use tars_base::domain::{ChunkId, MemoryType};

/// Most candidates listed for an ambiguous prefix.
const MAX_AMBIGUOUS: usize = 8;
/// Longest chain of replacements that is followed.
const MAX_HOPS: usize = 64;

const CHUNK: &str =
    "SELECT c.id, lower(hex(c.chunk_key)), c.file_id, c.chunk_sequence, l.name, l.root, f.path, f.title,
                            f.memory_type, c.heading, c.start_line, c.end_line, c.content, c.sections, f.day, c.start_column,
                            c.end_column
                     FROM chunks c JOIN files f ON f.id = c.file_id JOIN collections l ON l.id = f.collection_id";

pub(super) fn chunks(connection: &Connection, chunks: &[ChunkRef]) -> Result<Vec<ChunkRow>, StoreError> {
    let sql = format!("{CHUNK} JOIN json_each(?1) AS wanted ON wanted.value = c.id ORDER BY wanted.key");
    let mut statement = connection.prepare_cached(&sql)?;
    let found = statement.query_map([json_chunks(chunks)], chunk)?;
    Ok(found.collect::<Result<_, _>>()?)
}

pub(super) fn range(connection: &Connection, file: FileId, first: u32, last: u32) -> Result<Vec<ChunkRow>, StoreError> {
    let sql = format!("{CHUNK} WHERE c.file_id = ?1 AND c.chunk_sequence BETWEEN ?2 AND ?3 ORDER BY c.chunk_sequence");
    let mut statement = connection.prepare_cached(&sql)?;
    let found = statement.query_map((file.0, first, last), chunk)?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// Returns `files` sorted by collection name and path.
pub(super) fn in_order(connection: &Connection, files: &[FileId]) -> Result<Vec<FileId>, StoreError> {
    let sql = "SELECT f.id FROM json_each(?1) AS wanted JOIN files f ON f.id = wanted.value
               JOIN collections l ON l.id = f.collection_id ORDER BY l.name, f.path";
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_map([json_rows(files.iter().map(|file| file.0))], |row| row.get(0).map(FileId))?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// Returns the newest of `files`, given as rows in JSON, in the order of [`crate::Reader::newest`].
pub(super) fn newest(connection: &Connection, files: &str, limit: usize) -> Result<Vec<FileId>, StoreError> {
    let sql = "SELECT f.id FROM json_each(?1) AS wanted JOIN files f ON f.id = wanted.value
               JOIN collections l ON l.id = f.collection_id
               ORDER BY coalesce((SELECT max(d.date) FROM dates d WHERE d.file_id = f.id),
                                 date(f.mtime_ns / 1000000000, 'unixepoch', 'localtime')) DESC,
                        f.mtime_ns DESC, l.name, f.path
               LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_map((files, limit as i64), |row| row.get(0).map(FileId))?;
    Ok(found.collect::<Result<_, _>>()?)
}

pub(super) fn link_targets(connection: &Connection, file: FileId) -> Result<Vec<String>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT DISTINCT target FROM links WHERE file_id = ?1")?;
    let found = statement.query_map([file.0], |row| row.get(0))?;
    Ok(found.collect::<Result<_, _>>()?)
}

pub(super) fn link_counts(connection: &Connection) -> Result<Vec<(String, usize)>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT target, count(DISTINCT file_id) FROM links GROUP BY target")?;
    let found = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.cast_unsigned() as usize)))?;
    Ok(found.collect::<Result<_, _>>()?)
}

pub(super) fn days(connection: &Connection, files: &[FileId]) -> Result<Vec<(FileId, Date)>, StoreError> {
    let sql = "SELECT f.id, coalesce((SELECT max(d.date) FROM dates d WHERE d.file_id = f.id),
                                     date(f.mtime_ns / 1000000000, 'unixepoch', 'localtime'))
               FROM json_each(?1) AS wanted JOIN files f ON f.id = wanted.value";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([json_rows(files.iter().map(|file| file.0))], |row| {
        Ok((FileId(row.get(0)?), row.get::<_, String>(1)?))
    })?;
    let mut days = Vec::new();
    for row in rows {
        let (file, day) = row?;
        days.extend(day.parse().ok().map(|day| (file, day)));
    }
    Ok(days)
}

pub(super) fn in_chats(connection: &Connection, chunks: &[ChunkId]) -> Result<HashSet<ChunkId>, StoreError> {
    let sql = "SELECT 1 FROM chunks c JOIN files f ON f.id = c.file_id WHERE c.chunk_key = unhex(?1) AND f.is_chat";
    let mut statement = connection.prepare_cached(sql)?;
    let mut found = HashSet::new();
    for chunk in chunks {
        if statement.exists([chunk.as_str()])? {
            found.insert(chunk.clone());
        }
    }
    Ok(found)
}

pub(super) fn by_key(connection: &Connection, key: &str) -> Result<Option<ChunkRow>, StoreError> {
    let mut statement = connection.prepare_cached(&format!("{CHUNK} WHERE c.chunk_key = unhex(?1)"))?;
    Ok(statement.query_row([key], chunk).optional()?)
}

pub(super) fn locate(connection: &Connection, prefix: &str) -> Result<IdLookup, StoreError> {
    // A prefix that is not hexadecimal matches nothing, because `unhex` turns it into NULL.
    let (least, most) = (format!("{prefix:0<0$}", ChunkId::LENGTH), format!("{prefix:f<0$}", ChunkId::LENGTH));
    let matching = |table: &str| -> Result<Vec<String>, StoreError> {
        let sql = format!(
            "SELECT lower(hex(chunk_key)) FROM {table} WHERE chunk_key BETWEEN unhex(?1) AND unhex(?2) LIMIT ?3"
        );
        let mut statement = connection.prepare_cached(&sql)?;
        let rows = statement.query_map((&least, &most, MAX_AMBIGUOUS as i64), |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    };
    let live = matching("chunks")?;
    if let [key] = live.as_slice() {
        return Ok(by_key(connection, key)?.map_or(IdLookup::Unknown, |row| IdLookup::Found(Box::new(row))));
    }
    let retired = if live.is_empty() { matching("retired")? } else { Vec::new() };
    match (live.len(), retired.as_slice()) {
        (0, []) => Ok(IdLookup::Unknown),
        (0, [key]) => find_successor(connection, key),
        _ => Ok(IdLookup::Ambiguous(live.into_iter().chain(retired).map(ChunkId::from_stored).collect())),
    }
}

pub(super) fn ids(connection: &Connection, prefix: &str, limit: usize) -> Result<Vec<NamedChunk>, StoreError> {
    let (least, most) = (format!("{prefix:0<0$}", ChunkId::LENGTH), format!("{prefix:f<0$}", ChunkId::LENGTH));
    let sql = "SELECT lower(hex(c.chunk_key)), l.name, f.path, c.heading
               FROM chunks c JOIN files f ON f.id = c.file_id JOIN collections l ON l.id = f.collection_id
               WHERE c.chunk_key BETWEEN unhex(?1) AND unhex(?2) ORDER BY c.chunk_key LIMIT ?3";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map((&least, &most, limit as i64), |row| {
        let id = ChunkId::from_stored(row.get(0)?);
        Ok(NamedChunk { id, collection: row.get(1)?, path: row.get(2)?, heading: row.get(3)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn tags(connection: &Connection) -> Result<Vec<(String, usize)>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT tag, count(*) FROM tags GROUP BY tag ORDER BY tag")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.cast_unsigned() as usize)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Follows a replaced chunk to its successor.
fn find_successor(connection: &Connection, key: &str) -> Result<IdLookup, StoreError> {
    let sql = "SELECT collection, path, lower(hex(successor)) FROM retired WHERE chunk_key = unhex(?1)";
    let mut statement = connection.prepare_cached(sql)?;
    let mut step = |key: &str| -> Result<Option<(String, String, Option<String>)>, StoreError> {
        Ok(statement.query_row([key], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()?)
    };
    let Some((collection, path, mut successor)) = step(key)? else {
        return Ok(IdLookup::Unknown);
    };
    for _ in 0..MAX_HOPS {
        let Some(next) = successor else { break };
        if let Some(row) = by_key(connection, &next)? {
            let id = ChunkId::from_stored(key.to_owned());
            return Ok(IdLookup::Retired { id, collection, path, successor: Some(Box::new(row)) });
        }
        successor = step(&next)?.and_then(|(_, _, successor)| successor);
    }
    Ok(IdLookup::Retired { id: ChunkId::from_stored(key.to_owned()), collection, path, successor: None })
}

pub(super) fn statistics(connection: &Connection) -> Result<Statistics, StoreError> {
    let count =
        |sql: &str| -> rusqlite::Result<i64> { connection.prepare_cached(sql)?.query_row([], |row| row.get(0)) };
    let size = |sql: &str| count(sql).map(|value| usize::try_from(value).unwrap_or_default());
    // In one statement, because the counts are subtracted from each other and another process may be writing.
    let sql = "SELECT (SELECT count(*) FROM passages), (SELECT count(*) FROM passages WHERE vector_id IS NULL),
                      (SELECT count(*) FROM passages WHERE again = 1 AND vector_id IS NOT NULL)";
    let counts = connection.prepare_cached(sql)?.query_row([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))?;
    let [passages, bare, again] = counts.map(|count: i64| count.cast_unsigned() as usize);
    Ok(Statistics {
        files: size("SELECT count(*) FROM files")?,
        chunks: size("SELECT count(*) FROM chunks")?,
        passages,
        embedded: passages - bare,
        pending: bare + again,
        opaque_files: size("SELECT count(*) FROM files WHERE opaque_bytes > 0")?,
        opaque_bytes: size("SELECT coalesce(sum(opaque_bytes), 0) FROM files")?,
    })
}

fn chunk(row: &Row<'_>) -> rusqlite::Result<ChunkRow> {
    let kind: String = row.get(8)?;
    let heading: String = row.get(9)?;
    let start_line = row.get::<_, i64>(10)?.cast_unsigned() as usize;
    let day: Option<String> = row.get(14)?;
    Ok(ChunkRow {
        row: ChunkRef(row.get(0)?),
        id: ChunkId::from_stored(row.get(1)?),
        file: FileId(row.get(2)?),
        sequence: row.get(3)?,
        collection: row.get(4)?,
        root: row.get(5)?,
        path: row.get(6)?,
        title: row.get(7)?,
        memory_type: kind.parse().unwrap_or(MemoryType::Note),
        sections: sections::decode(row.get_ref(13)?.as_str()?, &heading, start_line),
        heading,
        start_line,
        start_column: row.get::<_, i64>(15)?.cast_unsigned() as usize,
        end_line: row.get::<_, i64>(11)?.cast_unsigned() as usize,
        end_column: row.get::<_, Option<i64>>(16)?.map(|column| column.cast_unsigned() as usize),
        content: columns::content(row, 12)?,
        day: day.and_then(|day| day.parse().ok()),
    })
}
