//! Reads a session from its transcript, up to the moment of an event.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use super::event::SessionEvent;
use super::progress::SessionProgress;
use crate::{App, PausedTimes, Result};
use tars_agent::client::HookEvent;
use tars_agent::client::claude_code::is_own_command;
use tars_agent::digest::TurnDigest;
use tars_agent::transcript::{last_turn_before, turns_before};
use tars_base::domain::{Reading, Turn, TurnEnd};
use tars_chat::tasks::is_own_task;
use tars_memory::SessionLog;
use tars_memory::upkeep::Conversation;

/// Retry limit and pause while waiting for a turn to appear in the transcript.
const MAX_TRIES: u32 = 5;
const RETRY_PAUSE: Duration = Duration::from_millis(200);

/// The turns of a session that tars notes.
pub(super) struct SessionContent {
    /// Their log.
    pub(super) log: SessionLog,
    /// Turns that the person went back behind, with the outcomes that the notes may hold.
    pub(super) abandoned: Vec<TurnDigest>,
    /// Their text, as a source of facts; empty while the session goes on.
    pub(super) conversation: Conversation,
    /// Directory in which the session began. The agent may change directories, but the notes belong to one project.
    pub(super) directory: Option<String>,
    /// Whether the agent did anything in the session.
    pub(super) is_answered: bool,
    /// Whether a turn was left out because tars was paused.
    pub(super) was_paused: bool,
    /// The last turn of the transcript, even one that tars does not note; `None` without a transcript.
    pub(super) last: Option<Turn>,
    /// The progress of the turns, the last one included.
    pub(super) progress: SessionProgress,
    paused: PausedTimes,
}

impl SessionContent {
    /// Returns a session without turns.
    pub(super) fn new(log: SessionLog, paused: PausedTimes) -> Self {
        let (conversation, progress) = Default::default();
        let (directory, last, is_answered, was_paused) = (None, None, false, false);
        let abandoned = Vec::new();
        Self { log, abandoned, conversation, directory, is_answered, was_paused, last, progress, paused }
    }

    /// Adds a turn, unless tars was paused then, a program of tars or the plugin asked, or the person went back behind it. Returns whether it was added.
    pub(super) fn add(&mut self, turn: &Turn) -> bool {
        let is_paused = self.paused.overlaps(turn);
        self.was_paused |= is_paused;
        // A program that makes notes for tars may be an agent with active hooks of its own.
        if is_paused || is_own_task(&turn.request) || is_own_command(&turn.request) {
            return false;
        }
        if turn.is_abandoned {
            self.abandoned.push(self.log.digest_of(turn));
            return false;
        }
        self.is_answered |= turn.is_answered();
        self.directory = self.directory.take().or_else(|| turn.directory.clone());
        self.log.add(turn);
        true
    }
}

/// Reads the session of an event, and passes each turn that tars notes to `each`, in order.
///
/// # Errors
/// The transcript, the pauses or the data directory cannot be read.
pub(super) fn read_session(app: &App, event: &SessionEvent, each: &mut dyn FnMut(&Turn)) -> Result<SessionContent> {
    let path = Path::new(&event.transcript);
    let transcript = path.is_file().then_some(path);
    let log = SessionLog::new(&event.session, transcript, app.environment.clock.zone()).of_client(event.client);
    let mut progress = SessionProgress::of(app.data_dir()?, &event.session);
    let mut content = SessionContent::new(log, app.pauses().times(&event.session)?);
    let mut add = |turn: &Turn| {
        if content.add(turn) {
            content.conversation.add(turn);
            each(turn);
        }
    };
    let Some(path) = transcript else {
        let turn = turn_of_event(event);
        // A failure without a transcript leaves nothing to note.
        if !turn.answer.trim().is_empty() {
            add(&turn);
        }
        return Ok(SessionContent { progress, ..content });
    };
    let end = wait_for_turn(path, event)?;
    // The event ended the last turn, or the turn of the prompt that the client named.
    let mut last: Option<Turn> = None;
    turns_before(path, end, &mut |turn| {
        let Some(turn) = progress.own(turn) else { return ControlFlow::Continue(()) };
        let is_beyond = last.as_ref().is_some_and(|last| is_named(last, event)) && end == u64::MAX;
        if is_beyond {
            return ControlFlow::Break(());
        }
        if let Some(before) = last.replace(turn) {
            add(&before);
        }
        ControlFlow::Continue(())
    })?;
    let mut last = last.unwrap_or_default();
    if event.kind().ends_turn() {
        let said = event.last_message.trim();
        let is_meant =
            event.prompt_id.is_empty() || is_named(&last, event) || (!said.is_empty() && last.answer.contains(said));
        if is_meant && !last.id.is_empty() {
            progress.mark_ended(&mut last);
            end_by_event(&mut last, event);
        } else if !said.is_empty() {
            // An answer without a prompt: something else woke the agent, or the transcript lags behind.
            if !last.id.is_empty() {
                add(&last);
            }
            let before = last.reading;
            last = turn_of_event(event);
            last.reading = last.reading.max(before);
        }
    }
    // The client may end, or be killed, in the middle of an answer. No later event reports that turn's end.
    if event.kind() == HookEvent::SessionEnd && progress.lacks_end(&last) {
        progress.mark_cut_off(&last.id);
        last.end = TurnEnd::Interrupted;
    }
    if !last.id.is_empty() {
        add(&last);
    }
    if last.end == TurnEnd::Interrupted && progress.is_cut_off(&last.id) {
        content.log.cut_off(&last.id);
    }
    Ok(SessionContent { last: Some(last), progress, ..content })
}

/// Sets the end of a turn from the event.
fn end_by_event(turn: &mut Turn, event: &SessionEvent) {
    if event.kind() == HookEvent::StopFailure {
        // The message comes from the client and describes a failure of the server.
        turn.end = TurnEnd::Failed;
        return;
    }
    if !turn.answer.trim_end().ends_with(event.last_message.trim()) {
        // The transcript lags behind, or there is none, so nobody knows which tools came before the last message.
        turn.reading = turn.reading.max(Reading::Unknown);
    }
    turn.append_closing(&event.last_message);
}

/// Returns the turn of which only the event is known.
fn turn_of_event(event: &SessionEvent) -> Turn {
    let mut turn = Turn { at: Some(event.at), directory: Some(event.directory.clone()), ..Turn::default() };
    end_by_event(&mut turn, event);
    turn.id.clone_from(&event.prompt_id);
    if turn.id.is_empty() {
        // An arbitrary id that stays the same whenever this event is noted.
        turn.id = event.at.as_millisecond().to_string();
    }
    turn
}

fn is_named(turn: &Turn, event: &SessionEvent) -> bool {
    !event.prompt_id.is_empty() && turn.has_id(&event.prompt_id)
}

/// Returns how far to read the transcript: to its length at the time of the event if it held the turn by then, else to the end. Waits for
/// a turn that the client has not written yet.
fn wait_for_turn(path: &Path, event: &SessionEvent) -> Result<u64> {
    let mut end = event.transcript_length;
    if !event.kind().ends_turn() || event.prompt_id.is_empty() {
        return Ok(end);
    }
    for _ in 0..MAX_TRIES {
        if last_turn_before(path, end)?.is_some_and(|turn| is_named(&turn, event)) {
            return Ok(end);
        }
        end = u64::MAX;
        std::thread::sleep(RETRY_PAUSE);
    }
    Ok(end)
}
