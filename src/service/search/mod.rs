//! Questions to hits: one request is one search. `stages` lists what decides about the hits and their order.

pub(crate) mod collection_weights;
mod hit_json;
mod learned_order;
mod local;
mod named_days;
mod past_questions;
mod preview;
pub(crate) mod proposals;
mod second_stage;
mod settings;
mod stages;
mod supersession;

pub(crate) use local::LocalBackend;
pub(crate) use second_stage::StageSlot;
pub use second_stage::{PreparedStage, SecondStage, StageRequest};
pub(crate) use supersession::{answers_about_past, without_superseded};

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{App, Refusal, Result, Service, UseCase};
use hit_json::HitJson;
use supersession::Supersession;
use tars_base::domain::{
    DateRange, Filter, Hit, IndexState, MemoryType, Mode, Query, QueryExplanation, QuerySyntax, SearchAnswer, one_line,
};
use tars_engine::search::{Breadth, SearchOptions};
use tars_rank::Fusion;
use tars_text::markdown::named_period;

/// Returns the largest number of hits with which a budget of tokens is filled, unless the request names another.
pub fn budget_hits(question: &str) -> usize {
    Breadth::of(question).hits
}

/// One search, on its way through the stages.
struct Search<'s, 'a> {
    service: &'s Service<'a>,
    request: &'s SearchRequest,
    /// The question for the index. Its limit allows for hits that later stages drop.
    asked: ResolvedQuery,
    /// The requested number of hits.
    limit: usize,
    supersession: Supersession,
}

/// A question. The settings supply every field that is left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SearchRequest {
    /// The question, with the operators of docs/search.md unless `language` is `prose`.
    pub query: String,
    /// `hybrid`, `keyword` or `vector`.
    pub mode: Option<Mode>,
    /// Maximum number of hits. With a budget, 30 if it is left out, because the budget bounds the answer; 60 for a question whose answer is
    /// spread over many notes.
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
    /// Maximum number of tokens of text: the best hits come whole, of the others the lines that answer. A question of order, development or
    /// summary gets lines of many notes in order of time.
    pub budget: Option<usize>,
    /// Whether hits in answers of saved chats carry the person's words before them, as they do with a budget.
    #[serde(skip)]
    pub requests: bool,
    /// Whether to index changed notes first.
    pub sync: bool,
    /// Whether a language model rewords the question, whatever the settings say.
    pub expand: bool,
    /// Whether a reranker reads the best hits, whatever the settings say.
    pub rerank: bool,
    /// Whether hits carry the text to show to a person; no part of the JSON.
    #[serde(skip)]
    pub preview: bool,
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
    /// Whether hits in answers of saved chats carry the person's words before them.
    #[serde(default)]
    pub requests: bool,
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
            requests: false,
            sync: true,
            expand: false,
            rerank: false,
            preview: false,
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
    /// Best first; in order of time for a question of order, development or summary with a budget.
    #[serde(serialize_with = "hit_json::serialize")]
    #[schemars(with = "Vec<HitJson>")]
    pub results: Vec<Hit>,
}

impl UseCase for SearchRequest {
    type Response = SearchResponse;

    fn run(&self, service: &Service<'_>) -> Result<SearchResponse> {
        let search = Search::new(service, self)?;
        let SearchAnswer { query, mode, degraded, mut remarks, index, hits, explanation } = search.answer()?;
        let results = search.run_stages(hits)?;
        remarks.extend(search.supersession.remark);
        Ok(SearchResponse { query, mode, degraded, remarks, index, explanation, results })
    }
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
                limit: self.limit.unwrap_or(match self.budget {
                    Some(_) => search.limit.max(budget_hits(&self.query)),
                    None => search.limit,
                }),
                filter: Filter {
                    paths: self.paths.iter().map(|path| app.below_root(path).into_owned()).collect(),
                    tags: self.tags.clone(),
                    memory_types: self.memory_types.clone(),
                    collections: app.asked_collections(&self.collections)?,
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
            requests: self.requests || self.budget.is_some(),
        })
    }
}

/// Returns the days that `words` name.
pub(crate) fn days(words: &str, today: Date) -> Result<DateRange, Refusal> {
    named_period(words, today).ok_or_else(|| Refusal {
        message: format!("'{}' names no day", one_line(words, 80)),
        hint: "2026-05-08, 17.11.2026, 2026-05, yesterday or 'last week'".into(),
    })
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
