//! Lexical candidates.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

use super::counts::Counts;
use super::json_chunks;
use super::pruning::{Combinations, Part};
use super::scoring::{K1, Numbers};
use crate::{Candidate, ChunkRef, FileId, LexicalQuery, PartWeight, QueryWeights, StoreError};
use tars_text::analysis::{Term, reversed};

/// Limits of the number of chunks to score.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Up to this number of matches, counted per part, all are scored.
    pub(super) all: usize,
    /// Beyond that, up to this number of chunks that may be among the best.
    pub(super) possible: usize,
    /// Beyond that too, the matches of the rarest parts that together have this number.
    pub(super) enough: usize,
}

/// Scoring a chunk takes about two microseconds. Only the last limit may lose results, which takes a query of many frequent words: then the
/// rarest parts propose at least ten times the wanted number of candidates. The loss is measured in docs/performance.md.
const BOUNDS: Bounds = Bounds { all: 4_000, possible: 50_000, enough: 2_000 };
/// Multiple of the wanted number of chunks to score first, to learn a lower bound for the last wanted score.
const SAMPLE_FACTOR: usize = 8;

/// The query and its database.
#[derive(Clone, Copy)]
pub(super) struct QueryContext<'a> {
    pub(super) connection: &'a Connection,
    pub(super) counts: &'a Counts,
    pub(super) query: &'a LexicalQuery,
}

/// Returns the discriminative weights of a query's parts. FTS5 uses the same inverse document frequency.
pub(super) fn weights(asked: QueryContext<'_>) -> Result<QueryWeights, StoreError> {
    let QueryContext { connection, counts, query } = asked;
    let all = counts.chunks(connection)?;
    let weigh = |expression: String| -> Result<PartWeight, StoreError> {
        let chunks = counts.of(connection, &expression)?;
        Ok(PartWeight { chunks, idf: idf(all, chunks) })
    };
    Ok(QueryWeights {
        chunks: all,
        terms: query.terms.iter().map(|term| weigh(expression(term))).collect::<Result<_, _>>()?,
        dates: query.dates.iter().map(|date| weigh(date_expression(date))).collect::<Result<_, _>>()?,
        saturation: K1 + 1.0,
    })
}

/// The weight of a word that occurs in most chunks (as in FTS5): it is not distinctive, but its chunks are still found.
const MIN_IDF: f64 = 1e-6;

fn idf(all: usize, holding: usize) -> f64 {
    let (all, holding) = (all as f64, holding as f64);
    ((all - holding + 0.5) / (holding + 0.5)).ln().max(MIN_IDF)
}

/// Returns the best chunks of `files`, given as rows in JSON.
pub(super) fn search(asked: QueryContext<'_>, files: Option<&str>, limit: usize) -> Result<Vec<Candidate>, StoreError> {
    search_within(asked, files, limit, BOUNDS)
}

/// Like [`search`], with explicit limits.
pub(super) fn search_within(
    asked: QueryContext<'_>,
    files: Option<&str>,
    limit: usize,
    bounds: Bounds,
) -> Result<Vec<Candidate>, StoreError> {
    let scoring = Scoring::of(asked, files)?;
    if scoring.parts.is_empty() || limit == 0 {
        return Ok(Vec::new());
    }
    let finds = scoring.parts.iter().map(|part| part.chunks).sum::<usize>();
    if finds <= bounds.all {
        return scoring.best(None, limit, f64::MIN);
    }
    let combinations = Combinations::new(&scoring.parts, scoring.required, asked.counts.chunks(asked.connection)?);
    let likely = combinations.likely((SAMPLE_FACTOR * limit) as f64);
    if let Some(holding) = combinations.holding(likely)
        && combinations.chunks(likely) <= bounds.possible as f64
    {
        let sample = scoring.best(Some(&holding), limit, f64::MIN)?;
        if let Some(last) = sample.get(limit - 1).map(|last| last.score) {
            if combinations.below(likely) < last {
                return Ok(sample);
            }
            if combinations.chunks(last) <= bounds.possible as f64 {
                return scoring.best(combinations.holding(last).as_deref(), limit, last);
            }
        }
    }
    let rarest = if finds <= bounds.possible { None } else { rarest(&scoring.parts, bounds.enough) };
    scoring.best(rarest.as_deref(), limit, f64::MIN)
}

/// The parts of a query, and how they score chunks.
struct Scoring<'a> {
    connection: &'a Connection,
    files: Option<&'a str>,
    /// Parts of which a chunk must contain at least one.
    parts: Vec<Part>,
    /// The whole query in FTS5's syntax.
    sought: String,
    /// Highest contribution of the required terms to a score.
    required: f64,
    /// The weight of each phrase in `sought`, in order.
    phrases: Vec<f64>,
    numbers: Numbers,
}

impl<'a> Scoring<'a> {
    fn of(asked: QueryContext<'a>, files: Option<&'a str>) -> Result<Self, StoreError> {
        let QueryContext { connection, counts, query } = asked;
        let all = counts.chunks(connection)?;
        let mut phrases = Vec::new();
        // Returns the part with its highest contribution and its expression.
        let mut part = |alternatives: Vec<String>, expression: String| -> Result<Part, StoreError> {
            let mut most = 0.0;
            for alternative in &alternatives {
                let weight = idf(all, counts.of(connection, alternative)?);
                phrases.push(weight);
                most += weight * (K1 + 1.0);
            }
            Ok(Part { chunks: counts.of(connection, &expression)?, expression, most })
        };
        let mut parts = Vec::new();
        for term in &query.terms {
            parts.push(part(alternatives(term), expression(term))?);
        }
        for date in &query.dates {
            let tokens = date.iter().map(|token| format!("meta : \"{token}\"")).collect();
            parts.push(part(tokens, date_expression(date))?);
        }
        let mut required = 0.0;
        for term in &query.required {
            required += part(alternatives(term), expression(term))?.most;
        }
        phrases.extend(query.excluded.iter().flat_map(alternatives).map(|_| 0.0));
        let any = parts.iter().map(|part| part.expression.as_str()).collect::<Vec<_>>().join(" OR ");
        let (sought, numbers) = (limited(any, query), Numbers::new(query.columns));
        Ok(Self { connection, files, parts, sought, required, phrases, numbers })
    }

    /// Returns the best chunks that also match `holding` and score at least `at_least`.
    fn best(&self, holding: Option<&str>, limit: usize, at_least: f64) -> Result<Vec<Candidate>, StoreError> {
        let mut numbers = self.numbers.clone();
        if let Some(holding) = holding {
            // The phrases of `holding` come before the scored ones, so that FTS5 can skip chunks that match only the latter. Each
            // phrase is quoted.
            numbers.add(std::iter::repeat_n(0.0, holding.matches('"').count() / 2));
        }
        numbers.add(self.phrases.iter().copied());
        let sought = match holding {
            Some(holding) => format!("({holding}) AND ({})", self.sought),
            None => self.sought.clone(),
        };
        let list = |cut: &str, at_least: f64, best: Option<usize>| -> Result<Vec<Candidate>, StoreError> {
            let mut statement = self.connection.prepare_cached(&scoring(cut))?;
            let parameters = params![sought, limit as i64, numbers.wanted(at_least, best), self.files];
            let rows = statement.query_map(parameters, |row| {
                Ok(Candidate {
                    chunk: ChunkRef(row.get(0)?),
                    file: FileId(row.get(1)?),
                    sequence: row.get(2)?,
                    score: row.get(3)?,
                    second_score: None,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        };
        // SQLite keeps only the best matches. One more match shows whether others tie with the last one. Position breaks such ties,
        // because row numbers depend on the index's history.
        let mut found = list("ORDER BY score DESC LIMIT ?2 + 1", at_least, Some(limit + 1))?;
        if let [.., last, next] = &found[..]
            && found.len() > limit
            && last.score == next.score
        {
            found = list("", last.score, None)?;
        }
        found.truncate(limit);
        Ok(found)
    }
}

/// Returns the statement that scores chunks and sorts them by score, then by position. `cut` limits the kept rows.
fn scoring(cut: &str) -> String {
    // The plus keeps SQLite from querying the full text once per row of the scope. FTS5's own `rank` would sort all matches.
    format!(
        "SELECT c.id, c.file_id, c.chunk_sequence, hits.score FROM (
             SELECT rowid AS chunk, tars_score(chunks_fts, ?3) AS score FROM chunks_fts
             WHERE chunks_fts MATCH ?1
               AND (?4 IS NULL OR
                    +rowid IN (SELECT id FROM chunks WHERE file_id IN (SELECT value FROM json_each(?4))))
             {cut}
         ) AS hits CROSS JOIN chunks c ON c.id = hits.chunk CROSS JOIN files f ON f.id = c.file_id
         CROSS JOIN collections l ON l.id = f.collection_id
         WHERE hits.score IS NOT NULL ORDER BY hits.score DESC, l.name, f.path, c.chunk_sequence LIMIT ?2 + 1"
    )
}

/// Returns the full-text expression of the rarest parts that together match enough chunks. A chunk must match one of them to be
/// scored. `None` if this takes all parts. The other parts still count in the scores.
pub(super) fn rarest(parts: &[Part], enough: usize) -> Option<String> {
    let mut sorted: Vec<&Part> = parts.iter().collect();
    sorted.sort_by_key(|part| part.chunks);
    let mut together = 0;
    let rarest = sorted.iter().take_while(|part| {
        let lacking = together < enough;
        together += part.chunks;
        lacking
    });
    let rarest: Vec<&str> = rarest.map(|part| part.expression.as_str()).collect();
    (rarest.len() < sorted.len()).then(|| rarest.join(" OR "))
}

/// Returns those of `chunks` that satisfy a query's required and excluded terms.
pub(super) fn filter_by_terms(
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

/// Merges segments of the full text until none are left or the time is up, so that a query reads few segments and deleted rows are
/// purged. Each step is a separate transaction of about a quarter of a megabyte. Other writers wait for one step; readers never
/// wait.
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

/// Returns the stems of indexed words that begin with `start` and have a length within `letters`.
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

/// Returns long words that end with `end`.
pub(super) fn words_ending(connection: &Connection, end: &str, most: usize) -> Result<Vec<String>, StoreError> {
    make_vocabulary(connection)?;
    let sql = "SELECT term FROM temp.ends WHERE term >= ?1 AND term < ?2 LIMIT ?3";
    let mut statement = connection.prepare_cached(sql)?;
    let start = reversed(end);
    let rows = statement.query_map((&start, format!("{start}\u{10ffff}"), most as i64), |row| row.get(0))?;
    rows.map(|word: rusqlite::Result<String>| Ok(reversed(&word?))).collect()
}

/// Returns for each word whether a chunk contains it.
pub(super) fn contains_words(connection: &Connection, words: &[String]) -> Result<Vec<bool>, StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM chunks_fts WHERE chunks_fts MATCH ?1)";
    let mut statement = connection.prepare_cached(sql)?;
    let held = words.iter().map(|word| statement.query_row([format!("\"{word}\"")], |row| row.get(0)));
    Ok(held.collect::<Result<_, _>>()?)
}

/// Most chunks with a stem that are sorted.
const MAX_SORTED: i64 = 256;

/// Returns the first chunks with a word of this stem, by collection, path and position: row numbers depend on the index's history.
pub(super) fn chunks_with(connection: &Connection, stem: &str, most: usize) -> Result<Vec<ChunkRef>, StoreError> {
    make_vocabulary(connection)?;
    let sql = "SELECT c.id FROM (SELECT DISTINCT doc FROM temp.word_places WHERE term = ?1 LIMIT ?2) AS held
               CROSS JOIN chunks c ON c.id = held.doc CROSS JOIN files f ON f.id = c.file_id
               CROSS JOIN collections l ON l.id = f.collection_id
               ORDER BY l.name, f.path, c.chunk_sequence LIMIT ?3";
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_map((stem, MAX_SORTED, most as i64), |row| row.get(0).map(ChunkRef))?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// Makes the word list of the full text readable, as words and as positions. The tables belong to the connection and cost nothing
/// until read.
fn make_vocabulary(connection: &Connection) -> Result<(), StoreError> {
    let tables = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, chunks_fts, row);
                  CREATE VIRTUAL TABLE IF NOT EXISTS temp.ends USING fts5vocab(main, word_ends, row);
                  CREATE VIRTUAL TABLE IF NOT EXISTS temp.word_places USING fts5vocab(main, chunks_fts, instance);";
    Ok(connection.execute_batch(tables)?)
}

/// Returns a term in FTS5's query syntax.
fn expression(term: &Term) -> String {
    let alternatives = alternatives(term);
    match &alternatives[..] {
        [one] => one.clone(),
        several => format!("({})", several.join(" OR ")),
    }
}

/// Returns the alternative phrases of a term in FTS5's query syntax. Terms contain only letters, digits and blanks, so quoting
/// suffices.
fn alternatives(term: &Term) -> Vec<String> {
    match term {
        Term::Word(text) | Term::Phrase(text) => vec![format!("\"{text}\"")],
        Term::Prefix(text) => vec![format!("\"{text}\" *")],
        Term::TypedPrefix { start, others } => {
            let others = others.iter().map(|word| format!("\"{word}\""));
            std::iter::once(format!("\"{start}\" *")).chain(others).collect()
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

/// Adds the required and excluded terms to an expression.
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
