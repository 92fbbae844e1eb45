//! Keeps the messages that a client's plugin hands over, as the transcript of the session.

use std::path::Path;

use tars_agent::client::{HookEvent, HookInput};
use tars_agent::project::Branches;
use tars_service::sessions::KeptTranscripts;
use tars_service::{App, Result};

use super::registry::OpenSession;

/// Keeps the messages of an event, and returns its input with the path of the kept transcript. Nothing is kept in a paused session, and
/// without notes.
pub(super) fn keep(app: &App, input: &HookInput, is_paused: bool) -> HookInput {
    let mut input = input.clone();
    let lines = std::mem::take(&mut input.lines);
    let config = &app.settings.config;
    if input.session.is_empty() || !config.hooks.notes || config.vault.path.is_none() {
        return input;
    }
    let kept = KeptTranscripts::of(app, input.client);
    // Where git shows the branch, a request names the one at this time; other events may hand over older requests.
    let branches =
        (input.event == HookEvent::UserPromptSubmit).then(|| Branches::of(Path::new(&input.directory))).flatten();
    let branch = branches.as_ref().and_then(Branches::current);
    let now = app.environment.clock.timestamp();
    let lines: Vec<_> = lines.into_iter().map(|line| line.dated(now).on_branch(branch)).collect();
    if !is_paused && let Err(error) = kept.append(app, &input.session, &input.directory, &lines) {
        // The note then holds what the event itself says.
        tracing::warn!("the messages of {} are not kept: {error:#}", input.session);
    }
    input.transcript = kept.path(&input.session).to_string_lossy().into_owned();
    input
}

/// Whether the person deleted the session in the client.
pub(super) fn is_deleted(input: &HookInput) -> bool {
    input.client.hands_over_messages() && input.event == HookEvent::SessionEnd && input.source == "deleted"
}

/// Removes the kept transcript of a session that the person deleted. The notes stay: they are the person's.
///
/// # Errors
/// The data directory cannot be written.
pub(super) fn forget(app: &App, input: &HookInput) -> Result<()> {
    KeptTranscripts::of(app, input.client).remove(&input.session);
    OpenSession::record(&app.settings.config.data.dir, input, None)
}
