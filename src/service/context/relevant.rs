//! The search behind a context: only hits that reach the gate.

use super::intent::without_little_words;
use super::unprompted::gate_share;
use super::{BRIEF_HITS, ContextRequest, superseded_lines};
use crate::{Result, SearchRequest, Service};
use tars_base::domain::{QuerySyntax, SearchAnswer};
use tars_engine::search::SearchError;

impl ContextRequest {
    /// Returns the hits that reach the gate; `None` if the question holds nothing to search for.
    pub(super) fn relevant(&self, service: &Service<'_>, query: &str) -> Result<Option<SearchAnswer>> {
        let config = &service.app.settings.config;
        let request = SearchRequest {
            query: if self.brief.is_some() { without_little_words(query) } else { query.to_owned() },
            limit: self.brief.map(|_| BRIEF_HITS),
            min_score: Some(match self.brief {
                Some(intent) => config.search.gate * gate_share(intent),
                None => config.search.gate.max(config.search.min_score),
            }),
            collections: self.collections.clone(),
            // A prompt is not written for tars: `-f` or "…" in it are not operators.
            language: QuerySyntax::Prose,
            project: self.project.clone(),
            // The weights of the words decide about the lines.
            explain: true,
            ..SearchRequest::default()
        };
        let mut asked = request.asked(service.app)?;
        asked.options.features.recency = config.context.recency;
        match service.find(&asked, true) {
            Ok(mut answer) => {
                answer.hits.retain(|hit| !superseded_lines::is_hidden_from_agents(service.app, hit));
                Ok(Some(answer))
            }
            Err(error) => match error.cause::<SearchError>() {
                Some(SearchError::EmptyQuery | SearchError::NoWords) => Ok(None),
                _ => Err(error),
            },
        }
    }
}
