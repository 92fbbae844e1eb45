//! Asks a question and its rewordings, and merges the answers.
//!
//! Every text gives a list: the question and its rewrites in the mode of the query, a hypothetical answer by meaning only, since its
//! words are made up. In each list, a hit gets its share of the list's best score. The shares are averaged, with weight 2 for the
//! question and 1 for every other text. So the question's best hit stays first unless several rewordings agree on another one.

use std::collections::HashMap;

use super::input::{Search, SearchOptions};
use super::limits::truncated;
use super::query_syntax::{ParsedQuery, parse_for};
use super::retrieve::search;
use super::{SearchError, VectorSearch};
use tars_base::domain::{ChunkId, Hit, Mode, Query, Rewording, SearchAnswer};
use tars_store::Reader;

/// Weight of the question; any other text has weight 1.
const QUESTION_WEIGHT: f64 = 2.0;
/// Minimum number of hits that each list contributes.
const MIN_HITS_PER_LIST: usize = 100;

/// A question and its rewordings.
#[derive(Debug, Clone, Copy)]
pub struct Reworded<'a> {
    /// The question.
    pub query: &'a Query,
    /// The rewordings: plain text without operators.
    pub rewording: &'a Rewording,
}

/// Answers a question with its rewordings. The filters, phrases and exclusions of the question also apply to the hits of its rewordings.
///
/// Scores stay comparable with those of other answers: the best hit gets the mean confidence of the question and its
/// rewrites, or the question's own if that is higher. The confidence of a hypothetical answer's list is ignored.
///
/// # Errors
/// Any error of [`search`](super::search()) for the question itself, and store errors. A rewording without words, or one that
/// cannot be embedded, is skipped.
pub fn search_reworded(
    store: &dyn Reader,
    vectors: VectorSearch<'_>,
    asked: Reworded<'_>,
    options: &SearchOptions,
) -> Result<SearchAnswer, SearchError> {
    let Reworded { query, rewording } = asked;
    let deep = Query { limit: query.limit.max(MIN_HITS_PER_LIST), min_score: 0.0, ..query.clone() };
    let mut answer = search(store, vectors, &deep, options)?;
    let parsed = parse_for(store, query);
    let mut failed = None;
    let mut ask = |text: &str, mode: Mode| {
        let query = Query { mode, explain: false, ..deep.clone() };
        let parsed = ParsedQuery {
            text: truncated(text).to_owned(),
            required: Vec::new(),
            optional_phrases: Vec::new(),
            remarks: Vec::new(),
            ..parsed.clone()
        };
        answer_or_skip(Search { store, vectors, query: &query, options }.answer(parsed), &mut failed)
    };
    let best = |hits: &[Hit]| hits.first().map_or(0.0, |hit| hit.score);
    let own = best(&answer.hits);
    let (mut confidence, mut weights) = (QUESTION_WEIGHT * own, QUESTION_WEIGHT);
    let mut merged = MergedLists::default();
    merged.add(std::mem::take(&mut answer.hits), QUESTION_WEIGHT);
    // A rewording rarely holds a required phrase: it may reorder the hits that do, but adds none.
    merged.is_frozen = !parsed.required.is_empty();
    for rewrite in &rewording.rewrites {
        if let Some(list) = ask(rewrite, query.mode)? {
            confidence += best(&list.hits);
            weights += 1.0;
            merged.add(list.hits, 1.0);
        }
    }
    if let Some(text) = rewording.answer.as_ref().filter(|_| query.mode != Mode::Keyword)
        && let Some(list) = ask(text, Mode::Vector)?
    {
        merged.add(list.hits, 1.0);
    }
    answer.hits = merged.hits(own.max(confidence / weights));
    answer.hits.retain(|hit| hit.score >= query.min_score);
    answer.hits.truncate(query.limit);
    answer.degraded = answer.degraded.or(failed);
    if query.explain {
        let texts = rewording.rewrites.iter().chain(&rewording.answer);
        answer.remarks.extend(texts.map(|text| format!("also looked for: {text}")));
    }
    Ok(answer)
}

/// Returns the list of a rewording, if there is one. `failed` receives the reason for a degraded or missing list.
pub(super) fn answer_or_skip(
    answer: Result<SearchAnswer, SearchError>,
    failed: &mut Option<String>,
) -> Result<Option<SearchAnswer>, SearchError> {
    match answer {
        Ok(answer) => {
            *failed = failed.take().or(answer.degraded.clone());
            Ok(Some(answer))
        }
        Err(SearchError::Embed(error)) => {
            failed.get_or_insert(format!("some rewordings were not searched: {error}"));
            Ok(None)
        }
        Err(SearchError::EmptyQuery | SearchError::NoWords | SearchError::OnlyOperators) => Ok(None),
        // The answer to the question itself reports this where it matters.
        Err(SearchError::NoSemantics { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Lists being merged.
#[derive(Default)]
struct MergedLists {
    hits: Vec<Hit>,
    /// Whether further lists may only reorder the hits.
    is_frozen: bool,
    places: HashMap<ChunkId, usize>,
}

impl MergedLists {
    /// Adds a list. Afterwards, scores in [`MergedLists::hits`] are sums of weighted shares.
    fn add(&mut self, list: Vec<Hit>, weight: f64) {
        let best = list.first().map_or(0.0, |hit| hit.score);
        for mut hit in list {
            hit.score = if best > 0.0 { weight * hit.score / best } else { 0.0 };
            match self.places.get(&hit.id) {
                Some(place) => {
                    let known = &mut self.hits[*place];
                    known.score += hit.score;
                    known.matched_by.extend(hit.matched_by);
                    known.matched_by.sort();
                    known.matched_by.dedup();
                }
                None if self.is_frozen => {}
                None => {
                    self.places.insert(hit.id.clone(), self.hits.len());
                    self.hits.push(hit);
                }
            }
        }
    }

    /// Returns the hits, best first. The best gets the score `confidence`, the others their share of it.
    fn hits(mut self, confidence: f64) -> Vec<Hit> {
        let best = self.hits.iter().map(|hit| hit.score).fold(0.0, f64::max);
        for hit in &mut self.hits {
            hit.score = if best > 0.0 { confidence * hit.score / best } else { 0.0 };
        }
        // The sort is stable: ties keep the order in which the question, then its rewordings, found them.
        self.hits.sort_by(|left, right| right.score.total_cmp(&left.score));
        self.hits
    }
}
