//! Explains how an answer and its scores came about.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use super::query_plan::QueryPlan;
use super::query_syntax::ParsedQuery;
use tars_base::domain::{HitExplanation, QueryExplanation};
use tars_rank::{Evidence, Fused, Ranked};

/// Ranks of the candidates in the lists of both retrievers, from 1.
pub(super) struct Ranks {
    words: HashMap<i64, usize>,
    meaning: HashMap<i64, usize>,
}

impl Ranks {
    /// Ranks the candidates by each retriever.
    pub(super) fn new(evidence: &[Evidence]) -> Self {
        let ranks = |side: fn(&Evidence) -> Option<f64>| {
            let mut listed: Vec<(i64, f64)> = evidence.iter().filter_map(|one| Some((one.chunk, side(one)?))).collect();
            // A stable sort keeps ties in the order of the evidence, by path and line.
            listed.sort_by(|left, right| right.1.total_cmp(&left.1));
            listed.into_iter().zip(1..).map(|((chunk, _), rank)| (chunk, rank)).collect()
        };
        Self { words: ranks(|one| one.lexical), meaning: ranks(|one| one.similarity) }
    }

    /// Explains the score of a candidate.
    pub(super) fn explain(&self, ranked: &Ranked, passages: &[(RangeInclusive<usize>, f64)]) -> HitExplanation {
        let Ranked { evidence, parts, share, .. } = ranked;
        HitExplanation {
            lexical_rank: self.words.get(&evidence.chunk).copied(),
            lexical_score: evidence.lexical,
            pairs: evidence.pairs,
            vector_rank: self.meaning.get(&evidence.chunk).copied(),
            similarity: evidence.similarity,
            passages: passages.to_vec(),
            words: parts.words,
            meaning: parts.meaning,
            neighbour: parts.neighbour,
            link: parts.link,
            boost: evidence.boost,
            share: *share,
            collection_weight: None,
            worth: None,
        }
    }
}

/// Explains how the question was understood.
pub(super) fn explanation(parsed: &ParsedQuery, plan: &QueryPlan, fused: &Fused) -> QueryExplanation {
    QueryExplanation {
        terms: plan.terms(),
        required: if plan.lexical.required.is_empty() { Vec::new() } else { parsed.required.clone() },
        excluded: parsed.excluded.clone(),
        vector_weight: fused.vector_weight,
        coverage: fused.confidence.coverage,
        named: fused.confidence.named,
        unknown: fused.confidence.unknown,
        matched: fused.confidence.matched,
        similarity: fused.confidence.similarity,
        lead: fused.confidence.lead,
        confidence: fused.confidence.score,
    }
}
