//! Questions to hits.

mod answer;
mod local;
mod past_questions;
mod second_stage;
mod supersession;

pub(crate) use local::{LocalBackend, OpenOptions};
pub use second_stage::{PreparedStage, SecondStage, StageRequest};
pub use supersession::SupersededHit;
pub(crate) use supersession::{answers_about_past, without_superseded};

use std::cell::RefCell;
use std::rc::Rc;

use anyhow::Result;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::about_named_days;
use crate::protocol::{Request as Message, Response as Reply};
use crate::scores::{rounded, rounded_if_any};
use crate::{App, Backend, Refusal, Service, UseCase};
use supersession::{AnnotatedHit, Supersession};
use tars_base::domain::{
    ApproximateTokens, ChunkId, DateRange, Filter, HitExplanation, IndexState, MemoryType, Mode, Query,
    QueryExplanation, QuerySyntax, Relevance, Retriever, SearchAnswer,
};
use tars_engine::search::{SearchError, SearchOptions, fit};
use tars_rank::Fusion;
use tars_text::markdown::named_period;

/// A question. The settings supply every field that is left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SearchRequest {
    /// The question, with the operators of docs/search.md unless `language` is `prose`.
    pub query: String,
    /// `hybrid`, `keyword` or `vector`.
    pub mode: Option<Mode>,
    /// Maximum number of hits.
    pub limit: Option<usize>,
    /// Hits with a lower score are left out, 0 to 1.
    pub min_score: Option<f64>,
    /// Globs over paths, any of which may match.
    pub paths: Vec<String>,
    /// Tags that the note must carry.
    pub tags: Vec<String>,
    /// Kinds of memory; a hit has one of them.
    pub memory_types: Vec<MemoryType>,
    /// Collections to search; none means all.
    pub collections: Vec<String>,
    /// The first day of a matching note: a date, or words such as `yesterday` and `last week`.
    pub since: Option<String>,
    /// The last day, in the same form.
    pub until: Option<String>,
    /// The day, month or year as of which to answer: a date, or words as in `since`.
    pub as_of: Option<String>,
    /// Whether `query` may hold operators.
    pub language: QuerySyntax,
    /// The project that the question comes from; its notes rank higher.
    pub project: Option<String>,
    /// Whether the response explains the hits and the question.
    pub explain: bool,
    /// How to fuse the two lists.
    pub fusion: Option<Fusion>,
    /// Number of chunks to show on either side of a hit.
    pub window: u32,
    /// Maximum number of tokens of text.
    pub budget: Option<usize>,
    /// Whether to index changed notes first.
    pub sync: bool,
    /// Whether a language model rewords the question, whatever the settings say.
    pub expand: bool,
    /// Whether a reranker reads the best hits, whatever the settings say.
    pub rerank: bool,
}

/// A question with everything that affects its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResolvedQuery {
    /// The question and its filters.
    pub query: Query,
    /// How candidate lists are built and fused.
    pub options: SearchOptions,
    /// Number of chunks to show on either side of a hit.
    pub window: u32,
    /// Maximum number of tokens of text.
    pub budget: Option<usize>,
}

impl Default for SearchRequest {
    fn default() -> Self {
        Self {
            query: String::new(),
            mode: None,
            limit: None,
            min_score: None,
            paths: Vec::new(),
            tags: Vec::new(),
            memory_types: Vec::new(),
            collections: Vec::new(),
            since: None,
            until: None,
            as_of: None,
            language: QuerySyntax::Query,
            project: None,
            explain: false,
            fusion: None,
            window: 0,
            budget: None,
            sync: true,
            expand: false,
            rerank: false,
        }
    }
}

/// The hits, and the state of the index that they come from.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SearchResponse {
    /// The question as it was given.
    pub query: String,
    /// The mode of the search.
    pub mode: Mode,
    /// Why the answer is degraded, if it is.
    pub degraded: Option<String>,
    /// Remarks for the person about how the question was understood, a line each.
    pub remarks: Vec<String>,
    /// The state of the index at that moment.
    pub index: IndexState,
    /// How the question was understood, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<QueryExplanation>,
    /// Best first.
    pub results: Vec<SearchHit>,
}

/// One hit.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SearchHit {
    /// Public id of the chunk.
    pub id: ChunkId,
    /// Path relative to the collection's root, `/` between its parts.
    pub path: String,
    /// Title of the note.
    pub title: String,
    /// Heading path of `line`, `outer > inner`; empty above the first heading.
    pub heading: String,
    /// Name of the collection.
    pub collection: String,
    /// Kind of memory.
    pub memory_type: MemoryType,
    /// First line shown, from 1.
    pub start_line: usize,
    /// Last line shown, inclusive.
    pub end_line: usize,
    /// The line that answers best, from 1.
    pub line: usize,
    /// The day of the line, as the note states it.
    pub date: Option<Date>,
    /// In [0, 1], comparable between questions; four decimals in JSON.
    #[serde(serialize_with = "rounded")]
    pub score: f64,
    /// The score in words.
    pub relevance: Relevance,
    /// The lines themselves.
    pub content: String,
    /// The retrievers that found it.
    pub matched_by: Vec<Retriever>,
    /// A reranker's estimate of how well it answers the question, in [0, 1]; `None` if none has read it.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "rounded_if_any")]
    pub reranked: Option<f64>,
    /// If the lines are no longer true: since when, and what is true instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded: Option<SupersededHit>,
    /// How the score came about, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<HitExplanation>,
}

impl From<AnnotatedHit> for SearchHit {
    fn from(AnnotatedHit { hit, superseded }: AnnotatedHit) -> Self {
        Self {
            superseded,
            relevance: hit.relevance(),
            id: hit.id,
            path: hit.path,
            title: hit.title,
            heading: hit.heading,
            collection: hit.collection,
            memory_type: hit.memory_type,
            start_line: hit.start_line,
            end_line: hit.end_line,
            line: hit.line,
            date: hit.date,
            score: hit.score,
            content: hit.content,
            matched_by: hit.matched_by,
            reranked: hit.reranked,
            explanation: hit.explanation,
        }
    }
}

/// The second stage that was prepared last, with its options: a batch prepares it only once.
#[derive(Default)]
pub(crate) struct StageSlot(RefCell<Option<(StageRequest, Option<Rc<SecondStage>>)>>);

impl StageSlot {
    fn get(&self, app: &App, wanted: StageRequest) -> Result<Option<Rc<SecondStage>>> {
        if let Some((known, stage)) = &*self.0.borrow()
            && *known == wanted
        {
            return Ok(stage.clone());
        }
        let stage = app.second_stage(wanted)?.map(Rc::new);
        *self.0.borrow_mut() = Some((wanted, stage.clone()));
        Ok(stage)
    }
}

impl UseCase for SearchRequest {
    type Response = SearchResponse;

    fn run(&self, service: &Service<'_>) -> Result<SearchResponse> {
        let asked = self.asked(service.app)?;
        let limit = asked.query.limit;
        let today = service.app.environment.clock.today();
        let supersession =
            Supersession::of(service.app, self.as_of.as_ref().map(|words| days(words, today)).transpose()?)?;
        let asked = supersession.with_extra_hits(asked);
        if asked.query.text.trim().is_empty() {
            return Err(SearchError::EmptyQuery.into());
        }
        let stage = service.stage.get(service.app, StageRequest { expand: self.expand, rerank: self.rerank })?;
        let answer = match stage {
            // A second stage takes longer than the service waits for a daemon, so daemons have none.
            Some(_) if service.backend == Backend::Daemon => {
                let message = "the watcher rewords no question and reranks no results".into();
                return Err(Refusal { message, hint: "ask for it without the watcher: --reach local".into() }.into());
            }
            Some(stage) => service.local(asked.query.mode, self.sync)?.answer(&asked, Some(&stage))?,
            None => service.find(&asked, self.sync)?,
        };
        let answer = with_logs_of_days(service, &asked, answer)?;
        let SearchAnswer { query, mode, degraded, mut remarks, index, hits, explanation } = answer;
        remarks.extend(supersession.remark.clone());
        let mut annotated = supersession.rank(service, &asked, hits)?;
        annotated.truncate(limit);
        let results = annotated.into_iter().map(SearchHit::from).collect();
        Ok(SearchResponse { query, mode, degraded, remarks, index, explanation, results })
    }
}

/// Puts the logs of the days first that a question asks about ("what did we decide on Monday?"): they hold the answer, whatever
/// their words are. Questions with filters of their own stay unchanged.
fn with_logs_of_days(service: &Service<'_>, asked: &ResolvedQuery, mut answer: SearchAnswer) -> Result<SearchAnswer> {
    let query = &asked.query;
    let Some(when) = about_named_days(&query.text, query.today).filter(|_| query.filter.is_empty()) else {
        return Ok(answer);
    };
    let filter = Filter { memory_types: vec![MemoryType::Daily], dates: Some(when.days()), ..Filter::default() };
    // A query of filters alone lists everything that matches them.
    let text = format!("type:{}", MemoryType::Daily.as_str());
    let list = Query { text, filter, language: QuerySyntax::Query, explain: false, ..query.clone() };
    let mut logs = service.find(&ResolvedQuery { query: list, ..asked.clone() }, false)?.hits;
    for hit in &mut logs {
        let line = when.line(service, hit).filter(|line| (hit.start_line..=hit.end_line).contains(line));
        hit.line = line.unwrap_or(hit.line);
    }
    answer.hits.retain(|hit| logs.iter().all(|log| log.id != hit.id));
    answer.hits.splice(0..0, logs);
    answer.hits.truncate(query.limit);
    if let Some(budget) = asked.budget {
        answer.hits = fit(answer.hits, budget, &ApproximateTokens);
    }
    Ok(answer)
}

impl SearchRequest {
    /// Returns the question with everything that affects its answer.
    pub(crate) fn asked(&self, app: &App) -> Result<ResolvedQuery> {
        let search = &app.settings.config.search;
        let today = app.environment.clock.today();
        let days = |words: &Option<String>| words.as_ref().map(|words| days(words, today)).transpose();
        let since = days(&self.since)?.map(|days| days.first);
        let until = days(&self.until)?.map(|days| days.last);
        if let (Some(since), Some(until)) = (since, until)
            && since > until
        {
            let message = format!("--since {since} lies after --until {until}");
            return Err(Refusal { message, hint: "exchange the two dates".into() }.into());
        }
        let dates = (since.is_some() || until.is_some())
            .then(|| DateRange { first: since.unwrap_or(Date::MIN), last: until.unwrap_or(Date::MAX) });
        Ok(ResolvedQuery {
            query: Query {
                text: self.query.clone(),
                mode: self.mode.unwrap_or(search.mode),
                limit: self.limit.unwrap_or(search.limit),
                filter: Filter {
                    paths: self.paths.clone(),
                    tags: self.tags.clone(),
                    memory_types: self.memory_types.clone(),
                    collections: self.collections.clone(),
                    dates,
                    ..Filter::default()
                },
                min_score: self.min_score.unwrap_or(search.min_score),
                language: self.language,
                project: self.project.clone(),
                today,
                explain: self.explain,
            },
            options: app.search_options(self.fusion.unwrap_or(search.fusion)),
            window: self.window,
            budget: self.budget,
        })
    }
}

/// Returns the days that `words` name.
fn days(words: &str, today: Date) -> Result<DateRange, Refusal> {
    named_period(words, today).ok_or_else(|| Refusal {
        message: format!("'{words}' names no day"),
        hint: "2026-05-08, 17.11.2026, 2026-05, yesterday or 'last week'".into(),
    })
}

impl Service<'_> {
    /// Opens everything that questions such as `request` need in this process, so that problems with the index show before the
    /// first question.
    ///
    /// # Errors
    /// The index cannot be used, or a requested part of the second stage is unavailable.
    pub fn prepare(&self, request: &SearchRequest) -> Result<()> {
        self.stage.get(self.app, StageRequest { expand: request.expand, rerank: request.rerank })?;
        self.local(request.mode.unwrap_or(self.app.settings.config.search.mode), request.sync).map(|_| ())
    }

    /// Answers a question within the reach. With `sync`, earlier changes of notes are indexed first.
    pub(crate) fn find(&self, asked: &ResolvedQuery, sync: bool) -> Result<SearchAnswer> {
        let question = Box::new(asked.clone());
        let message = if sync { Message::Search(question) } else { Message::AsIs(question) };
        match self.ask_daemon(&message)? {
            Some(Reply::Answer(answer)) => Ok(answer),
            _ => self.answered_here(asked, sync),
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn days_are_parsed_as_in_a_query() {
        let named =
            |text| days(text, date(2026, 3, 1)).map(|days| (days.first.to_string(), days.last.to_string())).ok();
        assert_eq!(named("2026-05-08"), Some(("2026-05-08".into(), "2026-05-08".into())));
        assert_eq!(named("2026-02"), Some(("2026-02-01".into(), "2026-02-28".into())));
        assert_eq!(named("yesterday"), Some(("2026-02-28".into(), "2026-02-28".into())));
        assert_eq!(named("last week"), Some(("2026-02-16".into(), "2026-02-22".into())));
        assert_eq!(named("soon"), None);
    }

    #[test]
    fn a_request_with_an_unknown_field_is_rejected() {
        let request: SearchRequest = serde_json::from_str(r#"{"query":"boiler","limit":3}"#).unwrap();
        assert_eq!(request, SearchRequest { query: "boiler".into(), limit: Some(3), ..SearchRequest::default() });
        assert!(request.sync, "changed notes are indexed by default");
        assert!(serde_json::from_str::<SearchRequest>(r#"{"query":"boiler","limits":3}"#).is_err());
    }
}
