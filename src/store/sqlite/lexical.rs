//! Candidates by words.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, params};

use super::json_rows;
use crate::analysis::Term;
use crate::store::{Candidate, ColumnWeights, FileId, LexicalQuery, Scope, StoreError, Weight, Weights};

/// Returns how much each part of a question tells texts apart.
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
    })
}

pub(super) fn search(
    connection: &Connection,
    query: &LexicalQuery,
    scope: Option<&Scope>,
    limit: usize,
) -> Result<Vec<Candidate>, StoreError> {
    let parts: Vec<String> =
        query.terms.iter().map(expression).chain(query.dates.iter().map(|date| date_expression(date))).collect();
    if parts.is_empty() || limit == 0 {
        return Ok(Vec::new());
    }
    // The plus keeps SQLite from asking the full text once for each row of the scope.
    let narrowed = if scope.is_some() {
        "AND +rowid IN (SELECT id FROM chunks WHERE file_id IN (SELECT value FROM json_each(?3)))"
    } else {
        "AND ?3 IS NULL"
    };
    let ColumnWeights { title, meta } = query.columns;
    let sql = format!(
        "SELECT c.id, c.file_id, c.chunk_sequence, -hits.score FROM (
             SELECT rowid AS chunk, rank AS score FROM chunks_fts
             WHERE chunks_fts MATCH ?1 AND rank MATCH 'bm25({title:?}, 1.0, {meta:?})' {narrowed}
             ORDER BY rank LIMIT ?2
         ) AS hits JOIN chunks c ON c.id = hits.chunk ORDER BY hits.score, c.id"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let files = scope.map(|scope| scope.files.as_str());
    let sought = limited(parts.join(" OR "), query);
    let rows = statement.query_map(params![sought, limit as i64, files], |row| {
        Ok(Candidate { chunk: row.get(0)?, file: FileId(row.get(1)?), sequence: row.get(2)?, score: row.get(3)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns those of `chunks` that a question admits by what they must and must not hold.
pub(super) fn admitted(connection: &Connection, query: &LexicalQuery, chunks: &[i64]) -> Result<Vec<i64>, StoreError> {
    let holding = |expression: String| -> Result<HashSet<i64>, StoreError> {
        let sql = "SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?1
                   AND +rowid IN (SELECT value FROM json_each(?2))";
        let mut statement = connection.prepare_cached(sql)?;
        let rows = statement.query_map((expression, json_rows(chunks.iter().copied())), |row| row.get(0))?;
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

/// Returns the stems of indexed words that begin so.
pub(super) fn vocabulary(connection: &Connection, start: &str) -> Result<Vec<String>, StoreError> {
    make_vocabulary(connection)?;
    let sql = "SELECT term FROM temp.vocabulary WHERE term >= ?1 AND term < ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let end = format!("{start}\u{10ffff}");
    let rows = statement.query_map((start, end), |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns a chunk with a word of that stem.
pub(super) fn chunk_with(connection: &Connection, stem: &str) -> Result<Option<i64>, StoreError> {
    make_vocabulary(connection)?;
    let sql = "SELECT doc FROM temp.word_places WHERE term = ?1 LIMIT 1";
    Ok(connection.prepare_cached(sql)?.query_row([stem], |row| row.get(0)).optional()?)
}

/// Makes the index's own list of words readable, as words and as places. It belongs to the connection and costs nothing
/// until it is read.
fn make_vocabulary(connection: &Connection) -> Result<(), StoreError> {
    let tables = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, chunks_fts, row);
                  CREATE VIRTUAL TABLE IF NOT EXISTS temp.word_places USING fts5vocab(main, chunks_fts, instance);";
    Ok(connection.execute_batch(tables)?)
}

/// A term in FTS5's query language. Terms hold letters, digits and blanks alone, so quoting is all they need.
fn expression(term: &Term) -> String {
    match term {
        Term::Word(text) | Term::Phrase(text) => format!("\"{text}\""),
        Term::Prefix(text) => format!("\"{text}\" *"),
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
