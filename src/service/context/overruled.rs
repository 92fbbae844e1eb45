//! Decisions that a later one of their project overrules: the one that holds comes instead, with its day and the words of the old one.
//!
//! Neither words nor embeddings tell reliably whether two decisions are about one matter. So a later decision that is near in meaning comes
//! before the earlier one, both with their days, and the agent judges. Only where the words are nearly the same does the later one stand
//! alone.

use std::rc::Rc;

use jiff::civil::Date;

use super::ProjectRef;
use super::candidate::Candidate;
use super::memory::{Log, Logs, may_hold};
use crate::{SearchRequest, Service, VAULT};
use tars_agent::project::Branches;
use tars_base::domain::{MemoryType, Mode, OutcomeKind, QuerySyntax};
use tars_memory::upkeep::is_same_matter;
use tars_memory::{LogLine, LogProject, day_file, logged_days, names_as_former, normalized, short_form};

/// The least similarity with which a later decision is shown before an earlier one.
const NEAR: f64 = 0.4;
/// Hits of the search for later decisions.
const HITS: usize = 12;
/// Most daily logs to read for later decisions.
const MAX_LOGS: usize = 90;
/// Most decisions of a prompt for which the index is asked for later ones: a person waits.
const MAX_SEARCHES: usize = 2;

/// The daily logs with later decisions, for one prompt.
pub(super) struct DailyLogs<'a> {
    logs: &'a Logs<'a>,
    branches: Option<(&'a Branches, ProjectRef<'a>)>,
    days: Option<Vec<Date>>,
    searches: usize,
}

/// A decision in a daily log.
struct Decision {
    day: Date,
    file: String,
    log: Rc<Log>,
    number: usize,
    text: String,
    heading: String,
}

impl<'a> DailyLogs<'a> {
    /// Reads nothing yet. A decision of a branch that does not hold overrules nothing.
    pub(super) fn new(logs: &'a Logs<'a>, branches: Option<(&'a Branches, ProjectRef<'a>)>) -> Self {
        Self { logs, branches, days: None, searches: 0 }
    }

    /// Returns candidates with overruled decisions replaced by those that hold, or preceded by those that perhaps do.
    pub(super) fn in_force(&mut self, service: &Service<'_>, candidates: Vec<Candidate>) -> Vec<Candidate> {
        let mut found = Vec::new();
        for one in candidates {
            match self.later(service, &one) {
                Some((later, is_sure)) => {
                    let newer = of_decision(service, &one, later, is_sure);
                    found.extend(newer);
                    if !is_sure {
                        found.push(one);
                    }
                }
                None => found.push(one),
            }
        }
        found
    }

    /// Returns the decision that overrules a candidate, and whether that is sure; `None` if the candidate holds or is no decision.
    fn later(&mut self, service: &Service<'_>, one: &Candidate) -> Option<(Decision, bool)> {
        let (day, log, number) = (one.day?, one.log.as_ref()?, *one.numbers.first()?);
        let line = log.lines.iter().find(|line| line.number == number && line.kind == Some(OutcomeKind::Decided))?;
        line.section.anchor.as_ref()?;
        let is_daily = one.hit.memory_type == MemoryType::Daily;
        let after = (day, if is_daily { number } else { usize::MAX });
        let old = line.text_without_request().to_owned();
        let mut later = self.decisions_after(service, &line.section.project.clone(), after);
        // Said again, it still holds.
        if let Some(again) = later.iter().rposition(|decision| normalized(&decision.text) == normalized(&old)) {
            later.drain(..=again);
        }
        let is_sure = |decision: &Decision| {
            names_as_former(&decision.text, Some(day), &old) || is_same_matter(&old, &decision.text)
        };
        if let Some(place) = later.iter().rposition(is_sure) {
            return Some((later.swap_remove(place), true));
        }
        if later.is_empty() || self.searches >= MAX_SEARCHES {
            return None;
        }
        self.searches += 1;
        let place = nearest(service, &old, day, &later)?;
        Some((later.swap_remove(place), false))
    }

    /// Returns the decisions of a project that were noted after a line, oldest first.
    fn decisions_after(&mut self, service: &Service<'_>, project: &LogProject, after: (Date, usize)) -> Vec<Decision> {
        let Ok(folder) = service.app().memory_folder() else { return Vec::new() };
        let days = self.days.get_or_insert_with(|| {
            let mut days = logged_days(&folder).unwrap_or_default();
            days.sort_unstable();
            days
        });
        let days: Vec<Date> = days.iter().rev().take(MAX_LOGS).rev().copied().filter(|day| *day >= after.0).collect();
        let mut found = Vec::new();
        for day in days {
            let Ok(file) = day_file(&folder, day) else { continue };
            let Some(log) = self.logs.read(&file) else { continue };
            let is_meant = |line: &&LogLine| {
                line.kind == Some(OutcomeKind::Decided)
                    && line.section.anchor.is_some()
                    && line.section.project.is_same(project)
                    && !line.is_unconfirmed
                    && may_hold(line, self.branches)
                    && (day, line.number) > after
            };
            for line in log.lines.iter().filter(is_meant) {
                found.push(Decision {
                    day,
                    file: file.clone(),
                    log: Rc::clone(&log),
                    number: line.number,
                    text: line.text_without_request().to_owned(),
                    heading: line.section.heading.clone(),
                });
            }
        }
        found
    }
}

/// Returns the place of the decision that is nearest in meaning to `old`, which was noted on `day`; `None` if none is near.
fn nearest(service: &Service<'_>, old: &str, day: Date, later: &[Decision]) -> Option<usize> {
    let request = SearchRequest {
        query: old.to_owned(),
        mode: Some(Mode::Vector),
        limit: Some(HITS),
        min_score: Some(0.0),
        memory_types: vec![MemoryType::Daily],
        collections: vec![VAULT.to_owned()],
        since: Some(day.to_string()),
        language: QuerySyntax::Prose,
        explain: true,
        ..SearchRequest::default()
    };
    let answer = request.asked(service.app()).and_then(|asked| service.find(&asked, false));
    let hits = answer
        .inspect_err(|error| tracing::debug!("later decisions are not compared by meaning: {error:#}"))
        .map(|answer| answer.hits)
        .unwrap_or_default();
    let folder = service.app().memory_folder().ok()?;
    let near = hits.iter().filter_map(|hit| {
        let similarity = hit.explanation.as_ref()?.similarity?;
        let is_hit = |decision: &Decision| decision.number == hit.line && folder.vault_path(&decision.file) == hit.path;
        Some((later.iter().position(is_hit)?, similarity)).filter(|(_, similarity)| *similarity >= NEAR)
    });
    near.max_by(|one, other| one.1.total_cmp(&other.1)).map(|(place, _)| place)
}

/// Returns a decision as a candidate in the place of `old`, with the old words if it is sure that they no longer hold.
fn of_decision(service: &Service<'_>, old: &Candidate, decision: Decision, is_sure: bool) -> Option<Candidate> {
    let folder = service.app().memory_folder().ok()?;
    let mut hit = old.hit.clone();
    hit.path = folder.vault_path(&decision.file);
    hit.memory_type = MemoryType::Daily;
    hit.date = Some(decision.day);
    hit.line = decision.number;
    hit.heading = decision.heading;
    let day = old.day.map(|day| day.to_string()).unwrap_or_default();
    let before = || format!("before, {day}: {}", short_form(&old.outcome));
    Some(Candidate {
        hit,
        numbers: vec![decision.number],
        worth: old.worth,
        nearness: old.nearness,
        use_factor: old.use_factor,
        scope: old.scope,
        outcome: decision.text,
        kind: Some(OutcomeKind::Decided),
        day: Some(decision.day),
        log: Some(decision.log),
        remark: is_sure.then(before),
    })
}
