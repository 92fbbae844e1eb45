//! `tars undo`, `tars log`

use std::io::Write;

use anyhow::Result;
use serde::Serialize;

use crate::app::{App, HOOK};
use crate::cli::args::{Log, Undo};
use crate::cli::bullets::beginning;
use crate::cli::terminal::clean_line;
use crate::cli::{Outcome, human, json, terminal};
use crate::vault::{self, Change, Entry, MemoryFolder, Undone};

#[derive(Serialize)]
struct EntryJson<'a> {
    id: u64,
    time: String,
    command: &'a str,
    session: Option<&'a str>,
    path: String,
    /// Whether it was taken back since, or takes another write back itself.
    undone: bool,
    undoes: Option<u64>,
    changes: &'a [Change],
}

#[derive(Serialize)]
struct UndoJson<'a> {
    undone: Vec<EntryJson<'a>>,
    refused: Option<EntryJson<'a>>,
}

fn entry_json<'a>(folder: &MemoryFolder, entry: &'a Entry, undone: bool) -> EntryJson<'a> {
    EntryJson {
        id: entry.id,
        time: entry.time.to_string(),
        command: &entry.command,
        session: entry.session.as_deref(),
        path: folder.shown(&entry.file),
        undone,
        undoes: entry.undoes,
        changes: &entry.changes,
    }
}

pub(in crate::cli) fn run(app: &App, args: &Undo) -> Result<Outcome> {
    let folder = app.memory_folder()?;
    let mut done: Vec<Entry> = Vec::new();
    let mut refused = None;
    for _ in 0..args.count {
        // Where there is nothing, not even the folder is made.
        if app.journal(&folder)?.entries()?.is_empty() {
            break;
        }
        // A writer of its own for each: their writes are told apart in the journal.
        match vault::undo(&mut app.writer(&folder, "undo")?, |entry| (entry.command == HOOK) == args.notes)? {
            Undone::Done(entries) => done.extend(entries),
            Undone::Nothing => break,
            Undone::Refused { entry, change, now } => {
                refused = Some((entry, change, now));
                break;
            }
        }
    }
    let mut out = anstream::stdout().lock();
    if args.json {
        let undone = done.iter().map(|entry| entry_json(&folder, entry, true)).collect();
        let refused = refused.as_ref().map(|(entry, ..)| entry_json(&folder, entry, false));
        json::line(&mut out, &UndoJson { undone, refused })?;
    } else {
        for entry in &done {
            writeln!(out, "taken back  {}", told(&folder, entry))?;
        }
        if let Some((entry, change, now)) = &refused {
            difference(&mut out, &folder, entry, change.as_ref(), now.as_deref())?;
        } else if done.is_empty() {
            terminal::note("there is nothing to take back");
        }
    }
    Ok(match (refused, done.is_empty()) {
        (Some(_), _) => Outcome::Partial,
        (None, true) => Outcome::Nothing,
        (None, false) => Outcome::Done,
    })
}

/// Shows what a write left and what stands in the file now.
fn difference(
    out: &mut dyn Write,
    folder: &MemoryFolder,
    entry: &Entry,
    change: Option<&Change>,
    now: Option<&[String]>,
) -> Result<()> {
    let path = folder.shown(&entry.file);
    terminal::note(&format!("not taken back: {path} is not as this write left it; nothing was changed"));
    writeln!(out, "{}", told(folder, entry))?;
    let changes = change.map_or_else(|| entry.changes.as_slice(), std::slice::from_ref);
    for change in changes {
        writeln!(out, "--- as tars left it, line {}", change.at + 1)?;
        for line in change.above.iter().chain(&change.inserted).chain(&change.below) {
            writeln!(out, "-{}", clean_line(line))?;
        }
        let Some(now) = now else {
            writeln!(out, "+++ the file is gone")?;
            break;
        };
        let first = change.at.saturating_sub(change.above.len()).min(now.len());
        let length = change.above.len() + change.inserted.len() + change.below.len();
        writeln!(out, "+++ now, line {}", first + 1)?;
        for line in now.iter().skip(first).take(length.max(1)) {
            writeln!(out, "+{}", clean_line(line))?;
        }
    }
    Ok(())
}

pub(in crate::cli) fn log(app: &App, args: &Log) -> Result<Outcome> {
    let folder = app.memory_folder()?;
    let entries = app.journal(&folder)?.entries()?;
    let standing: std::collections::HashSet<u64> = vault::standing(&entries).iter().map(|entry| entry.id).collect();
    let newest: Vec<&Entry> = entries.iter().rev().take(args.limit.into()).collect();
    let mut out = anstream::stdout().lock();
    if args.json {
        let list: Vec<EntryJson<'_>> =
            newest.iter().map(|entry| entry_json(&folder, entry, !standing.contains(&entry.id))).collect();
        json::line(&mut out, &list)?;
    } else {
        for entry in &newest {
            let fate = if entry.undoes.is_none() && !standing.contains(&entry.id) { "  (taken back)" } else { "" };
            writeln!(out, "{}{fate}", told(&folder, entry))?;
        }
        if newest.is_empty() {
            terminal::note("nothing has been written yet");
        }
    }
    Ok(if newest.is_empty() { Outcome::Nothing } else { Outcome::Done })
}

/// Returns a write as one line: when, by which command, where, what.
fn told(folder: &MemoryFolder, entry: &Entry) -> String {
    let time = entry.time.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S");
    let by = match &entry.session {
        Some(session) => format!("{} ({})", entry.command, clean_line(session)),
        None => entry.command.clone(),
    };
    format!("{time}  {by}  {}  {}", clean_line(&folder.shown(&entry.file)), what(entry))
}

fn what(entry: &Entry) -> String {
    if let Some(undone) = entry.undoes {
        return format!("takes back write {undone}");
    }
    let inserted: Vec<&String> = entry.changes.iter().flat_map(|change| &change.inserted).collect();
    let removed = entry.changes.iter().map(|change| change.removed.len()).sum::<usize>();
    let first = |lines: &[&String]| lines.iter().rev().find(|line| !line.trim().is_empty()).map(|line| said(line));
    match (first(&inserted), removed) {
        (Some(line), 0) => format!("+ {line}"),
        (Some(line), _) => format!("~ {line}"),
        (None, _) => {
            let gone: Vec<&String> = entry.changes.iter().flat_map(|change| &change.removed).collect();
            let line = gone.first().map(|line| said(line)).unwrap_or_default();
            format!(
                "- {line}{}",
                if removed > 1 { format!(" ({})", human::count(removed, "line")) } else { String::new() }
            )
        }
    }
}

/// A line as it reads, without a bullet's marker.
fn said(line: &str) -> String {
    let line = line.trim();
    beginning(line.strip_prefix("- ").unwrap_or(line))
}
