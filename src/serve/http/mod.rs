//! The use cases over HTTP, for scripts and for the page: `tars serve`.
//!
//! A [`Server`] runs beside the watcher in one process. A small asynchronous runtime handles the connections. Threads with one service
//! each ([`Pool`]) compute the answers, and call the watcher's engine directly instead of its socket. Each request passes `guard` first,
//! which checks its host, its origin and its key. The server exposes no files of the disk except pictures that indexed notes embed.

mod api;
mod body;
mod chat;
mod connections;
mod events;
mod guard;
mod hosts;
mod keys;
mod mcp;
mod openapi;
mod page;
mod problem;
mod query;

pub use keys::{CODE_LIFETIME, Key, KeyError, KeyKind, Keys};
pub use openapi::openapi;

use std::collections::HashMap;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::header;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;

use crate::daemon::Engine;
use crate::mcp::{MemoryServer, ServerOptions};
use hosts::Hosts;
use problem::HttpProblem;
use query::Fields;
use tars_service::operations::Schemas;
use tars_service::{Backend, Context, Pool, Result, Service};

/// Threads of the runtime, which only moves bytes.
const THREADS: usize = 2;
/// Threads for long operations.
const LONG_THREADS: usize = 2;
/// Shutdown timeout for running requests.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

/// A server that runs until it is stopped.
pub struct Server {
    runtime: Runtime,
    running_requests: Arc<()>,
    /// The permits of conversation turns.
    turns: Arc<Semaphore>,
    /// The thread that notes idle conversations; it ends when the sender is dropped.
    noting: (Sender<()>, JoinHandle<()>),
}

/// The state shared by the handlers.
struct ServerState {
    engine: Arc<Engine>,
    keys: Keys,
    hosts: Hosts,
    /// Name of the page's cookie. It contains the port, because browsers share cookies between ports.
    cookie: String,
    short: Pool,
    long: Pool,
    /// The memory that agents use under `/mcp`.
    memory: MemoryServer,
    /// Its reference count is the number of running requests, plus one each for this state and the [`Server`].
    running_requests: Arc<()>,
    /// The permits of event streams.
    streams: Arc<Semaphore>,
    chats: chat::ChatState,
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
        let server = Arc::new(ServerState::new(engine, address).context("cannot start threads")?);
        let running_requests = Arc::clone(&server.running_requests);
        let turns = server.chats.turns();
        let (ends, ended) = channel();
        let noted = Arc::clone(&server);
        let notes = move || chat::note_idle_conversations(&noted, &ended);
        let noting = (ends, thread::Builder::new().name("noting".into()).spawn(notes).context("cannot start threads")?);
        listener.set_nonblocking(true)?;
        let listener = {
            let _runtime = runtime.enter();
            tokio::net::TcpListener::from_std(listener)?
        };
        runtime.spawn(connections::accept(listener, routes(server)));
        Ok(Self { runtime, running_requests, turns, noting })
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
        wait(&|| self.turns.available_permits() < chat::MAX_TURNS);
        let (ends, noting) = self.noting;
        drop(ends);
        wait(&|| !noting.is_finished());
        wait(&|| Arc::strong_count(&self.running_requests) > 1);
    }
}

impl ServerState {
    fn new(engine: &Arc<Engine>, address: SocketAddr) -> io::Result<Self> {
        let pool = |threads| {
            let engine = Arc::clone(engine);
            Pool::start(threads, move |jobs| {
                jobs.serve(&Service::new(engine.app(), Backend::Local).with_daemon(&*engine));
            })
        };
        let config = &engine.app().settings.config;
        let short = pool(thread::available_parallelism().map_or(2, usize::from))?;
        Ok(Self {
            engine: Arc::clone(engine),
            keys: Keys::new(&config.data.dir),
            hosts: Hosts::new(address, &config.http.hosts, &config.http.origins),
            cookie: format!("tars-{}", address.port()),
            memory: MemoryServer::new(short.clone(), ServerOptions::of(&config.mcp)),
            short,
            long: pool(LONG_THREADS)?,
            running_requests: Arc::default(),
            streams: Arc::new(Semaphore::new(events::MAX_STREAMS)),
            chats: chat::ChatState::new(),
            fields: query::fields(&Schemas::new()),
            openapi: openapi().to_string().into_bytes(),
        })
    }
}

/// Returns the routes, all behind the guard.
fn routes(server: Arc<ServerState>) -> Router {
    let guard = from_fn_with_state(Arc::clone(&server), guard::guard);
    Router::new()
        .route("/", get(page::index))
        .route("/assets/{*name}", get(page::asset))
        .route(page::LINK_PATH, get(page::open))
        .route("/picture", get(page::picture))
        .route("/health", get(health))
        .route("/events", get(events::events))
        .route("/chat", post(chat::say))
        .route("/chat/answer", post(chat::answer))
        .route("/chat/commands", get(chat::commands))
        .route("/conversations", get(chat::list))
        .route("/conversations/{id}", get(chat::show).delete(chat::delete))
        .route("/v1/openapi.json", get(description))
        .route("/v1/{operation}", get(api::get).post(api::post))
        .nest_service("/mcp", mcp::routes(server.memory.clone()))
        .fallback(async || HttpProblem::not_found())
        .method_not_allowed_fallback(async || HttpProblem::wrong_method())
        .with_state(server)
        .layer(guard)
}

async fn health() -> Json<serde_json::Value> {
    Json(json!({"status": "ok", "version": env!("CARGO_PKG_VERSION")}))
}

async fn description(State(server): State<Arc<ServerState>>) -> ([(header::HeaderName, &'static str); 1], Vec<u8>) {
    ([(header::CONTENT_TYPE, "application/json")], server.openapi.clone())
}
