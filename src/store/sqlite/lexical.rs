//! Candidates by words.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

use super::json_chunks;
use crate::analysis::{Term, reversed};
use crate::store::{Candidate, ChunkRef, ColumnWeights, FileId, LexicalQuery, StoreError, Weight, Weights};

/// How much is scored.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Finds up to this many are all scored, counted for each part of the question by itself.
    pub(super) scored: usize,
    /// Where there are more, those of the rarest parts that make so many.
    pub(super) enough: usize,
}

/// To score a chunk takes some two microseconds, so a question takes a tenth of a second at most before it is bounded; and the
/// rarest parts propose at least ten times the candidates that are wanted. What that loses: docs/performance.md.
const BOUNDS: Bounds = Bounds { scored: 50_000, enough: 2_000 };

/// bm25's saturation constant in FTS5 (`k1`; fts5_aux.c): no part adds more than `idf * (k1 + 1)`.
const K1: f64 = 1.2;

/// Returns how much each part of a question tells texts apart. FTS5 counts the same inverse document frequency.
pub(super) fn weights(connection: &Connection, query: &LexicalQuery) -> Result<Weights, StoreError> {
    let all: i64 = connection.prepare_cached("SELECT count(*) FROM chunks")?.query_row([], |row| row.get(0))?;
    let mut count = connection.prepare_cached("SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH ?1")?;
    let mut weigh = |expression: String| -> Result<Weight, StoreError> {
        let chunks: i64 = count.query_row([expression], |row| row.get(0))?;
        let (all, hits) = (all as f64, chunks as f64);
        Ok(Weight { chunks: chunks.cast_unsigned() as usize, idf: ((all - hits + 0.5) / (hits + 0.5)).ln().max(1e-6) })
    };
    Ok(Weights {
        chunks: all.cast_unsigned() as usize,
        terms: query.terms.iter().map(|term| weigh(expression(term))).collect::<Result<_, _>>()?,
        dates: query.dates.iter().map(|date| weigh(date_expression(date))).collect::<Result<_, _>>()?,
        saturation: K1 + 1.0,
    })
}

/// Returns the best chunks of `files`, which are rows in JSON.
pub(super) fn search(
    connection: &Connection,
    query: &LexicalQuery,
    files: Option<&str>,
    limit: usize,
) -> Result<Vec<Candidate>, StoreError> {
    let parts: Vec<String> =
        query.terms.iter().map(expression).chain(query.dates.iter().map(|date| date_expression(date))).collect();
    if parts.is_empty() || limit == 0 {
        return Ok(Vec::new());
    }
    let sought = limited(parts.join(" OR "), query);
    let selective =
        selective_parts(connection, query, &parts, BOUNDS)?.map(|selective| limited(selective.join(" OR "), query));
    let list = |cut: &str, bound: f64| -> Result<Vec<Candidate>, StoreError> {
        let mut statement = connection.prepare_cached(&scoring(query.columns, cut))?;
        let rows = statement.query_map(params![sought, limit as i64, files, selective, bound], |row| {
            Ok(Candidate {
                chunk: ChunkRef(row.get(0)?),
                file: FileId(row.get(1)?),
                sequence: row.get(2)?,
                score: row.get(3)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    };
    // SQLite keeps the best alone, and not all that is found. One more tells whether others tie with the last: which of these
    // are among the best is a matter of their places, and their rows depend on how the index grew.
    let mut found = list("ORDER BY score LIMIT ?2 + 1", f64::MIN)?;
    if let [.., last, next] = &found[..]
        && found.len() > limit
        && last.score == next.score
    {
        found = list("", last.score)?;
    }
    found.truncate(limit);
    Ok(found)
}

/// Returns the statement that scores chunks and orders them by score, then by place. `cut` says which of them are kept. Those
/// that score less than `?5` are not.
fn scoring(columns: ColumnWeights, cut: &str) -> String {
    let ColumnWeights { title, meta } = columns;
    // The pluses keep SQLite from asking the full text once for each row of the scope or of the selective parts. FTS5's own
    // `rank` would sort all that is found.
    format!(
        "SELECT c.id, c.file_id, c.chunk_sequence, -hits.score FROM (
             SELECT rowid AS chunk, bm25(chunks_fts, {title:?}, 1.0, {meta:?}) AS score FROM chunks_fts
             WHERE chunks_fts MATCH ?1
               AND (?3 IS NULL OR
                    +rowid IN (SELECT id FROM chunks WHERE file_id IN (SELECT value FROM json_each(?3))))
               AND (?4 IS NULL OR +rowid IN (SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?4))
             {cut}
         ) AS hits CROSS JOIN chunks c ON c.id = hits.chunk CROSS JOIN files f ON f.id = c.file_id
         CROSS JOIN collections l ON l.id = f.collection_id
         WHERE -hits.score >= ?5 ORDER BY hits.score, l.name, f.path, c.chunk_sequence LIMIT ?2 + 1"
    )
}

/// Returns those of a question's parts one of which a chunk must hold to be scored: the rarest that stand in enough chunks
/// together. `None` where all that is found can be scored. The other parts count in the scores as ever.
pub(super) fn selective_parts<'p>(
    connection: &Connection,
    query: &LexicalQuery,
    parts: &'p [String],
    bounds: Bounds,
) -> Result<Option<Vec<&'p str>>, StoreError> {
    let all: i64 = connection.prepare_cached("SELECT count(*) FROM chunks")?.query_row([], |row| row.get(0))?;
    if all.cast_unsigned() as usize * parts.len() <= bounds.scored {
        return Ok(None);
    }
    let Weights { terms, dates, .. } = weights(connection, query)?;
    let held = terms.iter().chain(&dates).map(|weight| weight.chunks);
    let mut counted: Vec<(usize, &str)> = held.zip(parts.iter().map(String::as_str)).collect();
    if counted.iter().map(|(chunks, _)| chunks).sum::<usize>() <= bounds.scored {
        return Ok(None);
    }
    counted.sort_by_key(|(chunks, _)| *chunks);
    let mut together = 0;
    let rarest = counted.iter().take_while(|(chunks, _)| {
        let lacking = together < bounds.enough;
        together += chunks;
        lacking
    });
    let rarest: Vec<&str> = rarest.map(|(_, part)| *part).collect();
    Ok((rarest.len() < counted.len()).then_some(rarest))
}

/// Returns those of `chunks` that a question admits by what they must and must not hold.
pub(super) fn admitted(
    connection: &Connection,
    query: &LexicalQuery,
    chunks: &[ChunkRef],
) -> Result<Vec<ChunkRef>, StoreError> {
    let holding = |expression: String| -> Result<HashSet<ChunkRef>, StoreError> {
        let sql = "SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?1
                   AND +rowid IN (SELECT value FROM json_each(?2))";
        let mut statement = connection.prepare_cached(sql)?;
        let rows = statement.query_map((expression, json_chunks(chunks)), |row| row.get(0).map(ChunkRef))?;
        Ok(rows.collect::<Result<_, _>>()?)
    };
    let mut left = chunks.to_vec();
    if !query.required.is_empty() {
        let holding = holding(all_of(&query.required))?;
        left.retain(|chunk| holding.contains(chunk));
    }
    if !query.excluded.is_empty() {
        let holding = holding(any_of(&query.excluded))?;
        left.retain(|chunk| !holding.contains(chunk));
    }
    Ok(left)
}

/// Joins parts of the full text, so that a question looks into few of them and none keeps what was deleted, until nothing
/// is left to join or the time is up. Each step is a transaction of its own that writes about a quarter of a megabyte:
/// other writers wait for one, readers for none.
pub(super) fn merge(connection: &Connection, time: Duration) -> Result<(), StoreError> {
    let started = Instant::now();
    let mut step = connection.prepare_cached("INSERT INTO chunks_fts(chunks_fts, rank) VALUES('merge', 32)")?;
    loop {
        let before = connection.total_changes();
        step.execute([])?;
        // The statement itself counts as one change (https://www.sqlite.org/fts5.html, "The 'merge' Command").
        if connection.total_changes() - before < 2 || started.elapsed() >= time {
            return Ok(());
        }
    }
}

/// Returns the stems of indexed words that begin so and have so many letters.
pub(super) fn vocabulary(
    connection: &Connection,
    start: &str,
    letters: RangeInclusive<usize>,
) -> Result<Vec<String>, StoreError> {
    make_vocabulary(connection)?;
    let sql = "SELECT term FROM temp.vocabulary WHERE term >= ?1 AND term < ?2 AND length(term) BETWEEN ?3 AND ?4";
    let mut statement = connection.prepare_cached(sql)?;
    let end = format!("{start}\u{10ffff}");
    let letter = |count: &usize| i64::try_from(*count).unwrap_or(i64::MAX);
    let rows = statement.query_map((start, end, letter(letters.start()), letter(letters.end())), |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns long words that end so.
pub(super) fn words_ending(connection: &Connection, end: &str, most: usize) -> Result<Vec<String>, StoreError> {
    make_vocabulary(connection)?;
    let sql = "SELECT term FROM temp.ends WHERE term >= ?1 AND term < ?2 LIMIT ?3";
    let mut statement = connection.prepare_cached(sql)?;
    let start = reversed(end);
    let rows = statement.query_map((&start, format!("{start}\u{10ffff}"), most as i64), |row| row.get(0))?;
    rows.map(|word: rusqlite::Result<String>| Ok(reversed(&word?))).collect()
}

/// Returns for each word whether a chunk holds it.
pub(super) fn held(connection: &Connection, words: &[String]) -> Result<Vec<bool>, StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM chunks_fts WHERE chunks_fts MATCH ?1)";
    let mut statement = connection.prepare_cached(sql)?;
    let held = words.iter().map(|word| statement.query_row([format!("\"{word}\"")], |row| row.get(0)));
    Ok(held.collect::<Result<_, _>>()?)
}

/// So many chunks with a stem are put in order at most.
const ORDERED: i64 = 256;

/// Returns the first chunks with a word of that stem, by collection, path and place: rows depend on how the index grew.
pub(super) fn chunks_with(connection: &Connection, stem: &str, most: usize) -> Result<Vec<ChunkRef>, StoreError> {
    make_vocabulary(connection)?;
    let sql = "SELECT c.id FROM (SELECT DISTINCT doc FROM temp.word_places WHERE term = ?1 LIMIT ?2) AS held
               CROSS JOIN chunks c ON c.id = held.doc CROSS JOIN files f ON f.id = c.file_id
               CROSS JOIN collections l ON l.id = f.collection_id
               ORDER BY l.name, f.path, c.chunk_sequence LIMIT ?3";
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_map((stem, ORDERED, most as i64), |row| row.get(0).map(ChunkRef))?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// Makes the index's own list of words readable, as words and as places. It belongs to the connection and costs nothing
/// until it is read.
fn make_vocabulary(connection: &Connection) -> Result<(), StoreError> {
    let tables = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, chunks_fts, row);
                  CREATE VIRTUAL TABLE IF NOT EXISTS temp.ends USING fts5vocab(main, word_ends, row);
                  CREATE VIRTUAL TABLE IF NOT EXISTS temp.word_places USING fts5vocab(main, chunks_fts, instance);";
    Ok(connection.execute_batch(tables)?)
}

/// A term in FTS5's query language. Terms hold letters, digits and blanks alone, so quoting is all they need.
fn expression(term: &Term) -> String {
    match term {
        Term::Word(text) | Term::Phrase(text) => format!("\"{text}\""),
        Term::Prefix(text) => format!("\"{text}\" *"),
        Term::Beginning { start, others } => {
            let others: String = others.iter().map(|word| format!(" OR \"{word}\"")).collect();
            format!("(\"{start}\" *{others})")
        }
    }
}

fn date_expression(tokens: &[String]) -> String {
    let any: Vec<String> = tokens.iter().map(|token| format!("\"{token}\"")).collect();
    format!("meta : ({})", any.join(" OR "))
}

fn all_of(terms: &[Term]) -> String {
    terms.iter().map(expression).collect::<Vec<_>>().join(" AND ")
}

fn any_of(terms: &[Term]) -> String {
    terms.iter().map(expression).collect::<Vec<_>>().join(" OR ")
}

/// Puts what must and must not be there around what is looked for.
fn limited(sought: String, query: &LexicalQuery) -> String {
    let mut sought = sought;
    if !query.required.is_empty() {
        sought = format!("({sought}) AND {}", all_of(&query.required));
    }
    if !query.excluded.is_empty() {
        sought = format!("({sought}) NOT ({})", any_of(&query.excluded));
    }
    sought
}
