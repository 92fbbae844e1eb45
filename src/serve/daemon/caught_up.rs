//! Catching up before an answer: everything that happened on disk before the question is in the index, or the answer says that it is not.

use std::path::PathBuf;
use std::time::Instant;

use super::Engine;
use super::engine::lock;
use tars_service::{CATCH_UP, missing_notes_remark};

impl Engine {
    /// Waits a short while until the index covers every change made before this call. Returns the warning for the answer, if any.
    ///
    /// Where the system delivers its events in order, a cookie proves that they have all arrived; elsewhere the loop checks the disk. The
    /// loop then indexes the pending changes at once, without the debounce.
    pub(super) fn catch_up(&self) -> Option<String> {
        let until = Instant::now() + CATCH_UP;
        let (cookies, missing) = {
            let status = lock(&self.loop_status);
            (status.cookies.clone(), status.missing_warning.is_some())
        };
        // Mounting or unmounting a file system raises no event.
        if self.app.roots_hold_something() == missing {
            self.inbox.record_everything();
        }
        let (events_are_here, look) = match cookies.map(|cookies| cookies.wait(until)) {
            Some(Ok(here)) => (here, false),
            Some(Err(error)) => {
                tracing::debug!(%error, "no cookie can be created: checking the disk instead");
                (true, true)
            }
            None => (true, true),
        };
        let caught_up = self.inbox.catch_up(look, until) && events_are_here;
        let late = (!caught_up).then(|| {
            let waiting = self.inbox.pending();
            missing_notes_remark(if waiting.everything { 0 } else { waiting.places })
        });
        let said: Vec<String> = self.missing_warning().into_iter().chain(late).collect();
        (!said.is_empty()).then(|| said.join("; "))
    }

    /// Returns the warning about missing folders, if there are any.
    pub(super) fn missing_warning(&self) -> Option<String> {
        lock(&self.loop_status).missing_warning.clone()
    }

    /// Queues paths that another process has just written, without waiting for their events.
    pub(super) fn queue_written(&self, paths: &[PathBuf]) {
        let roots = self.app.roots().unwrap_or_default();
        let known = |path: &&PathBuf| roots.iter().any(|root| path.starts_with(&root.path));
        self.inbox.record_complete(paths.iter().filter(known).cloned());
    }
}
