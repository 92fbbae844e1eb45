//! `tars mcp servers`: the tool servers of a conversation.

use std::io::Write;

use serde::Serialize;

use crate::args::McpServers;
use crate::terminal::{self, sanitize_line};
use crate::{Outcome, format, interrupt, json};
use tars_chat::CancelToken;
use tars_chat::mcp_client::ServerState;
use tars_config::{McpServerSettings, McpTransport};
use tars_service::{App, Refusal, Result};

pub(super) fn run(app: &App, args: &McpServers) -> Result<Outcome> {
    match args {
        McpServers::List { json } => list(app, *json),
        McpServers::Test { server } => test(app, server.as_deref()),
    }
}

#[derive(Serialize)]
struct ServerJson<'s> {
    name: &'s str,
    command: Option<Vec<&'s str>>,
    url: Option<&'s str>,
    enabled: bool,
    permission: &'static str,
    /// The names of its tools, if known.
    tools: Option<Vec<String>>,
}

fn list(app: &App, is_json: bool) -> Result<Outcome> {
    let servers = &app.settings.mcp_servers;
    let states = app.mcp_servers().states();
    let state = |server: &McpServerSettings| states.iter().find(|state| state.name == server.name);
    let mut out = anstream::stdout().lock();
    if is_json {
        let of = |server| as_json(server, state(server));
        json::line(&mut out, &servers.iter().map(of).collect::<Vec<_>>())?;
    } else {
        for server in servers {
            let tools = state(server).and_then(|state| state.tools.as_ref());
            let known = tools.map_or("tools not known yet".to_owned(), |tools| format::pluralize(tools.len(), "tool"));
            let known = if server.enabled { known } else { "switched off".to_owned() };
            let line = format!("{}  {known}, {}  {}", server.name, server.permission.as_str(), place(server));
            writeln!(out, "{}", terminal::for_output(&sanitize_line(&line), 2))?;
        }
        match servers.is_empty() {
            true => terminal::print_note(
                "no server is set: [mcp.servers.NAME] in the configuration (tars config path) names one",
            ),
            false => terminal::print_note("tars mcp servers test starts them and shows their tools"),
        }
    }
    Ok(if servers.is_empty() { Outcome::Nothing } else { Outcome::Done })
}

fn as_json<'s>(server: &'s McpServerSettings, state: Option<&ServerState>) -> ServerJson<'s> {
    let (command, url) = match &server.transport {
        McpTransport::Program { command, args, .. } => {
            (Some(std::iter::once(command.as_str()).chain(args.iter().map(String::as_str)).collect()), None)
        }
        McpTransport::Address { url, .. } => (None, Some(url.as_str())),
    };
    ServerJson {
        name: &server.name,
        command,
        url,
        enabled: server.enabled,
        permission: server.permission.as_str(),
        tools: state.and_then(|state| state.tools.clone()),
    }
}

fn place(server: &McpServerSettings) -> String {
    match &server.transport {
        McpTransport::Program { command, args, .. } => format!("{command} {}", args.join(" ")),
        McpTransport::Address { url, .. } => url.clone(),
    }
}

fn test(app: &App, named: Option<&str>) -> Result<Outcome> {
    let servers: Vec<&McpServerSettings> = match named {
        None => app.settings.mcp_servers.iter().filter(|server| server.enabled).collect(),
        Some(name) => match app.settings.mcp_servers.iter().find(|server| server.name == name) {
            Some(server) if server.enabled => vec![server],
            Some(_) => {
                let message = format!("the server '{name}' is switched off");
                return Err(Refusal { message, hint: format!("enabled = true in [mcp.servers.{name}]") }.into());
            }
            None => {
                let message = format!("there is no server '{}' in the configuration", sanitize_line(name));
                return Err(Refusal { message, hint: "tars mcp servers list".into() }.into());
            }
        },
    };
    if servers.is_empty() {
        terminal::print_note("no server is set: [mcp.servers.NAME] in the configuration (tars config path) names one");
        return Ok(Outcome::Nothing);
    }
    let cancel = CancelToken::default();
    let token = cancel.clone();
    interrupt::on_signal(move || token.cancel());
    let mut out = anstream::stdout().lock();
    let mut failed = false;
    for server in servers {
        match app.mcp_servers().test(&server.name, &|| cancel.is_cancelled()) {
            Ok(connected) => {
                let tools = format::pluralize(connected.tools.len(), "tool");
                writeln!(out, "{}: {} answers with {tools}", server.name, sanitize_line(&connected.about))?;
                for tool in &connected.tools {
                    let (permission, about) = (server.permission(&tool.name).as_str(), first_line(&tool.description));
                    let line = format!("  {permission:<5}  {}  {about}", sanitize_line(&tool.name));
                    writeln!(out, "{}", terminal::for_output(line.trim_end(), 9))?;
                }
            }
            Err(error) => {
                failed = true;
                let hint = error.hint().filter(|hint| !hint.starts_with("tars mcp servers test"));
                let hint = hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
                writeln!(out, "{}: {error}{hint}", server.name)?;
            }
        }
        if cancel.is_cancelled() {
            return Ok(Outcome::Interrupted);
        }
    }
    Ok(if failed { Outcome::Partial } else { Outcome::Done })
}

fn first_line(description: &str) -> String {
    sanitize_line(description.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim())
}
