//! The daemon, as another process of the same user sees it.

mod fingerprint;
pub mod protocol;

use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::Duration;

use crate::App;
use crate::protocol::{Request, Response};
use tars_base::domain::USER_NOTICE;
use tars_base::ipc::{self, ForeignSocketError, Greeting, socket_path};

/// How long a command waits for a daemon before it answers by itself.
pub(crate) const ANSWER_TIMEOUT: Duration = Duration::from_millis(600);
/// How long a command waits for the daemon to acknowledge a write; its file events report the write too.
const NOTIFY_TIMEOUT: Duration = Duration::from_millis(5);

/// The daemon of a data directory. It need not be running.
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

    /// Sends a request if the daemon runs with the same settings and answers soon.
    pub fn ask(&self, request: &Request) -> Option<Response> {
        self.exchange(Some(&self.app.fingerprint()), request, ANSWER_TIMEOUT)
    }

    /// Sends a request to the daemon, whatever its settings are.
    pub fn ask_any(&self, request: &Request, patience: Duration) -> Option<Response> {
        self.exchange(None, request, patience)
    }

    /// Reports a write to the memory folder, if this process has written since its last report. Nothing depends on the report.
    pub fn report_write(&self) {
        if let Some(paths) = self.written() {
            self.ask_any(&Request::Written { paths }, NOTIFY_TIMEOUT);
        }
    }

    /// Returns the places that were written since the last call; `None` if there are none.
    pub(crate) fn written(&self) -> Option<Vec<PathBuf>> {
        let folder = self.app.take_written().then(|| self.app.memory_folder())?.ok()?;
        Some(vec![folder.path().to_owned()])
    }

    /// Returns the daemon's greeting, if it runs.
    pub fn running(&self) -> Option<Greeting> {
        said(ipc::read_greeting(&self.socket()))
    }

    fn exchange(&self, settings: Option<&str>, request: &Request, patience: Duration) -> Option<Response> {
        match said(ipc::request(&self.socket(), settings, request, patience))? {
            Response::Failed(reason) => {
                tracing::debug!(reason, "the daemon could not answer");
                None
            }
            answer => Some(answer),
        }
    }
}

/// Warns once if another user owns the daemon's socket; the caller goes on without the daemon.
fn said<T>(asked: Result<Option<T>, ForeignSocketError>) -> Option<T> {
    static ONCE: Once = Once::new();
    asked.unwrap_or_else(|foreign| {
        ONCE.call_once(|| tracing::warn!(target: USER_NOTICE, "{foreign}; try: {}", foreign.hint()));
        None
    })
}
