//! Vectors of models that were given up.
//!
//! They lie apart from those of the model that was adopted, so that nothing is ever compared with them, and go once every
//! passage has a vector of that model. Until then the change can be taken back, and nothing need be embedded again.

use rusqlite::{Connection, OptionalExtension};

use super::{columns, embedding};
use crate::domain::ModelId;
use crate::store::StoreError;

/// Sets the vectors of the model in use aside, each by the texts of the passages it serves: one that a passage has kept through
/// a rename was made of another text.
pub(super) fn set_aside(connection: &Connection) -> Result<(), StoreError> {
    let mut read = connection.prepare("SELECT input_hash, vector_id FROM passages WHERE vector_id IS NOT NULL")?;
    let sql = "INSERT OR REPLACE INTO former_vectors(model, content_hash, embedding)
               SELECT m.value, ?1, v.embedding FROM vectors v JOIN meta m ON m.key = 'model' WHERE v.id = ?2";
    let mut write = connection.prepare(sql)?;
    let mut rows = read.query([])?;
    while let Some(row) = rows.next()? {
        let hash = embedding::hash_of_row(&columns::text_hash(row, 0)?);
        write.execute((hash, row.get::<_, i64>(1)?))?;
    }
    Ok(())
}

/// Gives the passages their vectors of this model back, as far as there are any; returns whether there were. Passages that come
/// back later find theirs by [`revive`].
pub(super) fn take_back(connection: &Connection, model: &ModelId) -> Result<bool, StoreError> {
    if !connection.prepare("SELECT 1 FROM former_vectors WHERE model = ?1 LIMIT 1")?.exists([model.as_str()])? {
        return Ok(false);
    }
    let mut read = connection.prepare("SELECT chunk_id, seq, input_hash FROM passages WHERE vector_id IS NULL")?;
    let mut find = connection.prepare("SELECT id FROM vectors WHERE content_hash = ?1")?;
    let mut attach = connection.prepare("UPDATE passages SET vector_id = ?1 WHERE chunk_id = ?2 AND seq = ?3")?;
    let places: Vec<(i64, i64, i64)> = read
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, embedding::hash_of_row(&columns::text_hash(row, 2)?))))?
        .collect::<Result<_, _>>()?;
    for (chunk, sequence, hash) in places {
        let known = find.query_row([hash], |row| row.get(0)).optional()?;
        let vector = known.map_or_else(|| revive(connection, model, hash), |known: i64| Ok(Some(known)))?;
        if let Some(vector) = vector {
            attach.execute((vector, chunk, sequence))?;
        }
    }
    Ok(true)
}

/// Makes the vector of a text that was set aside, which is known by the hash of its row, one of the model in use again. Returns
/// its row.
pub(super) fn revive(connection: &Connection, model: &ModelId, hash: i64) -> Result<Option<i64>, StoreError> {
    let sql = "INSERT INTO vectors(content_hash, embedding)
               SELECT content_hash, embedding FROM former_vectors WHERE content_hash = ?1 AND model = ?2
               AND EXISTS (SELECT 1 FROM meta WHERE key = 'model' AND value = ?2) RETURNING id";
    let mut revive = connection.prepare_cached(sql)?;
    Ok(revive.query_row((hash, model.as_str()), |row| row.get(0)).optional()?)
}

/// Deletes the vectors that are set aside.
pub(super) fn forget(connection: &Connection) -> Result<(), StoreError> {
    connection.execute("DELETE FROM former_vectors", [])?;
    Ok(())
}
