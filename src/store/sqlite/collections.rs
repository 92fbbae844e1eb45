//! Collections and metadata of the index.

use rusqlite::{Connection, OptionalExtension};

use crate::{Collection, CollectionId, CollectionSize, StoreError};

pub(super) fn all(connection: &Connection) -> Result<Vec<Collection>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT id, name, root FROM collections ORDER BY name")?;
    let rows = statement
        .query_map([], |row| Ok(Collection { id: CollectionId(row.get(0)?), name: row.get(1)?, root: row.get(2)? }))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn ensure(connection: &Connection, name: &str, root: &str) -> Result<CollectionId, StoreError> {
    let known = all(connection)?.into_iter().find(|collection| collection.name == name);
    match known {
        Some(collection) if collection.root == root => Ok(collection.id),
        Some(collection) => {
            connection.execute("UPDATE collections SET root = ?2 WHERE id = ?1", (collection.id.0, root))?;
            Ok(collection.id)
        }
        None => {
            let sql = "INSERT INTO collections(name, root) VALUES(?1, ?2)
                       ON CONFLICT(name) DO UPDATE SET root = excluded.root RETURNING id";
            Ok(CollectionId(connection.query_row(sql, (name, root), |row| row.get(0))?))
        }
    }
}

pub(super) fn size(connection: &Connection, id: CollectionId) -> Result<CollectionSize, StoreError> {
    // In one statement, because another process may be writing.
    let sql = "SELECT (SELECT count(*) FROM files WHERE collection_id = ?1),
                      (SELECT count(*) FROM passages p JOIN chunks c ON c.id = p.chunk_id JOIN files f ON f.id = c.file_id
                       WHERE f.collection_id = ?1),
                      (SELECT coalesce(sum(octet_length(c.content)), 0) FROM chunks c JOIN files f ON f.id = c.file_id
                       WHERE f.collection_id = ?1)";
    let counts =
        connection.prepare_cached(sql)?.query_row([id.0], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))?;
    let [files, passages, text_bytes] = counts.map(|count: i64| count.cast_unsigned());
    Ok(CollectionSize { files: files as usize, passages: passages as usize, text_bytes })
}

pub(super) fn meta(connection: &Connection, key: &str) -> Result<Option<String>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
    Ok(statement.query_row([key], |row| row.get(0)).optional()?)
}

pub(super) fn set_meta(connection: &Connection, key: &str, value: &str) -> Result<(), StoreError> {
    let sql = "INSERT INTO meta VALUES(?1, ?2) ON CONFLICT(key) DO UPDATE SET value = excluded.value";
    connection.prepare_cached(sql)?.execute((key, value))?;
    Ok(())
}
