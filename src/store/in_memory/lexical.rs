//! bm25 over a state, chunk by chunk.

use super::state::{Chunk, State};
use super::words::{META, Sequence, TITLE, any, of_date, of_term};
use crate::{Candidate, LexicalQuery, PartWeight, QueryWeights, Scope};
use tars_text::analysis::Term;

/// Constants of bm25, as in FTS5.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Returns how telling each part of a query is.
pub(super) fn weights(state: &State, query: &LexicalQuery) -> QueryWeights {
    let chunks = state.chunks();
    let weigh = |alternatives: Vec<Sequence>| {
        let held = chunks.iter().filter(|(_, _, chunk)| any(&alternatives, &chunk.columns)).count();
        PartWeight { chunks: held, idf: idf(chunks.len(), held) }
    };
    QueryWeights {
        chunks: chunks.len(),
        terms: query.terms.iter().map(of_term).map(weigh).collect(),
        dates: query.dates.iter().map(|date| weigh(of_date(date))).collect(),
        saturation: K1 + 1.0,
    }
}

/// Returns the best chunks by bm25, best first.
pub(super) fn ranked(state: &State, query: &LexicalQuery, scope: Option<&Scope>, limit: usize) -> Vec<Candidate> {
    let chunks = state.chunks();
    let parts = query.terms.iter().map(of_term).chain(query.dates.iter().map(|date| of_date(date)));
    let parts: Vec<Sequence> = parts.flatten().collect();
    let required: Vec<Sequence> = query.required.iter().flat_map(of_term).collect();
    let length = |chunk: &Chunk| chunk.columns.iter().map(Vec::len).sum::<usize>() as f64;
    let mean = chunks.iter().map(|(_, _, chunk)| length(chunk)).sum::<f64>() / chunks.len().max(1) as f64;
    let score = |chunk: &Chunk, one: &Sequence| {
        let counts = one.count(&chunk.columns);
        let weighted = |column: usize| {
            let weight = [(TITLE, query.columns.title), (META, query.columns.meta)];
            weight.iter().find(|(of, _)| *of == column).map_or(1.0, |(_, weight)| *weight)
        };
        let often: f64 = counts.iter().enumerate().map(|(column, count)| *count as f64 * weighted(column)).sum();
        let held = chunks.iter().filter(|(_, _, other)| one.is_in(&other.columns)).count();
        idf(chunks.len(), held) * often * (K1 + 1.0) / (often + K1 * (1.0 - B + B * length(chunk) / mean))
    };
    let mut found: Vec<Candidate> = chunks
        .iter()
        .filter(|(file, _, chunk)| {
            scope.is_none_or(|scope| scope.files.contains(&file.record.id))
                && any(&parts, &chunk.columns)
                && admits(query, chunk)
        })
        .map(|(file, sequence, chunk)| Candidate {
            chunk: chunk.row,
            file: file.record.id,
            sequence: *sequence,
            score: parts.iter().chain(&required).map(|one| score(chunk, one)).sum(),
            second_score: None,
        })
        .collect();
    found.sort_by(|left, right| right.score.total_cmp(&left.score));
    found.truncate(limit);
    found
}

fn idf(all: usize, held: usize) -> f64 {
    let (all, held) = (all as f64, held as f64);
    ((all - held + 0.5) / (held + 0.5)).ln().max(1e-6)
}

/// Whether a chunk satisfies a query's required and excluded terms.
pub(super) fn admits(query: &LexicalQuery, chunk: &Chunk) -> bool {
    let holds = |term: &Term| any(&of_term(term), &chunk.columns);
    query.required.iter().all(holds) && !query.excluded.iter().any(holds)
}
