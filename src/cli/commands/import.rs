//! `tars import`

use std::io::Write;

use crate::args::{Import, ImportChats, ImportSessions};
use crate::format::pluralize;
use crate::progress::Bar;
use crate::terminal::sanitize_line;
use crate::{Outcome, interrupt, json, terminal};
use tars_agent::chat_export::ChatClient;
use tars_agent::client::AgentClient;
use tars_service::sessions::{ImportChatsRequest, ImportChatsResponse, ImportRequest, ImportResponse};
use tars_service::{App, Backend, Result, Service};

pub(crate) fn run(app: &App, args: &Import) -> Result<Outcome> {
    match args {
        Import::ClaudeCode(args) => sessions(app, AgentClient::ClaudeCode, args),
        Import::Codex(args) => sessions(app, AgentClient::Codex, args),
        Import::OpenCode(args) => sessions(app, AgentClient::OpenCode, args),
        Import::Gemini(args) => sessions(app, AgentClient::Gemini, args),
        Import::ChatGpt(args) => chats(app, ChatClient::ChatGpt, args),
        Import::Claude(args) => chats(app, ChatClient::Claude, args),
    }
}

fn sessions(app: &App, client: AgentClient, args: &ImportSessions) -> Result<Outcome> {
    interrupt::listen();
    let bar = Bar::new(args.json);
    let service = Service::new(app, Backend::Local).with_observer(&bar);
    let response = service.call(&ImportRequest { client, folder: args.folder.clone(), dry_run: args.dry_run })?;
    let ImportResponse { logs, known, forgotten, empty, failed, interrupted, dry_run } = &response;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &response)?;
    } else {
        let verb = if *dry_run { "would write" } else { "written" };
        for log in logs {
            writeln!(out, "{verb}  {}  {}", sanitize_line(&log.path), sanitize_line(&log.topic))?;
        }
        for failed in failed {
            terminal::print_note(&failed.error);
        }
        let known = if *known > 0 { format!(", {known} known") } else { String::new() };
        let empty = if *empty > 0 { format!(", {empty} without a turn") } else { String::new() };
        let forgotten = if *forgotten > 0 { format!(", {forgotten} taken back by you") } else { String::new() };
        terminal::print_note(&format!("{verb}: {}{known}{forgotten}{empty}", pluralize(logs.len(), "session log")));
    }
    Ok(match (interrupted, failed.is_empty(), logs.len() + known) {
        (true, ..) => Outcome::Interrupted,
        (_, false, _) => Outcome::Partial,
        (_, _, 0) => Outcome::Nothing,
        _ => Outcome::Done,
    })
}

fn chats(app: &App, client: ChatClient, args: &ImportChats) -> Result<Outcome> {
    interrupt::listen();
    let bar = Bar::new(args.json);
    let service = Service::new(app, Backend::Local).with_observer(&bar);
    let ImportChats { export, dry_run, proposals, .. } = args;
    let request = ImportChatsRequest { client, export: export.clone(), dry_run: *dry_run, proposals: *proposals };
    let response = service.call(&request)?;
    let ImportChatsResponse { chats, known, edited, forgotten, empty, failed, proposals, interrupted, dry_run, .. } =
        &response;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &response)?;
    } else {
        let verb = if *dry_run { "would write" } else { "written" };
        for chat in chats {
            let again = if chat.changed { " again" } else { "" };
            writeln!(out, "{verb}{again}  {}  {}", sanitize_line(&chat.path), sanitize_line(&chat.title))?;
        }
        let proposes = if *dry_run { "would propose" } else { "proposed" };
        for proposal in proposals {
            let place = sanitize_line(&format!("{}#{}", proposal.path, proposal.section));
            let count = pluralize(proposal.said.len(), "time");
            writeln!(out, "{proposes}  {place}  {}  said {count}", sanitize_line(&proposal.text))?;
        }
        for path in edited {
            let path = sanitize_line(path);
            terminal::print_note(&format!("{path} has your edits and stays as it is, although the chat went on"));
        }
        for failed in failed {
            terminal::print_note(&failed.error);
        }
        let counted = [
            (*known, "known"),
            (edited.len(), "edited by you"),
            (*forgotten, "taken back by you"),
            (*empty, "without a word of yours"),
        ];
        let counted = counted.iter().filter(|(count, _)| *count > 0);
        let counted: String = counted.map(|(count, what)| format!(", {count} {what}")).collect();
        terminal::print_note(&format!("{verb}: {}{counted}", pluralize(chats.len(), "chat")));
        note_proposals(client, &response);
    }
    Ok(match (interrupted, failed.is_empty(), chats.len() + known + edited.len()) {
        (true, ..) => Outcome::Interrupted,
        (_, false, _) => Outcome::Partial,
        (_, _, 0) => Outcome::Nothing,
        _ => Outcome::Done,
    })
}

/// Prints how to settle the proposals, and how to see those that were left out.
fn note_proposals(client: ChatClient, response: &ImportChatsResponse) {
    let (count, left_out) = (response.proposals.len(), response.proposals_left_out);
    if count > 0 && !response.dry_run {
        terminal::print_note(&format!("{} of what you said in them: tars review", pluralize(count, "proposal")));
    }
    if left_out > 0 {
        terminal::print_note(&format!(
            "{left_out} more, less sure or said less often, left out: tars import {} FILE --proposals {} --dry-run",
            client.as_str(),
            count + left_out
        ));
    }
}
