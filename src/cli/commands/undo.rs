//! `tars undo`, `tars log`

use std::io::Write as _;

use jiff::Zoned;

use crate::args::{Log, Undo};
use crate::memory_lines::beginning;
use crate::terminal::sanitize_line;
use crate::times::ago;
use crate::{Outcome, format, json, prompt, terminal};
use tars_service::memory::{JournaledWrite, LogRequest, RefusedUndo, UndoRequest, UndoResponse, UndoableRequest};
use tars_service::{App, Backend, Refusal, Result, Service};
use tars_vault::{Author, LineOrigin};

pub(crate) fn run(app: &App, args: &Undo) -> Result<Outcome> {
    let service = Service::new(app, Backend::Local);
    let now = app.environment.clock.now();
    if !is_confirmed(&service, args, &now)? {
        terminal::print_note("nothing was taken back");
        return Ok(Outcome::Nothing);
    }
    let request = UndoRequest { count: args.count.into(), redo: args.redo, notes: args.notes };
    let response = service.call(&request)?;
    if args.json {
        json::line(&mut anstream::stdout().lock(), &response)?;
    } else {
        show(&response, args, &now)?;
    }
    let (is_refused, is_empty) = (response.refused.is_some(), response.undone.is_empty());
    match response.failure {
        Some(error) => Err(error),
        None if is_refused => Ok(Outcome::Partial),
        None if is_empty => Ok(Outcome::Nothing),
        None => Ok(Outcome::Done),
    }
}

fn show(response: &UndoResponse, args: &Undo, now: &Zoned) -> Result<()> {
    let mut out = anstream::stdout().lock();
    let fate = if args.redo { "done again" } else { "taken back" };
    for write in &response.described {
        writeln!(out, "{}", terminal::for_output(&format!("{fate}  {}", write_line(write, now)), 2))?;
    }
    let is_empty = response.undone.is_empty();
    match (&response.refused, &response.difference) {
        (Some(refused), Some(difference)) => {
            let rest = if is_empty { "nothing was changed" } else { "nothing more was changed" };
            terminal::print_note(&format!("not {fate}: {} is not as this write left it; {rest}", refused.path));
            writeln!(out, "{}", terminal::for_output(&write_line(refused, now), 2))?;
            show_difference(&mut out, difference)?;
        }
        _ if is_empty => {
            terminal::print_note(if args.redo {
                "there is nothing to do again"
            } else {
                "there is nothing to take back"
            });
        }
        _ if response.failure.is_none() && response.commands < usize::from(args.count) => {
            let commands = format::pluralize(response.commands, "command");
            terminal::print_note(&format!("only {commands} had written something to take back"));
        }
        _ => {}
    }
    Ok(())
}

/// Asks for confirmation before undoing several commands.
///
/// # Errors
/// There is nobody to ask: a script names its intention with `--yes`.
fn is_confirmed(service: &Service<'_>, args: &Undo, now: &Zoned) -> Result<bool> {
    // A redo restores a known state.
    if args.count == 1 || args.redo || args.yes {
        return Ok(true);
    }
    let commands = service.call(&UndoableRequest { count: args.count.into(), notes: args.notes })?;
    if commands.len() < 2 {
        return Ok(true);
    }
    if args.json || !prompt::can_ask() {
        let notes = if args.notes { " --notes" } else { "" };
        return Err(Refusal {
            message: format!("nothing was taken back: {} commands wrote, and nobody can be asked", commands.len()),
            hint: format!("tars log shows what they wrote; tars undo {}{notes} --yes takes it back", args.count),
        }
        .into());
    }
    let mut out = anstream::stdout().lock();
    for write in commands.iter().flatten() {
        writeln!(out, "{}", terminal::for_output(&write_line(write, now), 2))?;
    }
    out.flush()?;
    let question = format!("take back the writes of {} commands? [y/N]", commands.len());
    Ok(prompt::choose(&question, &['y', 'n'])? == 'y')
}

/// Shows the text that a write left and the current text of the file.
fn show_difference(out: &mut dyn std::io::Write, RefusedUndo { changes, now }: &RefusedUndo) -> Result<()> {
    for change in changes {
        writeln!(out, "--- as tars left it, line {}", change.at + 1)?;
        for line in change.above.iter().chain(&change.inserted).chain(&change.below) {
            writeln!(out, "-{}", sanitize_line(line))?;
        }
        let Some(now) = now else {
            writeln!(out, "+++ the file is gone")?;
            break;
        };
        let first = change.at.saturating_sub(change.above.len()).min(now.len());
        let length = change.above.len() + change.inserted.len() + change.below.len();
        writeln!(out, "+++ now, line {}", first + 1)?;
        for line in now.iter().skip(first).take(length.max(1)) {
            writeln!(out, "+{}", sanitize_line(line))?;
        }
    }
    Ok(())
}

pub(crate) fn log(app: &App, args: &Log) -> Result<Outcome> {
    let newest = Service::new(app, Backend::Local).call(&LogRequest { limit: Some(args.limit.into()) })?;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &newest)?;
    } else {
        let now = app.environment.clock.now();
        for write in &newest {
            let fate = if write.undoes.is_none() && write.undone { "  (taken back)" } else { "" };
            writeln!(out, "{}", terminal::for_output(&format!("{}{fate}", write_line(write, &now)), 2))?;
        }
        if newest.is_empty() {
            terminal::print_note("nothing has been written yet");
        }
    }
    Ok(if newest.is_empty() { Outcome::Nothing } else { Outcome::Done })
}

/// Formats a write as one line: time, command, file, change.
pub(crate) fn write_line(write: &JournaledWrite, now: &Zoned) -> String {
    let time = ago(write.time, now);
    let by = match write.channel.as_ref().or(write.session.as_ref()) {
        Some(asked) => format!("{} ({})", write.command, sanitize_line(asked)),
        None => write.command.clone(),
    };
    let who = authors(write);
    format!("{time}  {by}  {}  {}{who}", sanitize_line(&write.path), change_summary(write))
}

/// Returns who wrote the lines of a write, unless the person did.
fn authors(write: &JournaledWrite) -> String {
    let is_told = |origin: &&LineOrigin| !matches!(origin.by, Author::Person | Author::Machine);
    let told: Vec<String> = write.by.iter().filter(is_told).map(|origin| sanitize_line(&origin.describe())).collect();
    if told.is_empty() { String::new() } else { format!("  [{}]", told.join("; ")) }
}

fn change_summary(entry: &JournaledWrite) -> String {
    if let Some(undone) = entry.undoes {
        return format!("takes back write {undone}");
    }
    if let Some(to) = &entry.moved_to {
        return format!("> {}", sanitize_line(to));
    }
    // The journal does not hold the text of imported chats, and the answer not that of private files.
    if entry.changes.is_empty() {
        return "…".into();
    }
    let inserted: Vec<&String> = entry.changes.iter().flat_map(|change| &change.inserted).collect();
    let removed = entry.changes.iter().map(|change| change.removed.len()).sum::<usize>();
    let first = |lines: &[&String]| lines.iter().rev().find(|line| !line.trim().is_empty()).map(|line| line_text(line));
    match (first(&inserted), removed) {
        (Some(line), 0) => format!("+ {line}"),
        (Some(line), _) => format!("~ {line}"),
        (None, _) => {
            let gone: Vec<&String> = entry.changes.iter().flat_map(|change| &change.removed).collect();
            let line = gone.first().map(|line| line_text(line)).unwrap_or_default();
            format!(
                "- {line}{}",
                if removed > 1 { format!(" ({})", format::pluralize(removed, "line")) } else { String::new() }
            )
        }
    }
}

/// Returns a line without a bullet's marker.
fn line_text(line: &str) -> String {
    let line = line.trim();
    beginning(line.strip_prefix("- ").unwrap_or(line))
}
