//! The stage that puts the logs of named days first.

use crate::Result;

use super::ResolvedQuery;
use super::Search;
use crate::context::about_named_days;
use tars_base::domain::{Filter, Hit, MemoryType, Query, QuerySyntax};

/// Puts the logs of the days first that a question asks about ("what did we decide on Monday?"): they hold the answer, whatever
/// their words are. Questions with filters of their own stay unchanged.
pub(super) fn logs_first(search: &Search<'_, '_>, mut hits: Vec<Hit>) -> Result<Vec<Hit>> {
    let query = &search.asked.query;
    let Some(when) = about_named_days(&query.text, query.today).filter(|_| query.filter.is_empty()) else {
        return Ok(hits);
    };
    let filter = Filter { memory_types: vec![MemoryType::Daily], dates: Some(when.days()), ..Filter::default() };
    // A query of filters alone lists everything that matches them.
    let text = format!("type:{}", MemoryType::Daily.as_str());
    let list = Query { text, filter, language: QuerySyntax::Query, explain: false, ..query.clone() };
    let mut logs = search.service.find(&ResolvedQuery { query: list, ..search.asked.clone() }, false)?.hits;
    for hit in &mut logs {
        let line = when.line(search.service, hit).filter(|line| (hit.start_line..=hit.end_line).contains(line));
        hit.line = line.unwrap_or(hit.line);
    }
    hits.retain(|hit| logs.iter().all(|log| log.id != hit.id));
    hits.splice(0..0, logs);
    hits.truncate(query.limit);
    Ok(hits)
}
