//! `tars mcp install`: adds tars to the configuration of an agent's client.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::args::{Args, McpServerArgs};
use crate::terminal::sanitize;
use crate::{Outcome, terminal};
use tars_agent::client::{McpClient, ServerCommand};
use tars_service::setup::{ConfigChange, add_mcp_server, client_places, mcp_clients, remove_mcp_server};
use tars_service::{App, Context, Result};

/// Lists the clients on this machine, and whether they use tars.
pub(super) fn list(app: &App) -> Result<Outcome> {
    let (places, clients) = (client_places(app)?, mcp_clients(app)?);
    let mut out = anstream::stdout().lock();
    for (client, knows) in &clients {
        let state = match knows {
            Some(true) => "knows tars",
            Some(false) => "does not know tars",
            None => "cannot be read",
        };
        writeln!(out, "{:<15} {state}  {}", client.name(), sanitize(&client.file(&places).display().to_string()))?;
    }
    if !clients.is_empty() {
        terminal::print_note("tars mcp install CLIENT adds it, --remove removes it");
        return Ok(Outcome::Done);
    }
    let names = McpClient::ALL.map(McpClient::name).join(", ");
    terminal::print_note(&format!(
        "none of these clients is on this machine: {names}; tars mcp install CLIENT --print shows what to add"
    ));
    Ok(Outcome::Nothing)
}

/// Prints the configuration as it would be in an empty file.
pub(super) fn print(args: &Args, client: McpClient, offer: &McpServerArgs) -> Result<Outcome> {
    let text = client.add_server("", &command(args, offer)?)?;
    write!(anstream::stdout().lock(), "{text}")?;
    Ok(Outcome::Done)
}

/// Adds tars to the client's configuration.
pub(super) fn install(app: &App, args: &Args, client: McpClient, offer: &McpServerArgs) -> Result<Outcome> {
    app.roots()?;
    let ConfigChange { file, changed, backup } = add_mcp_server(app, client, &command(args, offer)?)?;
    let mut out = anstream::stdout().lock();
    if !changed {
        writeln!(out, "{} already contains it", file.display())?;
        return Ok(Outcome::Done);
    }
    writeln!(out, "added tars to {}", file.display())?;
    say_follow_up(client, backup.as_deref());
    Ok(Outcome::Done)
}

/// Removes tars from the client's configuration.
pub(super) fn remove(app: &App, client: McpClient) -> Result<Outcome> {
    let ConfigChange { file, changed, backup } = remove_mcp_server(app, client)?;
    if !changed {
        terminal::print_note(&format!("tars is not in {}", file.display()));
        return Ok(Outcome::Nothing);
    }
    writeln!(anstream::stdout().lock(), "removed tars from {}", file.display())?;
    say_follow_up(client, backup.as_deref());
    Ok(Outcome::Done)
}

fn say_follow_up(client: McpClient, backup: Option<&Path>) {
    if let Some(backup) = backup {
        terminal::print_note(&format!("its former content is in {}", backup.display()));
    }
    terminal::print_note(&format!("restart {} to apply the change", client.name()));
}

/// Returns the command line that starts the server: this program with the named folders and the options.
pub(super) fn command(args: &Args, offer: &McpServerArgs) -> Result<ServerCommand> {
    let text = |path: PathBuf| {
        path.into_os_string().into_string().ok().context("a path is not valid UTF-8, which JSON requires")
    };
    let program = text(std::env::current_exe().context("cannot find this program")?)?;
    let mut arguments = vec!["mcp".to_owned()];
    for (flag, path) in args.folders() {
        let path = std::path::absolute(&path).with_context(|| format!("cannot resolve {}", path.display()))?;
        arguments.extend([flag.to_owned(), text(path)?]);
    }
    if offer.read_only {
        arguments.push("--read-only".into());
    }
    if !offer.collections.is_empty() {
        arguments.extend(["--collections".into(), offer.collections.join(",")]);
    }
    arguments.extend(offer.budget.into_iter().flat_map(|budget| ["--budget".into(), budget.to_string()]));
    Ok(ServerCommand { program, arguments })
}
