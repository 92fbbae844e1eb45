//! `tars compact`

use std::io::Write;

use crate::args::Compact;
use crate::format::pluralize;
use crate::progress::Bar;
use crate::terminal::{sanitize, sanitize_line};
use crate::{Outcome, interrupt, json, terminal};
use tars_service::memory::{CompactRequest, CompactResponse, CompactedMonth};
use tars_service::{App, Backend, Result, Service};

pub(crate) fn run(app: &App, args: &Compact) -> Result<Outcome> {
    interrupt::listen();
    let bar = Bar::new(args.json);
    let service = Service::new(app, Backend::Local).with_observer(&bar);
    let response = service.call(&CompactRequest {
        month: args.month.clone(),
        older_than_days: args.older_than,
        is_moved: args.is_moved,
        dry_run: args.dry_run,
    })?;
    if args.json {
        json::line(&mut anstream::stdout().lock(), &response)?;
    } else {
        show(app, &response)?;
    }
    let CompactResponse { months, known, stopped, interrupted, .. } = &response;
    Ok(match (interrupted, months.len() + known) {
        (true, _) => Outcome::Interrupted,
        (_, 0) if stopped.is_none() => Outcome::Nothing,
        _ => Outcome::Done,
    })
}

fn show(app: &App, response: &CompactResponse) -> Result<()> {
    let mut out = anstream::stdout().lock();
    let is_dry = response.dry_run;
    for month in &response.months {
        writeln!(out, "{}", month_line(month, is_dry))?;
        for log in &month.moved {
            let verb = if is_dry { "would move" } else { "moved" };
            writeln!(out, "  {verb}  {}  to  {}", sanitize_line(&log.from), sanitize_line(&log.to))?;
        }
        for log in &month.kept {
            writeln!(out, "  stays  {}  {}", sanitize_line(&log.path), log.reason)?;
        }
        if let Some(text) = &month.text {
            writeln!(out, "\n{}\n", sanitize(text.trim_end()))?;
        }
    }
    for link in &response.broken_links {
        let verb = if is_dry { "would break" } else { "is broken now" };
        let place = sanitize_line(&format!("{}:{}", link.path, link.line));
        writeln!(out, "{verb}  {place}  {}", sanitize_line(&link.target))?;
    }
    if let Some(problem) = &response.stopped {
        terminal::print_note(&problem.message);
    }
    for left in &response.left {
        terminal::print_note(&format!("{} was left as it is: {}", left.month, left.reason));
    }
    if is_dry && app.notes_author().is_some() && response.months.iter().any(|month| month.by == "extractive") {
        terminal::print_note("the language model was not asked: its summary will differ");
    }
    let done = pluralize(response.months.len(), "month");
    let known = if response.known > 0 { format!(", {} known", response.known) } else { String::new() };
    let undo = if response.months.is_empty() || is_dry { "" } else { " (tars undo takes it back)" };
    terminal::print_note(&format!("{}: {done}{known}{undo}", if is_dry { "would sum up" } else { "summed up" }));
    Ok(())
}

/// Formats the result of a month as one line.
fn month_line(month: &CompactedMonth, is_dry: bool) -> String {
    let verb = match (is_dry, month.lines, month.added) {
        (_, 0, _) => "as it was",
        (true, _, true) => "would add",
        (true, _, false) => "would write",
        (false, _, true) => "added",
        (false, _, false) => "written",
    };
    let by = if month.by == "extractive" { "by rules".to_owned() } else { format!("by {}", sanitize_line(&month.by)) };
    format!("{verb}  {}  {}, {by}", sanitize_line(&month.path), pluralize(month.lines, "line"))
}
