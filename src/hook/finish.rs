//! Spooled events to notes.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use super::spool::Spooled;
use crate::app::App;
use crate::client::claude_code::HookEvent;
use crate::domain::Turn;
use crate::memory::{SessionLog, TurnNote, logged_sessions, note_turn, write_session_log};
use crate::project::project_of;
use crate::transcript;

/// How often, and how long apart, a transcript is looked into for a turn that it should hold.
const LOOKS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(200);

/// Makes the note or the log that an event asks for. What is written already is not written again.
///
/// # Errors
/// The memory folder cannot be written, or the transcript not be read.
pub fn finish(app: &App, spooled: &Spooled) -> Result<()> {
    match spooled.event() {
        HookEvent::Stop => note(app, spooled),
        HookEvent::PreCompact | HookEvent::SessionEnd => log(app, spooled),
        _ => Ok(()),
    }
}

fn note(app: &App, spooled: &Spooled) -> Result<()> {
    let turn = turn(spooled)?;
    let notes = app.summarize(&turn);
    if let Some(failure) = &notes.failure {
        tracing::warn!("the summary of a turn was made without a model: {failure}");
    }
    let time = turn.at.unwrap_or(spooled.at).to_zoned(app.environment.clock.zone()).datetime();
    let note = TurnNote {
        session: spooled.session.clone(),
        turn: turn.id,
        project: project_of(Path::new(&spooled.directory)),
        time,
        transcript: Some(spooled.transcript.clone()).filter(|path| !path.is_empty()),
        bullets: notes.bullets,
        by: notes.by,
        instead_of: notes.instead_of,
    };
    let folder = app.memory_folder()?;
    note_turn(&mut app.hook_writer(&folder, &spooled.session)?, &note)?;
    Ok(())
}

/// Writes the log of the session as far as it has come; one that a person has edited is left as it is.
fn log(app: &App, spooled: &Spooled) -> Result<()> {
    let path = Path::new(&spooled.transcript);
    if !path.is_file() {
        return Ok(());
    }
    let mut log = SessionLog::new(&spooled.session, Some(path), app.environment.clock.zone());
    let mut answered = false;
    transcript::turns(path, &mut |turn| {
        answered |= turn.is_answered();
        log.add(&turn);
        ControlFlow::Continue(())
    })?;
    // A session in which nothing was done needs no log.
    if answered {
        let folder = app.memory_folder()?;
        let mut writer = app.hook_writer(&folder, &spooled.session)?;
        // Under the lock: an import may be writing logs too.
        let mut logged = logged_sessions(&folder)?;
        write_session_log(&mut writer, &log, &mut logged)?;
    }
    Ok(())
}

/// Returns the turn of the prompt that the client named. Where it has not written it down yet, that is waited for.
fn in_transcript(path: &Path, spooled: &Spooled) -> Result<Turn> {
    let is_meant = |turn: &Turn| spooled.prompt_id.is_empty() || turn.id == spooled.prompt_id;
    let mut end = spooled.transcript_length;
    for _ in 0..LOOKS {
        if let Some(turn) = transcript::last_turn_before(path, end)?.filter(is_meant) {
            return Ok(turn);
        }
        end = u64::MAX;
        std::thread::sleep(PAUSE);
    }
    // A client that does not write the prompt's id down: then what the agent said last must tell.
    let said = spooled.last_message.trim();
    let says_so = |turn: &Turn| !said.is_empty() && turn.answer.contains(said);
    Ok(transcript::last_turn(path)?.filter(says_so).unwrap_or_default())
}

/// Returns the turn that an event ended: the last one that stood in the transcript then, with the agent's last message,
/// which the transcript may have lacked. Without a transcript the message is all there is.
fn turn(spooled: &Spooled) -> Result<Turn> {
    let path = Path::new(&spooled.transcript);
    let mut turn = if path.is_file() { in_transcript(path, spooled)? } else { Turn::default() };
    turn.conclude(&spooled.last_message);
    if !spooled.prompt_id.is_empty() {
        turn.id.clone_from(&spooled.prompt_id);
    }
    if turn.id.is_empty() {
        // As good a name as any, and the same whenever this event is finished.
        turn.id = spooled.at.as_millisecond().to_string();
    }
    Ok(turn)
}
