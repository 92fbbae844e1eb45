//! Vectors of former models.
//!
//! They are stored apart from those of the current model, so that they are never compared, and are deleted once every passage has a
//! vector of the current model. Until then a change of model can be reverted without embedding anything again.

use rusqlite::{Connection, OptionalExtension};

use super::quantized::{Levels, QuantizedVector};
use super::{columns, vector_rows};
use crate::StoreError;
use tars_base::domain::{ModelId, TextHash};

/// Sets the vectors of the current model aside, each under the texts of its passages: a vector that a passage has kept through a
/// rename was made from another text.
pub(super) fn set_aside(connection: &Connection) -> Result<(), StoreError> {
    let model = "SELECT value FROM meta WHERE key = 'model'";
    let Some(model) = connection.query_row(model, [], |row| row.get::<_, String>(0)).optional()? else {
        return Ok(());
    };
    let mut read = connection.prepare(
        "SELECT coalesce(p.input_hash, v.content_hash), v.id, v.rest
         FROM vectors v JOIN passages p ON p.vector_id = v.id ORDER BY v.id",
    )?;
    let mut write = connection.prepare("INSERT OR REPLACE INTO former_vectors VALUES(?1, ?2, ?3)")?;
    let mut levels = Levels::new(connection);
    let mut found = read.query([])?;
    while let Some(row) = found.next()? {
        let Some(levels) = levels.of(row.get(1)?)? else { continue };
        let rounded = QuantizedVector { levels, rest: row.get(2)? };
        write.execute((&model, row.get::<_, i64>(0)?, rounded.to_bytes()))?;
    }
    Ok(())
}

/// Gives the passages their former vectors of this model, if there are any; returns whether there are. Passages stored later find
/// theirs through [`restore_one`].
pub(super) fn restore(connection: &Connection, model: &ModelId) -> Result<bool, StoreError> {
    if !connection.prepare("SELECT 1 FROM former_vectors WHERE model = ?1 LIMIT 1")?.exists([model.as_str()])? {
        return Ok(false);
    }
    let mut read = connection.prepare("SELECT chunk_id, seq, input_hash FROM passages WHERE vector_id IS NULL")?;
    let mut find = connection.prepare("SELECT id FROM vectors WHERE content_hash = ?1")?;
    let mut attach =
        connection.prepare("UPDATE passages SET vector_id = ?1, input_hash = NULL WHERE chunk_id = ?2 AND seq = ?3")?;
    let places: Vec<(i64, i64, TextHash)> = read
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, columns::text_hash(row, 2)?)))?
        .collect::<Result<_, _>>()?;
    for (chunk, sequence, hash) in places {
        let known = find.query_row([hash.number()], |row| row.get(0)).optional()?;
        let vector = known.map_or_else(|| restore_one(connection, model, hash), |known: i64| Ok(Some(known)))?;
        if let Some(vector) = vector {
            attach.execute((vector, chunk, sequence))?;
        }
    }
    Ok(true)
}

/// Restores the vector of a text that was set aside as a vector of the current model. Returns its row.
pub(super) fn restore_one(connection: &Connection, model: &ModelId, hash: TextHash) -> Result<Option<i64>, StoreError> {
    let sql = "SELECT embedding FROM former_vectors WHERE content_hash = ?1 AND model = ?2
               AND EXISTS (SELECT 1 FROM meta WHERE key = 'model' AND value = ?2)";
    let mut find = connection.prepare_cached(sql)?;
    let found: Option<Vec<u8>> = find.query_row((hash.number(), model.as_str()), |row| row.get(0)).optional()?;
    let rounded = found.and_then(|bytes| QuantizedVector::from_bytes(&bytes));
    Ok(rounded.map(|rounded| vector_rows::insert(connection, hash.number(), &rounded)).transpose()?)
}

/// Deletes the vectors that were set aside.
pub(super) fn forget(connection: &Connection) -> Result<(), StoreError> {
    connection.execute("DELETE FROM former_vectors", [])?;
    Ok(())
}
