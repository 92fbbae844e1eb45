//! A connection to a server.

use std::collections::HashSet;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult,
};
use rmcp::service::{PeerRequestOptions, ServiceError};
use serde_json::{Map, Value};

use super::connect::{Running, causes, connect};
use super::error::{McpClientError, clean_excerpt};
use super::process::ServerProcess;
use super::timeout::with_timeout;
use super::{CallResult, RemoteTool, ServerSpec, results};
use tars_base::process::POLL_INTERVAL;

/// Maximum number of tools of a server.
const MAX_TOOLS: usize = 200;
/// Maximum number of pages of a server's tool list.
const MAX_PAGES: usize = 20;
/// How long it may take to notice that a server has exited.
const EXIT_DELAY: Duration = Duration::from_millis(200);
/// Grace period for a server to exit by itself.
const GRACE_PERIOD: Duration = Duration::from_secs(1);

/// The asynchronous runtime that drives the connections of all servers.
pub(super) struct Runtime(Option<tokio::runtime::Runtime>);

impl Runtime {
    pub(super) fn start() -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        Ok(Self(Some(runtime)))
    }

    fn run<T>(&self, future: impl Future<Output = T>) -> T {
        self.0.as_ref().expect("it exists until it is dropped").block_on(future)
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        // Nothing waits for remaining tasks, so this is safe even on an asynchronous thread.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// An open connection to a server. Dropping it ends the server.
pub(super) struct Connection {
    running: Running,
    program: Option<ServerProcess>,
    changed: Arc<AtomicBool>,
}

impl Connection {
    /// Starts or contacts a server.
    pub(super) fn open(
        runtime: &Runtime,
        spec: &ServerSpec,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Self, McpClientError> {
        let changed = Arc::new(AtomicBool::new(false));
        let (running, program) = runtime.run(connect(spec, changed.clone(), cancelled))?;
        Ok(Self { running, program, changed })
    }

    /// Closes the server's input, and waits up to a second for the server to exit before it is killed.
    pub(super) fn end(mut self, runtime: &Runtime) {
        let closed = runtime.run(async { tokio::time::timeout(GRACE_PERIOD, self.running.close()).await });
        if closed.is_err() {
            tracing::debug!("a server of tools does not end by itself");
        }
        let begun = Instant::now();
        while self.program.as_ref().is_some_and(|program| !program.has_ended()) && begun.elapsed() < GRACE_PERIOD {
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Returns the server's own name and version (untrusted text).
    pub(super) fn about(&self) -> String {
        let info = self.running.peer().peer_info();
        let implementation = info.as_ref().and_then(|info| info.server_info.as_ref());
        implementation.map(|own| clean_excerpt(&format!("{} {}", own.name, own.version))).unwrap_or_default()
    }

    /// Whether the connection is closed or the server has exited.
    pub(super) fn has_ended(&self) -> bool {
        self.running.is_closed()
            || self.running.peer().is_transport_closed()
            || self.program.as_ref().is_some_and(ServerProcess::has_ended)
    }

    /// Returns the line of the server's standard error that tells why it failed (untrusted text).
    pub(super) fn error_line(&self) -> String {
        self.program.as_ref().map(ServerProcess::error_line).unwrap_or_default()
    }

    /// Whether the server has announced a change of its tools since the last listing.
    pub(super) fn tools_have_changed(&self) -> bool {
        self.changed.load(Ordering::SeqCst)
    }

    pub(super) fn tools(
        &self,
        runtime: &Runtime,
        spec: &ServerSpec,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<RemoteTool>, McpClientError> {
        self.changed.store(false, Ordering::SeqCst);
        let listed = runtime.run(with_timeout(self.pages(&spec.name), spec.timeout, cancelled));
        let listed = listed.map_err(|error| error.error(spec))?.map_err(|error| self.error(spec, &error))?;
        // A model server refuses two tools of one name.
        let mut names = HashSet::new();
        Ok(listed.into_iter().filter(|tool| names.insert(tool.name.clone())).take(MAX_TOOLS).collect())
    }

    async fn pages(&self, server: &str) -> Result<Vec<RemoteTool>, ServiceError> {
        let (mut tools, mut cursors) = (Vec::new(), Vec::new());
        for _ in 0..MAX_PAGES {
            let params = PaginatedRequestParams::default().with_cursor(cursors.last().cloned());
            let request = ListToolsRequest::with_param(params);
            let answer = self.running.peer().send_request(ClientRequest::ListToolsRequest(request)).await?;
            let page = results::page(server, answer).ok_or(ServiceError::UnexpectedResponse)?;
            tools.extend(page.tools);
            // A cursor that comes again would list the same tools forever.
            match page.next.filter(|next| !cursors.contains(next)) {
                Some(next) if tools.len() < MAX_TOOLS => cursors.push(next),
                _ => break,
            }
        }
        Ok(tools)
    }

    pub(super) fn call(
        &self,
        runtime: &Runtime,
        spec: &ServerSpec,
        (tool, arguments): (&str, Map<String, Value>),
        cancelled: &dyn Fn() -> bool,
    ) -> Result<CallResult, McpClientError> {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let answer = runtime.run(self.request(request, spec, cancelled))?.map_err(|error| self.error(spec, &error))?;
        results::answer(answer).ok_or_else(|| self.error(spec, &ServiceError::UnexpectedResponse))
    }

    /// Sends a request, and tells the server when its answer is no longer wanted.
    async fn request(
        &self,
        request: ClientRequest,
        spec: &ServerSpec,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Result<ServerResult, ServiceError>, McpClientError> {
        let sent = self.running.peer().send_cancellable_request(request, PeerRequestOptions::no_options());
        let mut sent = match sent.await {
            Ok(sent) => sent,
            Err(error) => return Ok(Err(error)),
        };
        match with_timeout(&mut sent.rx, spec.timeout, cancelled).await {
            Ok(answer) => Ok(answer.unwrap_or(Err(ServiceError::TransportClosed))),
            Err(error) => {
                // The server may be gone or stuck; then it learns nothing.
                let told = tokio::time::timeout(EXIT_DELAY, sent.cancel(Some("nobody waits for the answer".into())));
                if !matches!(told.await, Ok(Ok(()))) {
                    tracing::debug!(server = spec.name, "a server cannot be told that a call was given up");
                }
                Err(error.error(spec))
            }
        }
    }

    fn error(&self, spec: &ServerSpec, error: &ServiceError) -> McpClientError {
        let server = spec.name.clone();
        match error {
            ServiceError::McpError(error) => McpClientError::Refused { server, reason: clean_excerpt(&error.message) },
            ServiceError::TransportClosed | ServiceError::TransportSend(_) | ServiceError::Cancelled { .. } => {
                // The pipe closes slightly before the process exits.
                std::thread::sleep(EXIT_DELAY);
                let said = self.error_line();
                let reason = if said.is_empty() { causes(error) } else { said };
                McpClientError::Ended { server, reason, again: true }
            }
            _ => McpClientError::Refused { server, reason: clean_excerpt(&error.to_string()) },
        }
    }
}
