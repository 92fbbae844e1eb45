//! Candidates by words.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

use super::counts::Counts;
use super::json_chunks;
use super::pruning::{Combinations, Part};
use super::scoring::{K1, Numbers};
use crate::analysis::{Term, reversed};
use crate::store::{Candidate, ChunkRef, FileId, LexicalQuery, StoreError, Weight, Weights};

/// How much is scored.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Finds up to this many are all scored, counted for each part of the question by itself.
    pub(super) all: usize,
    /// Of more finds, up to this many that may be among the best.
    pub(super) possible: usize,
    /// Where still more may be, those of the rarest parts that make so many.
    pub(super) enough: usize,
}

/// To score a chunk takes some two microseconds. Only the last bound may lose something, which takes a question of many frequent
/// words: then the rarest parts propose at least ten times the candidates that are wanted. What that loses: docs/performance.md.
const BOUNDS: Bounds = Bounds { all: 4_000, possible: 50_000, enough: 2_000 };
/// So many times the wanted chunks are scored first, to learn what the last wanted one scores at least.
const SAMPLE: usize = 8;

/// What is asked, and of what.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) connection: &'a Connection,
    pub(super) counts: &'a Counts,
    pub(super) query: &'a LexicalQuery,
}

/// Returns how much each part of a question tells texts apart. FTS5 counts the same inverse document frequency.
pub(super) fn weights(asked: Asked<'_>) -> Result<Weights, StoreError> {
    let Asked { connection, counts, query } = asked;
    let all = counts.chunks(connection)?;
    let weigh = |expression: String| -> Result<Weight, StoreError> {
        let chunks = counts.of(connection, &expression)?;
        Ok(Weight { chunks, idf: idf(all, chunks) })
    };
    Ok(Weights {
        chunks: all,
        terms: query.terms.iter().map(|term| weigh(expression(term))).collect::<Result<_, _>>()?,
        dates: query.dates.iter().map(|date| weigh(date_expression(date))).collect::<Result<_, _>>()?,
        saturation: K1 + 1.0,
    })
}

/// What a word weighs that stands in most chunks (as in FTS5): it tells nothing, and yet what holds it is found.
const LEAST_IDF: f64 = 1e-6;

fn idf(all: usize, holding: usize) -> f64 {
    let (all, holding) = (all as f64, holding as f64);
    ((all - holding + 0.5) / (holding + 0.5)).ln().max(LEAST_IDF)
}

/// Returns the best chunks of `files`, which are rows in JSON.
pub(super) fn search(asked: Asked<'_>, files: Option<&str>, limit: usize) -> Result<Vec<Candidate>, StoreError> {
    search_within(asked, files, limit, BOUNDS)
}

/// As [`search`], with bounds.
pub(super) fn search_within(
    asked: Asked<'_>,
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
    let likely = combinations.likely((SAMPLE * limit) as f64);
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

/// A question's parts, and how chunks are scored by them.
struct Scoring<'a> {
    connection: &'a Connection,
    files: Option<&'a str>,
    /// What a chunk must hold one of.
    parts: Vec<Part>,
    /// All of the question as FTS5 takes it.
    sought: String,
    /// What is required adds at most so much to a score.
    required: f64,
    /// The weight of each phrase of `sought`, in its order.
    phrases: Vec<f64>,
    numbers: Numbers,
}

impl<'a> Scoring<'a> {
    fn of(asked: Asked<'a>, files: Option<&'a str>) -> Result<Self, StoreError> {
        let Asked { connection, counts, query } = asked;
        let all = counts.chunks(connection)?;
        let mut phrases = Vec::new();
        // Returns what it adds at most, and its expression.
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

    /// Returns the best chunks of those that `holding` finds too, if they score at least so much.
    fn best(&self, holding: Option<&str>, limit: usize, at_least: f64) -> Result<Vec<Candidate>, StoreError> {
        let mut numbers = self.numbers.clone();
        if let Some(holding) = holding {
            // Its phrases stand before those that are scored: there FTS5 skips what the others alone would find. Each is quoted.
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
                    next: None,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        };
        // SQLite keeps the best alone, and not all that is found. One more tells whether others tie with the last: which of these
        // are among the best is a matter of their places, and their rows depend on how the index grew.
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

/// Returns the statement that scores chunks and orders them by score, then by place. `cut` says which of them are kept.
fn scoring(cut: &str) -> String {
    // The plus keeps SQLite from asking the full text once for each row of the scope. FTS5's own `rank` would sort all that is
    // found.
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

/// Returns how the full text is asked for the rarest of a question's parts that stand in enough chunks together, one of which a
/// chunk must hold to be scored; `None` where all parts are needed for that. The other parts count in the scores as ever.
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

/// A term in FTS5's query language.
fn expression(term: &Term) -> String {
    let alternatives = alternatives(term);
    match &alternatives[..] {
        [one] => one.clone(),
        several => format!("({})", several.join(" OR ")),
    }
}

/// The phrases of a term in FTS5's query language, any of which will do. Terms hold letters, digits and blanks alone, so quoting is
/// all they need.
fn alternatives(term: &Term) -> Vec<String> {
    match term {
        Term::Word(text) | Term::Phrase(text) => vec![format!("\"{text}\"")],
        Term::Prefix(text) => vec![format!("\"{text}\" *")],
        Term::Beginning { start, others } => {
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
