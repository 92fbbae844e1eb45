//! The memory for agents that speak the Model Context Protocol: tools, resources and prompts over the service.
//!
//! [`MemoryServer`] is the SDK's handler, independent of the transport; [`serve`] runs it on standard input and output. A [`Pool`] computes
//! every answer: the asynchronous side only passes messages on. Agents get the index's text or redacted text of the notes, marked as
//! data, within a token budget. Their writes follow the rules of `tars remember`, are journalled under the client's name, and have a
//! daily limit.

mod arguments;
mod calls;
mod failure;
mod handler;
mod hint;
mod line_transport;
mod message;
mod prompts;
mod resources;
mod tools;

use std::io;
use std::sync::Arc;

use rmcp::service::RequestContext;
use rmcp::transport::io::stdio_pipes;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServiceExt};
use serde_json::Value;
use tokio::sync::oneshot;

use line_transport::LineTransport;
use tars_config::McpSettings;
use tars_service::{Pool, Service, VAULT};

/// Largest request over HTTP, in bytes.
const MAX_REQUEST_BYTES: usize = 1 << 20;

/// The tools and resources that a server exposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerOptions {
    /// Whether writes are refused.
    pub read_only: bool,
    /// The exposed collections; empty means all. Without the vault among them, the memory is not exposed either.
    pub collections: Vec<String>,
    /// Most tokens of an answer's text.
    pub budget: usize,
    /// Most writes per day of all clients together.
    pub daily_writes: usize,
}

impl ServerOptions {
    /// Returns the defaults: everything is exposed, within the limits of the settings.
    pub fn of(settings: &McpSettings) -> Self {
        let McpSettings { budget_tokens: budget, daily_writes } = *settings;
        Self { read_only: false, collections: Vec::new(), budget, daily_writes }
    }

    /// Returns whether the memory folder, which is in the vault, is exposed.
    fn exposes_memory(&self) -> bool {
        self.collections.is_empty() || self.collections.iter().any(|name| name == VAULT)
    }
}

/// The handler: one per connected client, or one per request where there are no sessions.
#[derive(Clone)]
pub struct MemoryServer {
    pool: Pool,
    options: ServerOptions,
}

impl MemoryServer {
    /// Returns a handler whose answers come from `pool`.
    pub fn new(pool: Pool, options: ServerOptions) -> Self {
        Self { pool, options }
    }

    /// Runs `work` on a thread of the pool for the client of `context`, and returns its result.
    async fn run_on_pool<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Service<'_>, &ServerOptions) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let (sender, receiver) = oneshot::channel();
        let channel = channel(context.client_info().as_ref().map(|client| client.name.as_str()));
        let options = self.options.clone();
        let job = move |service: &Service<'_>| {
            // Skip the work if the client has cancelled.
            if !sender.is_closed() {
                service.set_agent(&channel, options.daily_writes);
                let answer = work(service, &options);
                service.set_client(None);
                // Sending fails if the client has disconnected meanwhile.
                drop(sender.send(answer));
            }
        };
        let busy = |error| ErrorData::internal_error(format!("{error}: try again in a moment"), None);
        self.pool.submit(Box::new(job)).map_err(busy)?;
        receiver.await.map_err(|_| ErrorData::internal_error("the answer was lost: see the log of tars", None))
    }
}

/// Returns the HTTP service. It keeps no session: each request stands alone. The HTTP server authenticates requests before.
pub fn http_service(memory: MemoryServer) -> StreamableHttpService<MemoryServer, NeverSessionManager> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts()
        .with_max_request_body_bytes(MAX_REQUEST_BYTES);
    StreamableHttpService::new(move || Ok(memory.clone()), Arc::default(), config)
}

/// Returns a message of a client for the HTTP service, which drops the reason why one is broken.
///
/// # Errors
/// It is no message; the error is the response.
pub(crate) fn checked_message(bytes: &[u8]) -> Result<Vec<u8>, Value> {
    let message = message::read(bytes).map_err(|refused| refused.response())?;
    let checked = serde_json::to_vec(&message).unwrap_or_default();
    message::typed(message).map(|_| checked).map_err(|refused| refused.response())
}

/// Serves one client on standard input and output until the input ends.
///
/// # Errors
/// The runtime cannot be started. A client that violates the protocol or disconnects is no error.
pub fn serve(memory: MemoryServer) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(until_it_ends(memory));
    // A blocking read of standard input cannot be cancelled and must not keep the process alive.
    runtime.shutdown_background();
    Ok(())
}

async fn until_it_ends(memory: MemoryServer) {
    let (input, output) = stdio_pipes();
    match memory.serve(LineTransport::start(input, output)).await {
        Ok(running) => {
            if let Err(error) = running.waiting().await {
                tracing::debug!(%error, "the connection ended");
            }
        }
        // The client disconnected before the handshake, or does not speak the protocol.
        Err(error) => tracing::debug!(%error, "no client"),
    }
}

/// Longest recorded client name, in bytes.
const MAX_NAME_BYTES: usize = 32;

/// Returns the name under which a client's writes are journalled: its own name, reduced to plain characters.
fn channel(name: Option<&str>) -> String {
    let mut plain = String::new();
    for letter in name.unwrap_or_default().to_lowercase().chars() {
        match letter {
            'a'..='z' | '0'..='9' | '.' | '_' => plain.push(letter),
            _ if !plain.is_empty() && !plain.ends_with('-') => plain.push('-'),
            _ => {}
        }
        if plain.len() == MAX_NAME_BYTES {
            break;
        }
    }
    let plain = plain.trim_end_matches('-');
    if plain.is_empty() { "mcp".to_owned() } else { plain.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_names_are_reduced_to_plain_characters() {
        assert_eq!(channel(Some("Claude Desktop")), "claude-desktop");
        assert_eq!(channel(Some("http:page")), "http-page");
        assert_eq!(channel(Some("[x] \n**y**")), "x-y");
        assert_eq!(channel(Some("日本")), "mcp");
        assert_eq!(channel(None), "mcp");
        assert_eq!(channel(Some(&"a".repeat(99))).len(), MAX_NAME_BYTES);
    }
}
