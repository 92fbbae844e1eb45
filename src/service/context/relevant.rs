//! The search behind a context: only hits that reach the gate, and those below it whose lines may still answer.

use std::collections::HashSet;

use super::intent::{intent, is_foreign, without_little_words};
use super::unprompted::{LineCriteria, gate_share};
use super::{ContextRequest, Intent};
use crate::search::{collection_weights, proposals::is_list};
use crate::{App, Result, SearchRequest, Service};
use tars_agent::project::Branches;
use tars_base::domain::{QuerySyntax, SearchAnswer};
use tars_engine::search::{Breadth, SearchError};

/// Returns the score that a hit must reach to appear as a passage.
pub(super) fn gate(app: &App) -> f64 {
    let search = &app.settings.config.search;
    search.gate.max(search.min_score)
}

impl ContextRequest {
    /// Returns the criteria that select single lines of the hits of an answer.
    pub(super) fn criteria<'r>(
        &'r self,
        answer: &SearchAnswer,
        intent: Intent,
        seen: HashSet<&'r str>,
        branches: Option<&'r Branches>,
    ) -> LineCriteria<'r> {
        let wanted = LineCriteria::new(answer, intent, seen, self.session.as_deref());
        let wanted =
            wanted.within(self.scope(), self.parent()).by_words_if(self.query.as_deref().is_some_and(is_foreign));
        wanted.on(branches.zip(self.own())).in_directory(self.directory.as_deref())
    }

    /// Returns the hits that reach the gate, or the share of it from which on single lines may answer; `None` if the question holds nothing to search for.
    pub(super) fn relevant(&self, service: &Service<'_>, query: &str) -> Result<Option<SearchAnswer>> {
        let config = &service.app.settings.config;
        let Some(collections) = service.app.collections_for_agents(&self.collections) else { return Ok(None) };
        let of_lines = self.brief.or_else(|| self.brings_fact_lines().then(|| intent(query)));
        // A prompt waits for a brief, which holds single lines however many notes the answer is spread over.
        let breadth = if self.brief.is_some() { Breadth::default() } else { Breadth::of(query) };
        let request = SearchRequest {
            query: if self.brief.is_some() { without_little_words(query) } else { query.to_owned() },
            // Several may hold only lists, and of most a block shows one line.
            limit: Some(if self.brief.is_some() { breadth.hits } else { config.search.limit.max(breadth.hits) }),
            min_score: Some(match of_lines {
                Some(intent) => config.search.gate * gate_share(intent),
                None => gate(service.app) * breadth.gate_share,
            }),
            collections,
            // A prompt is not written for tars: `-f` or "…" in it are not operators.
            language: QuerySyntax::Prose,
            project: self.project.clone(),
            // The weights of the words decide about the lines.
            explain: true,
            requests: self.brief.is_none(),
            ..SearchRequest::default()
        };
        let mut asked = request.asked(service.app)?;
        asked.options.features.recency = config.context.recency;
        match service.find(&asked, true) {
            Ok(mut answer) => {
                answer.hits.retain(|hit| !is_list(service.app, hit));
                collection_weights::apply(service.app, &mut answer.hits);
                Ok(Some(answer))
            }
            Err(error) => match error.cause::<SearchError>() {
                Some(SearchError::EmptyQuery | SearchError::NoWords) => Ok(None),
                _ => Err(error),
            },
        }
    }
}
