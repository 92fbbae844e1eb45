//! `tars transcript`

use std::collections::VecDeque;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::Result;
use jiff::Timestamp;
use serde::Serialize;

use crate::cli::args::Transcript;
use crate::cli::terminal::{clean, clean_line};
use crate::cli::{Outcome, json, terminal};
use crate::digest::{headline, shortened};
use crate::domain::Turn;
use crate::memory::decoded_path;
use crate::redact::redact_turn;
use crate::service::Refusal;
use crate::transcript::turns;

/// Fewest characters that name a turn.
const SHORTEST_ID: usize = 4;
/// Characters shown of a request in a list.
const SHOWN: usize = 100;

#[derive(Serialize)]
struct Listed {
    id: String,
    at: Option<Timestamp>,
    request: String,
}

pub(in crate::cli) fn run(args: &Transcript) -> Result<Outcome> {
    let file = located(&args.file);
    match &args.turn {
        None => list(&file, args.json),
        Some(id) => show(&file, &full_id(&file, id)?, args),
    }
}

/// Returns the file as it was named; an anchor in a note names it without blanks.
fn located(file: &Path) -> PathBuf {
    let anchored = file.to_str().filter(|path| path.contains('%') && !file.exists()).map(decoded_path);
    anchored.map(PathBuf::from).filter(|path| path.exists()).unwrap_or_else(|| file.to_owned())
}

fn list(file: &Path, as_json: bool) -> Result<Outcome> {
    let mut listed: Vec<Listed> = Vec::new();
    let unread = turns(file, &mut |turn| {
        let turn = redact_turn(&turn);
        let request = headline(&turn.request).unwrap_or_default();
        listed.push(Listed { id: turn.id, at: turn.at, request: shortened(&request, SHOWN) });
        ControlFlow::Continue(())
    })?;
    let mut out = anstream::stdout().lock();
    if as_json {
        json::line(&mut out, &listed)?;
    } else {
        for Listed { id, at, request } in &listed {
            writeln!(out, "{}  {}  {}", clean_line(id), time(*at, "%Y-%m-%d %H:%M"), clean_line(request))?;
        }
        say_unread(unread);
        if listed.is_empty() {
            terminal::note("no turn was found: is it a session's file?");
        }
    }
    Ok(if listed.is_empty() { Outcome::Nothing } else { Outcome::Done })
}

/// Returns the whole id of the turn that `id` names.
fn full_id(file: &Path, id: &str) -> Result<String> {
    let mut found: Vec<String> = Vec::new();
    turns(file, &mut |turn| {
        if turn.id == id {
            found = vec![turn.id];
            return ControlFlow::Break(());
        }
        if id.len() >= SHORTEST_ID && turn.id.starts_with(id) && !found.contains(&turn.id) {
            found.push(turn.id);
        }
        ControlFlow::Continue(())
    })?;
    let hint = format!("tars transcript {}", file.display());
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(Refusal { message: format!("no turn is called {id}"), hint }.into()),
        several => Err(Refusal { message: format!("{several} turns begin with {id}"), hint }.into()),
    }
}

fn show(file: &Path, id: &str, args: &Transcript) -> Result<Outcome> {
    let around = args.context as usize;
    let mut shown: VecDeque<Turn> = VecDeque::new();
    let mut after = None;
    let unread = turns(file, &mut |turn| {
        match &mut after {
            Some(0) => return ControlFlow::Break(()),
            Some(left) => *left -= 1,
            None if turn.id == id => after = Some(around),
            None if shown.len() == around => {
                shown.pop_front();
            }
            None => {}
        }
        if after.is_some() || around > 0 {
            shown.push_back(redact_turn(&turn));
        }
        ControlFlow::Continue(())
    })?;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &shown)?;
        return Ok(Outcome::Done);
    }
    for (index, turn) in shown.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        print(&mut out, turn)?;
    }
    say_unread(unread);
    Ok(Outcome::Done)
}

fn print(out: &mut dyn Write, turn: &Turn) -> Result<()> {
    let place = [&turn.directory, &turn.branch].into_iter().flatten();
    let place: String = place.map(|part| format!("  {}", clean_line(part))).collect();
    writeln!(out, "turn {}  {}{place}", clean_line(&turn.id), time(turn.at, "%Y-%m-%d %H:%M:%S"))?;
    for line in clean(turn.request.trim()).lines() {
        writeln!(out, "> {line}")?;
    }
    let answer = clean(turn.answer.trim());
    if !answer.is_empty() {
        writeln!(out, "\n{answer}")?;
    }
    if !turn.tools.is_empty() {
        writeln!(out, "\ntools: {}", clean_line(&turn.tools.join(", ")))?;
    }
    for (name, entries) in [("changed", &turn.files), ("ran", &turn.commands)] {
        for entry in entries {
            let lines = clean(entry);
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
        let lines = crate::cli::human::count(lines, "line");
        terminal::note(&format!("{lines} passed over: no JSON, or too long"));
    }
}
