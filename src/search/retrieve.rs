//! Candidates of both retrievers to hits.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::SearchError;
use super::understand::understand;
use crate::domain::{CountTokens, Hit, IndexState, Mode, Query, Retriever, SearchAnswer};
use crate::embed::{Embedder, TextKind};
use crate::rank::{Evidence, FusionOptions, Ranked, Signals, fuse};
use crate::redact::redact;
use crate::store::{Candidate, ChunkRow, Scope, Store};

/// How a search goes about its work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchOptions {
    /// How lists are fused.
    pub fusion: FusionOptions,
    /// How many candidates each retriever proposes.
    pub candidates: usize,
}

/// Whether meaning can be searched.
#[derive(Clone, Copy)]
pub enum Semantics<'a> {
    /// By this model.
    Model(&'a dyn Embedder),
    /// Not, for this reason; `wanted` is false where the person chose to do without.
    None {
        /// Why, in a few words that name the mending command.
        reason: &'a str,
        /// Whether it should be said.
        wanted: bool,
    },
}

/// A question is embedded in at most so many pieces of the model's window; what lies beyond is sought by words.
const QUERY_PIECES: usize = 4;

/// Answers a question.
///
/// # Errors
/// See [`SearchError`]. A hybrid question whose meaning cannot be searched is answered by words, and says so.
pub fn search(
    store: &dyn Store,
    semantics: Semantics<'_>,
    query: &Query,
    options: &SearchOptions,
) -> Result<SearchAnswer, SearchError> {
    if query.text.trim().is_empty() {
        return Err(SearchError::EmptyQuery);
    }
    let mut understood = understand(&query.text);
    if understood.lexical.terms.is_empty() {
        return Err(SearchError::NoWords);
    }
    let statistics = store.statistics()?;
    let scope = store.scope(&query.filter)?;
    let mut degraded = None;
    let other = match semantics {
        Semantics::Model(embedder) => other_model(store, embedder)?,
        Semantics::None { .. } => None,
    };
    let semantics = match &other {
        Some(reason) => Semantics::None { reason, wanted: true },
        None => semantics,
    };
    let vector = match query.mode {
        Mode::Keyword => None,
        Mode::Hybrid | Mode::Vector => {
            let found = question_vector(semantics, query, &mut degraded)?;
            if found.is_some() && statistics.embedded < statistics.passages {
                let behind = format!(
                    "{} of {} passages are not embedded yet: run 'tars index'",
                    statistics.passages - statistics.embedded,
                    statistics.passages
                );
                degraded.get_or_insert(behind);
            }
            found
        }
    };
    let candidates = candidates(store, query, options, &mut understood.signals, &understood.lexical, vector, scope)?;
    let ranked = fuse(&candidates, &understood.signals, &options.fusion);
    let kept: Vec<Ranked> = ranked.into_iter().filter(|one| one.score >= query.min_score).take(query.limit).collect();
    let rows: Vec<i64> = kept.iter().map(|one| one.evidence.chunk).collect();
    let mut chunks: HashMap<i64, ChunkRow> = store.chunks(&rows)?.into_iter().map(|chunk| (chunk.row, chunk)).collect();
    let mut hits: Vec<Hit> =
        kept.iter().filter_map(|one| Some(hit(one, chunks.remove(&one.evidence.chunk)?))).collect();
    // Rows depend on how the index grew; what people see does not.
    hits.sort_by(|left, right| {
        let place = |hit: &Hit| (hit.collection.clone(), hit.path.clone(), hit.start_line);
        right.score.total_cmp(&left.score).then_with(|| place(left).cmp(&place(right)))
    });
    Ok(SearchAnswer {
        query: query.text.clone(),
        mode: query.mode,
        degraded,
        index: IndexState {
            files: statistics.files,
            chunks: statistics.chunks,
            // Words are there as soon as a file is: who asks by words waits for nothing.
            pending: match query.mode {
                Mode::Keyword => 0,
                Mode::Hybrid | Mode::Vector => store.pending_file_count()?,
            },
            lag_ms: 0,
        },
        hits,
    })
}

/// Says why the vectors there are cannot be compared with those of `embedder`, if they are another model's.
fn other_model(store: &dyn Store, embedder: &dyn Embedder) -> Result<Option<String>, SearchError> {
    let model = embedder.model().as_str();
    let other = store.meta("model")?.filter(|known| known != model);
    Ok(other.map(|known| format!("the notes are embedded with {known}, not with {model}: run 'tars index'")))
}

/// A question as the vector retriever sees it.
struct Question<'a> {
    embedder: &'a dyn Embedder,
    vector: Vec<f32>,
}

fn question_vector<'a>(
    semantics: Semantics<'a>,
    query: &Query,
    degraded: &mut Option<String>,
) -> Result<Option<Question<'a>>, SearchError> {
    match semantics {
        Semantics::Model(embedder) => {
            // A server may be the one that embeds, and a prompt may hold what is nobody's business.
            let (vector, whole) = match embed_query(embedder, &redact(&query.text).text) {
                Ok(embedded) => embedded,
                Err(SearchError::Embed(error)) if query.mode == Mode::Hybrid => {
                    *degraded = Some(format!("searched by words only: {error}"));
                    return Ok(None);
                }
                Err(error) => return Err(error),
            };
            if !whole {
                *degraded = Some("the query is longer than the model reads: its end was searched by words only".into());
            }
            Ok(Some(Question { embedder, vector }))
        }
        Semantics::None { reason, .. } if query.mode == Mode::Vector => {
            Err(SearchError::NoSemantics { reason: reason.into() })
        }
        Semantics::None { reason, wanted } => {
            if wanted {
                *degraded = Some(format!("searched by words only: {reason}"));
            }
            Ok(None)
        }
    }
}

fn candidates(
    store: &dyn Store,
    query: &Query,
    options: &SearchOptions,
    signals: &mut Signals,
    lexical: &crate::store::LexicalQuery,
    question: Option<Question<'_>>,
    scope: Option<Scope>,
) -> Result<Vec<Evidence>, SearchError> {
    let limit = options.candidates.max(2 * query.limit);
    let mut found: HashMap<i64, Evidence> = HashMap::new();
    if query.mode != Mode::Vector {
        let (list, ceiling) = store.lexical(lexical, scope.as_ref(), limit)?;
        signals.lexical_ceiling = ceiling;
        for one in list {
            entry(&mut found, &one).lexical = Some(one.score);
        }
    }
    if let Some(Question { embedder, vector }) = question {
        for one in store.nearest(&vector, embedder.model(), scope.as_ref(), limit)? {
            entry(&mut found, &one).similarity = Some(one.score);
        }
        // Chunks that only words found are compared too, so that both sides speak about every candidate.
        let unknown: Vec<i64> = found.values().filter(|one| one.similarity.is_none()).map(|one| one.chunk).collect();
        for one in store.similarities(&vector, embedder.model(), &unknown)? {
            entry(&mut found, &one).similarity = Some(one.score);
        }
    }
    let mut list: Vec<Evidence> = found.into_values().collect();
    list.sort_by_key(|one| one.chunk);
    Ok(list)
}

fn entry<'m>(found: &'m mut HashMap<i64, Evidence>, one: &Candidate) -> &'m mut Evidence {
    found.entry(one.chunk).or_insert(Evidence {
        chunk: one.chunk,
        file: one.file.0,
        sequence: one.sequence,
        lexical: None,
        similarity: None,
    })
}

fn hit(ranked: &Ranked, chunk: ChunkRow) -> Hit {
    let evidence = &ranked.evidence;
    let mut matched_by = Vec::new();
    if evidence.lexical.is_some() {
        matched_by.push(Retriever::Keyword);
    }
    if evidence.similarity.is_some() {
        matched_by.push(Retriever::Vector);
    }
    Hit {
        id: chunk.id,
        path: chunk.path,
        title: chunk.title,
        heading: chunk.heading,
        collection: chunk.collection,
        memory_type: chunk.memory_type,
        start_line: chunk.start_line,
        end_line: chunk.end_line,
        score: ranked.score,
        content: chunk.content,
        matched_by,
        reranked: None,
    }
}

/// Returns the vector of a question and whether all of it was embedded: the normalised mean over pieces that fit the
/// model's window.
fn embed_query(embedder: &dyn Embedder, text: &str) -> Result<(Vec<f32>, bool), SearchError> {
    let (pieces, whole) = pieces(text, embedder.window(), embedder.tokens());
    let texts: Vec<&str> = pieces.iter().map(String::as_str).collect();
    let vectors = embedder.embed(TextKind::Query, &texts)?;
    let mut mean = vec![0.0f32; embedder.dimensions()];
    for vector in &vectors {
        for (sum, value) in mean.iter_mut().zip(vector) {
            *sum += value;
        }
    }
    let length = mean.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        mean.iter_mut().for_each(|value| *value /= length);
    }
    Ok((mean, whole))
}

/// Returns the words of a question in pieces of at most `window` tokens, and whether they are all there.
fn pieces(text: &str, window: usize, counter: &dyn CountTokens) -> (Vec<String>, bool) {
    let mut pieces: Vec<String> = Vec::new();
    let (mut open, mut size) = (String::new(), 0);
    // One "word" can be a page of Chinese; a token is never longer than its characters.
    for part in text.split_whitespace().flat_map(|word| parts(word, window)) {
        let alone = counter.count(part);
        let longer = if open.is_empty() { part.to_owned() } else { format!("{open} {part}") };
        // The blank may count or not: only where it matters is the whole counted again.
        let mut together = size + alone + usize::from(!open.is_empty());
        if together > window {
            together = counter.count(&longer);
        }
        if together <= window || open.is_empty() {
            (open, size) = (longer, together);
            continue;
        }
        pieces.push(std::mem::take(&mut open));
        if pieces.len() == QUERY_PIECES {
            return (pieces, false);
        }
        (open, size) = (part.to_owned(), alone);
    }
    if !open.is_empty() {
        pieces.push(open);
    }
    (pieces, true)
}

fn parts(word: &str, limit: usize) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = word;
    while let Some((at, _)) = rest.char_indices().nth(limit) {
        out.push(&rest[..at]);
        rest = &rest[at..];
    }
    out.push(rest);
    out
}
