//! Converts the turns of a session into notes, one per day.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;
use jiff::civil::Date;

use super::event::SessionEvent;
use crate::App;
use tars_agent::digest::TurnDigest;
use tars_agent::project::Project;
use tars_memory::{EXTRACTIVE, NotedTurn, SessionNote};

/// Returns the rule-based notes of these turns of a session, one per day. `is_new` tells whether the turn that began at this time is
/// unnoted so far.
pub(super) fn notes_by_day(
    app: &App,
    event: &SessionEvent,
    turns: &[TurnDigest],
    is_new: &dyn Fn(Timestamp) -> bool,
) -> Vec<SessionNote> {
    let zone = app.environment.clock.zone();
    let mut days: BTreeMap<Date, Vec<NotedTurn>> = BTreeMap::new();
    for TurnDigest { id, at, outcomes, .. } in turns {
        let at = at.unwrap_or(event.at);
        let time = at.to_zoned(zone.clone()).datetime();
        let turn = NotedTurn { id: id.clone(), time, outcomes: outcomes.clone(), is_new: is_new(at) };
        days.entry(time.date()).or_default().push(turn);
    }
    let project = Project::of(Path::new(&event.directory));
    let note = |turns: Vec<NotedTurn>| SessionNote {
        session: event.session.clone(),
        project: project.name.clone(),
        project_key: Some(project.key.clone()),
        turns,
        by: EXTRACTIVE.into(),
        prompt: None,
        instead_of: None,
    };
    days.into_values().map(note).collect()
}
