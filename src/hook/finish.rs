//! Notes the sessions of spooled events.

use std::time::{Duration, Instant};

use super::spool;
use tars_service::sessions::{NoteSession, NoteWithModel};
use tars_service::{Daemon, Result, Service, UseCase};

/// How long a process waits for another one that makes notes.
const LOCK_TIMEOUT: Duration = Duration::from_secs(3);
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Notes the sessions of all spooled events, then asks the model about the sessions that wait for it.
///
/// # Errors
/// The data directory cannot be written.
pub fn finish(service: &Service<'_>) -> Result<()> {
    let app = service.app();
    let spool = spool(app);
    let started = Instant::now();
    // Another process that makes notes may have checked the spool for the last time before our event arrived.
    while started.elapsed() < LOCK_TIMEOUT && spool.is_waiting() {
        if let Some(lock) = spool.lock()? {
            // A failed event waits for another process, because a retry at once would fail again. The watcher gets one report for all.
            lock.each(|event| NoteSession { event }.run(service));
            break;
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    Daemon::of(app).report_write();
    // A model is slow: it runs after the rule-based notes are written, and does not block the turns of other sessions.
    service.call(&NoteWithModel)
}
