//! `tars forget --session ID | --client NAME | --since DAY`

use std::io::Write;

use crate::args::Forget;
use crate::memory_lines::beginning;
use crate::terminal::{self, sanitize_line};
use crate::{Outcome, format, json, prompt};
use tars_service::memory::{ForgetSourceRequest, ForgetSourceResponse, LineOfSource};
use tars_service::{App, Backend, Refusal, Result, Service};

pub(super) fn run(app: &App, args: &Forget) -> Result<Outcome> {
    let service = Service::new(app, Backend::Local);
    let request = ForgetSourceRequest {
        session: args.session.clone(),
        client: args.client.clone(),
        since: args.since.clone(),
        remove: false,
    };
    let found = service.call(&request)?;
    let mut out = anstream::stdout().lock();
    if !args.json {
        list(&mut out, &found)?;
    }
    if found.found.is_empty() || !is_confirmed(args, &found)? {
        if args.json {
            json::line(&mut out, &found)?;
        } else {
            terminal::print_note("nothing was taken back");
        }
        return Ok(Outcome::Nothing);
    }
    let taken = service.call(&ForgetSourceRequest { remove: true, ..request })?;
    if args.json {
        json::line(&mut out, &taken)?;
    } else {
        receipt(&taken);
    }
    Ok(if taken.warnings.is_empty() { Outcome::Done } else { Outcome::Partial })
}

/// Asks the person.
///
/// # Errors
/// There is nobody to ask: a script names its intention with `--yes`.
fn is_confirmed(args: &Forget, found: &ForgetSourceResponse) -> Result<bool> {
    if args.yes || args.json {
        return Ok(args.yes);
    }
    if !prompt::can_ask() {
        let message = format!("nothing was taken back: {}, and nobody can be asked", counted(&found.found));
        return Err(Refusal { message, hint: "the same command with --yes takes it back".into() }.into());
    }
    let question = format!("take back {}? [y/N]", counted(&found.found));
    Ok(prompt::choose(&question, &['y', 'n'])? == 'y')
}

fn list(out: &mut dyn Write, found: &ForgetSourceResponse) -> Result<()> {
    for line in &found.found {
        writeln!(out, "{}", terminal::for_output(&row(line), 2))?;
        if let Some(former) = &line.returns {
            writeln!(out, "{}", terminal::for_output(&format!("  returns: {}", beginning(former)), 4))?;
        }
    }
    for line in &found.edited {
        writeln!(out, "{}", terminal::for_output(&format!("stays, edited since: {}", row(line)), 2))?;
    }
    Ok(())
}

fn row(line: &LineOfSource) -> String {
    let place = match line.line {
        Some(number) => format!("{}:{number}", line.path),
        None => format!("{} (whole note)", line.path),
    };
    let (place, origin) = (sanitize_line(&place), sanitize_line(&line.origin.describe()));
    format!("{place}  {origin}  {}", beginning(&line.text))
}

/// Prints what was taken back, and what follows from it.
fn receipt(taken: &ForgetSourceResponse) {
    terminal::print_note(&format!("taken back: {} (tars undo brings it back)", counted(&taken.taken)));
    let returned = taken.taken.iter().filter(|line| line.returns.is_some()).count();
    if returned > 0 {
        terminal::print_note(&format!("{} that had been replaced stands again", format::pluralize(returned, "fact")));
    }
    if !taken.sessions.is_empty() {
        let sessions: Vec<String> = taken.sessions.iter().map(|session| sanitize_line(session)).collect();
        let count = format::pluralize(sessions.len(), "session");
        terminal::print_note(&format!("{count} will not be noted or imported again: {}", sessions.join(", ")));
    }
    for warning in &taken.warnings {
        terminal::print_note(warning);
    }
}

/// Counts lines and whole notes.
fn counted(lines: &[LineOfSource]) -> String {
    let notes = lines.iter().filter(|line| line.line.is_none()).count();
    let parts = [(lines.len() - notes, "line"), (notes, "whole note")];
    let parts = parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format::pluralize(*count, what));
    parts.collect::<Vec<_>>().join(" and ")
}
