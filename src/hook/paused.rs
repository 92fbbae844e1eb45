//! Hooks in a paused session: they give no context to the agent and spool no turns.
//!
//! They still spool the end of the session and its compaction, so that the turns before the pause are noted. [`finish`](super::finish())
//! knows the times of the pause and leaves out its turns.

use jiff::Zoned;

use super::spool::Spool;
use tars_agent::client::{HookAnswer, HookInput};
use tars_service::{App, Pause, Result};

/// Returns the pause that the session of this event is in.
///
/// # Errors
/// It is unknown whether there is a pause.
pub(super) fn current(app: &App, input: &HookInput) -> Result<Option<Pause>> {
    app.pauses().current(&input.session, app.environment.clock.timestamp())
}

/// Returns the message to the client, once per session, when the state of the pause is unknown. Hooks then do nothing else.
pub(super) fn unknown_state_message(
    spool: &Spool,
    input: &HookInput,
    error: &tars_service::Error,
) -> Option<HookAnswer> {
    let said = format!("tars shows and notes nothing: {error:#}");
    tracing::warn!("{said}");
    spool.fallback.mark_notified(&format!("pause {}", input.session)).then(|| HookAnswer::message(said))
}

/// Returns the message at the start of a paused session.
pub(super) fn start_message(pause: &Pause, now: &Zoned) -> String {
    let (place, command) = match pause.session {
        Some(_) => ("in this session", "/tars:resume ends that"),
        None => ("in all sessions", "`tars resume --all` ends that"),
    };
    format!("tars is paused {place}{}: it shows and notes nothing; {command}", pause.end(now))
}
