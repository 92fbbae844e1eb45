//! Stores vectors and finds the nearest ones.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use rusqlite::{Connection, OptionalExtension, params};

use super::exact_similarity::{exact_similarities, nearest_of};
use super::quantized::{self, PreparedQuery, Quantizer};
use super::{columns, former_vectors, json_chunks, json_rows, vector_rows};
use crate::{Candidate, ChunkRef, FileId, PassageId, PassageLines, PendingPassage, PendingSelection, StoreError};
use tars_base::domain::{MemoryType, ModelId};

/// Nearest passages to read per wanted chunk, because a chunk has several passages.
const PASSAGES_PER_CHUNK: usize = 4;

pub(super) fn adopt(connection: &Connection, model: &ModelId) -> Result<bool, StoreError> {
    if is_of(connection, model)? {
        return Ok(false);
    }
    former_vectors::set_aside(connection)?;
    // Passages take over the text hashes from the vectors, which are deleted.
    connection.execute(
        "UPDATE passages SET again = 0, vector_id = NULL,
                input_hash = coalesce(input_hash, (SELECT content_hash FROM vectors WHERE id = vector_id))
         WHERE vector_id IS NOT NULL",
        [],
    )?;
    let set_aside = connection.execute("DELETE FROM vectors", [])? > 0;
    quantized::clear_all_slots(connection)?;
    let sql = "INSERT INTO meta VALUES('model', ?1) ON CONFLICT(key) DO UPDATE SET value = excluded.value";
    connection.execute(sql, [model.as_str()])?;
    Ok(former_vectors::restore(connection, model)? || set_aside)
}

/// Returns whether `model` is the current model.
fn is_of(connection: &Connection, model: &ModelId) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM meta WHERE key = 'model' AND value = ?1";
    Ok(connection.prepare_cached(sql)?.exists([model.as_str()])?)
}

pub(super) fn pending_files(connection: &Connection, waiting: PendingSelection) -> Result<Vec<FileId>, StoreError> {
    let sql = "SELECT f.id FROM files f JOIN (
                   SELECT c.file_id, max(p.bare) AS bare FROM (
                       SELECT chunk_id, 1 AS bare FROM passages WHERE vector_id IS NULL
                       UNION ALL SELECT chunk_id, 0 FROM passages WHERE again = 1 AND ?1) p
                   JOIN chunks c ON c.id = p.chunk_id GROUP BY c.file_id) pending ON pending.file_id = f.id
               ORDER BY pending.bare DESC, f.mtime_ns DESC, f.id";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([waiting == PendingSelection::All], |row| row.get(0).map(FileId))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn chunks_without_vectors(
    connection: &Connection,
    chunks: &[ChunkRef],
) -> Result<Vec<ChunkRef>, StoreError> {
    let sql = "SELECT value FROM json_each(?1)
               WHERE EXISTS (SELECT 1 FROM passages WHERE chunk_id = value AND vector_id IS NULL)";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([json_chunks(chunks)], |row| row.get(0).map(ChunkRef))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn pending_file_count(connection: &Connection) -> Result<usize, StoreError> {
    // Pending passages come first in the join: usually there are none, while there are many chunks.
    let sql = "SELECT count(DISTINCT c.file_id) FROM (
                   SELECT chunk_id FROM passages WHERE vector_id IS NULL
                   UNION ALL SELECT chunk_id FROM passages WHERE again = 1) p
               CROSS JOIN chunks c ON c.id = p.chunk_id";
    let count: i64 = connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
    Ok(usize::try_from(count).unwrap_or_default())
}

pub(super) fn pending_passages(
    connection: &Connection,
    file: FileId,
    waiting: PendingSelection,
) -> Result<Vec<PendingPassage>, StoreError> {
    let sql = "SELECT p.chunk_id, p.seq, coalesce(p.input_hash, v.content_hash)
               FROM passages p JOIN chunks c ON c.id = p.chunk_id LEFT JOIN vectors v ON v.id = p.vector_id
               WHERE c.file_id = ?1 AND (p.vector_id IS NULL OR (p.again = 1 AND ?2)) ORDER BY c.chunk_sequence, p.seq";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map((file.0, waiting == PendingSelection::All), |row| {
        let id = PassageId { chunk: ChunkRef(row.get(0)?), sequence: row.get(1)? };
        Ok(PendingPassage { id, hash: columns::text_hash(row, 2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn put(
    connection: &Connection,
    model: &ModelId,
    vectors: &[(PendingPassage, &[f32])],
) -> Result<(), StoreError> {
    if !is_of(connection, model)? {
        return Err(StoreError::OtherModel { model: model.to_string() });
    }
    // SQLite reuses row ids of deleted chunks; the hash shows whether the passage is still the embedded one.
    let mut find = connection.prepare_cached(
        "SELECT p.vector_id FROM passages p LEFT JOIN vectors v ON v.id = p.vector_id
         WHERE p.chunk_id = ?1 AND p.seq = ?2 AND coalesce(p.input_hash, v.content_hash) = ?3",
    )?;
    let mut known = connection.prepare_cached("SELECT id FROM vectors WHERE content_hash = ?1")?;
    let mut attach = connection.prepare_cached(
        "UPDATE passages SET vector_id = ?1, input_hash = NULL, again = 0 WHERE chunk_id = ?2 AND seq = ?3",
    )?;
    let quantizer = Quantizer::new(vectors.first().map_or(0, |(_, vector)| vector.len()));
    let mut replaced = HashSet::new();
    for (passage, vector) in vectors {
        let PassageId { chunk: ChunkRef(chunk), sequence } = passage.id;
        let hash = passage.hash.number();
        let former: Option<Option<i64>> = find.query_row((chunk, sequence, hash), |row| row.get(0)).optional()?;
        let Some(former) = former else { continue };
        replaced.extend(former);
        let rounded = quantizer.round(vector);
        let id = match known.query_row([hash], |row| row.get(0)).optional()? {
            Some(id) => {
                vector_rows::overwrite(connection, id, &rounded)?;
                id
            }
            None => vector_rows::insert(connection, hash, &rounded)?,
        };
        attach.execute((id, chunk, sequence))?;
    }
    Ok(vector_rows::prune(connection, &replaced)?)
}

/// A query for the nearest vectors.
#[derive(Clone, Copy)]
pub(super) struct NearestQuery<'a> {
    /// The query vector.
    pub(super) vector: &'a [f32],
    /// The model that produced it.
    pub(super) model: &'a ModelId,
    /// The files to search, as rows in JSON.
    pub(super) files: Option<&'a str>,
    /// The number of chunks wanted.
    pub(super) limit: usize,
}

/// Returns the chunks of the nearest vectors. Rows are preselected by the levels of their values, and then compared with all bits.
/// The connection holds a snapshot.
pub(super) fn nearest(connection: &Connection, sought: NearestQuery<'_>) -> Result<Vec<Candidate>, StoreError> {
    if sought.limit == 0 || !is_of(connection, sought.model)? {
        return Ok(Vec::new());
    }
    let within = sought.files.map(|files| in_files(connection, files)).transpose()?;
    let mut query = PreparedQuery::new(sought.vector);
    let mut look = |wanted| -> Result<(Vec<Candidate>, bool), StoreError> {
        let possible = quantized::nearest(connection, &query, within.as_deref(), wanted)?;
        let mut compared = nearest_of(connection, &mut query, possible, wanted)?;
        compared.sort_unstable_by(|(_, near), (_, less)| less.total_cmp(near));
        let are_all = compared.len() < wanted;
        keep_nearest(&mut compared, wanted);
        Ok((chunks_of(connection, sought, &compared)?, are_all))
    };
    // Half as many vectors usually yield enough chunks, and every examined vector costs time.
    let most = sought.limit * PASSAGES_PER_CHUNK;
    let (found, are_all) = look(most / 2)?;
    if found.len() == sought.limit || are_all {
        return Ok(found);
    }
    Ok(look(most)?.0)
}

/// Returns the rows of the vectors of these files, ascending.
fn in_files(connection: &Connection, files: &str) -> Result<Vec<i64>, StoreError> {
    let sql = "SELECT DISTINCT p.vector_id FROM chunks c JOIN passages p ON p.chunk_id = c.id
               WHERE c.file_id IN (SELECT value FROM json_each(?1)) AND p.vector_id IS NOT NULL ORDER BY p.vector_id";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([files], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Keeps the `wanted` nearest of a sorted list, and all that tie with the last one. Chunk positions decide among those, because row
/// numbers depend on the index's history.
fn keep_nearest(found: &mut Vec<(i64, f64)>, wanted: usize) {
    let Some((_, last)) = wanted.checked_sub(1).and_then(|last| found.get(last).copied()) else { return };
    found.truncate(found.partition_point(|(_, near)| *near >= last));
}

/// Returns the wanted chunks of these vectors, each scored by its nearest vector.
fn chunks_of(
    connection: &Connection,
    sought: NearestQuery<'_>,
    nearest: &[(i64, f64)],
) -> Result<Vec<Candidate>, StoreError> {
    // One vector may belong to equal passages of several chunks, inside and outside the scope.
    let admitted = if sought.files.is_some() { "c.file_id IN (SELECT value FROM json_each(?2))" } else { "?2 IS NULL" };
    let sql = format!(
        "SELECT c.id, c.file_id, c.chunk_sequence, near.key FROM json_each(?1) AS near
         JOIN passages p ON p.vector_id = near.value JOIN chunks c ON c.id = p.chunk_id
         JOIN files f ON f.id = c.file_id JOIN collections l ON l.id = f.collection_id
         WHERE {admitted} ORDER BY l.name, f.path, c.chunk_sequence"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = json_rows(nearest.iter().map(|(id, _)| *id));
    let mut found = statement.query(params![rows, sought.files])?;
    let mut best = BlendedChunks::default();
    while let Some(row) = found.next()? {
        best.add(Candidate { score: nearest[row.get::<_, u32>(3)? as usize].1, ..candidate(row)? });
    }
    Ok(best.first(sought.limit))
}

/// Reads a row that begins with a chunk, its file and its position.
fn candidate(row: &rusqlite::Row<'_>) -> rusqlite::Result<Candidate> {
    Ok(Candidate {
        chunk: ChunkRef(row.get(0)?),
        file: FileId(row.get(1)?),
        sequence: row.get(2)?,
        score: 0.0,
        second_score: None,
    })
}

pub(super) fn similarities(
    connection: &Connection,
    vector: &[f32],
    model: &ModelId,
    chunks: &[ChunkRef],
) -> Result<Vec<Candidate>, StoreError> {
    if !is_of(connection, model)? {
        return Ok(Vec::new());
    }
    let sql = "SELECT c.id, c.file_id, c.chunk_sequence, p.vector_id, f.memory_type
               FROM json_each(?1) AS wanted JOIN chunks c ON c.id = wanted.value JOIN files f ON f.id = c.file_id
               JOIN passages p ON p.chunk_id = c.id WHERE p.vector_id IS NOT NULL";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([json_chunks(chunks)])?;
    let mut passages: Vec<(Candidate, i64)> = Vec::new();
    let mut found = BlendedChunks::default();
    while let Some(row) = rows.next()? {
        let passage = candidate(row)?;
        let kind = row.get_ref(4)?.as_str().ok().and_then(|kind| kind.parse().ok());
        if kind.is_some_and(MemoryType::is_lasting) {
            found.facts.insert(passage.chunk);
        }
        passages.push((passage, row.get(3)?));
    }
    let near = similarity_of(connection, vector, passages.iter().map(|(_, id)| *id).collect())?;
    for (passage, id) in passages {
        if let Some(near) = near.get(&id) {
            found.add(Candidate { score: *near, ..passage });
        }
    }
    Ok(found.blended())
}

/// Returns the similarities of these vectors.
fn similarity_of(connection: &Connection, vector: &[f32], mut rows: Vec<i64>) -> Result<HashMap<i64, f64>, StoreError> {
    rows.sort_unstable();
    rows.dedup();
    Ok(exact_similarities(connection, &mut PreparedQuery::new(vector), &rows)?.into_iter().collect())
}

pub(super) fn nearest_lines(
    connection: &Connection,
    vector: &[f32],
    model: &ModelId,
    chunks: &[ChunkRef],
) -> Result<PassageLines, StoreError> {
    if !is_of(connection, model)? {
        return Ok(PassageLines::new());
    }
    // A passage ends before the next one that begins on another line.
    let sql = "SELECT c.id, c.start_line + p.line,
                      coalesce(c.start_line + (SELECT min(next.line) FROM passages next
                                               WHERE next.chunk_id = c.id AND next.line > p.line) - 1, c.end_line),
                      p.vector_id
               FROM json_each(?1) AS wanted JOIN chunks c ON c.id = wanted.value
               JOIN passages p ON p.chunk_id = c.id WHERE p.vector_id IS NOT NULL ORDER BY c.id, p.seq";
    let mut statement = connection.prepare_cached(sql)?;
    let passages = statement.query_map([json_chunks(chunks)], |row| {
        let line = |column| -> rusqlite::Result<usize> { Ok(row.get::<_, i64>(column)?.cast_unsigned() as usize) };
        Ok((ChunkRef(row.get(0)?), line(1)?..=line(2)?, row.get(3)?))
    })?;
    let passages: Vec<(ChunkRef, RangeInclusive<usize>, i64)> = passages.collect::<Result<_, _>>()?;
    let near = similarity_of(connection, vector, passages.iter().map(|(.., id)| *id).collect())?;
    let mut found = PassageLines::new();
    for (chunk, lines, id) in passages {
        if let Some(near) = near.get(&id) {
            found.entry(chunk).or_default().push((lines, *near));
        }
    }
    // A stable sort: of equally near passages the first comes first.
    found.values_mut().for_each(|lines| lines.sort_by(|one, other| other.1.total_cmp(&one.1)));
    Ok(found)
}

/// Weight of the mean of a chunk's passages in its similarity. Measured on the development sets (docs/quality.md).
const MEAN_WEIGHT: f64 = 1.0 / 6.0;

/// Chunks with the similarities of their passages.
#[derive(Default)]
struct BlendedChunks {
    /// In insertion order.
    chunks: Vec<Candidate>,
    /// The statistics of each chunk's passages.
    sums: Vec<PassageStatistics>,
    places: HashMap<ChunkRef, usize>,
    /// Chunks whose passages are facts.
    facts: HashSet<ChunkRef>,
}

/// Statistics of the similarities of a chunk's passages.
#[derive(Debug)]
struct PassageStatistics {
    sum: f64,
    count: u32,
    /// The second-highest similarity.
    second: f64,
}

impl BlendedChunks {
    /// Adds a passage with its similarity as score.
    fn add(&mut self, passage: Candidate) {
        let score = passage.score;
        let place = *self.places.entry(passage.chunk).or_insert(self.chunks.len());
        match (self.chunks.get_mut(place), self.sums.get_mut(place)) {
            (Some(known), Some(all)) => {
                all.second = all.second.max(known.score.min(score));
                all.sum += score;
                all.count += 1;
                known.score = known.score.max(score);
            }
            _ => {
                self.chunks.push(passage);
                self.sums.push(PassageStatistics { sum: score, count: 1, second: f64::MIN });
            }
        }
    }

    /// Returns all chunks, nearest first, scored by the nearest passage blended with the mean; chunks of facts by the nearest
    /// passage alone.
    fn blended(mut self) -> Vec<Candidate> {
        for (chunk, all) in self.chunks.iter_mut().zip(&self.sums) {
            if self.facts.contains(&chunk.chunk) {
                chunk.second_score = (all.count > 1).then_some(all.second);
            } else {
                chunk.score += MEAN_WEIGHT * (all.sum / f64::from(all.count) - chunk.score);
            }
        }
        self.first(usize::MAX)
    }

    /// Returns at most `limit` chunks, nearest first. The sort is stable.
    fn first(mut self, limit: usize) -> Vec<Candidate> {
        self.chunks.sort_by(|one, other| other.score.total_cmp(&one.score));
        self.chunks.truncate(limit);
        self.chunks
    }
}
