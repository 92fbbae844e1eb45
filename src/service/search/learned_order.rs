//! The stage in which the recorded use of lines moves hits a little.

use super::Search;
use super::collection_weights::is_free;
use crate::Result;
use crate::context::about_named_days;
use crate::recall::{Learned, Place, reorder};
use tars_base::domain::Hit;
use tars_engine::search::Breadth;

/// Lets hits whose answering line sessions used pass hits that are little better, on the same side of the gate. No score changes, and no
/// hit comes or goes. Hits that another stage has put in their place stay: superseded lines, those that a reranker read, the logs of named
/// days, lines in order of time, and lists by filters.
pub(super) fn by_use(search: &Search<'_, '_>, hits: Vec<Hit>) -> Result<Vec<Hit>> {
    let Search { service, asked, .. } = search;
    let learned = Learned::of(service.app, asked.query.project.as_deref());
    let is_in_time = asked.budget.is_some() && Breadth::of(&asked.query.text).by_time;
    if !learned.knows_lines() || is_in_time || about_named_days(&asked.query.text, asked.query.today).is_some() {
        return Ok(hits);
    }
    let gate = service.app.settings.config.search.gate;
    let with_factor = |mut hit: Hit| {
        let worth = answering_line(&hit).and_then(|line| learned.worth(&hit.collection, &hit.path, line));
        if let Some(explanation) = &mut hit.explanation {
            explanation.worth = worth;
        }
        (hit, worth.map_or(1.0, |worth| worth.factor))
    };
    let mut hits: Vec<(Hit, f64)> = hits.into_iter().map(with_factor).collect();
    reorder(&mut hits, |(hit, factor)| Place {
        group: is_free(hit).then(|| u32::from(hit.score >= gate)),
        // The order so far follows the weights of the collections.
        score: hit.score * service.app.weight(&hit.collection),
        factor: *factor,
    });
    Ok(hits.into_iter().map(|(hit, _)| hit).collect())
}

fn answering_line(hit: &Hit) -> Option<&str> {
    hit.content.split('\n').nth(hit.line.checked_sub(hit.start_line)?)
}
