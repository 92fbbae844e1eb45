//! A question and its rewordings, asked one after the other and answered as one.
//!
//! Every text gives a list: the question and its rewrites by words and by meaning (as the mode has it), an invented answer by
//! meaning alone, since its words are made up. In each list a hit has its share of the list's best score; the shares are
//! averaged, the question counting twice and every other text once. So what the question itself finds first stays first
//! unless several rewordings agree on something else.

use std::collections::HashMap;

use super::SearchError;
use crate::domain::{ChunkId, Hit, Mode, Query, SearchAnswer};
use crate::llm::Rewording;

/// Weight of the question; that of any other text is 1.
const QUESTION: f64 = 2.0;
/// Hits of each list that take part, at the least.
const DEPTH: usize = 100;

/// Answers a question that was reworded, each text by `ask`. Scores are comparable with those of other answers: the best hit
/// has the mean confidence of the question and its rewrites, or the question's own if that is higher. How sure the list of
/// an invented answer is of itself says nothing.
///
/// # Errors
/// Whatever `ask` fails on for the question itself, and a failing store. A rewording that holds no words, or that is to be
/// looked for by meaning where that is not possible, is left out: of the latter the question's own answer speaks.
pub fn search_reworded(
    query: &Query,
    rewording: &Rewording,
    ask: &dyn Fn(&Query) -> Result<SearchAnswer, SearchError>,
) -> Result<SearchAnswer, SearchError> {
    let deep = Query { limit: query.limit.max(DEPTH), min_score: 0.0, ..query.clone() };
    let mut answer = ask(&deep)?;
    let mut mixture = Mixture::default();
    let best = |hits: &[Hit]| hits.first().map_or(0.0, |hit| hit.score);
    let own = best(&answer.hits);
    let (mut confidence, mut weights) = (QUESTION * own, QUESTION);
    mixture.add(std::mem::take(&mut answer.hits), QUESTION);
    for rewrite in &rewording.rewrites {
        if let Some(further) = further(ask(&Query { text: rewrite.clone(), ..deep.clone() }))? {
            confidence += best(&further.hits);
            weights += 1.0;
            mixture.add(further.hits, 1.0);
        }
    }
    if let Some(text) = rewording.answer.clone().filter(|_| query.mode != Mode::Keyword)
        && let Some(further) = further(ask(&Query { text, mode: Mode::Vector, ..deep }))?
    {
        mixture.add(further.hits, 1.0);
    }
    answer.hits = mixture.hits(own.max(confidence / weights));
    answer.hits.retain(|hit| hit.score >= query.min_score);
    answer.hits.truncate(query.limit);
    Ok(answer)
}

fn further(answer: Result<SearchAnswer, SearchError>) -> Result<Option<SearchAnswer>, SearchError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(
            SearchError::EmptyQuery | SearchError::NoWords | SearchError::NoSemantics { .. } | SearchError::Embed(_),
        ) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Lists that become one.
#[derive(Default)]
struct Mixture {
    hits: Vec<Hit>,
    places: HashMap<ChunkId, usize>,
}

impl Mixture {
    /// Adds a list; scores of [`Mixture::hits`] are sums of weighted shares from now on.
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
                None => {
                    self.places.insert(hit.id.clone(), self.hits.len());
                    self.hits.push(hit);
                }
            }
        }
    }

    /// Returns the hits, best first, the best with the score `confidence` and every other with its share of that.
    fn hits(mut self, confidence: f64) -> Vec<Hit> {
        let best = self.hits.iter().map(|hit| hit.score).fold(0.0, f64::max);
        for hit in &mut self.hits {
            hit.score = if best > 0.0 { confidence * hit.score / best } else { 0.0 };
        }
        // The sort is stable: ties stay as the question, then its rewordings, found them.
        self.hits.sort_by(|left, right| right.score.total_cmp(&left.score));
        self.hits
    }
}
