//! Migrates vectors from nine bits per value to seven.

use std::collections::HashMap;

use rusqlite::Connection;

use super::nine_bits;
use super::quantized::{self, QuantizedVector, Quantizer};

/// The new tables of vectors and passages. A passage refers to its vector, which cannot be deleted first. It stores its text's hash
/// unless its vector has the same one.
const TABLES: &str = "
DROP TABLE vector_changes;
CREATE TABLE new_vectors(
    id INTEGER PRIMARY KEY,
    content_hash INTEGER NOT NULL UNIQUE,
    rest BLOB NOT NULL
) STRICT;
CREATE TABLE vector_blocks(
    id INTEGER PRIMARY KEY,
    codes BLOB NOT NULL
) STRICT;
CREATE TABLE vacant_places(id INTEGER PRIMARY KEY) STRICT;
CREATE TABLE new_passages(
    chunk_id INTEGER NOT NULL REFERENCES chunks(id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    input_hash INTEGER,
    lineage INTEGER,
    vector_id INTEGER REFERENCES vectors(id),
    again INTEGER NOT NULL DEFAULT 0,
    line INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY(chunk_id, seq),
    CHECK(input_hash IS NOT NULL OR vector_id IS NOT NULL)
) STRICT, WITHOUT ROWID;
";

const REPLACE_TABLES: &str = "
DROP TABLE passages;
DROP TABLE vectors;
ALTER TABLE new_vectors RENAME TO vectors;
ALTER TABLE new_passages RENAME TO passages;
CREATE INDEX passages_by_vector ON passages(vector_id) WHERE vector_id IS NOT NULL;
CREATE INDEX passages_pending ON passages(chunk_id, vector_id) WHERE vector_id IS NULL;
CREATE INDEX passages_again ON passages(chunk_id, vector_id) WHERE again = 1;
";

/// Quantizes all vectors again, and removes the hashes that passages share with their vectors. Nothing has to be embedded again.
pub(super) fn convert(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)?;
    let rows = vectors(connection)?;
    passages(connection, &rows)?;
    former_vectors(connection)?;
    connection.execute_batch(REPLACE_TABLES)
}

/// The new row of a vector.
struct Moved {
    /// Its row id, the next free one.
    id: i64,
    hash: i64,
}

fn vectors(connection: &Connection) -> rusqlite::Result<HashMap<i64, Moved>> {
    let mut read = connection.prepare("SELECT id, content_hash, embedding FROM vectors ORDER BY id")?;
    let mut write = connection.prepare("INSERT INTO new_vectors VALUES(?1, ?2, ?3)")?;
    let (mut rounding, mut moved) = (Rounding::default(), HashMap::new());
    let mut rows = read.query([])?;
    while let Some(row) = rows.next()? {
        let (id, hash) = (moved.len() as i64, row.get(1)?);
        let rounded = rounding.round(row.get_ref(2)?.as_blob()?);
        write.execute((id, hash, &rounded.rest))?;
        quantized::write(connection, id, &rounded)?;
        moved.insert(row.get(0)?, Moved { id, hash });
    }
    Ok(moved)
}

fn passages(connection: &Connection, vectors: &HashMap<i64, Moved>) -> rusqlite::Result<()> {
    let sql = "SELECT chunk_id, seq, input_hash, lineage, vector_id, again, line FROM passages ORDER BY 1, 2";
    let mut read = connection.prepare(sql)?;
    let mut write = connection.prepare("INSERT INTO new_passages VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    let mut rows = read.query([])?;
    while let Some(row) = rows.next()? {
        let hash = nine_bits::hash(row, 2)?;
        let lineage = row.get_ref(3)?.as_blob_or_null()?.is_some().then(|| nine_bits::hash(row, 3)).transpose()?;
        let vector = row.get::<_, Option<i64>>(4)?.and_then(|id| vectors.get(&id));
        write.execute((
            row.get::<_, i64>(0)?,
            row.get::<_, i64>(1)?,
            vector.is_none_or(|vector| vector.hash != hash).then_some(hash),
            lineage,
            vector.map(|vector| vector.id),
            row.get::<_, i64>(5)?,
            row.get::<_, i64>(6)?,
        ))?;
    }
    Ok(())
}

fn former_vectors(connection: &Connection) -> rusqlite::Result<()> {
    let mut read = connection.prepare("SELECT model, content_hash, embedding FROM former_vectors")?;
    let mut write =
        connection.prepare("UPDATE former_vectors SET embedding = ?3 WHERE model = ?1 AND content_hash = ?2")?;
    let mut rounding = Rounding::default();
    let rows = read.query_map([], |row| {
        let rounded = rounding.round(row.get_ref(2)?.as_blob()?);
        Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?, rounded.to_bytes()))
    })?;
    // Read everything before the table changes.
    let rounded: Vec<(String, i64, Vec<u8>)> = rows.collect::<Result<_, _>>()?;
    rounded.into_iter().try_for_each(|row| write.execute(row).map(drop))
}

/// Quantizes vectors one after the other, which usually have the same length.
#[derive(Default)]
struct Rounding {
    quantizer: Option<(usize, Quantizer)>,
}

impl Rounding {
    fn round(&mut self, row: &[u8]) -> QuantizedVector {
        let vector = nine_bits::read(row);
        let fitting = self.quantizer.take().filter(|(length, _)| *length == vector.len());
        let (_, quantizer) =
            self.quantizer.insert(fitting.unwrap_or_else(|| (vector.len(), Quantizer::new(vector.len()))));
        quantizer.round(&vector)
    }
}
