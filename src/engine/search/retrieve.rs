//! Turns the candidates of both retrievers into hits.

use std::collections::{HashMap, HashSet};

use super::SearchError;
use super::answer_line::{LineFinder, day};
use super::explain::{Ranks, explanation};
use super::features::{FeatureRequest, add_features};
use super::input::{Search, SearchOptions};
use super::query_plan::{QueryPlan, plan_query};
use super::query_syntax::{ParsedQuery, parse_for};
use super::vector_search::{EmbeddedQuestion, VectorSearch, embed_question, embedder, model_mismatch};
use tars_base::domain::{Hit, IndexState, Mode, Query, Retriever, SearchAnswer};
use tars_base::embedding::Embedder;
use tars_rank::{Evidence, Ranked, fuse};
use tars_store::{Candidate, ChunkRef, ChunkRow, FileId, LexicalQuery, PassageLines, Reader, Scope, Statistics};

/// Answers a question.
///
/// # Errors
/// See [`SearchError`]. If a hybrid query cannot be embedded, it is answered by words, and the answer says so.
pub fn search(
    store: &dyn Reader,
    vectors: VectorSearch<'_>,
    query: &Query,
    options: &SearchOptions,
) -> Result<SearchAnswer, SearchError> {
    let (search, parsed) = (Search { store, vectors, query, options }, parse_for(store, query));
    if query.text.trim().is_empty() {
        // Filters without a question ask for a list as well.
        return if query.filter.is_empty() { Err(SearchError::EmptyQuery) } else { search.list_by_filters(parsed) };
    }
    match search.answer(parsed.clone()) {
        // A query of filters only asks for a list. A rewording without words does not come through here.
        Err(SearchError::OnlyOperators) if parsed.excluded.is_empty() => search.list_by_filters(parsed),
        answer => search.with_parts(&parsed, answer?),
    }
}

/// The scope of the candidates, and their maximum number.
#[derive(Clone, Copy)]
struct Bounds<'a> {
    scope: Option<&'a Scope>,
    limit: usize,
}

impl Search<'_> {
    /// Answers a parsed question, or a rewording of it.
    pub(super) fn answer(&self, parsed: ParsedQuery) -> Result<SearchAnswer, SearchError> {
        let Self { store, query, options, .. } = *self;
        let mut plan = plan_query(self, &parsed)?;
        if plan.lexical.terms.is_empty() && plan.lexical.dates.is_empty() {
            let conditions = parsed.filter != query.filter || !parsed.excluded.is_empty();
            return Err(if conditions { SearchError::OnlyOperators } else { SearchError::NoWords });
        }
        let statistics = store.statistics()?;
        plan.signals.unembedded_share =
            1.0 - statistics.embedded as f64 / statistics.passages.max(statistics.embedded).max(1) as f64;
        let scope = store.scope(&parsed.filter)?;
        let bounds = Bounds { scope: scope.as_ref(), limit: options.candidates.max(2 * query.limit) };
        let mut degraded = None;
        let model = self.model(&mut degraded)?;
        let text = plan.text.clone();
        // The model embeds the question while the words are looked up.
        let (by_words, vector) = in_parallel(
            || self.by_words(&parsed, &mut plan, bounds),
            model.map(|model| || embed_question(model, query.mode, &text)),
        );
        let by_words = by_words?;
        let vector = match vector.transpose()? {
            Some((vector, remark)) => {
                degraded = degraded.or(remark);
                vector
            }
            None => None,
        };
        if vector.is_some() && statistics.embedded < statistics.passages {
            degraded.get_or_insert_with(|| missing_vectors(&statistics));
        }
        let mut evidence = self.candidates(&mut plan, bounds, &by_words, vector.as_ref())?;

        let first = fuse(&evidence, &plan.signals, &options.fusion);
        let request = FeatureRequest {
            options: options.features,
            pairs: &plan.pairs,
            terms: &plan.lexical.terms,
            weights: &plan.term_weights(),
            links: options.fusion.link_credit > 0.0,
            project: query.project.as_deref(),
            today: query.today,
        };
        let mut rows = add_features(store, &request, &first.list, &mut evidence)?;
        let fused = fuse(&evidence, &plan.signals, &options.fusion);

        let kept: Vec<&Ranked> =
            fused.list.iter().filter(|one| one.score >= query.min_score).take(query.limit).collect();
        let chunks: Vec<ChunkRef> = kept.iter().map(|one| ChunkRef(one.evidence.chunk)).collect();
        let missing: Vec<ChunkRef> = chunks.iter().copied().filter(|chunk| !rows.contains_key(chunk)).collect();
        let near = match &vector {
            Some(EmbeddedQuestion { embedder, vector }) => store.nearest_lines(vector, embedder.model(), &chunks)?,
            None => PassageLines::new(),
        };
        let finder = LineFinder::new(&plan, query.mode);
        rows.extend(store.chunks(&missing)?.into_iter().map(|row| (row.row, row)));
        let ranks = query.explain.then(|| Ranks::new(&evidence));
        let mut hits: Vec<Hit> = kept
            .iter()
            .filter_map(|one| {
                let row = rows.remove(&ChunkRef(one.evidence.chunk))?;
                let (score, matched_by) = (one.score, matched_by(&one.evidence));
                let passages = near.get(&row.row).map(Vec::as_slice).unwrap_or_default();
                let explanation = ranks.as_ref().map(|ranks| ranks.explain(one, passages));
                let place = finder.place(&row, passages.first().map(|(lines, _)| lines));
                Some(Hit { score, matched_by, explanation, ..hit(place, row) })
            })
            .collect();
        // Row ids depend on the indexing order; the order of the hits must not.
        hits.sort_by(|left, right| {
            let place = |hit: &Hit| (hit.collection.clone(), hit.path.clone(), hit.start_line, hit.start_column);
            right.score.total_cmp(&left.score).then_with(|| place(left).cmp(&place(right)))
        });
        Ok(SearchAnswer {
            query: query.text.clone(),
            mode: query.mode,
            degraded,
            index: self.state(&statistics)?,
            hits,
            explanation: query.explain.then(|| explanation(&parsed, &plan, &fused)),
            remarks: plan.remarks,
        })
    }

    /// Returns the state of the index for this question.
    pub(super) fn state(&self, statistics: &Statistics) -> Result<IndexState, SearchError> {
        Ok(IndexState {
            files: statistics.files,
            chunks: statistics.chunks,
            // Words are indexed as soon as a file is, so searches by words wait for nothing.
            pending: match (self.query.mode, self.vectors) {
                (Mode::Keyword, _) | (_, VectorSearch::Unavailable { report: false, .. }) => 0,
                _ if statistics.embedded == statistics.passages => 0,
                _ => self.store.pending_file_count()?,
            },
            lag_ms: 0,
        })
    }

    /// Returns the model for the question, if the mode needs one and one is usable.
    fn model(&self, degraded: &mut Option<String>) -> Result<Option<&dyn Embedder>, SearchError> {
        let Self { store, vectors, query, .. } = *self;
        if query.mode == Mode::Keyword {
            return Ok(None);
        }
        let other = match vectors.model() {
            Some(embedder) => model_mismatch(store, embedder)?,
            None => None,
        };
        match &other {
            Some(reason) => {
                embedder(VectorSearch::Unavailable { reason, report: true }, query.mode, degraded)?;
                Ok(None)
            }
            None => embedder(vectors, query.mode, degraded),
        }
    }

    fn candidates(
        &self,
        plan: &mut QueryPlan,
        bounds: Bounds<'_>,
        by_words: &[Candidate],
        question: Option<&EmbeddedQuestion<'_>>,
    ) -> Result<Vec<Evidence>, SearchError> {
        let Self { store, query, .. } = *self;
        let Bounds { scope, limit } = bounds;
        let mut found: HashMap<ChunkRef, Evidence> = HashMap::new();
        if query.mode == Mode::Vector {
            plan.signals.lexical_ceiling = 0.0;
        } else {
            for one in by_words {
                entry(&mut found, one).lexical = Some(one.score);
            }
        }
        if let Some(EmbeddedQuestion { embedder, vector }) = question {
            let phrases = !plan.lexical.required.is_empty();
            if !phrases {
                let near = store.nearest(vector, embedder.model(), scope, limit)?;
                let admitted = match plan.lexical.excluded.is_empty() {
                    true => near,
                    false => admitted(store, plan, near)?,
                };
                for one in &admitted {
                    entry(&mut found, one).similarity = Some(one.score);
                }
            }
            // Every candidate is compared by all of its passages, also one that only words found.
            let compared: Vec<ChunkRef> = match phrases {
                true => by_words.iter().map(|one| one.chunk).collect(),
                false => found.keys().copied().collect(),
            };
            for one in store.similarities(vector, embedder.model(), &compared)? {
                let known = entry(&mut found, &one);
                (known.similarity, known.second_similarity) = (Some(one.score), one.second_score);
            }
            let all: Vec<ChunkRef> = found.keys().copied().collect();
            for chunk in store.chunks_without_vectors(&all)? {
                found.entry(chunk).and_modify(|one| one.awaits_vectors = true);
            }
        }
        in_order(store, found.into_values().collect())
    }

    /// Returns the candidates by words. If no text holds a phrase, its words are looked for instead, with a remark.
    fn by_words(
        &self,
        parsed: &ParsedQuery,
        plan: &mut QueryPlan,
        bounds: Bounds<'_>,
    ) -> Result<Vec<Candidate>, SearchError> {
        let Self { store, query, .. } = *self;
        if query.mode == Mode::Vector && plan.lexical.required.is_empty() {
            return Ok(Vec::new());
        }
        let list = with_alternatives(store, plan, bounds)?;
        if !list.is_empty() || plan.lexical.required.is_empty() {
            return Ok(list);
        }
        let phrases: Vec<String> = parsed.required.iter().map(|phrase| format!("\"{phrase}\"")).collect();
        let anywhere = LexicalQuery { excluded: Vec::new(), ..plan.lexical.clone() };
        if !store.lexical(&anywhere, None, 1)?.is_empty() {
            plan.remarks.push(format!("{} occurs only in text that the query excludes", phrases.join(" and ")));
            return Ok(Vec::new());
        }
        plan.remarks.push(format!("no note holds {}: looked for the words", phrases.join(" and ")));
        plan.lexical.required.clear();
        match query.mode {
            Mode::Vector => Ok(Vec::new()),
            Mode::Hybrid | Mode::Keyword => with_alternatives(store, plan, bounds),
        }
    }
}

/// Runs one function on this thread and the other, if there is one, on a second thread.
fn in_parallel<A, B: Send>(here: impl FnOnce() -> A, there: Option<impl FnOnce() -> B + Send>) -> (A, Option<B>) {
    std::thread::scope(|threads| {
        let there = there.map(|there| threads.spawn(there));
        let here = here();
        let there = there.map(|there| there.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        (here, there)
    })
}

fn missing_vectors(statistics: &Statistics) -> String {
    let Statistics { embedded, passages, .. } = statistics;
    format!("{} of {passages} passages are not embedded yet: run 'tars index'", passages - embedded)
}

/// Returns the candidates by words, including those of alternatives. A chunk found by several gets the sum of their scores.
fn with_alternatives(store: &dyn Reader, plan: &QueryPlan, bounds: Bounds<'_>) -> Result<Vec<Candidate>, SearchError> {
    let Bounds { scope, limit } = bounds;
    let mut list = store.lexical(&plan.lexical, scope, limit)?;
    for one in &plan.alternatives {
        let instead = LexicalQuery { terms: one.terms.clone(), dates: Vec::new(), ..plan.lexical.clone() };
        for found in store.lexical(&instead, scope, limit)? {
            let score = one.factor * found.score;
            match list.iter_mut().find(|known| known.chunk == found.chunk) {
                Some(known) => known.score += score,
                None => list.push(Candidate { score, ..found }),
            }
        }
    }
    Ok(list)
}

/// Orders candidates by path and line, and numbers their files in the order of paths. Row ids depend on the indexing order,
/// and the ranking must not.
fn in_order(store: &dyn Reader, mut list: Vec<Evidence>) -> Result<Vec<Evidence>, SearchError> {
    let files: HashSet<i64> = list.iter().map(|one| one.file).collect();
    let files: Vec<FileId> = files.into_iter().map(FileId).collect();
    let ranks: HashMap<i64, i64> = store.in_order(&files)?.into_iter().map(|file| file.0).zip(0..).collect();
    for one in &mut list {
        one.file = ranks.get(&one.file).copied().unwrap_or(i64::MAX);
    }
    list.sort_by_key(|one| (one.file, one.sequence));
    Ok(list)
}

fn admitted(store: &dyn Reader, plan: &QueryPlan, near: Vec<Candidate>) -> Result<Vec<Candidate>, SearchError> {
    let chunks: Vec<ChunkRef> = near.iter().map(|one| one.chunk).collect();
    let admitted = store.filter_by_terms(&plan.lexical, &chunks)?;
    Ok(near.into_iter().filter(|one| admitted.contains(&one.chunk)).collect())
}

fn entry<'m>(found: &'m mut HashMap<ChunkRef, Evidence>, one: &Candidate) -> &'m mut Evidence {
    found.entry(one.chunk).or_insert(Evidence {
        chunk: one.chunk.0,
        file: one.file.0,
        sequence: one.sequence,
        ..Evidence::default()
    })
}

fn matched_by(evidence: &Evidence) -> Vec<Retriever> {
    let words = evidence.lexical.map(|_| Retriever::Keyword);
    words.into_iter().chain(evidence.similarity.map(|_| Retriever::Vector)).collect()
}

/// Returns the hit for a chunk and the line and column of its answer, without score and retrievers.
pub(super) fn hit((line, column): (usize, usize), chunk: ChunkRow) -> Hit {
    Hit {
        heading: chunk.heading_at(line).to_owned(),
        date: day(&chunk, line),
        line,
        column,
        id: chunk.id,
        path: chunk.path,
        title: chunk.title,
        collection: chunk.collection,
        memory_type: chunk.memory_type,
        start_line: chunk.start_line,
        start_column: chunk.start_column,
        end_line: chunk.end_line,
        end_column: chunk.end_column,
        score: 0.0,
        content: chunk.content,
        matched_by: Vec::new(),
        reranked: None,
        explanation: None,
        superseded: None,
        request: None,
        preview: None,
    }
}
