//! The optional second stage of a search: a language model rewords the question, and a cross-encoder reranks the best hits.
//!
//! Both are slow, and the first sends the question away, so only `tars search` uses them. They are not part of [`ResolvedQuery`], which
//! is the whole question for the daemon, `tars context` and an agent's hooks: whatever the settings say, a hook never uses this module.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use super::ResolvedQuery;
use crate::models::with_hint;
use crate::{App, Result};
use tars_base::domain::{Query, Rewording, SearchAnswer};
use tars_chat::ChatModel;
use tars_chat::tasks::{Task, TaskError, reword};
use tars_embed::{EmbedError, Reranker};
use tars_engine::search::{self, Reworded, SearchError, VectorSearch};
use tars_store::Reader;

/// The stages that the command line requests; the settings may request them too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StageRequest {
    /// Reword the question.
    pub expand: bool,
    /// Rerank the hits.
    pub rerank: bool,
}

/// A loaded second stage.
pub struct SecondStage {
    language_model: Option<Box<dyn ChatModel>>,
    /// The time limit for rewording a question.
    expand_timeout: Duration,
    reranker: Option<Box<dyn Reranker>>,
    /// Number of hits to rerank.
    rerank_hits: usize,
    wanted: StageRequest,
    /// Why parts that the settings request are missing.
    lacks: Vec<String>,
}

/// The second stage that was prepared last, with its options: a batch prepares it only once.
#[derive(Default)]
pub(crate) struct StageSlot(RefCell<Option<(StageRequest, Option<Rc<SecondStage>>)>>);

impl StageSlot {
    pub(super) fn get(&self, app: &App, wanted: StageRequest) -> Result<Option<Rc<SecondStage>>> {
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

impl App {
    /// Returns the second stage that the command line or the settings request; `None` if neither does.
    ///
    /// # Errors
    /// A part that the command line requests is unavailable. A part that only the settings request is skipped, and the answers
    /// say so.
    pub(crate) fn second_stage(&self, wanted: StageRequest) -> Result<Option<SecondStage>> {
        let search = &self.settings.config.search;
        let mut stage = SecondStage {
            language_model: None,
            expand_timeout: search.expand_timeout,
            reranker: None,
            rerank_hits: search.rerank_hits,
            wanted,
            lacks: Vec::new(),
        };
        if wanted.expand || search.expand {
            match self.language_model(Task::Reword) {
                Ok(model) => stage.language_model = Some(model),
                Err(error) if wanted.expand => return Err(error.into()),
                Err(error) => stage.lacks.push(not_reworded(&error)),
            }
        }
        if wanted.rerank || search.rerank {
            match self.reranker() {
                Ok(reranker) => stage.reranker = Some(reranker),
                Err(error) if wanted.rerank => return Err(error.into()),
                Err(error) => stage.lacks.push(not_reranked(&error)),
            }
        }
        let any = stage.language_model.is_some() || stage.reranker.is_some() || !stage.lacks.is_empty();
        Ok(any.then_some(stage))
    }
}

/// The second stage of one question, after its rewording.
pub struct PreparedStage<'a> {
    stage: &'a SecondStage,
    question: Question,
}

impl PreparedStage<'_> {
    /// Searches for the question and its rewording, and reranks the best hits.
    pub(crate) fn search(
        &self,
        store: &dyn Reader,
        query: &Query,
        semantics: VectorSearch<'_>,
        asked: &ResolvedQuery,
    ) -> Result<SearchAnswer, SearchError> {
        let Self { stage, question } = self;
        let query = &stage.widened(query);
        let mut answer = match &question.rewording {
            Some(rewording) => {
                search::search_reworded(store, semantics, Reworded { query, rewording }, &asked.options)?
            }
            None => search::search(store, semantics, query, &asked.options)?,
        };
        if let Some(reranker) = stage.reranker.as_ref().filter(|_| has_words(&question.text))
            && let Err(error) = search::rerank(reranker.as_ref(), &question.text, &mut answer.hits, stage.rerank_hits)
        {
            if stage.wanted.rerank {
                return Err(error.into());
            }
            answer.degraded = joined(answer.degraded.into_iter().chain([not_reranked(&error)]));
        }
        answer.hits.retain(|hit| hit.score >= asked.query.min_score);
        answer.hits.truncate(asked.query.limit);
        answer.degraded = joined(answer.degraded.into_iter().chain(question.lacks.iter().cloned()));
        Ok(answer)
    }
}

/// A question without its operators, and its rewording.
struct Question {
    text: String,
    rewording: Option<Rewording>,
    /// Why parts of the second stage are missing.
    lacks: Vec<String>,
}

impl SecondStage {
    /// Rewords a question with the language model. The caller need not hold a snapshot meanwhile.
    pub fn prepared(&self, query: &Query) -> PreparedStage<'_> {
        PreparedStage { stage: self, question: self.question(query) }
    }

    fn question(&self, query: &Query) -> Question {
        let (text, mut lacks) = (search::plain_text(query), self.lacks.clone());
        // A question without words is a list by filters, or the search refuses it: no model is needed.
        let model = self.language_model.as_ref().filter(|_| has_words(&text));
        let reworded = model.map(|model| reword(model.as_ref(), &text, self.expand_timeout));
        let rewording = reworded.and_then(|result| result.map_err(|error| lacks.push(not_reworded(&error))).ok());
        Question { text, rewording, lacks }
    }

    /// Returns the question with the limits of the first stage: a reranker may lift low hits.
    fn widened(&self, query: &Query) -> Query {
        match self.reranker {
            Some(_) => Query { limit: query.limit.max(self.rerank_hits), min_score: 0.0, ..query.clone() },
            None => query.clone(),
        }
    }
}

fn has_words(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

fn not_reworded(error: &TaskError) -> String {
    with_hint(format!("searched without other words: {error}"), error.hint())
}

fn not_reranked(error: &EmbedError) -> String {
    with_hint(format!("not reranked: {error}"), error.hint())
}

fn joined(lacks: impl Iterator<Item = String>) -> Option<String> {
    let all: Vec<String> = lacks.collect();
    (!all.is_empty()).then(|| all.join("; "))
}
