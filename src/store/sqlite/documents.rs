//! Files with their chunks, passages, tags, links and dates.

use std::collections::{HashMap, HashSet};

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row};

use super::columns::{content, damaged_blob, text_hash};
use super::{former_vectors, sections, text, vector_rows};
use crate::{CollectionId, ExcludedFile, FileId, FileRecord, KnownFile, NewChunk, NewFile, NewPassage, StoreError};
use tars_base::disk::FileStat;
use tars_base::domain::{ChunkId, ContentHash, LinkKind, ModelId, TextHash};
use tars_text::analysis::reversed_words;

/// Most replaced ids to remember.
const MAX_RETIRED: i64 = 20_000;

const RECORD: &str =
    "SELECT id, collection_id, path, content_hash, mtime_ns, size, inode, ctime_ns, chunker, indexed_at_ns FROM files";

pub(super) fn files(connection: &Connection, collection: CollectionId) -> Result<Vec<FileRecord>, StoreError> {
    let mut statement = connection.prepare_cached(&format!("{RECORD} NOT INDEXED WHERE collection_id = ?1"))?;
    let rows = statement.query_map([collection.0], record)?;
    // Reading all rows and sorting them is faster than SQLite's row-by-row access in the order of the path index.
    let mut files = rows.collect::<Result<Vec<_>, _>>()?;
    files.sort_unstable_by(|left, right| left.path.cmp(&right.path));
    Ok(files)
}

pub(super) fn known_files(
    connection: &Connection,
    collection: CollectionId,
    chunker: Option<&str>,
) -> Result<Vec<KnownFile>, StoreError> {
    let sql = "SELECT id, path, mtime_ns, size, inode, ctime_ns, indexed_at_ns,
                      CASE WHEN ?2 IS NULL THEN chunker <> '' ELSE chunker = ?2 END
               FROM files NOT INDEXED WHERE collection_id = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map((collection.0, chunker), |row| {
        let (id, path) = (FileId(row.get(0)?), row.get(1)?);
        Ok(KnownFile { id, path, stat: stat(row, 2)?, indexed_at_ns: row.get(6)?, is_chunked: row.get(7)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn file(connection: &Connection, id: FileId) -> Result<Option<FileRecord>, StoreError> {
    let mut statement = connection.prepare_cached(&format!("{RECORD} WHERE id = ?1"))?;
    Ok(statement.query_row([id.0], record).optional()?)
}

/// Records a file's metadata.
pub(super) fn touch(connection: &Connection, id: FileId, stat: FileStat) -> Result<(), StoreError> {
    let sql = "UPDATE files SET mtime_ns = ?2, size = ?3, inode = ?4, ctime_ns = ?5,
               indexed_at_ns = CAST(unixepoch('subsec') * 1000000000 AS INTEGER) WHERE id = ?1";
    let FileStat { mtime_ns, size, inode, ctime_ns } = stat;
    connection.prepare_cached(sql)?.execute((id.0, mtime_ns, size.cast_signed(), inode.cast_signed(), ctime_ns))?;
    Ok(())
}

fn record(row: &Row<'_>) -> rusqlite::Result<FileRecord> {
    Ok(FileRecord {
        id: FileId(row.get(0)?),
        collection: CollectionId(row.get(1)?),
        path: row.get(2)?,
        content_hash: ContentHash::from_bytes(row.get_ref(3)?.as_blob()?)
            .ok_or_else(|| damaged_blob(3, "not 32 bytes"))?,
        stat: stat(row, 4)?,
        chunker: row.get(8)?,
        indexed_at_ns: row.get(9)?,
    })
}

/// Reads the columns `mtime_ns`, `size`, `inode` and `ctime_ns`, beginning at `first`.
fn stat(row: &Row<'_>, first: usize) -> rusqlite::Result<FileStat> {
    let unsigned = |at: usize| row.get::<_, i64>(first + at).map(i64::cast_unsigned);
    Ok(FileStat { mtime_ns: row.get(first)?, size: unsigned(1)?, inode: unsigned(2)?, ctime_ns: row.get(first + 3)? })
}

/// The data of a file before its replacement.
#[derive(Default)]
struct Former {
    chunks: Vec<FormerChunk>,
    by_lineage: HashMap<TextHash, i64>,
    vectors: HashSet<i64>,
    /// Vectors among them that are to be renewed.
    due: HashSet<i64>,
}

struct FormerChunk {
    key: String,
    collection: String,
    path: String,
    content: String,
}

pub(super) fn excluded_files(
    connection: &Connection,
    collection: CollectionId,
) -> Result<Vec<ExcludedFile>, StoreError> {
    let sql =
        "SELECT path, mtime_ns, size, inode, ctime_ns, rule, noticed_at_ns FROM left_out WHERE collection_id = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([collection.0], |row| {
        Ok(ExcludedFile { path: row.get(0)?, stat: stat(row, 1)?, rule: row.get(5)?, noticed_at_ns: row.get(6)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn damaged_files(
    connection: &Connection,
    collection: CollectionId,
) -> Result<Vec<(String, String)>, StoreError> {
    let sql = "SELECT path, damage FROM files NOT INDEXED WHERE collection_id = ?1 AND damage <> '' ORDER BY path";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([collection.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn exclude_file(
    connection: &Connection,
    collection: CollectionId,
    file: &ExcludedFile,
) -> Result<(), StoreError> {
    let sql =
        "INSERT OR REPLACE INTO left_out(collection_id, path, mtime_ns, size, inode, rule, ctime_ns, noticed_at_ns)
               VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, CAST(unixepoch('subsec') * 1000000000 AS INTEGER))";
    connection.prepare_cached(sql)?.execute((
        collection.0,
        &file.path,
        file.stat.mtime_ns,
        file.stat.size.cast_signed(),
        file.stat.inode.cast_signed(),
        &file.rule,
        file.stat.ctime_ns,
    ))?;
    Ok(())
}

pub(super) fn replace(
    connection: &Connection,
    file: &NewFile<'_>,
    chunks: &[NewChunk],
    model: Option<&ModelId>,
) -> Result<usize, StoreError> {
    let known: Option<i64> = connection
        .prepare_cached("SELECT id FROM files WHERE collection_id = ?1 AND path = ?2")?
        .query_row((file.collection.0, file.path), |row| row.get(0))
        .optional()?;
    let mut former = Former::default();
    for id in known.into_iter().chain(file.moved_from.map(|id| id.0)) {
        take(connection, id, &mut former)?;
    }
    connection
        .prepare_cached("DELETE FROM left_out WHERE collection_id = ?1 AND path = ?2")?
        .execute((file.collection.0, file.path))?;
    let id = insert_file(connection, known, file)?;
    let mut missing = 0;
    let mut twins: HashMap<(&str, ContentHash), u32> = HashMap::new();
    let mut keys = Vec::with_capacity(chunks.len());
    for (sequence, chunk) in chunks.iter().enumerate() {
        let content = ContentHash::of(chunk.content.as_str().as_bytes());
        let ordinal = twins.entry((&chunk.heading, content)).or_default();
        let key = ChunkId::new(file.collection_name, file.path, &chunk.heading, &content, *ordinal);
        *ordinal += 1;
        let row = insert_chunk(connection, id, sequence, &key, chunk)?;
        let kept = FormerVectors { model, former: &former, embed_again: file.embed_again };
        missing += insert_passages(connection, row, chunk, &kept)?;
        keys.push(key);
    }
    retire(connection, &former.chunks, &keys, chunks)?;
    vector_rows::prune(connection, &former.vectors)?;
    Ok(missing)
}

pub(super) fn remove(connection: &Connection, ids: &[FileId]) -> Result<(), StoreError> {
    let mut former = Former::default();
    for id in ids {
        take(connection, id.0, &mut former)?;
    }
    retire(connection, &former.chunks, &[], &[])?;
    Ok(vector_rows::prune(connection, &former.vectors)?)
}

/// Removes a file's rows and collects the data that its successor may keep.
fn take(connection: &Connection, id: i64, former: &mut Former) -> Result<(), StoreError> {
    let sql = "SELECT lower(hex(c.chunk_key)), l.name, f.path, c.content FROM chunks c
               JOIN files f ON f.id = c.file_id JOIN collections l ON l.id = f.collection_id
               WHERE c.file_id = ?1 ORDER BY c.chunk_sequence";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([id], |row| {
        Ok(FormerChunk { key: row.get(0)?, collection: row.get(1)?, path: row.get(2)?, content: content(row, 3)? })
    })?;
    for row in rows {
        former.chunks.push(row?);
    }
    let sql = "SELECT coalesce(p.lineage, p.input_hash, v.content_hash), p.vector_id, p.again
               FROM passages p JOIN chunks c ON c.id = p.chunk_id JOIN vectors v ON v.id = p.vector_id
               WHERE c.file_id = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([id])?;
    while let Some(row) = rows.next()? {
        let vector = row.get(1)?;
        former.by_lineage.insert(text_hash(row, 0)?, vector);
        former.vectors.insert(vector);
        if row.get(2)? {
            former.due.insert(vector);
        }
    }
    for table in ["chunks_fts", "word_ends"] {
        let sql = format!("DELETE FROM {table} WHERE rowid IN (SELECT id FROM chunks WHERE file_id = ?1)");
        connection.prepare_cached(&sql)?.execute([id])?;
    }
    connection.prepare_cached("DELETE FROM files WHERE id = ?1")?.execute([id])?;
    Ok(())
}

fn insert_file(connection: &Connection, known: Option<i64>, file: &NewFile<'_>) -> Result<i64, StoreError> {
    let sql = "INSERT INTO files(id, collection_id, path, title, aliases, memory_type, content_hash, mtime_ns, size,
                                 inode, chunker, ctime_ns, day, opaque_bytes, damage, is_chat,
                                 indexed_at_ns)
               VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16,
                      CAST(unixepoch('subsec') * 1000000000 AS INTEGER))";
    connection.prepare_cached(sql)?.execute((
        known.or(file.moved_from.map(|id| id.0)),
        file.collection.0,
        file.path,
        file.title,
        file.aliases.join("\n"),
        file.memory_type.as_str(),
        file.content_hash.as_bytes().as_slice(),
        file.stat.mtime_ns,
        file.stat.size.cast_signed(),
        file.stat.inode.cast_signed(),
        file.chunker,
        file.stat.ctime_ns,
        file.day.map(|day| day.to_string()),
        file.opaque_bytes as i64,
        file.damage.unwrap_or_default(),
        file.is_chat,
    ))?;
    let id = connection.last_insert_rowid();
    let mut statement = connection.prepare_cached("INSERT OR IGNORE INTO tags VALUES(?1, ?2)")?;
    for tag in file.tags {
        statement.execute((id, tag))?;
    }
    let mut statement = connection.prepare_cached("INSERT OR IGNORE INTO properties VALUES(?1, ?2, ?3)")?;
    for property in file.properties {
        statement.execute((id, &property.name, &property.value))?;
    }
    let mut statement = connection.prepare_cached("INSERT OR IGNORE INTO links VALUES(?1, ?2, ?3, ?4)")?;
    for link in file.links {
        let kind = match link.kind {
            LinkKind::Wiki => "wiki",
            LinkKind::Embed => "embed",
            LinkKind::Markdown => "markdown",
        };
        statement.execute((id, &link.target, kind, link.line as i64))?;
    }
    let mut statement = connection.prepare_cached("INSERT OR IGNORE INTO dates VALUES(?1, ?2, ?3)")?;
    for date in file.dates {
        statement.execute((id, date.date.to_string(), date.line as i64))?;
    }
    Ok(id)
}

fn insert_chunk(
    connection: &Connection,
    file: i64,
    sequence: usize,
    key: &ChunkId,
    chunk: &NewChunk,
) -> Result<i64, StoreError> {
    let sql = "INSERT INTO chunks(file_id, chunk_key, chunk_sequence, heading, start_line, end_line, content, sections, start_column, end_column)
               VALUES(?1, unhex(?2), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let content = text::compressed(&chunk.content).map_or(ValueRef::from(chunk.content.as_str()), ValueRef::Blob);
    connection.prepare_cached(sql)?.execute((
        file,
        key.as_str(),
        sequence as i64,
        &chunk.heading,
        chunk.start_line as i64,
        chunk.end_line as i64,
        ToSqlOutput::Borrowed(content),
        sections::encode(&chunk.sections, &chunk.heading, chunk.start_line),
        chunk.start_column as i64,
        chunk.end_column.map(|column| column as i64),
    ))?;
    let row = connection.last_insert_rowid();
    connection.prepare_cached("INSERT INTO chunks_fts(rowid, title, body, meta) VALUES(?1, ?2, ?3, ?4)")?.execute((
        row,
        &chunk.fts_title,
        &chunk.fts_body,
        &chunk.fts_meta,
    ))?;
    let ends = reversed_words(&[&chunk.fts_title, &chunk.fts_body]);
    if !ends.is_empty() {
        connection.prepare_cached("INSERT INTO word_ends(rowid, words) VALUES(?1, ?2)")?.execute((row, ends))?;
    }
    connection.prepare_cached("DELETE FROM retired WHERE chunk_key = unhex(?1)")?.execute([key.as_str()])?;
    Ok(row)
}

/// The vectors that passages may keep.
struct FormerVectors<'a> {
    model: Option<&'a ModelId>,
    former: &'a Former,
    embed_again: bool,
}

fn insert_passages(
    connection: &Connection,
    chunk_row: i64,
    chunk: &NewChunk,
    kept: &FormerVectors<'_>,
) -> Result<usize, StoreError> {
    let sql = "INSERT INTO passages(chunk_id, seq, input_hash, lineage, vector_id, again, line) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let mut insert = connection.prepare_cached(sql)?;
    let sql = "SELECT id FROM vectors WHERE content_hash = ?1
               AND EXISTS (SELECT 1 FROM meta WHERE key = 'model' AND value = ?2)";
    let mut find = connection.prepare_cached(sql)?;
    let mut missing = 0;
    for (seq, NewPassage { line, hash, lineage }) in chunk.passages.iter().enumerate() {
        let line = line.saturating_sub(chunk.start_line) as i64;
        let mut equal: Option<i64> = None;
        if let Some(model) = kept.model {
            equal = find.query_row((hash.number(), model.as_str()), |row| row.get(0)).optional()?;
            equal =
                equal.map_or_else(|| former_vectors::restore_one(connection, model, *hash), |known| Ok(Some(known)))?;
        }
        let vector = equal.or_else(|| kept.former.by_lineage.get(lineage).copied());
        let again = vector.is_some_and(|vector| kept.embed_again || kept.former.due.contains(&vector));
        missing += usize::from(vector.is_none() || again);
        let lineage = (lineage != hash).then(|| lineage.number());
        // A vector made from this very text stores the hash itself.
        let hash = equal.is_none().then(|| hash.number());
        insert.execute((chunk_row, seq as i64, hash, lineage, vector, again, line))?;
    }
    Ok(missing)
}

/// Records for each removed id the new chunk that contains most of its lines.
fn retire(
    connection: &Connection,
    former: &[FormerChunk],
    keys: &[ChunkId],
    chunks: &[NewChunk],
) -> Result<(), StoreError> {
    let live: HashSet<&str> = keys.iter().map(ChunkId::as_str).collect();
    let gone: Vec<&FormerChunk> = former.iter().filter(|chunk| !live.contains(chunk.key.as_str())).collect();
    if gone.is_empty() {
        return Ok(());
    }
    let mut holders: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, chunk) in chunks.iter().enumerate() {
        for line in distinct_lines(chunk.content.as_str()) {
            holders.entry(line).or_default().push(index);
        }
    }
    let sql = "INSERT INTO retired(chunk_key, collection, path, successor) VALUES(unhex(?1), ?2, ?3, unhex(?4))
               ON CONFLICT(chunk_key) DO UPDATE SET path = excluded.path, successor = excluded.successor";
    let mut insert = connection.prepare_cached(sql)?;
    for chunk in gone {
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for line in distinct_lines(&chunk.content) {
            for index in holders.get(line).into_iter().flatten() {
                *shared.entry(*index).or_default() += line.len();
            }
        }
        let best = shared.into_iter().max_by_key(|(index, length)| (*length, std::cmp::Reverse(*index)));
        let successor = best.map(|(index, _)| keys[index].as_str());
        insert.execute((&chunk.key, &chunk.collection, &chunk.path, successor))?;
    }
    forget_oldest_retired(connection)
}

pub(super) fn forget_oldest_retired(connection: &Connection) -> Result<(), StoreError> {
    connection
        .prepare_cached("DELETE FROM retired WHERE id <= (SELECT max(id) FROM retired) - ?1")?
        .execute([MAX_RETIRED])?;
    Ok(())
}

/// Returns the distinctive lines of a chunk, each once. Otherwise a note that repeats one line thousands of times would take
/// quadratic time.
fn distinct_lines(content: &str) -> HashSet<&str> {
    content.lines().map(str::trim).filter(|line| line.len() > 3).collect()
}
