//! Creates the tool servers from the settings.

use std::ffi::OsString;
use std::path::Path;

use tars_chat::mcp_client::{ServerSpec, ServerTransport, Servers};
use tars_config::{EnvValue, Environment, McpServerSettings, McpTransport, Settings};

/// The environment variables that every server program receives: enough to run and to reach the network, without keys of
/// services. The `env` table of a server adds others.
const INHERITED_VARIABLES: [&str; 24] = [
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LOGNAME",
    "NODE_EXTRA_CA_CERTS",
    "NO_PROXY",
    "PATH",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// Returns the enabled servers, none of them started.
pub(crate) fn servers(environment: &Environment, settings: &Settings) -> Servers {
    let specs = settings.mcp_servers.iter().filter(|server| server.enabled).map(|server| spec(environment, server));
    Servers::new(specs.collect(), settings.config.data.dir.clone(), environment.clock.clone())
}

fn spec(environment: &Environment, server: &McpServerSettings) -> ServerSpec {
    let transport = match &server.transport {
        McpTransport::Program { command, args, env } => {
            let kept = INHERITED_VARIABLES
                .iter()
                .filter_map(|name| Some(((*name).to_owned(), environment.variable(name)?.into())));
            let mut passed: Vec<(String, OsString)> = kept.collect();
            let mut missing = None;
            for (name, value) in env {
                match value {
                    EnvValue::Text(text) => passed.push((name.clone(), text.into())),
                    EnvValue::Variable(variable) => match environment.variable(variable) {
                        Some(value) => passed.push((name.clone(), value.into())),
                        None => missing = missing.or_else(|| Some(variable.clone())),
                    },
                }
            }
            // The same directory wherever tars runs, so that relative paths in the arguments mean the same for every process.
            let directory = environment.home.clone().unwrap_or_else(|| Path::new("/").to_path_buf());
            ServerTransport::Program { command: command.clone(), args: args.clone(), env: passed, directory, missing }
        }
        McpTransport::Address { url, token_env } => {
            let token = token_env.as_ref().and_then(|name| environment.variable(name));
            ServerTransport::Address {
                url: url.clone(),
                token: token.map(|token| token.to_string_lossy().into_owned()),
            }
        }
    };
    ServerSpec { name: server.name.clone(), transport, timeout: server.timeout }
}
