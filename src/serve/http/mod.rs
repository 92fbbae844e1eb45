//! The use cases over HTTP, for scripts and for the page: `tars serve`.
//!
//! A [`Server`] runs beside the watcher in one process. A small asynchronous runtime handles the connections. Threads with one service
//! each ([`Pool`]) compute the answers, and call the watcher's engine directly instead of its socket. Each request passes `guard` first,
//! which checks its host, its origin and its key. The server exposes no file of the disk.

mod api;
mod chat;
mod connections;
mod events;
mod guard;
mod hosts;
mod keys;
mod openapi;
mod page;
mod problem;
mod query;

pub use keys::{CODE_LIFE, Key, KeyError, KeyKind, Keys};
pub use openapi::openapi;

use std::collections::HashMap;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use axum::extract::State;
use axum::http::header;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use crate::daemon::Engine;
use crate::mcp;
use hosts::Hosts;
use problem::HttpProblem;
use query::Fields;
use tars_service::operations::Schemas;
use tars_service::{Pool, Reach, Service};

/// Threads of the runtime, which only moves bytes.
const THREADS: usize = 2;
/// Threads for long operations.
const LONG_THREADS: usize = 2;
/// Shutdown timeout for running requests.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

/// A server that runs until it is stopped.
pub struct Server {
    runtime: Runtime,
    under_way: Arc<()>,
    /// Number of running conversation turns.
    turns: Arc<AtomicUsize>,
    /// The thread that notes idle conversations; it ends when the sender is dropped.
    noting: (Sender<()>, JoinHandle<()>),
}

/// The state shared by the handlers.
struct Door {
    engine: Arc<Engine>,
    keys: Keys,
    hosts: Hosts,
    /// Name of the page's cookie. It contains the port, because browsers share cookies between ports.
    cookie: String,
    short: Pool,
    long: Pool,
    /// The memory that agents use under `/mcp`.
    memory: mcp::Memory,
    /// Its reference count is the number of running requests, plus one each for the door and the server.
    under_way: Arc<()>,
    listeners: Arc<AtomicUsize>,
    chats: chat::Chats,
    /// The query fields that a GET request may contain, by operation.
    fields: HashMap<&'static str, Fields>,
    openapi: Vec<u8>,
}

impl Server {
    /// Serves connections of `listener` from now on.
    ///
    /// # Errors
    /// A thread cannot be started, or the listener cannot be used.
    pub fn start(engine: &Arc<Engine>, listener: TcpListener) -> Result<Self> {
        let address = listener.local_addr().context("the address is not known")?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("http")
            .enable_io()
            .enable_time()
            .build()
            .context("cannot start threads")?;
        let door = Arc::new(Door::new(engine, address).context("cannot start threads")?);
        let under_way = Arc::clone(&door.under_way);
        let turns = door.chats.turns();
        let (ends, ended) = channel();
        let noted = Arc::clone(&door);
        let notes = move || chat::note_what_rests(&noted, &ended);
        let noting = (ends, thread::Builder::new().name("noting".into()).spawn(notes).context("cannot start threads")?);
        listener.set_nonblocking(true)?;
        let listener = {
            let _runtime = runtime.enter();
            tokio::net::TcpListener::from_std(listener)?
        };
        runtime.spawn(connections::accept(listener, routes(door)));
        Ok(Self { runtime, under_way, turns, noting })
    }

    /// Stops accepting requests, and waits a while for those that are running.
    pub fn stop(self) {
        self.runtime.shutdown_timeout(Duration::from_millis(500));
        let deadline = Instant::now() + SHUTDOWN_TIMEOUT;
        let wait = |goes_on: &dyn Fn() -> bool| {
            while goes_on() && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(10));
            }
        };
        // Turns end with their connections, so wait for them before the last notes are made.
        wait(&|| self.turns.load(Ordering::SeqCst) > 0);
        let (ends, noting) = self.noting;
        drop(ends);
        wait(&|| !noting.is_finished());
        wait(&|| Arc::strong_count(&self.under_way) > 1);
    }
}

impl Door {
    fn new(engine: &Arc<Engine>, address: SocketAddr) -> io::Result<Self> {
        let pool = |threads| {
            let engine = Arc::clone(engine);
            Pool::start(threads, move |jobs| {
                jobs.serve(&Service::new(engine.app(), Reach::Local).beside(&*engine));
            })
        };
        let config = &engine.app().settings.config;
        let short = pool(thread::available_parallelism().map_or(2, usize::from))?;
        Ok(Self {
            engine: Arc::clone(engine),
            keys: Keys::new(&config.data.dir),
            hosts: Hosts::new(address, &config.http.hosts, &config.http.origins),
            cookie: format!("tars-{}", address.port()),
            memory: mcp::Memory::new(short.clone(), mcp::Options::of(&config.mcp)),
            short,
            long: pool(LONG_THREADS)?,
            under_way: Arc::default(),
            listeners: Arc::default(),
            chats: chat::Chats::default(),
            fields: query::fields(&Schemas::new()),
            openapi: openapi().to_string().into_bytes(),
        })
    }
}

/// Returns the routes, all behind the guard.
fn routes(door: Arc<Door>) -> Router {
    let guard = from_fn_with_state(Arc::clone(&door), guard::guard);
    Router::new()
        .route("/", get(page::index))
        .route("/assets/{*name}", get(page::asset))
        .route(page::OPEN, get(page::open))
        .route("/health", get(health))
        .route("/events", get(events::events))
        .route("/chat", post(chat::say))
        .route("/chat/answer", post(chat::answer))
        .route("/chat/commands", get(chat::commands))
        .route("/conversations", get(chat::list))
        .route("/conversations/{id}", get(chat::show).delete(chat::delete))
        .route("/v1/openapi.json", get(description))
        .route("/v1/{operation}", get(api::get).post(api::post))
        .nest_service("/mcp", mcp::over_http(door.memory.clone()))
        .fallback(async || HttpProblem::nothing_there())
        .method_not_allowed_fallback(async || HttpProblem::wrong_method())
        .with_state(door)
        .layer(guard)
}

async fn health() -> Json<serde_json::Value> {
    Json(json!({"status": "ok", "version": env!("CARGO_PKG_VERSION")}))
}

async fn description(State(door): State<Arc<Door>>) -> ([(header::HeaderName, &'static str); 1], Vec<u8>) {
    ([(header::CONTENT_TYPE, "application/json")], door.openapi.clone())
}
