//! `/events`: changes as server-sent events.
//!
//! Each stream checks a few files once a second, and only while a client listens. Nothing is queued: a slow reader gets several changes
//! in one event.

use std::convert::Infallible;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::Stream;
use futures_util::stream::unfold;
use serde_json::json;
use tokio::task::spawn_blocking;

use super::ServerState;
use super::problem::HttpProblem;
use tars_service::protocol::{Request, Response};
use tars_service::{App, InProcessDaemon};

/// Interval between two checks.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Interval of the keep-alive events.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Concurrent streams.
pub(super) const MAX_STREAMS: usize = 32;

/// Streams events until the client disconnects.
pub(super) async fn events(
    State(server): State<Arc<ServerState>>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, HttpProblem> {
    let permit = Arc::clone(&server.streams).try_acquire_owned().map_err(|_| {
        HttpProblem::new(StatusCode::SERVICE_UNAVAILABLE, format!("{MAX_STREAMS} clients listen already"))
            .with_hint("close a page")
    })?;
    let state = Arc::clone(&server);
    let before = spawn_blocking(move || Snapshot::of(state.engine.app())).await?;
    let stream = unfold((before, Vec::new(), server, permit), |(mut before, mut waiting, server, permit)| async move {
        while waiting.is_empty() {
            tokio::time::sleep(CHECK_INTERVAL).await;
            let state = Arc::clone(&server);
            // On a blocking thread, so that a disk that hangs blocks only this stream.
            let look = move || {
                let now = Snapshot::of(state.engine.app());
                (now.since(&before, &state), now)
            };
            (waiting, before) = spawn_blocking(look).await.ok()?;
        }
        let event = waiting.remove(0);
        Some((Ok(event), (before, waiting, server, permit)))
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::new().interval(HEARTBEAT)))
}

/// The observable state of the index, the journal and the recall ledger, from file metadata alone.
#[derive(Debug, PartialEq, Eq)]
struct Snapshot {
    indexed: Vec<Stamp>,
    written: Option<Stamp>,
    recalled: Vec<Stamp>,
}

/// Inode, size and modification time of a file.
type Stamp = (u64, u64, i64, i64);

impl Snapshot {
    fn of(app: &App) -> Self {
        let database = app.database();
        let log = PathBuf::from(format!("{}-wal", database.display()));
        let journal = app.memory_folder().and_then(|folder| app.journal(&folder));
        let months = app.recall_ledger().files().unwrap_or_default();
        let mut recalled: Vec<Stamp> = months.iter().filter_map(|path| stamp(path)).collect();
        recalled.sort_unstable();
        Self {
            indexed: [database, log].iter().filter_map(|path| stamp(path)).collect(),
            written: journal.ok().and_then(|journal| stamp(&journal.path())),
            recalled,
        }
    }

    /// Returns the events for the changes since `before`.
    fn since(&self, before: &Self, server: &ServerState) -> Vec<Event> {
        let mut events = Vec::new();
        if self.indexed != before.indexed {
            let waiting = match server.engine.respond(&Request::Watch) {
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
