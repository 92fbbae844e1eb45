//! Notes a session by rules after an event.

use super::asked_open_ends::set_aside_asked;
use super::content::read_session;
use super::day_notes::notes_by_day;
use super::event::SessionEvent;
use super::facts;
use super::forgotten::is_forgotten;
use super::model_queue::ModelQueue;
use super::open_ends::close_open_ends;
use super::progress::SessionProgress;
use super::proposals::propose;
use super::quotes::Quotes;
use super::writer::SessionWriter;
use crate::{Result, Service, UseCase};
use tars_agent::digest::TurnDigest;
use tars_memory::{SessionLog, logged_sessions, write_session_log};

/// Writes the notes of a session after an event; if the event ends or compacts the session, also its log, its facts and proposals, and
/// then the session waits for the model in the settings. Lines that are already written are not repeated.
#[derive(Debug, Clone, Copy)]
pub struct NoteSession<'a> {
    /// The event.
    pub event: &'a SessionEvent,
}

impl UseCase for NoteSession<'_> {
    type Response = ();

    fn run(&self, service: &Service<'_>) -> Result<()> {
        let Self { event } = self;
        let app = service.app;
        if !event.kind().is_noted() {
            return Ok(());
        }
        if is_forgotten(app, &app.memory_folder()?, &event.session)? {
            return Ok(());
        }
        let goes_on = event.kind().ends_turn();
        let mut quotes = Quotes::of(app, &event.session);
        let mut session = read_session(app, event, &mut |turn| {
            quotes.search_answer(turn, turn.ended.or(turn.at).unwrap_or(event.at));
        })?;
        if let Some(last) = &session.last {
            if goes_on {
                // The transcript may lag behind the hook that reported the answer.
                quotes.search_answer(last, event.at);
            }
            quotes.save();
        }
        if !goes_on {
            app.update_uses();
        }
        let mut event = SessionEvent::clone(event);
        event.directory = session.directory.unwrap_or(event.directory);
        if session.was_paused {
            // The client's summary covers the whole conversation, the paused part included.
            event.summary.clear();
        }
        let mut writes = SessionWriter::new(app, &event)?;
        let mut progress = note_days(&mut writes, &event, (&session.log, &session.abandoned), session.progress)?;
        // A model that makes the notes returns the facts in the same call.
        let has_model = app.notes_author().is_some();
        if !has_model {
            facts::note_by_rules(&mut writes, &event, &session.conversation, session.log.digest().turns())?;
            progress = SessionProgress::of(app.data_dir()?, &event.session);
        }
        // A session without any work needs no log.
        if goes_on || !session.is_answered {
            return Ok(());
        }
        // The log must not fail for it.
        if let Err(error) = set_aside_asked(&mut writes) {
            tracing::warn!("no old open end was set aside: {error:#}");
        }
        session.log.summarize(&progress.summary);
        let was_logged = progress.is_logged;
        let is_logged = writes.write(|writer| {
            // Read under the lock: an import may be writing logs too.
            let mut logged = logged_sessions(writer.folder())?;
            let was_removed = was_logged && !logged.contains_key(&event.session);
            Ok(!was_removed && write_session_log(writer, &session.log, &mut logged)?.is_some())
        })?;
        let is_new = is_logged && !was_logged;
        if is_new {
            progress.is_logged = true;
            progress.save(app.data_dir()?, &event.session)?;
        }
        // Failed proposals must not fail the noting of the session.
        if let Some(error) = is_new.then(|| propose(&mut writes, &event)).and_then(Result::err) {
            tracing::warn!("nothing was proposed for the project's page and the person's section: {error:#}");
        }
        if has_model {
            ModelQueue::of(app).put(&SessionEvent { attempts: 0, ..event })?;
        }
        Ok(())
    }
}

/// Writes the outcomes of the session's turns into the daily logs, and returns the session's new progress.
fn note_days(
    writes: &mut SessionWriter<'_>,
    event: &SessionEvent,
    (log, abandoned): (&SessionLog, &[TurnDigest]),
    mut progress: SessionProgress,
) -> Result<SessionProgress> {
    let app = writes.app;
    let data = app.data_dir()?;
    let noted_until = progress.noted_until;
    let is_new = |at| noted_until.is_none_or(|until| at > until);
    let turns = log.digest().turns();
    let notes = notes_by_day(app, event, (turns, abandoned), &mut progress, &is_new);
    writes.note(&notes)?;
    let new: Vec<&TurnDigest> = turns.iter().filter(|turn| turn.at.is_some_and(is_new)).collect();
    for note in &notes {
        let is_here = |turn: &&TurnDigest| note.turns.iter().any(|noted| noted.id == turn.id);
        close_open_ends(writes, note, &new.iter().copied().filter(is_here).collect::<Vec<_>>())?;
    }
    // A turn without outcomes may still get some, when an agent that works in the background continues it.
    let noted = turns.iter().filter(|turn| !turn.outcomes.is_empty());
    progress.noted_until = progress.noted_until.max(noted.filter_map(|turn| turn.at).max());
    if !event.summary.is_empty() {
        progress.summary.clone_from(&event.summary);
    }
    if progress != SessionProgress::of(data, &event.session) {
        progress.save(data, &event.session)?;
    }
    Ok(progress)
}
