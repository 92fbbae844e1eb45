//! `/events`: changes as server-sent events.
//!
//! Each stream checks a few files once a second, and only while a client listens. Nothing is queued: a slow reader gets several changes
//! in one event.

use std::convert::Infallible;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::Stream;
use futures_util::stream::unfold;
use serde_json::json;
use tokio::task::spawn_blocking;

use super::Door;
use super::problem::HttpProblem;
use tars_service::protocol::{Request, Response};
use tars_service::{App, Warm};

/// Interval between two checks.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Interval of the keep-alive events.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Concurrent streams.
const MAX_STREAMS: usize = 32;

/// Streams events until the client disconnects.
pub(super) async fn events(
    State(door): State<Arc<Door>>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, HttpProblem> {
    let listener = Listener::of(&door).ok_or_else(|| {
        HttpProblem::new(StatusCode::SERVICE_UNAVAILABLE, format!("{MAX_STREAMS} clients listen already"))
            .hint("close a page")
    })?;
    let looking = Arc::clone(&door);
    let seen = spawn_blocking(move || Seen::of(looking.engine.app())).await;
    let seen = seen.map_err(|error| HttpProblem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    let stream = unfold((seen, Vec::new(), door, listener), |(mut seen, mut waiting, door, listener)| async move {
        while waiting.is_empty() {
            tokio::time::sleep(CHECK_INTERVAL).await;
            let looking = Arc::clone(&door);
            // On a blocking thread, so that a disk that hangs blocks only this stream.
            let look = move || {
                let now = Seen::of(looking.engine.app());
                (now.since(&seen, &looking), now)
            };
            (waiting, seen) = spawn_blocking(look).await.ok()?;
        }
        let event = waiting.remove(0);
        Some((Ok(event), (seen, waiting, door, listener)))
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::new().interval(HEARTBEAT)))
}

/// Counts a stream while it is open.
struct Listener(Arc<AtomicUsize>);

impl Listener {
    fn of(door: &Door) -> Option<Self> {
        let before = door.listeners.fetch_add(1, Ordering::SeqCst);
        // Counted even above the limit: dropping the guard decrements it.
        let listener = Self(Arc::clone(&door.listeners));
        (before < MAX_STREAMS).then_some(listener)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The observable state of the index, the journal and the recall ledger, from file metadata alone.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    indexed: Vec<Stamp>,
    written: Option<Stamp>,
    recalled: Vec<Stamp>,
}

/// Inode, size and modification time of a file.
type Stamp = (u64, u64, i64, i64);

impl Seen {
    fn of(app: &App) -> Self {
        let database = app.database();
        let log = PathBuf::from(format!("{}-wal", database.display()));
        let journal = app.memory_folder().and_then(|folder| app.journal(&folder));
        let ledger = fs::read_dir(app.recall_ledger().folder()).into_iter().flatten().flatten();
        let mut recalled: Vec<Stamp> = ledger.filter_map(|entry| stamp(&entry.path())).collect();
        recalled.sort_unstable();
        Self {
            indexed: [database, log].iter().filter_map(|path| stamp(path)).collect(),
            written: journal.ok().and_then(|journal| stamp(&journal.path())),
            recalled,
        }
    }

    /// Returns the events for the changes since `before`.
    fn since(&self, before: &Self, door: &Door) -> Vec<Event> {
        let mut events = Vec::new();
        if self.indexed != before.indexed {
            let waiting = match door.engine.respond(&Request::Watch) {
                Ok(Response::Watch(state)) => state.pending,
                _ => 0,
            };
            events.push(Event::default().event("indexed").data(json!({"pending": waiting}).to_string()));
        }
        if self.written != before.written {
            events.push(Event::default().event("written").data("{}"));
        }
        if self.recalled != before.recalled {
            events.push(Event::default().event("recalled").data("{}"));
        }
        events
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::symlink_metadata(path).ok()?;
    Some((metadata.ino(), metadata.size(), metadata.mtime(), metadata.mtime_nsec()))
}
