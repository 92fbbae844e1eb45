//! Rows of vectors, each with its slot in a block.

use std::collections::HashSet;

use rusqlite::Connection;

use super::quantized::{self, QuantizedVector};

/// Stores the vector of a text that has none yet; returns its row.
pub(super) fn insert(connection: &Connection, hash: i64, vector: &QuantizedVector) -> rusqlite::Result<i64> {
    let id = quantized::free_id(connection)?;
    let sql = "INSERT INTO vectors(id, content_hash, rest) VALUES(?1, ?2, ?3)";
    connection.prepare_cached(sql)?.execute((id, hash, &vector.rest))?;
    quantized::write(connection, id, vector)?;
    Ok(id)
}

/// Replaces a row's vector with another vector of the same text.
pub(super) fn overwrite(connection: &Connection, id: i64, vector: &QuantizedVector) -> rusqlite::Result<()> {
    connection.prepare_cached("UPDATE vectors SET rest = ?2 WHERE id = ?1")?.execute((id, &vector.rest))?;
    quantized::write(connection, id, vector)
}

/// Deletes those of `vectors` that no passage uses any more; their slots are reused.
pub(super) fn prune(connection: &Connection, vectors: &HashSet<i64>) -> rusqlite::Result<()> {
    let mut delete = connection.prepare_cached(
        "DELETE FROM vectors WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM passages WHERE vector_id = ?1)",
    )?;
    let mut gone = Vec::new();
    for id in vectors {
        if delete.execute([id])? > 0 {
            gone.push(*id);
        }
    }
    quantized::clear_slots(connection, &gone)
}
