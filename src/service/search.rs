//! Questions to hits.

use std::cell::RefCell;
use std::rc::Rc;

use anyhow::Result;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::context::about_named_days;
use super::protocol::{Request as Message, Response as Reply};
use super::scores::{rounded, rounded_if_any};
use super::then::{SupersededHit, Then, Told};
use super::{Reach, Refusal, Service, UseCase};
use crate::app::{App, ResolvedQuery, SecondStage, Wanted};
use crate::domain::{
    ApproximateTokens, ChunkId, DateRange, Filter, HitExplanation, IndexState, Language, MemoryType, Mode, Query,
    QueryExplanation, Relevance, Retriever, SearchAnswer,
};
use crate::markdown::named_period;
use crate::rank::Fusion;
use crate::search::{SearchError, fit};

/// A question. What is left out is as the settings say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SearchRequest {
    /// The question, with the operators of docs/search.md unless `language` is `prose`.
    pub query: String,
    /// `hybrid`, `keyword` or `vector`.
    pub mode: Option<Mode>,
    /// How many hits at most.
    pub limit: Option<usize>,
    /// Hits that score lower are left out, 0 to 1.
    pub min_score: Option<f64>,
    /// Globs over paths, any of which may match.
    pub paths: Vec<String>,
    /// Tags that the note must carry.
    pub tags: Vec<String>,
    /// Kinds of memory, any of them.
    pub memory_types: Vec<MemoryType>,
    /// Collections, any of them.
    pub collections: Vec<String>,
    /// The first day of which a note may be: a date, or words such as `yesterday` and `last week`.
    pub since: Option<String>,
    /// The last day, likewise.
    pub until: Option<String>,
    /// The day, month or year as of which it is answered: a date, or words as in `since`.
    pub as_of: Option<String>,
    /// Whether `query` may hold operators.
    pub language: Language,
    /// The project in which it is asked; its notes are preferred.
    pub project: Option<String>,
    /// Whether the answer says how it came about.
    pub explain: bool,
    /// How the two lists are fused.
    pub fusion: Option<Fusion>,
    /// Chunks shown on either side of a hit.
    pub window: u32,
    /// Tokens of text at most.
    pub budget: Option<usize>,
    /// Whether changed notes are brought in first.
    pub sync: bool,
    /// Whether a language model puts the question in other words, whatever the settings say.
    pub expand: bool,
    /// Whether a reranker reads the best hits, whatever the settings say.
    pub rerank: bool,
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
            language: Language::Query,
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

/// Hits and what they rest on.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SearchResponse {
    /// The question as it was given.
    pub query: String,
    /// How it was asked.
    pub mode: Mode,
    /// Why the answer is less than it could be, if it is.
    pub degraded: Option<String>,
    /// What was made of the question that its author may want to know, a line each.
    pub remarks: Vec<String>,
    /// The index at that moment.
    pub index: IndexState,
    /// How the question was understood, where that was asked.
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
    /// The day that the line is of, as the note says it.
    pub date: Option<Date>,
    /// In [0, 1], comparable between questions; four decimals in JSON.
    #[serde(serialize_with = "rounded")]
    pub score: f64,
    /// The score in words.
    pub relevance: Relevance,
    /// The lines themselves.
    pub content: String,
    /// What found it.
    pub matched_by: Vec<Retriever>,
    /// How well it answers the question in the opinion of a reranker, in [0, 1]; `None` if none has read it.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "rounded_if_any")]
    pub reranked: Option<f64>,
    /// Where the lines are no longer true: since when, and what is true instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded: Option<SupersededHit>,
    /// How it came by its score, where that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<HitExplanation>,
}

impl From<Told> for SearchHit {
    fn from(Told { hit, superseded }: Told) -> Self {
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

/// The second stage that was made ready last, and for what: a batch needs it once.
#[derive(Default)]
pub(super) struct StageSlot(RefCell<Option<(Wanted, Option<Rc<SecondStage>>)>>);

impl StageSlot {
    fn get(&self, app: &App, wanted: Wanted) -> Result<Option<Rc<SecondStage>>> {
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
        let then = Then::of(service.app, self.as_of.as_ref().map(|words| days(words, today)).transpose()?)?;
        let asked = then.widened(asked);
        if asked.query.text.trim().is_empty() {
            return Err(SearchError::EmptyQuery.into());
        }
        let stage = service.stage.get(service.app, Wanted { expand: self.expand, rerank: self.rerank })?;
        let answer = match stage {
            // It takes longer than a daemon is waited for, so that none has one.
            Some(_) if service.reach == Reach::Daemon => {
                let message = "the watcher rewords no question and reranks no results".into();
                return Err(Refusal { message, hint: "ask for it without the watcher: --reach local".into() }.into());
            }
            Some(stage) => service.local(asked.query.mode, self.sync)?.answer(&asked, Some(&stage))?,
            None => service.find(&asked, self.sync)?,
        };
        let answer = with_logs_of_days(service, &asked, answer)?;
        let SearchAnswer { query, mode, degraded, mut remarks, index, hits, explanation } = answer;
        remarks.extend(then.remark.clone());
        let mut told = then.arranged(service, &asked, hits)?;
        told.truncate(limit);
        let results = told.into_iter().map(SearchHit::from).collect();
        Ok(SearchResponse { query, mode, degraded, remarks, index, explanation, results })
    }
}

/// Puts the logs of the days first that a question asks about ("what did we decide on Monday?"): they hold the answer, whatever
/// their words are. A question with filters of its own is answered within these.
fn with_logs_of_days(service: &Service<'_>, asked: &ResolvedQuery, mut answer: SearchAnswer) -> Result<SearchAnswer> {
    let query = &asked.query;
    let Some(when) = about_named_days(&query.text, query.today).filter(|_| query.filter.is_empty()) else {
        return Ok(answer);
    };
    let filter = Filter { memory_types: vec![MemoryType::Daily], dates: Some(when.days()), ..Filter::default() };
    // A query of filters alone lists what they admit.
    let text = format!("type:{}", MemoryType::Daily.as_str());
    let list = Query { text, filter, language: Language::Query, explain: false, ..query.clone() };
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
    /// Returns the question with everything that decides about its answer.
    pub(super) fn asked(&self, app: &App) -> Result<ResolvedQuery> {
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
    /// Opens what questions such as `request` need in this process, so that what is wrong with the index is said before the
    /// first of them.
    ///
    /// # Errors
    /// The index cannot be used, or a part of the second stage that is asked for cannot be had.
    pub fn prepare(&self, request: &SearchRequest) -> Result<()> {
        self.stage.get(self.app, Wanted { expand: request.expand, rerank: request.rerank })?;
        self.local(request.mode.unwrap_or(self.app.settings.config.search.mode), request.sync).map(|_| ())
    }

    /// Answers a question where the reach allows, `sync` after what happened before it has been brought in.
    pub(super) fn find(&self, asked: &ResolvedQuery, sync: bool) -> Result<SearchAnswer> {
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
    fn days_are_named_as_in_a_query() {
        let named =
            |text| days(text, date(2026, 3, 1)).map(|days| (days.first.to_string(), days.last.to_string())).ok();
        assert_eq!(named("2026-05-08"), Some(("2026-05-08".into(), "2026-05-08".into())));
        assert_eq!(named("2026-02"), Some(("2026-02-01".into(), "2026-02-28".into())));
        assert_eq!(named("yesterday"), Some(("2026-02-28".into(), "2026-02-28".into())));
        assert_eq!(named("last week"), Some(("2026-02-16".into(), "2026-02-22".into())));
        assert_eq!(named("soon"), None);
    }

    #[test]
    fn a_request_is_a_question_and_nothing_that_is_not_known() {
        let request: SearchRequest = serde_json::from_str(r#"{"query":"boiler","limit":3}"#).unwrap();
        assert_eq!(request, SearchRequest { query: "boiler".into(), limit: Some(3), ..SearchRequest::default() });
        assert!(request.sync, "what has changed is brought in unless somebody says otherwise");
        assert!(serde_json::from_str::<SearchRequest>(r#"{"query":"boiler","limits":3}"#).is_err());
    }
}
