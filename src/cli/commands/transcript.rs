//! `tars transcript`

use std::io::Write;

use jiff::Timestamp;

use crate::args::Transcript;
use crate::terminal::{sanitize, sanitize_line};
use crate::{Outcome, json, terminal};
use tars_base::domain::Turn;
use tars_service::{App, Backend, Result, Service, TurnLine, TurnRequest, TurnsRequest};

pub(crate) fn run(app: &App, args: &Transcript) -> Result<Outcome> {
    let service = Service::new(app, Backend::Local);
    match &args.turn {
        None => list(&service, args),
        Some(id) => show(&service, id, args),
    }
}

fn list(service: &Service<'_>, args: &Transcript) -> Result<Outcome> {
    let found = service.call(&TurnsRequest { file: args.file.clone() })?;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &found)?;
    } else {
        for TurnLine { id, at, request } in &found.turns {
            writeln!(out, "{}  {}  {}", sanitize_line(id), time(*at, "%Y-%m-%d %H:%M"), sanitize_line(request))?;
        }
        say_unread(found.unread);
        if found.turns.is_empty() {
            terminal::print_note("no turn was found: is it a session's file?");
        }
    }
    Ok(if found.turns.is_empty() { Outcome::Nothing } else { Outcome::Done })
}

fn show(service: &Service<'_>, id: &str, args: &Transcript) -> Result<Outcome> {
    let request = TurnRequest { file: args.file.clone(), id: id.to_owned(), context: args.context as usize };
    let found = service.call(&request)?;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &found)?;
        return Ok(Outcome::Done);
    }
    for (index, turn) in found.turns.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        print(&mut out, turn)?;
    }
    say_unread(found.unread);
    Ok(Outcome::Done)
}

fn print(out: &mut dyn Write, turn: &Turn) -> Result<()> {
    let place = [&turn.directory, &turn.branch].into_iter().flatten();
    let place: String = place.map(|part| format!("  {}", sanitize_line(part))).collect();
    writeln!(out, "turn {}  {}{place}", sanitize_line(&turn.id), time(turn.at, "%Y-%m-%d %H:%M:%S"))?;
    for line in sanitize(turn.request.trim()).lines() {
        writeln!(out, "> {line}")?;
    }
    let answer = sanitize(turn.answer.trim());
    if !answer.is_empty() {
        writeln!(out, "\n{answer}")?;
    }
    if !turn.tools.is_empty() {
        writeln!(out, "\ntools: {}", sanitize_line(&turn.tools.join(", ")))?;
    }
    for (name, entries) in [("changed", &turn.files), ("ran", &turn.commands)] {
        for entry in entries {
            let lines = sanitize(entry);
            writeln!(out, "{name}: {}", lines.trim_end().replace('\n', "\n  "))?;
        }
    }
    Ok(())
}

fn time(at: Option<Timestamp>, format: &str) -> String {
    let local = at.map(|at| at.to_zoned(jiff::tz::TimeZone::system()).strftime(format).to_string());
    local.unwrap_or_else(|| "no time".into())
}

fn say_unread(lines: usize) {
    if lines > 0 {
        let lines = crate::format::pluralize(lines, "line");
        terminal::print_note(&format!("{lines} skipped: not JSON, or too long"));
    }
}
