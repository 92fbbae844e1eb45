//! What hooks do in a session that is paused: nothing is put before the agent, and nothing of what is said is put aside.
//!
//! The end of the session and its compaction are put aside all the same: the turns before the pause are noted then, and those of
//! the pause are left out, since [`finish`](super::finish()) knows when it was.

use anyhow::Result;
use jiff::Zoned;
use serde_json::Value;

use super::spool::Spool;
use crate::app::{App, Pause};
use crate::client::claude_code::{self, HookInput};

/// Returns the pause that the session of this event is in.
///
/// # Errors
/// It is not known whether there is one.
pub(super) fn current(app: &App, input: &HookInput) -> Result<Option<Pause>> {
    app.pauses().current(&input.session, app.environment.clock.timestamp())
}

/// Returns what the client is to be told where it is not known whether there is a pause, once in a session: nothing else is done.
pub(super) fn unknown(spool: &Spool, input: &HookInput, error: &anyhow::Error) -> Option<Value> {
    let said = format!("tars shows and notes nothing: {error:#}");
    tracing::warn!("{said}");
    spool.fallback.is_first(&format!("pause {}", input.session)).then(|| claude_code::message(&said))
}

/// Returns what a person is told when a session begins that is paused.
pub(super) fn told(pause: &Pause, now: &Zoned) -> String {
    let (place, command) = match pause.session {
        Some(_) => ("in this session", "/tars:resume ends that"),
        None => ("in all sessions", "`tars resume --all` ends that"),
    };
    format!("tars is paused {place}{}: it shows and notes nothing; {command}", pause.end(now))
}
