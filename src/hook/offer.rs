//! Offers the last unfinished session of the project to one that begins: in one line of tars' own words, and not more.

use std::path::Path;

use super::registry::OpenSession;
use tars_agent::client::HookInput;
use tars_agent::project::Project;
use tars_service::App;
use tars_service::sessions::{LeftSession, handoff_offer};

/// Reasons of a start with which a conversation goes on: the session knows what it did.
const GOES_ON: [&str; 3] = ["resume", "compact", "fork"];

/// Returns the line for a session that begins; `None` if there is nothing to offer. `left` holds the sessions whose client was killed and
/// whose end is only noted now.
pub(super) fn line(app: &App, input: &HookInput, left: &[OpenSession]) -> Option<String> {
    let is_silent = !app.settings.config.hooks.notes || GOES_ON.contains(&input.source.as_str());
    if is_silent || input.directory.is_empty() {
        return None;
    }
    let project = Project::of(Path::new(&input.directory));
    let running = OpenSession::running(&app.settings.config.data.dir);
    let left: Vec<LeftSession<'_>> = left.iter().map(OpenSession::left).collect();
    let others: Vec<&str> = running.iter().map(String::as_str).chain([input.session.as_str()]).collect();
    handoff_offer(app, &project, &others, &left).unwrap_or_else(|error| {
        tracing::warn!("no unfinished session is offered: {error:#}");
        None
    })
}
