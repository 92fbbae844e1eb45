//! The stages of a search, in the order in which they run. They alone decide which hit comes first; ties go by collection, path and place
//! (`engine/search/retrieve.rs`).
//!
//! The process that has the index runs the first part ([`App::answer`]): the daemon or this process. The process that received the
//! request runs the second part ([`STAGES`]), from the files of the memory folder and from those hits, so that both answer alike.
//!
//! | stage | file | what it does |
//! |---|---|---|
//! | limit to the configured collections | `settings.rs` | drops collections that the settings no longer name |
//! | reword | `second_stage.rs` | only on request: a language model puts the question in other words |
//! | read the question | `engine/search/query_syntax.rs`, `engine/search/query_plan.rs`, `text/analysis/` | operators, words, phrases, dates; which side the weights favour |
//! | widen it | `engine/search/{spelling,compounds,forms,prefixes}.rs` | likely typing errors, parts of compounds, other forms, beginnings of words |
//! | propose | `store/sqlite/lexical.rs`, `store/sqlite/vectors.rs` | the best chunks by bm25 and by the nearest passages |
//! | score both sides | `engine/search/retrieve.rs` | each candidate by words and by meaning, whichever side proposed it |
//! | impute | `rank/estimate.rs` | a similarity for passages without a vector |
//! | fuse | `rank/fuse.rs`, constants in `rank/balance.rs` | shares of each side, weights by the question, neighbours, links |
//! | add features | `engine/search/features.rs` | adjacent words, repeats, age, project; session logs below the summary of their month; then `rank/fuse.rs` again |
//! | calibrate | `rank/calibrate.rs` | how certain the first hit is; every score is that times its share of the first |
//! | prefer outcomes | `engine/search/session_outcomes.rs` | a section of a day's log and the session log that links to it swap places |
//! | drop weak hits | `engine/search/retrieve.rs` | hits below the score that the request names; a query of filters alone lists newest first (`filter_list.rs`) |
//! | cover the parts | `engine/search/parts.rs`, `text/question_parts` | only of a compound question: a part that no first hit covers lets the best hit of its own list in |
//! | fuse the rewordings | `engine/search/reworded.rs` | only on request: further lists for the other wordings |
//! | rerank | `engine/search/rerank.rs` | only on request: a cross-encoder reads the best hits |
//! | widen the hits | `engine/search/window.rs` | adds neighbouring chunks; overlapping hits become one |
//! | requests of answers | `engine/search/requests.rs` | only for a budget and for agents: the person's words before an answer in a saved chat; the token budget shows them |
//! | lists of proposals | `proposals.rs` | only for a budget and for agents: drops hits in `proposals.md` and its archive |
//! | logs of named days | `named_days.rs` | first, if the question names days |
//! | split superseded lines | `supersession.rs` | one hit for each superseded line; for a question as of a day, only lines that were true then |
//! | order superseded lines | `supersession.rs` | first if the question asks about the past, otherwise below what is true now |
//! | weigh collections | `collection_weights.rs` | relevant hits of a collection with a higher weight pass others; no score changes |
//! | limit | here | keeps the requested number of hits |
//! | token budget | `engine/search/window.rs`, `rank/budget.rs` | the best hits whole, of the others the lines that answer, as far as they fit; for a question of order, development, summary or list (`engine/search/breadth.rs`) lines of many notes, the first three in order of time |
//! | learn from use | `learned_order.rs`, `service/recall/learning.rs`, `agent/recall/uses.rs` | hits whose line sessions used pass hits that are little better; none comes or goes, no score changes |
//! | preview | `preview.rs` | only on request: the text that a person sees; the order stays |

use super::supersession::Supersession;
use super::{
    PreparedStage, ResolvedQuery, Search, SearchRequest, StageRequest, collection_weights, days, learned_order,
    named_days, preview, proposals, supersession,
};
use crate::{App, Backend, Model, Refusal, Result, Service};
use tars_base::domain::{ApproximateTokens, Hit, Mode, SearchAnswer};
use tars_config::Provider;
use tars_engine::search::{self, Breadth, SearchError, VectorSearch, fit};
use tars_store::Reader;

/// A stage: takes the hits of the stage before it, best first, and returns its own.
type Stage = fn(&Search<'_, '_>, Vec<Hit>) -> Result<Vec<Hit>>;

/// The stages after the answer of the index.
const STAGES: [Stage; 9] = [
    proposals::dropped,
    named_days::logs_first,
    supersession::split,
    supersession::order,
    collection_weights::by_weight,
    within_limit,
    within_budget,
    learned_order::by_use,
    preview::add,
];

impl App {
    /// Answers a question from one snapshot of the index, with the model and the second stage if they are available: the stages up
    /// to the widened hits.
    ///
    /// # Errors
    /// See [`SearchError`]. A failing reranker is an error only if the command line requested it. A failing language model never
    /// is: the answer says so.
    pub fn answer(
        &self,
        store: &dyn Reader,
        model: &Model,
        asked: &ResolvedQuery,
        stage: Option<&PreparedStage<'_>>,
    ) -> Result<SearchAnswer, SearchError> {
        let reason = model.unavailable_reason();
        let former = if asked.query.mode == Mode::Keyword { None } else { self.former(store, model)? };
        let semantics = match (&former, model.embedder(), &reason) {
            (Some(former), ..) => VectorSearch::Model(&**former),
            (None, Some(embedder), _) => VectorSearch::Model(embedder),
            (None, None, Some(reason)) => VectorSearch::Unavailable { reason, report: true },
            (None, None, None) => VectorSearch::Unavailable { reason: "embedding.provider is 'none'", report: false },
        };
        let query = self.of_configured(store, &asked.query)?;
        let mut answer = match stage {
            Some(stage) => stage.search(store, &query, semantics, asked)?,
            None => search::search(store, semantics, &query, &asked.options)?,
        };
        if let Some(former) = &former {
            answer.degrade(Some(self.answered_by_former(store, &**former, model)?));
        }
        if self.settings.config.embedding.provider == Provider::None {
            // Without a model nobody waits for vectors.
            answer.index.pending = 0;
        }
        answer.hits = search::widen(store, answer.hits, asked.window)?;
        if asked.requests {
            search::add_requests(store, &mut answer.hits)?;
        }
        Ok(answer)
    }
}

impl<'s, 'a> Search<'s, 'a> {
    /// Reads the question and what it needs besides the index.
    pub(super) fn new(service: &'s Service<'a>, request: &'s SearchRequest) -> Result<Self> {
        let asked = request.asked(service.app)?;
        let limit = asked.query.limit;
        let today = service.app.environment.clock.today();
        let as_of = request.as_of.as_ref().map(|words| days(words, today)).transpose()?;
        let supersession = Supersession::of(service.app, as_of)?;
        let mut asked = supersession.with_extra_hits(asked);
        if service.app.has_weights() {
            asked.query.limit = asked.query.limit.saturating_add(collection_weights::EXTRA_HITS);
        }
        if asked.query.text.trim().is_empty() && asked.query.filter.is_empty() {
            return Err(SearchError::EmptyQuery.into());
        }
        Ok(Self { service, request, asked, limit, supersession })
    }

    /// Returns the answer of the index, from the daemon or from this process.
    pub(super) fn answer(&self) -> Result<SearchAnswer> {
        let Self { service, request, asked, .. } = self;
        let wanted = StageRequest { expand: request.expand, rerank: request.rerank };
        match service.stage.get(service.app, wanted)? {
            // A second stage takes longer than the service waits for a daemon, so daemons have none.
            Some(_) if service.backend == Backend::Daemon => {
                let message = "the watcher rewords no question and reranks no results".into();
                Err(Refusal { message, hint: "ask for it without the watcher: --reach local".into() }.into())
            }
            Some(stage) => service.local(asked.query.mode, request.sync)?.answer(asked, Some(&stage)),
            None => service.find(asked, request.sync),
        }
    }

    /// Runs the stages that follow on the hits of the answer.
    pub(super) fn run_stages(&self, hits: Vec<Hit>) -> Result<Vec<Hit>> {
        STAGES.iter().try_fold(hits, |hits, stage| stage(self, hits))
    }
}

fn within_budget(search: &Search<'_, '_>, hits: Vec<Hit>) -> Result<Vec<Hit>> {
    Ok(match search.asked.budget {
        Some(budget) => fit(hits, budget, &ApproximateTokens, Breadth::of(&search.asked.query.text)),
        None => hits,
    })
}

fn within_limit(search: &Search<'_, '_>, mut hits: Vec<Hit>) -> Result<Vec<Hit>> {
    hits.truncate(search.limit);
    Ok(hits)
}
