//! The unfinished sessions, and the one line with which the start of a session offers the last of its project.

use std::path::Path;

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp, ToSpan};

use super::progress::SessionProgress;
use crate::{App, Result};
use tars_agent::project::Project;
use tars_agent::transcript::last_turn;
use tars_base::domain::{TurnEnd, pluralize};
use tars_memory::{LastEnd, LogProject, RecentLine, RecentSession, Unfinished, recent_sessions, short_session};
use tars_vault::MemoryFolder;

/// Days after which a session counts as finished, as far as the start of a session shows open ends.
pub(super) const DAYS: i64 = 21;
/// Days of notes to read for an offer: a person waits for the start of a session.
const OFFER_DAYS: i64 = 7;
/// How long an unfinished session is offered.
const OFFERED_FOR: SignedDuration = SignedDuration::from_hours(24);

/// An unfinished session.
pub(crate) struct UnfinishedSession {
    /// The session.
    pub(crate) session: RecentSession,
    /// Why it is unfinished; never empty.
    pub(crate) reasons: Vec<Unfinished>,
    /// Its open ends, oldest first.
    pub(crate) open_ends: Vec<RecentLine>,
}

/// Returns the unfinished sessions of the last 21 days, the last ended first.
///
/// # Errors
/// A file of the memory folder cannot be read.
pub(crate) fn unfinished_sessions(folder: &MemoryFolder, today: Date) -> Result<Vec<UnfinishedSession>> {
    unfinished_since(folder, today.saturating_sub(DAYS.days()), &|_| true)
}

/// Returns the unfinished sessions since a day in the projects that `is_meant` selects, the last ended first.
fn unfinished_since(
    folder: &MemoryFolder,
    since: Date,
    is_meant: &dyn Fn(&LogProject) -> bool,
) -> Result<Vec<UnfinishedSession>> {
    let all = recent_sessions(folder, since, is_meant)?;
    let unfinished = |session: &RecentSession| {
        let reasons = session.unfinished(&all);
        let open_ends = session.open_ends(&all).into_iter().cloned().collect();
        (!reasons.is_empty()).then(|| UnfinishedSession { session: session.clone(), reasons, open_ends })
    };
    Ok(all.iter().filter_map(unfinished).collect())
}

/// Returns the names of reasons in JSON.
pub(crate) fn reason_names(reasons: &[Unfinished]) -> Vec<&'static str> {
    let name = |reason: &Unfinished| match reason {
        Unfinished::OpenEnds => "open_ends",
        Unfinished::LastTurn(LastEnd::CutOff) => "cut_off",
        Unfinished::LastTurn(end) => end.as_str(),
    };
    reasons.iter().map(name).collect()
}

/// Returns how a last turn ended, in words.
pub(super) fn end_words(end: LastEnd) -> &'static str {
    match end {
        LastEnd::Answered => "answered",
        LastEnd::Interrupted => "interrupted",
        LastEnd::Failed => "the model's server failed",
        LastEnd::CutOff => "in mid-task",
        LastEnd::Unanswered => "without an answer",
    }
}

/// Returns the reasons in words: `2 open ends, interrupted`.
pub(super) fn reasons_in_words(reasons: &[Unfinished], open_ends: usize) -> String {
    let words = |reason: &Unfinished| match reason {
        Unfinished::OpenEnds => pluralize(open_ends, "open end"),
        Unfinished::LastTurn(end) => end_words(*end).to_owned(),
    };
    reasons.iter().map(words).collect::<Vec<_>>().join(", ")
}

/// A session that its client left behind without an end.
#[derive(Debug, Clone, Copy)]
pub struct LeftSession<'a> {
    /// Its id, as the client gives it.
    pub id: &'a str,
    /// Its transcript.
    pub transcript: &'a Path,
    /// Its working directory.
    pub directory: &'a Path,
}

/// Returns the line that offers the last unfinished session of a project to one that begins now; `None` if there is none of the last day.
/// The sessions with the ids `others` are not offered: the one that begins, and those that still run. `left` holds sessions that nothing
/// noted since their client was killed. The line holds no words of a note.
///
/// # Errors
/// A file of the memory folder cannot be read.
pub fn handoff_offer(
    app: &App,
    project: &Project,
    others: &[&str],
    left: &[LeftSession<'_>],
) -> Result<Option<String>> {
    let (folder, now) = (app.memory_folder()?, app.environment.clock.now());
    let is_other = |id: &str| others.contains(&id);
    let mut broken = left.iter().filter(|one| !is_other(one.id) && Project::of(one.directory).key == project.key);
    if let Some(id) = broken.find_map(|one| one.cut_off_id(app, now.timestamp())) {
        return Ok(Some(line("", &id, end_words(LastEnd::CutOff))));
    }
    let since = now.date().saturating_sub(OFFER_DAYS.days());
    let found = unfinished_since(&folder, since, &|of| of.is(&project.name, Some(&project.key)))?;
    // Clocks of other machines may be ahead.
    let is_recent = |one: &UnfinishedSession| now.datetime().duration_since(one.session.ended) < OFFERED_FOR;
    let is_offered = |one: &&UnfinishedSession| is_recent(one) && !others.iter().any(|id| one.session.is_of(id));
    Ok(found.iter().find(is_offered).map(|UnfinishedSession { session, reasons, open_ends }| {
        let client = session.client.map(|client| format!(" in {}", client.name())).unwrap_or_default();
        let ended = session.ended.strftime("%Y-%m-%d %H:%M");
        line(&format!("{client} until {ended}"), &session.id, &reasons_in_words(reasons, open_ends.len()))
    }))
}

fn line(where_and_when: &str, id: &str, why: &str) -> String {
    let id = short_session(id);
    format!(
        "An earlier session of this project{where_and_when} is unfinished ({why}): offer the user to go on with it; `tars handoff {id}` shows its state."
    )
}

impl LeftSession<'_> {
    /// Returns the id if the last turn was broken off less than a day ago.
    fn cut_off_id(&self, app: &App, now: Timestamp) -> Option<String> {
        let turn = last_turn(self.transcript).ok()??;
        let progress = SessionProgress::of(&app.settings.config.data.dir, self.id);
        let is_broken = turn.end != TurnEnd::Answered || progress.lacks_end(&turn);
        let is_recent = turn.ended.or(turn.at).is_some_and(|at| now.duration_since(at) < OFFERED_FOR);
        let is_paused = app.pauses().times(self.id).map_or(true, |paused| paused.overlaps(&turn));
        (is_broken && is_recent && !is_paused).then(|| self.id.to_owned())
    }
}
