//! Converts the turns of a session into notes, one per day and project.

use jiff::Timestamp;
use jiff::civil::Date;

use super::event::SessionEvent;
use super::progress::{SeenProject, SessionProgress};
use crate::App;
use tars_agent::digest::TurnDigest;
use tars_memory::{EXTRACTIVE, NotedTurn, SessionNote};

/// Returns the rule-based notes of these turns of a session, one per day and project, with the `abandoned` turns of the days. A turn belongs
/// to the project of its own working directory. `is_new` tells whether
/// the turn that began at this time is unnoted so far.
pub(super) fn notes_by_day(
    app: &App,
    event: &SessionEvent,
    (turns, abandoned): (&[TurnDigest], &[TurnDigest]),
    progress: &mut SessionProgress,
    is_new: &dyn Fn(Timestamp) -> bool,
) -> Vec<SessionNote> {
    let zone = app.environment.clock.zone();
    let mut notes: Vec<(Date, SessionNote)> = Vec::new();
    let all = turns.iter().map(|turn| (turn, false)).chain(abandoned.iter().map(|turn| (turn, true)));
    for (TurnDigest { id, at, directory, branch, outcomes, wording, .. }, is_abandoned) in all {
        let at = at.unwrap_or(event.at);
        let time = at.to_zoned(zone.clone()).datetime();
        let project = progress.project_of(directory.as_deref().unwrap_or(&event.directory));
        let is_of = |(day, note): &(Date, SessionNote)| {
            *day == time.date() && note.project_key.as_deref() == Some(project.key.as_str())
        };
        let place = notes.iter().position(is_of).unwrap_or_else(|| {
            notes.push((time.date(), empty_note(event, &project)));
            notes.len() - 1
        });
        let note = &mut notes[place].1;
        let list = if is_abandoned { &mut note.abandoned } else { &mut note.turns };
        list.push(NotedTurn {
            id: id.clone(),
            time,
            branch: branch.clone(),
            outcomes: outcomes.clone(),
            wording: wording.clone(),
            is_new: is_new(at),
        });
    }
    notes.sort_by_key(|(day, _)| *day);
    notes.into_iter().map(|(_, note)| note).collect()
}

fn empty_note(event: &SessionEvent, project: &SeenProject) -> SessionNote {
    SessionNote {
        session: event.session.clone(),
        project: project.name.clone(),
        project_key: Some(project.key.clone()),
        turns: Vec::new(),
        abandoned: Vec::new(),
        by: EXTRACTIVE.into(),
        prompt: None,
        instead_of: None,
    }
}
