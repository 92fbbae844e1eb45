//! The daemon as another process of the same user sees it.

use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::Duration;

use super::protocol::{Request, Response};
use crate::app::App;
use crate::domain::SAID;
use crate::ipc::{self, Foreign, Greeting, socket_path};

/// How long a command waits for a daemon before it does without.
const PATIENCE: Duration = Duration::from_millis(600);
/// How long one waits for it to take note of what was written; its events tell it too.
const NOTE: Duration = Duration::from_millis(5);

/// The daemon of a data directory, which need not run.
#[derive(Clone, Copy)]
pub struct Daemon<'a> {
    app: &'a App,
}

impl<'a> Daemon<'a> {
    /// Returns the daemon of the data directory that `app` uses.
    pub fn of(app: &'a App) -> Self {
        Self { app }
    }

    /// Returns the path of its socket.
    pub fn socket(&self) -> PathBuf {
        let runtime_dir = self.app.environment.variable("XDG_RUNTIME_DIR").map(Path::new);
        socket_path(&self.app.settings.config.data.dir, runtime_dir)
    }

    /// Asks it, if it runs with the same settings and answers soon.
    pub fn ask(&self, request: &Request) -> Option<Response> {
        self.exchange(Some(&self.app.fingerprint()), request, PATIENCE)
    }

    /// Asks it, whatever its other settings are.
    pub fn ask_any(&self, request: &Request, patience: Duration) -> Option<Response> {
        self.exchange(None, request, patience)
    }

    /// Tells it that the memory folder was written to, if this process has done that since it told it last. Nothing depends on it.
    pub fn tell_written(&self) {
        if let Some(paths) = self.written() {
            self.ask_any(&Request::Written { paths }, NOTE);
        }
    }

    /// Returns what was written to since this was asked last; `None` if nothing was.
    pub(super) fn written(&self) -> Option<Vec<PathBuf>> {
        let folder = self.app.take_written().then(|| self.app.memory_folder())?.ok()?;
        Some(vec![folder.path().to_owned()])
    }

    /// Returns its greeting, if it runs.
    pub fn running(&self) -> Option<Greeting> {
        said(ipc::running(&self.socket()))
    }

    fn exchange(&self, settings: Option<&str>, request: &Request, patience: Duration) -> Option<Response> {
        match said(ipc::ask(&self.socket(), settings, request, patience))? {
            Response::Failed(reason) => {
                tracing::debug!(reason, "the daemon could not answer");
                None
            }
            answer => Some(answer),
        }
    }
}

/// Says once that another user is in the daemon's place; the caller does without.
fn said<T>(asked: Result<Option<T>, Foreign>) -> Option<T> {
    static ONCE: Once = Once::new();
    asked.unwrap_or_else(|foreign| {
        ONCE.call_once(|| tracing::warn!(target: SAID, "{foreign}; try: {}", foreign.hint()));
        None
    })
}
