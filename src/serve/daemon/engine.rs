//! The state shared by the threads of a daemon, and the answers it gives.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::lifetime::{Client, Lifetime};
use tars_base::domain::{Mode, SearchAnswer};
use tars_base::ipc::{Greeting, PROTOCOL};
use tars_embed::{TextKind, Threads};
use tars_engine::search::{expand, note};
use tars_service::protocol::{Request, Response, WatchState};
use tars_service::{App, Freshness, InProcessDaemon, Model, ResolvedQuery, Result, bail};
use tars_store::{Index, Store};
use tars_vault::watch::{Cookies, Inbox};

/// The shared state of a daemon.
pub struct Engine {
    pub(super) app: App,
    pub(super) inbox: Arc<Inbox>,
    pub(super) lifetime: Mutex<Lifetime>,
    settings: String,
    stop: AtomicBool,
    /// Whether the command that started the daemon can start it again.
    is_restartable: bool,
    restart: AtomicBool,
    started: Instant,
    answered: AtomicU64,
    model: Mutex<Slot>,
    /// Whether the model is in memory. [`Engine::model`] holds the lock of the model while it loads one, and a status must not wait for that.
    model_loaded: AtomicBool,
    stores: Mutex<Pool>,
    pub(super) loop_status: Mutex<LoopStatus>,
}

/// The model, if it is loaded.
struct Slot {
    model: Option<Arc<Model>>,
    /// The stamp of the prepared model at load time.
    stamp: Option<(u64, SystemTime)>,
    used: Instant,
}

/// Idle open connections, all to the same database file.
struct Pool {
    inode: u64,
    stores: Vec<Index>,
}

/// The indexing loop's report on itself.
#[derive(Debug, Clone, Default)]
pub(super) struct LoopStatus {
    /// Whether the loop has started its work.
    pub(super) ready: bool,
    /// Whether the system delivers file events.
    pub(super) events: bool,
    /// Show how far the events have come; only where the system delivers them in order.
    pub(super) cookies: Option<Arc<Cookies>>,
    /// The warning about missing folders.
    pub(super) missing_warning: Option<String>,
    /// The reason why the loop cannot work.
    pub(super) problem: Option<String>,
}

/// Idle connections kept open.
const MAX_IDLE_STORES: usize = 4;

impl Engine {
    /// Creates the engine of a daemon that lives for the processes `clients` (see `tars watch --help`).
    pub fn new(app: App, idle_exit: Option<Duration>, clients: &[u32]) -> Self {
        let now = Instant::now();
        let living = clients.iter().filter_map(|pid| Client::of_process(*pid)).collect();
        Self {
            settings: app.fingerprint(),
            inbox: Arc::new(Inbox::new(app.settings.config.watch.debounce)),
            app,
            lifetime: Mutex::new(Lifetime::new(idle_exit, !clients.is_empty(), living, now)),
            stop: AtomicBool::new(false),
            is_restartable: false,
            restart: AtomicBool::new(false),
            started: now,
            answered: AtomicU64::new(0),
            model: Mutex::new(Slot { model: None, stamp: None, used: now }),
            model_loaded: AtomicBool::new(false),
            stores: Mutex::new(Pool { inode: 0, stores: Vec::new() }),
            loop_status: Mutex::new(LoopStatus::default()),
        }
    }

    /// Allows clients to request a restart, which the caller carries out.
    pub fn restartable(self) -> Self {
        Self { is_restartable: true, ..self }
    }

    /// Returns the processes that the daemon lives for, if a client requested a restart.
    pub fn restart_clients(&self) -> Option<Vec<u32>> {
        self.restart.load(Ordering::SeqCst).then(|| lock(&self.lifetime).pids())
    }

    /// Makes the daemon end at the next safe point.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
        self.inbox.wake();
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    pub(super) fn greeting(&self) -> Greeting {
        Greeting {
            tars: env!("CARGO_PKG_VERSION").into(),
            protocol: PROTOCOL,
            pid: std::process::id(),
            settings: self.settings.clone(),
        }
    }

    /// Returns the app that the daemon serves.
    pub fn app(&self) -> &App {
        &self.app
    }

    /// Indexes the changes made before a question, and returns a warning about those it could not index.
    fn up_to_date(&self) -> Result<Option<String>> {
        if !lock(&self.loop_status).ready {
            bail!("the watcher is still starting");
        }
        Ok(self.catch_up())
    }

    /// Answers from the index as it is. `said` precedes the other warnings of the answer.
    fn search(&self, asked: &ResolvedQuery, said: Option<String>) -> Result<SearchAnswer> {
        let model = match asked.query.mode {
            Mode::Keyword => Arc::new(Model::Off),
            Mode::Hybrid | Mode::Vector => self.model(),
        };
        let mut answer = self.with_store(|store| Ok(self.app.answer(&*store.snapshot()?, &model, asked, None)?))?;
        let (pending, lag_ms) = self.behind();
        Freshness { pending, lag_ms, said }.date(&mut answer);
        self.answered.fetch_add(1, Ordering::Relaxed);
        Ok(answer)
    }

    fn note_use(&self) {
        lock(&self.lifetime).record_use(Instant::now());
    }

    /// Returns the number of changed paths that are not indexed yet, and the waiting time of the oldest in milliseconds.
    fn behind(&self) -> (usize, u64) {
        let mut waiting = self.inbox.pending();
        // While a root is missing, the loop repeats full comparisons: those are not pending changes.
        waiting.everything &= self.missing_warning().is_none();
        let lag = waiting.since.map_or(0, |oldest| u64::try_from(oldest.elapsed().as_millis()).unwrap_or(u64::MAX));
        (waiting.count(), lag)
    }

    fn state(&self) -> WatchState {
        let (pending, lag_ms) = self.behind();
        let status = lock(&self.loop_status).clone();
        WatchState {
            pid: std::process::id(),
            uptime_seconds: self.started.elapsed().as_secs(),
            events: status.events,
            model_loaded: self.model_loaded.load(Ordering::SeqCst),
            pending,
            lag_ms,
            clients: lock(&self.lifetime).clients(),
            answered: self.answered.load(Ordering::Relaxed),
            problem: status.problem,
            listen: None,
        }
    }

    pub(super) fn update_status(&self, change: impl FnOnce(&mut LoopStatus)) {
        change(&mut lock(&self.loop_status));
    }

    /// Returns the model. Loads it if it is not in memory, or if the prepared form has changed since: two forms would recompute each
    /// other's vectors. The next call looks again for a missing model.
    pub(super) fn model(&self) -> Arc<Model> {
        let stamp = self.app.model_stamp();
        let mut slot = lock(&self.model);
        slot.used = Instant::now();
        if let Some(model) = slot.model.as_ref().filter(|_| slot.stamp == stamp) {
            return Arc::clone(model);
        }
        let threads = self.app.settings.config.watch.threads.unwrap_or_else(background_cores);
        let model = Arc::new(self.app.model(Threads::in_background(threads)));
        if model.embedder().is_some() {
            slot.model = Some(Arc::clone(&model));
            slot.stamp = stamp;
            self.model_loaded.store(true, Ordering::SeqCst);
        }
        slot.used = Instant::now();
        model
    }

    /// Prepares the model, if that is still due, before it computes the first vector.
    pub(super) fn prepare(&self) {
        if self.app.needs_preparation() {
            let id = &self.app.settings.config.embedding.model;
            match self.app.prepare(id, false) {
                Ok(preparation) => tracing::info!("the kernel for {id} is {preparation}"),
                Err(error) => {
                    let error = tars_service::Error::from(error);
                    tracing::warn!("{id} could not be prepared: {error:#}");
                }
            }
        }
    }

    /// Warms up the model and the vectors for the first question.
    pub(super) fn warm_up(&self) {
        let model = self.model();
        let Some(embedder) = model.embedder() else { return };
        match embedder.embed(TextKind::Query, &["ready"]) {
            Err(error) => tracing::warn!(%error, "the model is not ready"),
            Ok(vectors) => {
                let nearest =
                    |store: &dyn Store| Ok(store.snapshot()?.nearest(&vectors[0], embedder.model(), None, 1)?);
                if let Err(error) = self.with_store(nearest) {
                    tracing::debug!(%error, "the vectors are not ready");
                }
            }
        }
    }

    /// Unloads a model that has been idle too long. Returns the time when it will be due; `None` if no model is loaded.
    pub(super) fn unload_idle_model(&self, now: Instant) -> Option<Instant> {
        let mut slot = lock(&self.model);
        slot.model.as_ref()?;
        // A sum beyond the end of time means that the model stays.
        let due = slot.used.checked_add(self.app.settings.config.watch.unload)?;
        if now < due {
            return Some(due);
        }
        tracing::info!("the idle model is unloaded");
        slot.model = None;
        self.model_loaded.store(false, Ordering::SeqCst);
        self.app.unload_former_model();
        None
    }

    /// Lends an open connection. Drops connections to a database file that has been replaced.
    pub(super) fn with_store<T>(&self, work: impl FnOnce(&dyn Store) -> Result<T>) -> Result<T> {
        let inode = fs::metadata(self.app.database()).map_or(0, |metadata| metadata.ino());
        let idle = {
            let mut pool = lock(&self.stores);
            if pool.inode != inode {
                *pool = Pool { inode, stores: Vec::new() };
            }
            pool.stores.pop()
        };
        let store = match idle {
            Some(store) => store,
            None => self.app.open_index()?,
        };
        let result = work(&*store);
        let mut pool = lock(&self.stores);
        if result.is_ok() && pool.inode == inode && pool.stores.len() < MAX_IDLE_STORES {
            pool.stores.push(store);
        }
        result
    }
}

impl InProcessDaemon for Engine {
    fn respond(&self, request: &Request) -> Result<Response> {
        Ok(match request {
            Request::Search(asked) => {
                self.note_use();
                let said = self.up_to_date()?;
                Response::Answer(self.search(asked, said)?)
            }
            Request::AsIs(asked) => {
                self.note_use();
                Response::Answer(self.search(asked, self.missing_warning())?)
            }
            Request::Written { paths } => {
                self.queue_written(paths);
                Response::Done
            }
            Request::Expand { id, extent } => {
                self.note_use();
                Response::Expansion(self.with_store(|store| Ok(expand(&*store.snapshot()?, id, *extent)?))?)
            }
            Request::Note { name, part, collections } => {
                self.note_use();
                self.up_to_date()?;
                Response::Expansion(self.with_store(|store| Ok(note(&*store.snapshot()?, name, part, collections)?))?)
            }
            Request::Status => Response::Status(Box::new(self.app.status()?)),
            Request::Watch => Response::Watch(self.state()),
            Request::Client { pid } => {
                if let Some(client) = Client::of_process(*pid) {
                    lock(&self.lifetime).add(client);
                }
                Response::Done
            }
            Request::Stop => {
                self.stop();
                Response::Done
            }
            Request::Restart if self.is_restartable => {
                self.restart.store(true, Ordering::SeqCst);
                self.stop();
                Response::Done
            }
            Request::Restart => bail!("the watcher is part of a server, so it cannot restart by itself"),
        })
    }
}

/// Returns the number of cores that the watcher may use at low priority: all of them on Linux, half elsewhere.
fn background_cores() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if cfg!(target_os = "linux") { cores } else { cores.div_ceil(2) }
}

/// Ignores poisoning: each value is replaced in one step, so a panic leaves no half-written value.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tars_config::Environment;

    #[test]
    fn a_status_does_not_wait_for_a_model_that_is_loading() {
        let home = Some("/home/nobody".into());
        let environment = Environment { home: home.clone(), directory: home, ..Environment::default() };
        let engine = Engine::new(App::new(environment, &[]).unwrap(), None, &[]);
        let _loading = lock(&engine.model);
        assert!(!engine.state().model_loaded);
    }
}
