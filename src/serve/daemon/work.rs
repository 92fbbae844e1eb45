//! The loop that keeps the index equal to the files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::engine::lock;
use super::lifetime::Client;
use super::schedule::{Job, Schedule};
use super::server::Server;
use super::slice::Slice;
use super::throttle::{self, Throttle};
use super::{DaemonLock, Engine};
use tars_engine::index::{IndexLock, Report, RunPart};
use tars_service::{Context, ENGINE, IndexScope, Result, places};
use tars_vault::watch::{Batch, EventSource, EventSourceOptions, InboxWork, PendingChanges};

/// Pause before the next attempt to take the index lock from another process.
const RETRY_PAUSE: Duration = Duration::from_millis(250);
/// Interval of checks whether an obstacle is gone: a missing root, a busy machine.
const RECHECK_PAUSE: Duration = Duration::from_secs(2);

/// Options of a daemon.
pub struct WatchOptions<'a> {
    /// The socket path to listen on.
    pub socket: &'a Path,
    /// Called once when the daemon listens.
    pub ready: &'a dyn Fn(),
}

/// Watches and answers until a client stops the engine or its lifetime ends. The caller's lock guarantees that no other daemon works on
/// the same data.
///
/// # Errors
/// The socket cannot be made, or no vault is set.
pub fn watch(_lock: &DaemonLock, engine: &Arc<Engine>, options: &WatchOptions<'_>) -> Result<()> {
    engine.app.roots()?;
    engine.app.data_dir()?;
    // Creates the index early: a question before the first note is indexed gets "nothing yet" instead of "no index".
    if let Err(error) = ENGINE.open(&engine.app.database()) {
        tracing::warn!(%error, "the index cannot be used");
    }
    let mut work = Loop::new(engine, options.socket);
    // Everything counts as pending until the first comparison.
    work.publish(PendingChanges::of(&work.todo));
    let _server = Server::start(options.socket, engine)
        .with_context(|| format!("cannot listen on {}", options.socket.display()))?;
    (options.ready)();
    // Only this thread lowers its priority (Linux). The answering threads, and a process that replaces this one by exec, keep the normal
    // one.
    thread::scope(|scope| {
        scope.spawn(|| {
            throttle::step_back();
            work.run();
        });
    });
    Ok(())
}

struct Loop<'a> {
    engine: &'a Arc<Engine>,
    /// Folder of the cookies: beside the socket, owned by this user.
    cookies: PathBuf,
    throttle: Throttle,
    source: Option<EventSource>,
    /// Paths still to be compared.
    todo: Batch,
    /// Whether passages still need vectors.
    backlog: bool,
    schedule: Schedule,
    /// Why events are unavailable; kept so that the log states it once.
    events_unavailable: Option<String>,
    /// Why embedding is paused; kept so that the log states it once.
    paused: Option<String>,
}

impl<'a> Loop<'a> {
    fn new(engine: &'a Arc<Engine>, socket: &Path) -> Self {
        let watch = &engine.app.settings.config.watch;
        let now = Instant::now();
        let mut schedule = Schedule::default();
        schedule.set(Job::Reconcile, now + watch.reconcile);
        schedule.set(Job::Listen, now);
        schedule.set(Job::Index, now);
        Self {
            engine,
            cookies: socket.with_extension("cookies"),
            throttle: Throttle { max_load: watch.max_load, pause_on_battery: watch.pause_on_battery },
            source: None,
            todo: Batch { everything: true, since: Some(now), ..Batch::default() },
            backlog: true,
            schedule,
            events_unavailable: None,
            paused: None,
        }
    }

    fn run(&mut self) {
        self.listen();
        if self.engine.app.settings.config.embedding.provider == tars_config::Provider::Onnx {
            self.engine.prepare();
            self.engine.warm_up();
        }
        self.engine.update_status(|status| status.ready = true);
        while !self.engine.is_stopping() {
            self.take_due();
            let now = Instant::now();
            if lock(&self.engine.lifetime).has_ended(now, Client::is_running) {
                tracing::info!("nobody needs the watcher any more");
                break;
            }
            if self.schedule.is_due(Job::Reconcile, now) {
                self.reconcile();
            }
            if self.schedule.is_due(Job::Index, now) && (!self.todo.is_empty() || self.may_embed()) {
                self.slice();
            } else {
                self.rest();
            }
        }
    }

    /// Takes the due changes, and those that a question waits for.
    fn take_due(&mut self) {
        let InboxWork { batch, question_waits: is_asked, scan_requested: look } = self.engine.inbox.take();
        if look {
            self.reconcile();
        }
        if let Some(batch) = batch {
            lock(&self.engine.lifetime).record_use(Instant::now());
            self.todo.merge(batch);
        }
        if is_asked {
            // A waiting question justifies an early retry.
            self.schedule.set(Job::Index, Instant::now());
        }
        if self.todo.is_empty() {
            self.engine.inbox.release_questions();
        }
    }

    /// Starts to listen to events, if the settings want them and the system offers them.
    fn listen(&mut self) {
        let app = &self.engine.app;
        let config = &app.settings.config;
        let started = match (config.watch.polling, app.roots()) {
            (tars_config::Polling::Always, _) => None,
            (tars_config::Polling::Auto, Ok(roots)) => {
                // The system does not report what happens behind links below a root.
                let links = app.walk_options().follow_links.into_iter().filter(|link| link.is_dir());
                let roots = roots.into_iter().map(|root| root.path).chain(links).collect();
                let (extensions, cookies) = (app.note_extensions(), self.cookies.clone());
                let options = EventSourceOptions { roots, extensions, cookies };
                Some(EventSource::start(&options, &self.engine.inbox).map_err(|error| error.to_string()))
            }
            (tars_config::Polling::Auto, Err(error)) => Some(Err(error.to_string())),
        };
        self.source = match started {
            Some(Ok(source)) => {
                self.events_unavailable = None;
                Some(source)
            }
            Some(Err(reason)) => {
                let every = config.watch.poll.as_secs();
                if self.events_unavailable.as_ref() != Some(&reason) {
                    tracing::warn!("{reason}; until this is fixed, tars checks for changes every {every} s");
                }
                self.events_unavailable = Some(reason.clone());
                self.engine.update_status(|status| status.problem = Some(reason));
                // An attempt walks all folders, so it is rare, unless a root was missing.
                let pause = if self.roots_are_there() { config.watch.reconcile } else { Duration::ZERO };
                self.schedule.set(Job::Listen, Instant::now() + pause);
                None
            }
            None => None,
        };
        self.publish_events();
        self.schedule.bring_forward(Job::Reconcile, Instant::now() + self.interval());
    }

    /// Returns the time between two full comparisons.
    fn interval(&self) -> Duration {
        let watch = &self.engine.app.settings.config.watch;
        if self.source.is_some() { watch.reconcile } else { watch.poll.min(watch.reconcile) }
    }

    /// Compares everything by stat data alone: an up-to-date index costs no model and no write.
    fn reconcile(&mut self) {
        self.schedule.set(Job::Reconcile, Instant::now() + self.interval());
        let compared = self.engine.with_store(|store| {
            let compared = self.engine.app.compared(store, true)?;
            Ok((places(&compared.differences), store.snapshot()?.pending_file_count()? > 0))
        });
        match compared {
            Ok((paths, backlog)) => {
                if !paths.is_empty() {
                    let paths = paths.into_iter().collect();
                    self.todo.merge(Batch { paths, everything: false, since: Some(Instant::now()) });
                }
                self.backlog |= backlog;
            }
            Err(error) => {
                tracing::debug!(%error, "the index could not be compared: everything is read again");
                self.todo.merge(Batch { everything: true, since: Some(Instant::now()), ..Batch::default() });
            }
        }
        self.relisten();
    }

    /// Listens again when a missing root is back, or another folder has replaced a root.
    fn relisten(&mut self) {
        let auto = self.engine.app.settings.config.watch.polling == tars_config::Polling::Auto;
        if self.source.as_ref().is_some_and(EventSource::is_stale) {
            self.source = None;
            self.schedule.set(Job::Listen, Instant::now());
            self.publish_events();
        }
        let due = self.source.is_none() && self.schedule.is_due(Job::Listen, Instant::now());
        if auto && due && self.roots_are_there() {
            self.engine.update_status(|status| status.problem = None);
            self.listen();
            if self.source.is_some() {
                // Changes between the comparison and this moment raised no event.
                self.engine.inbox.record_everything();
            }
        }
    }

    fn roots_are_there(&self) -> bool {
        let roots = self.engine.app.roots().unwrap_or_default();
        roots.iter().all(|root| std::fs::read_dir(&root.path).is_ok())
    }

    fn may_embed(&mut self) -> bool {
        if !self.backlog {
            return false;
        }
        let pause = self.throttle.pause().map(str::to_owned);
        if pause.is_some() && pause != self.paused {
            tracing::info!("embedding is paused: {}", pause.as_deref().unwrap_or_default());
        }
        self.paused = pause;
        self.paused.is_none()
    }

    /// Waits until something may be due.
    fn rest(&mut self) {
        let now = Instant::now();
        // Work that is still pending here is blocked by a failure or by the throttle.
        let waits = !self.todo.is_empty() || self.backlog;
        let pause = if self.paused.is_some() { RECHECK_PAUSE } else { RETRY_PAUSE };
        let recheck = waits.then(|| self.schedule.due(Job::Index).unwrap_or(now).max(now + pause));
        self.schedule.set(Job::Recheck, recheck);
        self.schedule.set(Job::Unload, self.engine.unload_idle_model(now));
        let look = lock(&self.engine.lifetime).next_check();
        self.schedule.set(Job::Lifetime, look.map(|pause| now + pause));
        // Pending work cannot proceed now, so waiting questions are released.
        self.engine.inbox.release_questions();
        self.engine.inbox.wait(self.schedule.time_until_next(now));
    }

    /// Indexes for one slice.
    fn slice(&mut self) {
        let batch = std::mem::take(&mut self.todo);
        self.publish(PendingChanges::of(&batch));
        if self.source.as_mut().is_some_and(|source| !source.wait_until_watched()) {
            tracing::warn!("the system's file watcher does not answer: starting another one and comparing everything");
            self.schedule.set(Job::Reconcile, Instant::now());
        }
        let progress = Slice::new(self.engine, self.throttle, &batch);
        match self.index(&batch, &progress) {
            Ok(Some(report)) if report.roots_missing > 0 => self.handle_missing_root(&batch, &report),
            Ok(Some(report)) => self.done(batch, &report, &progress),
            Ok(None) => {
                // Another process is indexing; the loop does the rest afterwards.
                self.todo.merge(batch);
                self.schedule.set(Job::Index, Instant::now() + RETRY_PAUSE);
            }
            // The text is indexed; only vectors are missing.
            Err(error) if progress.is_searchable() && self.engine.missing_warning().is_none() => {
                self.backlog = true;
                self.failed(Batch::default(), &error);
            }
            Err(error) => self.failed(batch, &error),
        }
        // While a root is missing, everything is retried again and again: that is no pending change.
        let is_retry = progress.is_searchable() && self.engine.missing_warning().is_some();
        self.publish(if is_retry { PendingChanges::default() } else { PendingChanges::of(&self.todo) });
    }

    /// Publishes the pending work.
    fn publish(&self, in_hand: PendingChanges) {
        self.engine.inbox.set_in_hand(in_hand);
    }

    /// Publishes how changes are noticed.
    fn publish_events(&self) {
        let (events, cookies) = (self.source.is_some(), self.source.as_ref().and_then(EventSource::cookies));
        self.engine.update_status(|status| (status.events, status.cookies) = (events, cookies));
    }

    /// Indexes a batch, or continues with the backlog if the batch is empty. `None`: another process holds the lock.
    fn index(&self, batch: &Batch, progress: &Slice<'_>) -> Result<Option<Report>> {
        let app = &self.engine.app;
        let Some(lock) = IndexLock::try_acquire(app.data_dir()?)? else {
            return Ok(None);
        };
        let part = if batch.is_empty() { RunPart::Vectors } else { RunPart::Both };
        let request = IndexScope { paths: batch.paths.iter().cloned().collect(), part, ..IndexScope::default() };
        app.index(&lock, &request, &self.engine.model(), progress).map(Some)
    }

    fn done(&mut self, batch: Batch, report: &Report, progress: &Slice<'_>) {
        self.schedule.succeeded(Job::Index);
        if self.source.is_some() {
            self.engine.update_status(|status| status.problem = None);
        }
        if report.interrupted && !progress.is_searchable() {
            // Unread notes come first in the next slice.
            self.todo.merge(batch);
        }
        if report.set_aside.is_some() {
            // This slice began to rebuild a damaged index: everything it did not reach must still be read.
            self.todo.merge(Batch { everything: true, since: Some(Instant::now()), ..Batch::default() });
        }
        // A pending passage that could not be embedded (its file changed meanwhile) returns with its own event.
        self.backlog = report.pending > 0 && (report.embedded > 0 || report.interrupted);
        let changed = report.added + report.changed + report.moved + report.removed;
        if changed + report.embedded > 0 {
            tracing::info!(
                new = report.added,
                changed = report.changed,
                moved = report.moved,
                removed = report.removed,
                embedded = report.embedded,
                waiting = report.pending,
                "indexed"
            );
        }
        self.relisten();
    }

    /// Handles a missing root. Nothing is lost: everything is compared when it is back.
    fn handle_missing_root(&mut self, batch: &Batch, report: &Report) {
        self.source = None;
        self.schedule.set(Job::Listen, Instant::now());
        self.backlog = report.pending > 0;
        let again = Batch { everything: true, since: batch.since, ..Batch::default() };
        self.schedule.postpone(Job::Index, Instant::now() + RECHECK_PAUSE);
        self.keep_for_later(again, report.warnings.join("; "));
    }

    fn failed(&mut self, batch: Batch, error: &tars_service::Error) {
        self.schedule.failed(Job::Index, Instant::now());
        self.keep_for_later(batch, format!("{error:#}"));
    }

    /// Keeps a failed batch for later, and logs the first failure in a row.
    fn keep_for_later(&mut self, batch: Batch, problem: String) {
        self.todo.merge(batch);
        if self.schedule.failures(Job::Index) == 1 {
            tracing::warn!("{problem}; tars will retry");
        }
        self.engine.update_status(|status| status.problem = Some(problem));
        self.publish_events();
    }
}
