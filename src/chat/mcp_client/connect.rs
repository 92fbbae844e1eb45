//! Opens a connection to a server.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::model::{ClientCapabilities, ClientConfig, Implementation};
use rmcp::service::{NotificationContext, RunningService, serve_client};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientHandler, RoleClient};
use tokio::net::unix::pipe::{Receiver, Sender};

use super::error::{McpClientError, clean_excerpt};
use super::process::ServerProcess;
use super::timeout::with_timeout;
use super::{ServerSpec, ServerTransport};
use tars_base::endpoint;
use tars_base::process::{OutputReader, ProcessGroup};

/// Maximum number of bytes cached of standard error.
const MAX_ERROR_OUTPUT: usize = 8 << 10;
/// Maximum size of one message over HTTP, in bytes.
const MAX_MESSAGE_BYTES: usize = 4 << 20;

/// The client side of a connection; it offers the server no capabilities.
pub(super) struct Client {
    /// Set when the server announces that its tools have changed.
    pub(super) changed: Arc<AtomicBool>,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(ClientCapabilities::default(), Implementation::new("tars", env!("CARGO_PKG_VERSION")))
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.store(true, Ordering::SeqCst);
    }
}

pub(super) type Running = RunningService<RoleClient, Client>;

/// Starts or contacts a server, and negotiates the protocol.
pub(super) async fn connect(
    spec: &ServerSpec,
    changed: Arc<AtomicBool>,
    cancelled: &dyn Fn() -> bool,
) -> Result<(Running, Option<ServerProcess>), McpClientError> {
    match &spec.transport {
        ServerTransport::Program { .. } => {
            let (program, pipes) = start(spec)?;
            match with_timeout(serve_client(Client { changed }, pipes), spec.timeout, cancelled).await {
                Ok(Ok(running)) => Ok((running, Some(program))),
                Ok(Err(error)) => {
                    // The server's last error output says more than that it exited.
                    let said = program.error_line();
                    let reason = if said.is_empty() { error.to_string() } else { said };
                    Err(McpClientError::start(&spec.name, reason))
                }
                Err(error) => Err(error.error(spec)),
            }
        }
        ServerTransport::Address { url, token } => {
            let transport = over_http(spec, url, token.as_deref())?;
            match with_timeout(serve_client(Client { changed }, transport), spec.timeout, cancelled).await {
                Ok(Ok(running)) => Ok((running, None)),
                Ok(Err(error)) => Err(McpClientError::start(&spec.name, causes(&error))),
                Err(error) => Err(error.error(spec)),
            }
        }
    }
}

fn start(spec: &ServerSpec) -> Result<(ServerProcess, (Receiver, Sender)), McpClientError> {
    let ServerTransport::Program { command, args, env, directory, missing } = &spec.transport else {
        return Err(McpClientError::start(&spec.name, "it is not a program"));
    };
    if let Some(variable) = missing {
        return Err(McpClientError::NoVariable { server: spec.name.clone(), variable: variable.clone() });
    }
    let failed = |error: std::io::Error| McpClientError::start(&spec.name, format!("{command}: {error}"));
    let mut starting = Command::new(command);
    starting
        .args(args)
        .env_clear()
        .envs(env.iter().map(|(name, value)| (name, value)))
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut group = ProcessGroup::spawn(&mut starting).map_err(failed)?;
    let child = group.child();
    let (Some(input), Some(output), error_output) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(McpClientError::start(&spec.name, "its streams are not available"));
    };
    let error_output = OutputReader::of(error_output, MAX_ERROR_OUTPUT);
    let output = Receiver::from_owned_fd(output.into()).map_err(failed)?;
    let input = Sender::from_owned_fd(input.into()).map_err(failed)?;
    Ok((ServerProcess::new(group, error_output), (output, input)))
}

/// Opens a transport over HTTP. The token goes only to this address: redirects are not followed, and a token is never
/// sent unencrypted to another machine.
fn over_http(
    spec: &ServerSpec,
    url: &str,
    token: Option<&str>,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, McpClientError> {
    let failed = |error: &dyn std::fmt::Display| McpClientError::start(&spec.name, error);
    let uri = endpoint::parse_url(url).map_err(|error| failed(&error))?;
    if token.is_some() {
        endpoint::require_https_for_key(&uri).map_err(|error| failed(&error))?;
    }
    let roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(&error))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("tars/", env!("CARGO_PKG_VERSION")));
    // A proxy from the environment is used only for other machines.
    let builder = if endpoint::is_loopback(&uri) { builder.no_proxy() } else { builder };
    let client = builder.build().map_err(|error| failed(&error))?;
    let config = StreamableHttpClientTransportConfig::with_uri(url)
        .max_sse_event_size(MAX_MESSAGE_BYTES)
        .max_json_response_size(MAX_MESSAGE_BYTES);
    let config = match token {
        Some(token) => config.auth_header(token),
        None => config,
    };
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// Returns an error with its causes, because "error sending request" alone says little.
pub(super) fn causes(error: &dyn std::error::Error) -> String {
    let mut said = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let words = cause.to_string();
        if !said.contains(&words) {
            said = format!("{said}: {words}");
        }
        next = cause.source();
    }
    clean_excerpt(&said)
}
