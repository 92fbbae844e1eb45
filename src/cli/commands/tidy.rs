//! `tars tidy`, `tars audit`

use std::io::Write;

use super::context::warn_core_size;
use super::forget::removed_note;
use super::proposals;
use super::remember::warn_overgrown;
use crate::args::{Audit, Tidy};
use crate::memory_lines::{beginning, one_line};
use crate::terminal::{for_output, sanitize_line};
use crate::{Outcome, format, json, prompt, terminal};
use tars_service::memory::{MemoryLine, ProposeJob, Remove, TidyFinding, TidyRequest};
use tars_service::{App, AuditRequest, Backend, Result, Service};

pub(crate) fn run(app: &App, args: &Tidy) -> Result<Outcome> {
    let service = Service::new(app, Backend::Local);
    if args.propose {
        return proposals::propose(&service, ProposeJob::Tidy, args.json);
    }
    let remove = if args.yes { Remove::All } else { Remove::None };
    let mut response = service.call(&TidyRequest { remove })?;
    if args.json {
        json::line(&mut anstream::stdout().lock(), &response)?;
        return Ok(Outcome::Done);
    }
    let mut unwanted: Vec<MemoryLine> = Vec::new();
    for finding in &response.findings {
        show(finding)?;
        if let Some(line) = &finding.remove
            && !args.yes
            && prompt::can_ask()
            && prompt::choose("remove the line marked with '-'? [y/N]", &['y', 'n'])? == 'y'
        {
            unwanted.push(line.clone());
        }
    }
    if !unwanted.is_empty() {
        response = service.call(&TidyRequest { remove: Remove::Lines(unwanted) })?;
    }
    warn_core_size(response.core_tokens);
    if response.findings.is_empty() {
        terminal::print_note("the memory folder is tidy");
    } else if !response.removed.is_empty() {
        terminal::print_note(&removed_note(response.removed.len()));
    } else if !prompt::can_ask() && response.findings.iter().any(|finding| finding.remove.is_some()) {
        terminal::print_note("nothing was removed: --yes removes every line marked with '-'");
    }
    Ok(Outcome::Done)
}

fn show(finding: &TidyFinding) -> Result<()> {
    let mut out = anstream::stdout().lock();
    let heading = match finding.kind {
        "duplicate" => "says the same:",
        "close" => "says nearly the same:",
        "superseded" => "is older than:",
        "conflict" => "contradict each other:",
        "broken_link" => "leads nowhere:",
        "not_helpful" => "was marked as not helpful:",
        "unused" => "was recalled but never used:",
        _ => "",
    };
    if !heading.is_empty() {
        writeln!(out, "{heading}")?;
    }
    if let Some(line) = &finding.remove {
        writeln!(out, "{}", for_output(&format!("- {}", one_line(line)), 2))?;
    }
    for line in &finding.lines {
        writeln!(out, "{}", for_output(&format!("  {}", one_line(line)), 4))?;
    }
    if let Some(link) = &finding.link {
        let place = sanitize_line(&format!("{}:{}", link.path, link.line));
        writeln!(out, "  {place}  [[{}]]", sanitize_line(&link.target))?;
    }
    if let Some(line) = &finding.unused {
        let place = format::place(&line.path, &line.line.to_string(), &line.collection);
        writeln!(out, "{}", for_output(&format!("  {place}  {}", beginning(&line.text)), 4))?;
        let (sessions, since) = (format::pluralize(line.sessions, "session"), line.since);
        match finding.kind {
            "not_helpful" => writeln!(out, "  in {} of {sessions} that saw it since {since}", line.not_helpful)?,
            _ => writeln!(out, "  shown in {sessions} since {since}; edit it, remove it, or leave it as it is")?,
        }
    }
    if let Some(overgrown) = &finding.overgrown {
        warn_overgrown(overgrown);
    }
    Ok(())
}

pub(crate) fn audit(app: &App, args: &Audit) -> Result<Outcome> {
    let found = Service::new(app, Backend::Local).call(&AuditRequest {})?;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &found)?;
    } else {
        for leak in &found {
            let line = if leak.line > 0 { format!(":{}", leak.line) } else { String::new() };
            let place = format::note(&format!("{}{line}", leak.path), &leak.collection);
            writeln!(out, "{}  {place}  {}", leak.place.as_str(), leak.kind)?;
        }
        match found.is_empty() {
            true => terminal::print_note("no secret was found in the memory folder, the index or the names of notes"),
            false => terminal::print_note(&format!(
                "found {}: take them out of the files and their names, then run tars index",
                format::pluralize(found.len(), "secret")
            )),
        }
    }
    // Like `tars doctor`: finding nothing is the success.
    Ok(if found.is_empty() { Outcome::Done } else { Outcome::Nothing })
}
