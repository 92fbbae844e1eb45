//! Turns spooled events into notes.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use super::day_notes::notes_by_day;
use super::model_queue::ModelQueue;
use super::open_ends::close_open_ends;
use super::proposals::propose;
use super::quotes::Quotes;
use super::session_facts;
use super::session_progress::SessionProgress;
use super::session_writer::SessionWriter;
use super::spool::SpooledEvent;
use tars_agent::client::claude_code::{HookEvent, is_own_command};
use tars_agent::digest::TurnDigest;
use tars_agent::transcript;
use tars_base::domain::{Turn, TurnEnd};
use tars_chat::tasks::is_own_task;
use tars_memory::upkeep::Conversation;
use tars_memory::{SessionLog, logged_sessions, note_session, write_session_log};
use tars_service::App;

/// Retry limit and pause while waiting for a turn to appear in the transcript.
const MAX_TRIES: u32 = 5;
const RETRY_PAUSE: Duration = Duration::from_millis(200);

/// Writes the notes and the session log of an event. Lines that are already written are not repeated.
///
/// # Errors
/// The memory folder cannot be written, or the transcript cannot be read.
pub fn finish(app: &App, spooled: &SpooledEvent) -> Result<()> {
    if !spooled.event().is_noted() {
        return Ok(());
    }
    let SessionState { mut log, conversation, directory, is_answered, was_paused, progress } = session(app, spooled)?;
    let mut spooled = spooled.clone();
    spooled.directory = directory.unwrap_or(spooled.directory);
    if was_paused {
        // The client's summary covers the whole conversation, the paused part included.
        spooled.summary.clear();
    }
    let spooled = &spooled;
    let mut writes = SessionWriter::new(app, &spooled.session)?;
    let mut progress = note(&mut writes, spooled, &log, progress)?;
    // A session without any work needs no log.
    if !spooled.event().ends_turn() && is_answered {
        log.summarize(&progress.summary);
        let was_logged = progress.is_logged;
        let is_logged = writes.write(|writer| {
            // Read under the lock: an import may be writing logs too.
            let mut logged = logged_sessions(writer.folder())?;
            let was_removed = was_logged && !logged.contains_key(&spooled.session);
            Ok(!was_removed && write_session_log(writer, &log, &mut logged)?.is_some())
        })?;
        let is_new = is_logged && !was_logged;
        if is_new {
            progress.is_logged = true;
            progress.save(app.data_dir()?, &spooled.session)?;
        }
        // A model that makes the notes returns the facts in the same call.
        if app.notes_author().is_none() {
            session_facts::note_by_rules(&mut writes, spooled, &conversation, log.digest().turns())?;
        }
        // Failed proposals must not fail the noting of the session.
        if let Some(error) = is_new.then(|| propose(&mut writes, spooled)).and_then(Result::err) {
            tracing::warn!("nothing was proposed for the project's page and the person's section: {error:#}");
        }
        ModelQueue::of(app).put(app, spooled)?;
    }
    Ok(())
}

/// Writes the outcomes of the session's turns into the daily logs, and returns the session's new progress.
fn note(
    writes: &mut SessionWriter<'_>,
    spooled: &SpooledEvent,
    log: &SessionLog,
    mut progress: SessionProgress,
) -> Result<SessionProgress> {
    let app = writes.app;
    let data = app.data_dir()?;
    let is_new = |at| progress.noted_until.is_none_or(|until| at > until);
    let turns = log.digest().turns();
    let notes = notes_by_day(app, spooled, turns, &is_new);
    for note in &notes {
        writes.write(|writer| note_session(writer, note))?;
    }
    let new: Vec<&TurnDigest> = turns.iter().filter(|turn| turn.at.is_some_and(is_new)).collect();
    if let Some(note) = notes.last() {
        close_open_ends(writes, note, &new)?;
    }
    // A turn without outcomes may still get some, when an agent that works in the background continues it.
    let noted = turns.iter().filter(|turn| !turn.outcomes.is_empty());
    progress.noted_until = progress.noted_until.max(noted.filter_map(|turn| turn.at).max());
    if !spooled.summary.is_empty() {
        progress.summary.clone_from(&spooled.summary);
    }
    if progress != SessionProgress::of(data, &spooled.session) {
        progress.save(data, &spooled.session)?;
    }
    Ok(progress)
}

/// A session up to the moment of an event.
struct SessionState {
    log: SessionLog,
    /// The text that facts may rest on.
    conversation: Conversation,
    /// Directory in which the session began. The agent may change directories, but the notes belong to one project.
    directory: Option<String>,
    /// Whether the agent did anything in the session.
    is_answered: bool,
    /// Whether a turn was left out because tars was paused.
    was_paused: bool,
    /// SessionProgress of the turns, the last one included.
    progress: SessionProgress,
}

fn session(app: &App, spooled: &SpooledEvent) -> Result<SessionState> {
    let path = Path::new(&spooled.transcript);
    let transcript = path.is_file().then_some(path);
    let mut log = SessionLog::new(&spooled.session, transcript, app.environment.clock.zone());
    let mut conversation = Conversation::default();
    let mut directory = None;
    let (mut is_answered, mut was_paused) = (false, false);
    let mut progress = SessionProgress::of(app.data_dir()?, &spooled.session);
    let paused = app.pauses().times(&spooled.session)?;
    let mut quotes = Quotes::of(app, &spooled.session);
    let mut add = |turn: &Turn| {
        let is_paused = paused.overlaps(turn);
        was_paused |= is_paused;
        // A program that makes notes for tars may be an agent with active hooks of its own.
        if is_paused || is_own_task(&turn.request) || is_own_command(&turn.request) {
            return;
        }
        quotes.search_answer(turn, turn.ended.or(turn.at).unwrap_or(spooled.at));
        is_answered |= turn.is_answered();
        directory = directory.take().or_else(|| turn.directory.clone());
        log.add(turn);
        if !spooled.event().ends_turn() {
            conversation.add(turn);
        }
    };
    let Some(path) = transcript else {
        let mut turn = Turn { at: Some(spooled.at), directory: Some(spooled.directory.clone()), ..Turn::default() };
        conclude(&mut turn, spooled);
        // A failure without a transcript leaves nothing to note.
        if !turn.answer.trim().is_empty() {
            add(&turn);
        }
        return Ok(SessionState { log, conversation, directory, is_answered, was_paused, progress });
    };
    let end = wait_for_turn(path, spooled)?;
    // The event ended the last turn, or the turn of the prompt that the client named.
    let mut last: Option<Turn> = None;
    transcript::turns_before(path, end, &mut |turn| {
        let Some(turn) = progress.own(turn) else { return ControlFlow::Continue(()) };
        let is_beyond = last.as_ref().is_some_and(|last| is_named(last, spooled)) && end == u64::MAX;
        if is_beyond {
            return ControlFlow::Break(());
        }
        if let Some(before) = last.replace(turn) {
            add(&before);
        }
        ControlFlow::Continue(())
    })?;
    let mut last = last.unwrap_or_default();
    if spooled.event().ends_turn() {
        let said = spooled.last_message.trim();
        let is_meant = spooled.prompt_id.is_empty()
            || is_named(&last, spooled)
            || (!said.is_empty() && last.answer.contains(said));
        if is_meant && !last.id.is_empty() {
            progress.mark_ended(&mut last);
            end_by_event(&mut last, spooled);
        } else if !said.is_empty() {
            // An answer without a prompt: something else woke the agent, or the transcript lags behind.
            if !last.id.is_empty() {
                add(&last);
            }
            last = Turn { at: Some(spooled.at), directory: Some(spooled.directory.clone()), ..Turn::default() };
            conclude(&mut last, spooled);
        }
    }
    // The client may end, or be killed, in the middle of an answer. No later event reports that turn's end.
    if spooled.event() == HookEvent::SessionEnd && progress.lacks_end(&last) {
        progress.mark_cut_off(&last.id);
        last.end = TurnEnd::Interrupted;
    }
    if !last.id.is_empty() {
        add(&last);
    }
    if spooled.event().ends_turn() {
        // The transcript may lag behind the hook that reported the answer.
        quotes.search_answer(&last, spooled.at);
    }
    quotes.save();
    Ok(SessionState { log, conversation, directory, is_answered, was_paused, progress })
}

/// Sets the end of a turn from the event.
fn end_by_event(turn: &mut Turn, spooled: &SpooledEvent) {
    if spooled.event() == HookEvent::StopFailure {
        // The message comes from the client and describes a failure of the server.
        turn.end = TurnEnd::Failed;
    } else {
        turn.append_closing(&spooled.last_message);
    }
}

fn conclude(turn: &mut Turn, spooled: &SpooledEvent) {
    end_by_event(turn, spooled);
    turn.id.clone_from(&spooled.prompt_id);
    if turn.id.is_empty() {
        // An arbitrary id that stays the same whenever this event is finished.
        turn.id = spooled.at.as_millisecond().to_string();
    }
}

fn is_named(turn: &Turn, spooled: &SpooledEvent) -> bool {
    !spooled.prompt_id.is_empty() && turn.has_id(&spooled.prompt_id)
}

/// Returns how far to read the transcript: to its length at the time of the event if it held the turn by then, else to the end. Waits for
/// a turn that the client has not written yet.
fn wait_for_turn(path: &Path, spooled: &SpooledEvent) -> Result<u64> {
    if !spooled.event().ends_turn() || spooled.prompt_id.is_empty() {
        return Ok(spooled.transcript_length);
    }
    let mut end = spooled.transcript_length;
    for _ in 0..MAX_TRIES {
        if transcript::last_turn_before(path, end)?.is_some_and(|turn| is_named(&turn, spooled)) {
            return Ok(end);
        }
        end = u64::MAX;
        std::thread::sleep(RETRY_PAUSE);
    }
    Ok(end)
}
