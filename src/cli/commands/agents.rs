//! `tars agents`: the agents of this machine, and what joins tars to them.

use std::io::Write;

use super::conflicts::print_diff;
use super::mcp_install;
use crate::args::{AgentChange, Agents, AgentsCommand, Args, McpServerArgs};
use crate::format::pluralize;
use crate::terminal::{for_output, print_note, sanitize_line};
use crate::{Outcome, json, prompt};
use tars_service::setup::{
    AgentReport, AgentsRequest, ChangeAgentRequest, ChangeAgentResponse, FileChange, HooksState,
};
use tars_service::{App, Backend, Result, Service};

/// Lines that tell any agent how to use the command line.
const INSTRUCTIONS: &str = include_str!("../../../plugins/AGENTS.md");

pub(crate) fn run(app: &App, agents: &Agents, args: &Args) -> Result<Outcome> {
    match &agents.command {
        None => list(app, agents.json),
        Some(AgentsCommand::Install(change)) => make(app, args, change, false),
        Some(AgentsCommand::Remove(change)) => make(app, args, change, true),
        Some(AgentsCommand::Lines) => {
            write!(anstream::stdout().lock(), "{INSTRUCTIONS}")?;
            Ok(Outcome::Done)
        }
    }
}

fn list(app: &App, is_json: bool) -> Result<Outcome> {
    let response = Service::new(app, Backend::Local).call(&AgentsRequest {})?;
    let mut out = anstream::stdout().lock();
    if is_json {
        json::line(&mut out, &response)?;
        return Ok(Outcome::Done);
    }
    let present: Vec<&AgentReport> = response.agents.iter().filter(|agent| agent.is_present).collect();
    for agent in &present {
        writeln!(out, "{:<12} {}", agent.client, for_output(&sanitize_line(&described(app, agent)), 13))?;
    }
    if present.is_empty() {
        let known: Vec<&str> = response.agents.iter().map(|agent| agent.label.as_str()).collect();
        print_note(&format!("none of the agents that tars knows is on this machine: {}", known.join(", ")));
        return Ok(Outcome::Nothing);
    }
    print_note("tars agents install AGENT joins tars to an agent, tars agents remove AGENT undoes that");
    Ok(Outcome::Done)
}

/// Returns what joins tars to an agent, in words.
fn described(app: &App, agent: &AgentReport) -> String {
    let mut parts = Vec::new();
    match (agent.hooks, &agent.costs) {
        (HooksState::Missing, _) => parts.push("no hooks".to_owned()),
        (HooksState::Current, _) => parts.push("hooks installed".to_owned()),
        (HooksState::Different, _) => parts.push("hooks of another version, or edited".to_owned()),
        (HooksState::OfClient, Some(_)) => parts.push("plugin installed".to_owned()),
        (HooksState::OfClient, None) => parts.push("no plugin seen yet".to_owned()),
    }
    match agent.mcp {
        Some(true) => parts.push("MCP server listed".to_owned()),
        Some(false) => parts.push("no MCP server".to_owned()),
        None => {}
    }
    if let Some(costs) = &agent.costs {
        let last = costs.last.to_zoned(app.environment.clock.zone().clone()).strftime("%Y-%m-%d %H:%M");
        parts.push(format!("last hook {last} ({})", costs.event));
        parts.push(format!("{} ms, 1 in 20 over {} ms", costs.median_ms, costs.p95_ms));
    }
    parts.join(", ")
}

/// Shows the changes, asks, and makes them.
fn make(app: &App, args: &Args, change: &AgentChange, remove: bool) -> Result<Outcome> {
    let service = Service::new(app, Backend::Local);
    let server = mcp_install::command(args, &McpServerArgs::default())?.without_vault();
    let request = ChangeAgentRequest { client: change.client, remove, server, dry_run: true };
    let ChangeAgentResponse { files, own_commands } = service.call(&request)?;
    let mut out = anstream::stdout().lock();
    for FileChange { path, diff, more_lines, is_removed, .. } in &files {
        let verb = if *is_removed { "remove" } else { "write" };
        writeln!(out, "{verb} {}", sanitize_line(&path.display().to_string()))?;
        print_diff(&mut out, diff, *more_lines)?;
    }
    out.flush()?;
    drop(out);
    if files.is_empty() {
        print_note(if remove { "tars wrote nothing there" } else { "all files that tars writes are up to date" });
    } else if change.yes || (prompt::can_ask() && prompt::choose(&question(&files), &['y', 'n'])? == 'y') {
        let made = service.call(&ChangeAgentRequest { dry_run: false, ..request })?;
        for FileChange { backup, .. } in &made.files {
            if let Some(backup) = backup {
                print_note(&format!("the former content is in {}", sanitize_line(&backup.display().to_string())));
            }
        }
        print_note(&format!("restart {} to apply the change", change.client.label()));
    } else {
        let verb = if remove { "remove" } else { "install" };
        let hint = format!(": tars agents {verb} {} --yes", change.client.name());
        print_note(&format!("nothing was written{}", if prompt::can_ask() { "" } else { &hint }));
        return Ok(Outcome::Nothing);
    }
    if !remove && !own_commands.is_empty() {
        print_note(&format!("{} installs the plugin by itself:", change.client.label()));
        own_commands.iter().for_each(|command| print_note(command));
    }
    Ok(if remove && files.is_empty() { Outcome::Nothing } else { Outcome::Done })
}

fn question(files: &[FileChange]) -> String {
    format!("change {}? [y/N]", pluralize(files.len(), "file"))
}
