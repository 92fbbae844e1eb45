//! The steps between the vault and the first question: the model, the watcher, the agents.

use std::io::Write;

use super::{Interaction, answer, line};
use crate::args::{Args, Init, McpServerArgs};
use crate::commands::{mcp_install, watch};
use crate::terminal::{print_problem, sanitize_line};
use tars_agent::client::McpClient;
use tars_config::{NotesAuthor, Provider, SummaryProvider};
use tars_service::setup::{
    ChooseAuthorRequest, ChooseModelRequest, FindAuthorsRequest, SetupRecord, add_mcp_server, mcp_clients,
};
use tars_service::{App, Backend, MODEL_OFFER, ModelAdvice, Problem, Result, Service};

/// Chooses the model: the named one, or an installed one that suits the notes better.
pub(super) fn model(app: &App, init: &Init, interaction: &Interaction, advice: Option<&ModelAdvice>) -> Result<()> {
    let installed = |id: &str| app.catalog().get(id).is_ok();
    let wanted = match (&init.model, advice) {
        (Some(id), _) => Some(id.clone()),
        (None, Some(advice)) if (interaction.asks || interaction.yes) && installed(&advice.model) => {
            let question = format!("{}: use {}, which reads about a hundred languages?", advice.reason, advice.model);
            interaction.decides(None, &question)?.then(|| advice.model.clone())
        }
        (None, _) => None,
    };
    if let Some(id) = wanted {
        let used = Service::new(app, Backend::Local).call(&ChooseModelRequest { id })?;
        return line("model", &used.id);
    }
    if let Some(advice) = advice {
        line("advice", &advice.line())?;
    }
    let embedding = &app.settings.config.embedding;
    if embedding.provider == Provider::Onnx {
        match app.catalog().get(&embedding.model) {
            Ok(_) => line("model", &embedding.model)?,
            Err(error) => {
                let mend = error.hint().map(|hint| format!(" ({hint})")).unwrap_or_default();
                line("model", &format!("only words are searched: {error}{mend}"))?;
            }
        }
    }
    Ok(())
}

/// Installs the watcher as a service. Returns whether everything requested succeeded.
pub(super) fn watcher(app: &App, init: &Init, interaction: &Interaction) -> Result<bool> {
    let flag = init.wants_service();
    if flag.is_none() && !interaction.asks && !interaction.yes {
        return Ok(true);
    }
    let state = watch::service_state(app)?;
    // The service may belong to a package instead of the user.
    let runs = state.installed || state.manager_state.as_deref() == Some("active");
    if runs && flag != Some(false) {
        line("watcher", &format!("the system runs it already ({})", state.file.display()))?;
        return Ok(true);
    }
    // Without a service manager, only a flag requests a service.
    let question = "Have the system run the watcher at every login? It keeps the index up to date.";
    if flag.or((state.manager_state.is_none()).then_some(false)) == Some(false)
        || !interaction.decides(flag, question)?
    {
        line("watcher", "tars watch --detach starts it until you log out")?;
        return Ok(true);
    }
    match watch::install_service(app, false) {
        Ok(file) => {
            SetupRecord::change(app, |record| record.service = true)?;
            line("watcher", &format!("the system runs it at every login ({})", file.display()))?;
            Ok(true)
        }
        Err(error) => {
            say(&error);
            line("watcher", "not installed; tars watch --detach starts it until you log out")?;
            Ok(false)
        }
    }
}

/// Gives the memory to agents. Returns whether all of them succeeded.
pub(super) fn agents(app: &App, args: &Args, init: &Init, interaction: &Interaction) -> Result<bool> {
    let decided = init.no_agents || !init.agents.is_empty();
    if !decided && !interaction.asks && !interaction.yes {
        return Ok(true);
    }
    let here = mcp_clients(app)?;
    // The plugin does more for Claude Code than an MCP server can.
    if here.iter().any(|(client, _)| *client == McpClient::ClaudeCode) && !init.agents.contains(&McpClient::ClaudeCode)
    {
        line("claude-code", "its plugin remembers by itself: docs/plugin.md says how to install it")?;
    }
    let knowing = here.iter().filter(|(_, knows)| *knows == Some(true)).map(|(client, _)| client.name());
    let knowing: Vec<&str> = knowing.collect();
    if !knowing.is_empty() {
        line("agents", &format!("{} know tars already", knowing.join(", ")))?;
    }
    let proposed = here.iter().filter(|(client, knows)| *knows == Some(false) && *client != McpClient::ClaudeCode);
    let proposed: Vec<McpClient> = proposed.map(|(client, _)| *client).collect();
    let wanted = match (decided, interaction.asks) {
        (true, _) => init.agents.clone(),
        (false, true) if !proposed.is_empty() => ask_for(&proposed)?,
        (false, _) => proposed,
    };
    let mut all_done = true;
    let folders_of_config = mcp_install::command(args, &McpServerArgs::default())?.without_vault();
    for client in wanted {
        // An existing entry belongs to the person, and survives an undo of the set-up.
        let was_there = here.iter().any(|(known, knows)| *known == client && *knows == Some(true));
        match add_mcp_server(app, client, &folders_of_config) {
            Ok(written) => {
                if !was_there {
                    let name = client.name().to_owned();
                    SetupRecord::change(app, |record| {
                        record.agents.retain(|known| *known != name);
                        record.agents.push(name);
                    })?;
                }
                let before =
                    written.backup.map(|backup| format!(" (before: {})", backup.display())).unwrap_or_default();
                line(client.name(), &sanitize_line(&format!("in {}{before}", written.file.display())))?;
            }
            Err(error) => {
                say(&error);
                all_done = false;
            }
        }
    }
    line("others", "`tars agents lines` prints lines for the AGENTS.md of any other agent")?;
    Ok(all_done)
}

/// Chooses who notes the sessions: the named author, or the person's answer. Without either the offer stays.
pub(super) fn notes(app: &App, init: &Init, interaction: &Interaction) -> Result<()> {
    let service = Service::new(app, Backend::Local);
    let is_undecided = app.settings.config.summary.provider == SummaryProvider::Auto;
    let chosen = match &init.notes {
        Some(author) => author.clone(),
        None if !is_undecided => return Ok(()),
        None if !interaction.asks => return line("notes", MODEL_OFFER),
        None => {
            let authors = service.call(&FindAuthorsRequest {})?.authors;
            if authors.len() < 2 {
                return line("notes", MODEL_OFFER);
            }
            ask_for_author(&authors)?
        }
    };
    service.call(&ChooseAuthorRequest { by: chosen.clone() })?;
    line("notes", &format!("by {}", sanitize_line(&chosen)))
}

/// Asks who notes the sessions.
fn ask_for_author(authors: &[String]) -> Result<String> {
    let described: Vec<String> = authors.iter().map(|author| described(author)).collect();
    loop {
        let answer = answer(&format!("Who notes your sessions with Claude Code? {} [rules]", described.join("; ")))?;
        let answer = if answer.is_empty() { "rules" } else { answer.as_str() };
        match NotesAuthor::parse(answer) {
            Some(_) => return Ok(answer.to_owned()),
            None => writeln!(anstream::stderr().lock(), "Type one of {}; Enter alone is rules.", authors.join(", "))?,
        }
    }
}

/// Returns an author with what a person should know about it.
fn described(author: &str) -> String {
    let about = match author {
        "claude" => {
            "your own login, model haiku, asked once a session, much better notes; it gets the session's turns, the project's \
             decisions and open ends and the nearest lines of your memory, no secrets and no private files"
        }
        "rules" => "no model, at once",
        _ => "on this machine",
    };
    format!("{} ({about})", sanitize_line(author))
}

/// Asks which of the proposed agents get the memory.
fn ask_for(proposed: &[McpClient]) -> Result<Vec<McpClient>> {
    let names = proposed.iter().map(|client| client.name()).collect::<Vec<_>>().join(", ");
    loop {
        let answer = answer(&format!("Give these agents your memory: {names}? [Y/n, or some of them]"))?.to_lowercase();
        match answer.as_str() {
            "" | "y" | "yes" => return Ok(proposed.to_vec()),
            "n" | "no" => return Ok(Vec::new()),
            _ => {}
        }
        let named = answer.split([',', ' ']).filter(|name| !name.is_empty());
        let known = |name| proposed.iter().copied().find(|client| client.name() == name);
        if let Some(chosen) = named.map(known).collect::<Option<Vec<_>>>() {
            return Ok(chosen);
        }
        writeln!(anstream::stderr().lock(), "Type y, n, or the names of some: {}.", names.replace(", ", ","))?;
    }
}

/// Reports a failed step; the others continue.
fn say(error: &tars_service::Error) {
    let Problem { message, hint, .. } = Problem::from(error);
    print_problem(&message, hint.as_deref());
}
