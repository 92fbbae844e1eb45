//! Vectors: which are missing, and which are near.

use rusqlite::{Connection, params};

use super::{Codes, codes, documents, json_rows};
use crate::domain::ModelId;
use crate::store::{Candidate, FileId, PassageId, PendingPassage, Scope, StoreError};

/// A chunk has several passages; so many nearest passages are read for each chunk wanted.
const PASSAGES_PER_CHUNK: usize = 4;

pub(super) fn adopt(connection: &Connection, model: &ModelId) -> Result<bool, StoreError> {
    let foreign = "SELECT EXISTS(SELECT 1 FROM vectors WHERE model <> ?1)";
    let changed: bool = connection.query_row(foreign, [model.as_str()], |row| row.get(0))?;
    if changed {
        // The foreign key empties the passages' references.
        connection.execute("DELETE FROM vectors WHERE model <> ?1", [model.as_str()])?;
    }
    let sql = "INSERT INTO meta VALUES('model', ?1) ON CONFLICT(key) DO UPDATE SET value = excluded.value";
    connection.execute(sql, [model.as_str()])?;
    Ok(changed)
}

pub(super) fn pending_files(connection: &Connection) -> Result<Vec<FileId>, StoreError> {
    let sql = "SELECT f.id FROM files f WHERE f.id IN (
                   SELECT c.file_id FROM passages p JOIN chunks c ON c.id = p.chunk_id WHERE p.vector_id IS NULL)
               ORDER BY f.mtime_ns DESC, f.id";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([], |row| row.get(0).map(FileId))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn pending_file_count(connection: &Connection) -> Result<usize, StoreError> {
    let sql = "SELECT count(DISTINCT c.file_id) FROM passages p JOIN chunks c ON c.id = p.chunk_id
               WHERE p.vector_id IS NULL";
    let count: i64 = connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
    Ok(usize::try_from(count).unwrap_or_default())
}

pub(super) fn pending_passages(connection: &Connection, file: FileId) -> Result<Vec<PendingPassage>, StoreError> {
    let sql = "SELECT p.chunk_id, p.seq, p.input_hash FROM passages p JOIN chunks c ON c.id = p.chunk_id
               WHERE c.file_id = ?1 AND p.vector_id IS NULL ORDER BY c.chunk_sequence, p.seq";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([file.0], |row| {
        let id = PassageId { chunk: row.get(0)?, sequence: row.get(1)? };
        Ok(PendingPassage { id, hash: documents::text_hash(row, 2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn put(
    connection: &Connection,
    model: &ModelId,
    vectors: &[(PendingPassage, &[f32])],
) -> Result<(), StoreError> {
    // SQLite uses the rows of deleted chunks again: the hash tells whether this is still the one that was embedded.
    let mut find =
        connection.prepare_cached("SELECT 1 FROM passages WHERE chunk_id = ?1 AND seq = ?2 AND input_hash = ?3")?;
    let mut insert = connection.prepare_cached(
        "INSERT INTO vectors(model, content_hash, embedding) VALUES(?1, ?2, ?3)
         ON CONFLICT(content_hash, model) DO UPDATE SET embedding = excluded.embedding RETURNING id",
    )?;
    let mut attach =
        connection.prepare_cached("UPDATE passages SET vector_id = ?1 WHERE chunk_id = ?2 AND seq = ?3")?;
    for (passage, vector) in vectors {
        let hash = passage.hash.as_bytes().as_slice();
        let PassageId { chunk, sequence } = passage.id;
        if !find.exists((chunk, sequence, hash))? {
            continue;
        }
        let id: i64 = insert.query_row((model.as_str(), hash, bytes(vector)), |row| row.get(0))?;
        attach.execute((id, chunk, sequence))?;
    }
    Ok(())
}

/// What is sought among the vectors.
#[derive(Clone, Copy)]
pub(super) struct Sought<'a> {
    /// The question.
    pub(super) vector: &'a [f32],
    /// The model that made it.
    pub(super) model: &'a ModelId,
    /// Where chunks must stand.
    pub(super) scope: Option<&'a Scope>,
    /// How many chunks are wanted.
    pub(super) limit: usize,
}

/// Returns the chunks of the nearest vectors. The connection holds a snapshot.
pub(super) fn nearest(
    connection: &Connection,
    codes: &Codes,
    sought: Sought<'_>,
) -> Result<Vec<Candidate>, StoreError> {
    let within = sought.scope.map(|scope| in_scope(connection, scope)).transpose()?;
    let coded = |wanted| {
        let Sought { vector, model, .. } = sought;
        codes.nearest(connection, codes::Sought { vector, model: model.as_str(), count: wanted }, within.as_deref())
    };
    // So many chunks are usually found among half as many vectors, and each vector that is looked at costs.
    let most = sought.limit * PASSAGES_PER_CHUNK;
    if let Some(rows) = coded(most / 2)? {
        let few = chunks_of(connection, sought, Some(rows), most / 2)?;
        if few.len() == sought.limit {
            return Ok(few);
        }
        return chunks_of(connection, sought, coded(most)?, most);
    }
    chunks_of(connection, sought, within, most)
}

/// Returns the rows of the vectors that serve a scope, ascending.
fn in_scope(connection: &Connection, scope: &Scope) -> Result<Vec<i64>, StoreError> {
    let sql = "SELECT DISTINCT p.vector_id FROM chunks c JOIN passages p ON p.chunk_id = c.id
               WHERE c.file_id IN (SELECT value FROM json_each(?1)) AND p.vector_id IS NOT NULL ORDER BY p.vector_id";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([&scope.files], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the chunks that the `wanted` nearest of these vectors (of all, without) belong to.
fn chunks_of(
    connection: &Connection,
    sought: Sought<'_>,
    among: Option<Vec<i64>>,
    wanted: usize,
) -> Result<Vec<Candidate>, StoreError> {
    let narrowed = if among.is_some() { "AND id IN (SELECT value FROM json_each(?4))" } else { "AND ?4 IS NULL" };
    // One vector may serve equal passages of several chunks, in the scope and outside it.
    let admitted = if sought.scope.is_some() { "c.file_id IN (SELECT value FROM json_each(?6))" } else { "?6 IS NULL" };
    let sql = format!(
        "SELECT c.id, c.file_id, c.chunk_sequence, max(1.0 - near.distance) AS similarity FROM (
             SELECT id, vec_distance_cosine(embedding, ?1) AS distance FROM vectors
             WHERE model = ?2 {narrowed} ORDER BY distance, id LIMIT ?3
         ) AS near JOIN passages p ON p.vector_id = near.id JOIN chunks c ON c.id = p.chunk_id WHERE {admitted}
         GROUP BY c.id ORDER BY similarity DESC, c.id LIMIT ?5"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = among.map(|rows| json_rows(rows.into_iter()));
    let files = sought.scope.map(|scope| scope.files.as_str());
    let (vector, limit) = (bytes(sought.vector), sought.limit as i64);
    let found =
        statement.query_map(params![vector, sought.model.as_str(), wanted as i64, rows, limit, files], candidate)?;
    Ok(found.collect::<Result<_, _>>()?)
}

pub(super) fn similarities(
    connection: &Connection,
    vector: &[f32],
    model: &ModelId,
    chunks: &[i64],
) -> Result<Vec<Candidate>, StoreError> {
    let sql = "SELECT c.id, c.file_id, c.chunk_sequence, max(1.0 - vec_distance_cosine(v.embedding, ?1))
               FROM json_each(?3) AS wanted JOIN chunks c ON c.id = wanted.value
               JOIN passages p ON p.chunk_id = c.id JOIN vectors v ON v.id = p.vector_id
               WHERE v.model = ?2 GROUP BY c.id";
    let mut statement = connection.prepare_cached(sql)?;
    let wanted = json_rows(chunks.iter().copied());
    let rows = statement.query_map(params![bytes(vector), model.as_str(), wanted], candidate)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn candidate(row: &rusqlite::Row<'_>) -> rusqlite::Result<Candidate> {
    Ok(Candidate { chunk: row.get(0)?, file: FileId(row.get(1)?), sequence: row.get(2)?, score: row.get(3)? })
}

/// Little-endian f32, as sqlite-vec reads blobs.
fn bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|value| value.to_le_bytes()).collect()
}
