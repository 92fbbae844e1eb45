//! The memory for agents that speak the Model Context Protocol: tools, resources and prompts over the service.
//!
//! [`Memory`] is the handler of the SDK, whatever carries the messages; [`serve`] runs it on standard input and output. Every answer
//! comes from a [`Pool`]: the asynchronous side only passes messages on. What an agent is given of the notes is the index's text or
//! redacted text, marked as data, within a budget. What it writes passes the rules of `tars remember`, bears its client's
//! name in the journal, and is limited to a number of writes a day.

mod arguments;
mod calls;
mod failure;
mod handler;
mod prompts;
mod resources;
mod tools;
mod writes;

use std::io;
use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::RoleServer;
use rmcp::ServiceExt;
use rmcp::service::RequestContext;
use rmcp::transport::io::stdio_pipes;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::oneshot;

use crate::app::VAULT;
use crate::config::McpSettings;
use crate::service::{Pool, Service};

/// The longest request over HTTP, in bytes.
const LONGEST_REQUEST: usize = 1 << 20;

/// What a server offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Whether nothing can be written.
    pub read_only: bool,
    /// The collections that are shown; none means all. Where the vault is not among them, its memory is not offered either.
    pub collections: Vec<String>,
    /// Tokens of an answer's text at most.
    pub budget: usize,
    /// Writes that all clients together may make a day.
    pub daily_writes: usize,
}

impl Options {
    /// Returns what is offered where nothing else is said: everything, within the bounds of the settings.
    pub fn of(settings: &McpSettings) -> Self {
        let McpSettings { budget_tokens: budget, daily_writes } = *settings;
        Self { read_only: false, collections: Vec::new(), budget, daily_writes }
    }

    /// Whether the memory folder, which is in the vault, is shown.
    fn shows_memory(&self) -> bool {
        self.collections.is_empty() || self.collections.iter().any(|name| name == VAULT)
    }
}

/// The handler: one for each client that is connected, or for each request where there are no sessions.
#[derive(Clone)]
pub struct Memory {
    pool: Pool,
    options: Options,
}

impl Memory {
    /// Returns a handler whose answers come from `pool`.
    pub fn new(pool: Pool, options: Options) -> Self {
        Self { pool, options }
    }

    /// Has a thread of the pool do `work` for the client of `context`, and returns what comes of it.
    async fn ask<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Service<'_>, &Options) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let (sender, receiver) = oneshot::channel();
        let channel = channel(context.client_info().as_ref().map(|client| client.name.as_str()));
        let options = self.options.clone();
        let job = move |service: &Service<'_>| {
            // A client that has cancelled waits for nothing any more.
            if !sender.is_closed() {
                service.speak_for(Some(&channel));
                let answer = work(service, &options);
                service.speak_for(None);
                // It may have left meanwhile.
                drop(sender.send(answer));
            }
        };
        let busy = |error| ErrorData::internal_error(format!("{error}: try again in a moment"), None);
        self.pool.submit(Box::new(job)).map_err(busy)?;
        receiver.await.map_err(|_| ErrorData::internal_error("the answer was lost: see the log of tars", None))
    }
}

/// Returns what answers requests over HTTP, each on its own: no session is kept. Who may ask is decided before it.
pub fn over_http(memory: Memory) -> StreamableHttpService<Memory, NeverSessionManager> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts()
        .with_max_request_body_bytes(LONGEST_REQUEST);
    StreamableHttpService::new(move || Ok(memory.clone()), Arc::default(), config)
}

/// Serves one client on standard input and output until the input ends.
///
/// # Errors
/// The runtime cannot be had. A client that says something else than the protocol, or that leaves, is none.
pub fn serve(memory: Memory) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(until_it_ends(memory));
    // A read of standard input that cannot be cancelled must not keep the process.
    runtime.shutdown_background();
    Ok(())
}

async fn until_it_ends(memory: Memory) {
    match memory.serve(stdio_pipes()).await {
        Ok(running) => {
            if let Err(error) = running.waiting().await {
                tracing::debug!(%error, "the connection ended");
            }
        }
        // It left before it had said who it is, or does not speak the protocol.
        Err(error) => tracing::debug!(%error, "no client"),
    }
}

/// The longest name of a client that is written down.
const LONGEST_NAME: usize = 32;

/// Returns the name under which a client's writes are noted: its own, without anything that means something elsewhere.
fn channel(name: Option<&str>) -> String {
    let mut plain = String::new();
    for letter in name.unwrap_or_default().to_lowercase().chars() {
        match letter {
            'a'..='z' | '0'..='9' | '.' | '_' => plain.push(letter),
            _ if !plain.is_empty() && !plain.ends_with('-') => plain.push('-'),
            _ => {}
        }
        if plain.len() == LONGEST_NAME {
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
    fn a_client_is_noted_by_a_plain_name() {
        assert_eq!(channel(Some("Claude Desktop")), "claude-desktop");
        assert_eq!(channel(Some("http:page")), "http-page");
        assert_eq!(channel(Some("[x] \n**y**")), "x-y");
        assert_eq!(channel(Some("日本")), "mcp");
        assert_eq!(channel(None), "mcp");
        assert_eq!(channel(Some(&"a".repeat(99))).len(), LONGEST_NAME);
    }
}
