//! Answers queries that consist of filters only: `tag:work` lists the notes with that tag.

use super::SearchError;
use super::answer_line::first_line;
use super::input::Search;
use super::query_syntax::ParsedQuery;
use super::retrieve::hit;
use tars_base::domain::{Hit, SearchAnswer};

impl Search<'_> {
    /// Returns the notes that pass the filters of `parsed`, newest first, each with its first line.
    ///
    /// Every score is 1, because a note either passes the filters or does not. The hits name no retriever.
    pub(super) fn list_by_filters(&self, parsed: ParsedQuery) -> Result<SearchAnswer, SearchError> {
        let Self { store, query, .. } = *self;
        let statistics = store.statistics()?;
        let mut hits: Vec<Hit> = Vec::new();
        if let Some(scope) = store.scope(&parsed.filter)? {
            for file in store.newest(&scope, query.limit)? {
                let first = store.chunk_range(file, 0, 0)?.into_iter().next();
                hits.extend(first.map(|chunk| Hit { score: 1.0, ..hit(first_line(&chunk), chunk) }));
            }
        }
        Ok(SearchAnswer {
            query: query.text.clone(),
            mode: query.mode,
            degraded: None,
            index: self.state(&statistics)?,
            hits,
            explanation: None,
            remarks: parsed.remarks,
        })
    }
}
