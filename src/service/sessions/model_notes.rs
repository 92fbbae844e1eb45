//! Model-made notes of whole sessions: one call to the configured language model when a session ends or is compacted.
//!
//! The rules have noted every turn by then. The model's notes replace those lines where nobody has edited them. If the model fails, the
//! lines stay, their comment names the model, and the person gets one message.

use jiff::Timestamp;

use super::content::{SessionContent, read_session};
use super::day_notes::notes_by_day;
use super::event::SessionEvent;
use super::facts;
use super::forgotten::is_forgotten;
use super::knowledge::ProjectKnowledge;
use super::model_alerts::ModelAlerts;
use super::model_queue::{ModelNotes, ModelQueue, OpenLine};
use super::progress::SessionProgress;
use super::writer::SessionWriter;
use crate::{App, Result, Service, UseCase};
use tars_agent::client::HookEvent;
use tars_agent::digest::{TurnDigest, repeats};
use tars_base::domain::{Outcome, OutcomeKind};
use tars_chat::tasks::{SessionTurn, Task, TaskError, TurnNotes};
use tars_memory::{Bullet, SessionNote, normalized, short_turn};

/// The least number of words of a turn without an outcome about which the model is asked.
const MIN_WORDS: usize = 30;

/// Asks the model about every waiting session. Does nothing while another process does the same.
#[derive(Debug, Clone, Copy)]
pub struct NoteWithModel;

impl UseCase for NoteWithModel {
    type Response = ();

    fn run(&self, service: &Service<'_>) -> Result<()> {
        let queue = ModelQueue::of(service.app);
        while queue.is_waiting() && queue.each(|event| note(service.app, &queue, event))? {}
        Ok(())
    }
}

/// A session as the rules and the model see it.
struct Session {
    content: SessionContent,
    /// The model's input for each turn, by the turn's id.
    turns: Vec<(String, SessionTurn)>,
}

impl Session {
    fn digests(&self) -> &[TurnDigest] {
        self.content.log.digest().turns()
    }
}

fn note(app: &App, queue: &ModelQueue, event: &SessionEvent) -> Result<()> {
    let Some(by) = app.notes_author() else { return Ok(()) };
    if is_forgotten(app, &app.memory_folder()?, &event.session)? {
        return Ok(());
    }
    let session = read(app, event)?;
    let mut known = queue.notes(&event.session)?;
    // A model finds more than the rules, but thanks and their answer need no call.
    let is_of_worth = |(id, turn): &(String, SessionTurn)| {
        let has_outcomes = session.digests().iter().any(|digest| digest.id == *id && !digest.outcomes.is_empty());
        !known.knows(id) && (has_outcomes || turn.words() >= MIN_WORDS)
    };
    if session.turns.iter().any(is_of_worth) {
        match ask(app, event, &session, &mut known) {
            Ok(()) => {
                known.by = by;
                known.is_written = false;
                queue.keep(&event.session, &known)?;
                ModelAlerts::update(app, |alerts| alerts.set_model(None))?;
            }
            Err(error @ TaskError::BudgetSpent { .. }) => {
                let today = app.environment.clock.today();
                return ModelAlerts::update(app, |alerts| {
                    if alerts.is_first_spent(today) {
                        tracing::warn!("sessions keep their extractive notes: {error}");
                    }
                });
            }
            Err(error) => {
                let said = format!("{by} made no notes, and the extractive ones stay: {error}");
                tracing::warn!("{said}");
                ModelAlerts::update(app, |alerts| alerts.set_model(Some(&said)))?;
                let notes = notes_by_rules(app, event, &session, &by);
                return SessionWriter::new(app, event)?.note(&notes);
            }
        }
    }
    if known.is_waiting() {
        SessionWriter::new(app, event)?.note(&notes_by_model(app, event, &session, &known))?;
        write_facts(app, event, &session, &mut known)?;
        let closed = std::mem::take(&mut known.closed);
        if !closed.is_empty() {
            let line = |line: OpenLine| Bullet { id: line.id, file: line.file, ..Bullet::default() };
            let closed: Vec<Bullet> = closed.into_iter().map(line).collect();
            SessionWriter::new(app, event)?.write(|writer| tars_memory::tick(writer, &closed).map(drop))?;
        }
        known.is_written = true;
        known.unwritten.clear();
        queue.keep(&event.session, &known)?;
    }
    Ok(())
}

/// Reads the session up to the moment of the event.
fn read(app: &App, event: &SessionEvent) -> Result<Session> {
    let (mut turns, mut is_complete) = (Vec::new(), true);
    let zone = app.environment.clock.zone();
    let content = read_session(app, event, &mut |turn| {
        turns.push((turn.id.clone(), SessionTurn::new(&short_turn(&turn.id), turn, &zone)));
        is_complete = turn.is_complete;
    })?;
    // The model sees each turn once. A compaction may happen in the middle of an answer, so the incomplete turn waits; and so does a turn
    // whose transcript is gone.
    if content.last.is_none() || (event.kind() == HookEvent::PreCompact && !is_complete) {
        turns.pop();
    }
    Ok(Session { content, turns })
}

/// Asks the model about the turns that it has not seen.
fn ask(app: &App, event: &SessionEvent, session: &Session, known: &mut ModelNotes) -> Result<(), TaskError> {
    let prompt = app.prompt(Task::Notes);
    if let Some(problem) = &prompt.problem {
        tracing::warn!("{problem}");
    }
    if let Err(error) = ModelAlerts::update(app, |alerts| alerts.set_prompt(prompt.problem.as_deref())) {
        tracing::warn!("{error:#}");
    }
    let (ids, turns): (Vec<String>, Vec<SessionTurn>) =
        session.turns.iter().filter(|(id, _)| !known.knows(id)).cloned().unzip();
    let before = ProjectKnowledge::of(app, event, &session.content);
    let notes = app.session_notes(&prompt.instructions, (&before.sent, &turns))?;
    known.prompt = prompt.instructions.version;
    known.unwritten.extend(ids.iter().cloned());
    known.waiting_facts.extend(notes.facts.iter().cloned());
    for id in &ids {
        let said = notes.turns.iter().find(|turn| turn.turn == short_turn(id));
        let supported = |said: &TurnNotes| {
            let is_supported = |outcome: &Outcome| session.content.conversation.supports_outcome(id, outcome);
            let kept = before.with_replaced(said, is_supported);
            // Without any, the model has said nothing about the turn, and the rules' lines stay.
            (said.outcomes.is_empty() || !kept.is_empty()).then_some(kept)
        };
        known.set(id, said.and_then(supported).as_deref());
        known.closed.extend(said.iter().flat_map(|said| before.closed(&session.content, id, said)));
    }
    // The model did not see its own earlier outcomes, so the rules close those that the new turns replace.
    let of_model = |turn: &TurnDigest| {
        let outcomes = known.outcomes(&turn.id).unwrap_or_else(|| turn.outcomes.clone());
        TurnDigest { outcomes, ..turn.clone() }
    };
    let asked: Vec<TurnDigest> = session.digests().iter().filter(|turn| ids.contains(&turn.id)).map(of_model).collect();
    known.close(|turn, open| !ids.iter().any(|id| id == turn) && asked.iter().any(|turn| turn.replaces(open)));
    Ok(())
}

/// Returns the notes of the days on which the model said something about a turn. Turns that it skipped keep the rules' lines.
fn notes_by_model(app: &App, event: &SessionEvent, session: &Session, known: &ModelNotes) -> Vec<SessionNote> {
    let outcomes = |turn: &TurnDigest| {
        let Some(mut outcomes) = known.outcomes(&turn.id) else { return turn.outcomes.clone() };
        // The request's words serve to find the line again.
        if let Some(first) = outcomes.first_mut() {
            let about = turn.outcomes.iter().find_map(|outcome| outcome.about.clone());
            first.about = about.filter(|about| !repeats(&first.text, about));
        }
        outcomes
    };
    let turns = session.digests().iter();
    let mut turns: Vec<TurnDigest> =
        turns.map(|turn| TurnDigest { outcomes: outcomes(turn), ..turn.clone() }).collect();
    say_once(&mut turns);
    let is_made = |note: &SessionNote| note.turns.iter().any(|turn| known.outcomes(&turn.id).is_some());
    let by_model = |note| SessionNote { by: known.by.clone(), prompt: Some(known.prompt.clone()), ..note };
    // Turns with outcomes by the rules are already noted: a line that a person has undone since then must not return.
    let is_silent = |turn: &&TurnDigest| turn.outcomes.is_empty() && known.unwritten.contains(&turn.id);
    let new: Vec<Timestamp> = session.digests().iter().filter(is_silent).filter_map(|turn| turn.at).collect();
    notes_by_day(app, event, (&turns, &session.content.abandoned), &mut session.content.progress.clone(), &|at| {
        new.contains(&at)
    })
    .into_iter()
    .filter(is_made)
    .map(by_model)
    .collect()
}

/// Removes decisions that the model repeats in a later turn.
fn say_once(turns: &mut [TurnDigest]) {
    let mut said: Vec<String> = Vec::new();
    for turn in turns.iter_mut().rev() {
        turn.outcomes.retain(|outcome| {
            let text = normalized(&outcome.text);
            let is_repeated = outcome.kind == OutcomeKind::Decided && said.contains(&text);
            if outcome.kind == OutcomeKind::Decided {
                said.push(text);
            }
            !is_repeated
        });
    }
}

/// Returns the rules' notes, marked with the failure of the model.
fn notes_by_rules(app: &App, event: &SessionEvent, session: &Session, by: &str) -> Vec<SessionNote> {
    let instead = |note| SessionNote { instead_of: Some(by.to_owned()), ..note };
    let turns = (session.digests(), session.content.abandoned.as_slice());
    let notes = notes_by_day(app, event, turns, &mut session.content.progress.clone(), &|_| false);
    notes.into_iter().map(instead).collect()
}

/// Writes the facts that the model returned with its notes, as far as the turns that it saw support them. The facts of a session with too
/// few requests wait until the session grows.
fn write_facts(app: &App, event: &SessionEvent, session: &Session, known: &mut ModelNotes) -> Result<()> {
    if !facts::are_wanted(app, &session.content.conversation) {
        return Ok(());
    }
    let facts = std::mem::take(&mut known.waiting_facts);
    let found = session.content.conversation.supported(&facts, |turn| known.knows(turn));
    // The rules may have written some facts before a model was configured.
    let mut before = SessionProgress::of(app.data_dir()?, &event.session).facts;
    before.extend(known.facts.iter().cloned());
    known.facts.extend(facts::write(&mut SessionWriter::new(app, event)?, event, found, &before)?);
    Ok(())
}
