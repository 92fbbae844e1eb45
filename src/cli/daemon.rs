//! Whether a daemon can answer.

use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::Duration;

use super::terminal;
use crate::app::App;
use crate::daemon::{self, Foreign, Greeting, Request, Response, socket_path};

/// How long a command waits for a daemon before it does without.
const PATIENCE: Duration = Duration::from_millis(600);

/// How long one waits for it to take note of what was written; its events tell it too.
const NOTE: Duration = Duration::from_millis(5);

/// Returns the socket of the daemon of this data directory.
pub(super) fn socket(app: &App) -> PathBuf {
    socket_path(&app.settings.config.data.dir, app.environment.variable("XDG_RUNTIME_DIR").map(Path::new))
}

/// Asks the daemon, if one runs with the same settings and answers soon.
pub(super) fn ask(app: &App, request: &Request) -> Option<Response> {
    said(daemon::ask(&socket(app), Some(&app.fingerprint()), request, PATIENCE))
}

/// Asks the daemon of the data directory, whatever its other settings are.
pub(super) fn ask_any(app: &App, request: &Request, patience: Duration) -> Option<Response> {
    said(daemon::ask(&socket(app), None, request, patience))
}

/// Tells the daemon that the memory folder was written to, if this process has done that. Nothing depends on it.
pub(super) fn tell_written(app: &App) {
    if app.has_written()
        && let Ok(folder) = app.memory_folder()
    {
        ask_any(app, &Request::Written { paths: vec![folder.path().to_owned()] }, NOTE);
    }
}

/// Returns the greeting of the daemon of the data directory, if one runs.
pub(super) fn running(app: &App) -> Option<Greeting> {
    said(daemon::running(&socket(app)))
}

/// Says once that another user is in the daemon's place; the command does without.
fn said<T>(asked: Result<Option<T>, Foreign>) -> Option<T> {
    static SAID: Once = Once::new();
    asked.unwrap_or_else(|foreign| {
        SAID.call_once(|| terminal::warn(&format!("{foreign}; try: {}", foreign.hint())));
        None
    })
}
