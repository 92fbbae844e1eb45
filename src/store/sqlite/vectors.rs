//! Vectors: which are missing, and which are near.

use rusqlite::{Connection, params};

use super::{VectorCodes, documents, json_rows};
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
    let sql = "SELECT p.id, p.input_hash FROM passages p JOIN chunks c ON c.id = p.chunk_id
               WHERE c.file_id = ?1 AND p.vector_id IS NULL ORDER BY c.chunk_sequence, p.seq";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement
        .query_map([file.0], |row| Ok(PendingPassage { id: PassageId(row.get(0)?), hash: documents::hash(row, 1)? }))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn put(
    connection: &Connection,
    model: &ModelId,
    vectors: &[(PendingPassage, &[f32])],
) -> Result<(), StoreError> {
    // SQLite uses the rows of deleted passages again: the hash tells whether this is still the one that was embedded.
    let mut find = connection.prepare_cached("SELECT 1 FROM passages WHERE id = ?1 AND input_hash = ?2")?;
    let mut insert = connection.prepare_cached(
        "INSERT INTO vectors(model, content_hash, embedding) VALUES(?1, ?2, ?3)
         ON CONFLICT(content_hash, model) DO UPDATE SET embedding = excluded.embedding RETURNING id",
    )?;
    let mut attach = connection.prepare_cached("UPDATE passages SET vector_id = ?1 WHERE id = ?2")?;
    for (passage, vector) in vectors {
        let hash = passage.hash.as_bytes().as_slice();
        if !find.exists((passage.id.0, hash))? {
            continue;
        }
        let id: i64 = insert.query_row((model.as_str(), hash, bytes(vector)), |row| row.get(0))?;
        attach.execute((id, passage.id.0))?;
    }
    Ok(())
}

/// Which vectors are looked at.
#[derive(Clone, Copy)]
pub(super) struct Among<'a> {
    /// Those of these files alone.
    pub(super) scope: Option<&'a Scope>,
    /// Codes that tell which are worth a look.
    pub(super) codes: Option<&'a VectorCodes>,
}

pub(super) fn nearest(
    connection: &Connection,
    vector: &[f32],
    model: &ModelId,
    among: Among<'_>,
    limit: usize,
) -> Result<Vec<Candidate>, StoreError> {
    // So many chunks are usually found among half as many vectors, and each vector that is looked at costs.
    if let Among { scope: None, codes: Some(_) } = among {
        let few = among_vectors(connection, vector, model, among, (limit, limit * PASSAGES_PER_CHUNK / 2))?;
        if few.len() == limit {
            return Ok(few);
        }
    }
    among_vectors(connection, vector, model, among, (limit, limit * PASSAGES_PER_CHUNK))
}

/// Returns the at most `limit` chunks that the `wanted` nearest vectors belong to.
fn among_vectors(
    connection: &Connection,
    vector: &[f32],
    model: &ModelId,
    among: Among<'_>,
    (limit, wanted): (usize, usize),
) -> Result<Vec<Candidate>, StoreError> {
    let coded = match among {
        Among { scope: None, codes: Some(codes) } => codes.nearest(connection, vector, model.as_str(), wanted)?,
        _ => None,
    };
    let narrowed = match (&among.scope, &coded) {
        (Some(_), _) => {
            "AND id IN (SELECT p.vector_id FROM passages p JOIN chunks c ON c.id = p.chunk_id
                        WHERE c.file_id IN (SELECT value FROM json_each(?4)))"
        }
        (None, Some(_)) => "AND id IN (SELECT value FROM json_each(?4))",
        (None, None) => "AND ?4 IS NULL",
    };
    // One vector may serve equal passages of several chunks, in the scope and outside it.
    let admitted = if among.scope.is_some() { "WHERE c.file_id IN (SELECT value FROM json_each(?4))" } else { "" };
    let sql = format!(
        "SELECT c.id, c.file_id, c.chunk_sequence, max(1.0 - near.distance) AS similarity FROM (
             SELECT id, vec_distance_cosine(embedding, ?1) AS distance FROM vectors
             WHERE model = ?2 {narrowed} ORDER BY distance, id LIMIT ?3
         ) AS near JOIN passages p ON p.vector_id = near.id JOIN chunks c ON c.id = p.chunk_id {admitted}
         GROUP BY c.id ORDER BY similarity DESC, c.id LIMIT ?5"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = among.scope.map(|scope| scope.files.clone()).or_else(|| Some(json_rows(coded?.into_iter())));
    let found =
        statement.query_map(params![bytes(vector), model.as_str(), wanted as i64, rows, limit as i64], candidate)?;
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
