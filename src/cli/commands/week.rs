//! `tars week`

use std::io::Write;

use super::forget::removed_note;
use crate::args::Week;
use crate::memory_lines::{beginning, place};
use crate::terminal::{for_output, sanitize_line};
use crate::{Outcome, format, json, prompt, terminal};
use tars_service::memory::{MemoryLine, OwnNote, WeekLine, WeekRequest, WeekResponse};
use tars_service::{App, Backend, Result, Service};

/// Columns before the text of a wrapped line.
const TEXT: usize = 4;

pub(crate) fn run(app: &App, args: &Week) -> Result<Outcome> {
    let service = Service::new(app, Backend::Local);
    let week = service.call(&WeekRequest { day: args.day.clone(), ..WeekRequest::default() })?;
    if args.json {
        json::line(&mut anstream::stdout().lock(), &week)?;
        return Ok(Outcome::Done);
    }
    let is_asked = args.review && prompt::can_ask();
    let is_empty = show(&week, !is_asked)?;
    show_notes(&week.notes)?;
    let is_empty = is_empty && week.notes.is_empty();
    if is_empty {
        terminal::print_note(&format!("nothing was noted from {} to {}", week.first, week.last));
        return Ok(Outcome::Nothing);
    }
    if args.review && !is_asked {
        terminal::print_note("nothing was asked: there is no terminal");
    }
    if is_asked {
        let (remove, tick) = judged(&week)?;
        let mut removed = 0;
        if !remove.is_empty() || !tick.is_empty() {
            let changed = service.call(&WeekRequest { day: args.day.clone(), remove, tick })?;
            removed = changed.removed.len();
            if !changed.ticked.is_empty() {
                terminal::print_note(&format!("ticked {}", format::pluralize(changed.ticked.len(), "open end")));
            }
        }
        terminal::print_note(&removed_note(removed));
    }
    Ok(Outcome::Done)
}

/// Prints the week, or only its dates. Returns whether it is empty.
fn show(week: &WeekResponse, whole: bool) -> Result<bool> {
    let mut out = anstream::stdout().lock();
    writeln!(out, "{} to {}", week.first, week.last)?;
    if whole {
        for (heading, lines) in sections(week) {
            if !lines.is_empty() {
                writeln!(out, "\n{heading}:")?;
            }
            for (line, more) in lines {
                writeln!(out, "{}", for_output(&format!("  {}{more}", week_line(line)), TEXT))?;
            }
        }
    }
    // These were written down on purpose, so no review asks about them.
    if whole && !week.added.is_empty() {
        writeln!(out, "\nadded:")?;
        for line in &week.added {
            writeln!(out, "{}", for_output(&format!("  {}", week_line(line)), TEXT))?;
        }
    }
    Ok(week.added.is_empty() && sections(week).iter().all(|(_, lines)| lines.is_empty()))
}

/// Prints the person's own daily notes: the beginning and the open tasks of each.
fn show_notes(notes: &[OwnNote]) -> Result<()> {
    let mut out = anstream::stdout().lock();
    if !notes.is_empty() {
        writeln!(out, "\nyour daily notes:")?;
    }
    for OwnNote { day, path, begins, open } in notes {
        let note = format!("  {day}  {}  {}", sanitize_line(path), beginning(begins));
        writeln!(out, "{}", for_output(note.trim_end(), TEXT))?;
        for task in open {
            writeln!(out, "{}", for_output(&format!("    [ ] {}", beginning(task)), 8))?;
        }
    }
    Ok(())
}

type Section<'w> = (&'static str, Vec<(&'w WeekLine, String)>);

/// Returns the lines of a week under their headings, each with its suffix.
fn sections(week: &WeekResponse) -> [Section<'_>; 4] {
    let with_nothing = |line| (line, String::new());
    let contradicted = week.contradicted.iter().map(|found| {
        let later = &found.later;
        (&found.earlier, format!("\n    but  {}", week_line(later)))
    });
    let review = week.review.iter().map(|found| (&found.line, format!("  ({})", found.source)));
    [
        ("decided", week.decided.iter().map(with_nothing).collect()),
        ("open", week.open.iter().map(with_nothing).collect()),
        ("contradicted", contradicted.collect()),
        ("to review", review.collect()),
    ]
}

/// Formats a line: day, id, project, text.
fn week_line(line: &WeekLine) -> String {
    let day = line.day.map_or_else(|| place(&line.line), |day| day.to_string());
    let project = line.project.as_deref().map(|name| format!("[{}] ", sanitize_line(name))).unwrap_or_default();
    format!("{day}  {}  {project}{}", line.line.id, beginning(&line.said))
}

/// Asks about the lines one by one, and returns those to drop and those to tick.
fn judged(week: &WeekResponse) -> Result<(Vec<MemoryLine>, Vec<MemoryLine>)> {
    let (mut unwanted, mut done) = (Vec::new(), Vec::new());
    for (heading, lines) in sections(week) {
        let (question, keys): (&str, &[char]) = match heading {
            "open" => ("[t]ick it, [d]rop it, [q]uit, or [k]eep it?", &['t', 'd', 'q', 'k']),
            _ => ("[d]rop it, [q]uit, or [k]eep it?", &['d', 'q', 'k']),
        };
        for (line, more) in lines {
            prompt::show(&format!("\n{heading}  {}{more}", week_line(line)))?;
            match prompt::choose(question, keys)? {
                't' => done.push(line.line.clone()),
                'd' => unwanted.push(line.line.clone()),
                'q' => return Ok((unwanted, done)),
                _ => {}
            }
        }
    }
    Ok((unwanted, done))
}
