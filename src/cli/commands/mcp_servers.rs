//! `tars mcp servers`: the tool servers of a conversation.

use std::io::Write;

use serde::Serialize;

use crate::args::{AddMcpServer, McpServers, shell_word};
use crate::terminal::{self, sanitize_line};
use crate::{Outcome, format, interrupt, json, prompt};
use tars_chat::CancelToken;
use tars_chat::mcp_client::ServerState;
use tars_config::{EnvValue, McpServerSettings, McpTransport, UserFile};
use tars_service::{App, Refusal, Result};

pub(super) fn run(app: &App, args: &McpServers) -> Result<Outcome> {
    match args {
        McpServers::List { json } => list(app, *json),
        McpServers::Add(new) => add(app, new),
        McpServers::Remove { server } => remove(app, server),
        McpServers::Test { server } => test(app, server.as_deref()),
    }
}

/// Shows what a server will run or call, and adds it if the person agrees.
fn add(app: &App, new: &AddMcpServer) -> Result<Outcome> {
    let transport = match (&new.url, new.command.split_first()) {
        (Some(url), _) => McpTransport::Address { url: url.clone(), token_env: new.token_env.clone() },
        (None, Some((command, args))) => McpTransport::Program {
            command: command.clone(),
            args: args.to_vec(),
            env: new.env.iter().map(|name| (name.clone(), EnvValue::Variable(name.clone()))).collect(),
        },
        (None, None) => {
            let message = "a server needs a program or an address".to_owned();
            return Err(Refusal { message, hint: "tars mcp servers add --help".into() }.into());
        }
    };
    let file = UserFile::locate(&app.environment)?;
    // As the file would hold it, so that nothing is asked about a server that is refused.
    let server = file.checked_server(&McpServerSettings::new(&new.name, transport))?;
    let name = &server.name;
    prompt::show(&format!("tars chat, when it has a model, will {}", effect(&server)))?;
    let is_asked = !new.yes && prompt::can_ask();
    let question = format!("add the server {name} to your configuration? [y/N]");
    let agrees = new.yes || is_asked && prompt::choose(&question, &['y', 'n'])? == 'y';
    if !agrees {
        let how = if is_asked { "" } else { ": --yes adds what is shown" };
        terminal::print_note(&format!("nothing was written{how}"));
        return Ok(Outcome::Nothing);
    }
    file.add_mcp_server(&server)?;
    writeln!(anstream::stdout(), "added {name}")?;
    terminal::print_note(&format!("tars mcp servers test {name} starts it and shows its tools"));
    Ok(Outcome::Done)
}

/// Describes what a server runs or calls, with its arguments as a shell would take them.
fn effect(server: &McpServerSettings) -> String {
    let word = |word: &String| shell_word(&sanitize_line(word));
    match &server.transport {
        McpTransport::Program { command, args, env } => {
            let line: Vec<String> = std::iter::once(command).chain(args).map(word).collect();
            let names: Vec<&str> = env.keys().map(String::as_str).collect();
            let with = if names.is_empty() { String::new() } else { format!(", and give it {}", names.join(", ")) };
            format!("run: {}{with}", line.join(" "))
        }
        McpTransport::Address { url, token_env } => {
            let token = token_env.as_ref().map(|name| format!(", with the token in {name}")).unwrap_or_default();
            format!("call: {}{token}", sanitize_line(url))
        }
    }
}

fn remove(app: &App, name: &str) -> Result<Outcome> {
    if !UserFile::locate(&app.environment)?.remove_mcp_server(name)? {
        let name = sanitize_line(name);
        terminal::print_note(&format!("there is no server '{name}': tars mcp servers list shows all"));
        return Ok(Outcome::Nothing);
    }
    writeln!(anstream::stdout(), "removed {}", sanitize_line(name))?;
    Ok(Outcome::Done)
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
            true => terminal::print_note("no server is set: tars mcp servers add NAME COMMAND adds one"),
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
        terminal::print_note("no server is set: tars mcp servers add NAME COMMAND adds one");
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
                writeln!(out, "{error}{hint}")?;
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
