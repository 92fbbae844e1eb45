//! `tars undo`, `tars log`

use std::io::Write;

use anyhow::Result;
use jiff::Zoned;
use serde::Serialize;

use crate::app::{App, HOOK};
use crate::cli::args::{Log, Undo};
use crate::cli::bullets::beginning;
use crate::cli::terminal::clean_line;
use crate::cli::times::ago;
use crate::cli::{Outcome, human, json, prompt, terminal};
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

/// What became of the writes of several commands.
#[derive(Default)]
struct Outcomes {
    done: Vec<Entry>,
    /// Commands whose writes were taken back.
    commands: usize,
    refused: Option<Refused>,
    /// Why those after them were not looked at any more.
    failed: Option<anyhow::Error>,
}

/// A write that could not be taken back: the lines that it left, and the file's lines now.
struct Refused {
    entry: Box<Entry>,
    change: Option<Change>,
    now: Option<Vec<String>>,
}

pub(in crate::cli) fn run(app: &App, args: &Undo) -> Result<Outcome> {
    let folder = app.memory_folder()?;
    if !is_meant(app, &folder, args)? {
        terminal::note("nothing was taken back");
        return Ok(Outcome::Nothing);
    }
    let Outcomes { done, commands, refused, failed } = take_back(app, &folder, args);
    let failed = match failed {
        // Nothing was done: the error says all.
        Some(error) if done.is_empty() => return Err(error),
        failed => failed,
    };
    let mut out = anstream::stdout().lock();
    let now = app.environment.clock.now();
    let fate = if args.redo { "brought back" } else { "taken back" };
    if args.json {
        let undone = done.iter().map(|entry| entry_json(&folder, entry, true)).collect();
        let refused = refused.as_ref().map(|refused| entry_json(&folder, &refused.entry, false));
        json::line(&mut out, &UndoJson { undone, refused })?;
    } else {
        // It is done: that the journal cannot be read once more is no failure, and costs a redo its descriptions alone.
        let known = |folder| app.journal(folder).and_then(|journal| Ok(journal.entries()?));
        let entries = if args.redo { known(&folder).unwrap_or_default() } else { Vec::new() };
        for entry in &done {
            // Of an undoing, what it took back.
            let write = entries.iter().find(|write| Some(write.id) == entry.undoes).unwrap_or(entry);
            writeln!(out, "{fate}  {}", told(&folder, write, &now))?;
        }
    }
    match &refused {
        Some(refused) if !args.json => {
            let path = folder.shown(&refused.entry.file);
            let rest = if done.is_empty() { "nothing was changed" } else { "nothing more was changed" };
            terminal::note(&format!("not {fate}: {path} is not as this write left it; {rest}"));
            writeln!(out, "{}", told(&folder, &refused.entry, &now))?;
            difference(&mut out, refused)?;
        }
        None if done.is_empty() && !args.json => {
            terminal::note(if args.redo { "there is nothing to bring back" } else { "there is nothing to take back" });
        }
        None if failed.is_none() && commands > 0 && commands < usize::from(args.count) => {
            terminal::note(&format!("only {} had written something to take back", human::count(commands, "command")));
        }
        _ => {}
    }
    if let Some(error) = failed {
        return Err(error);
    }
    Ok(match (refused, done.is_empty()) {
        (Some(_), _) => Outcome::Partial,
        (None, true) => Outcome::Nothing,
        (None, false) => Outcome::Done,
    })
}

/// Asks a person who is there whether the writes of several commands are meant.
fn is_meant(app: &App, folder: &MemoryFolder, args: &Undo) -> Result<bool> {
    if args.count == 1 || args.yes || args.json || !prompt::is_possible() {
        return Ok(true);
    }
    let entries = app.journal(folder)?.entries()?;
    let mut groups: Vec<u64> =
        vault::standing(&entries).into_iter().filter(|entry| is_of(entry, args)).map(|entry| entry.group).collect();
    groups.dedup();
    let commands = groups.len().min(args.count.into());
    if commands < 2 {
        return Ok(true);
    }
    let question = format!("take back the writes of {commands} commands? (tars log shows them) [y/N]");
    Ok(prompt::choose(&question, &['y', 'n'])? == 'y')
}

/// Whether a write is a hook's or a command's, whichever the person speaks of.
fn is_of(entry: &Entry, args: &Undo) -> bool {
    (entry.command == HOOK) == args.notes
}

/// Takes back the writes of as many commands as are asked for, as far as it goes: what an error ends is told with what was done
/// before.
fn take_back(app: &App, folder: &MemoryFolder, args: &Undo) -> Outcomes {
    let mut outcomes = Outcomes::default();
    while outcomes.commands < args.count.into() {
        match take_one_back(app, folder, args) {
            Ok(Undone::Done(entries)) => {
                outcomes.done.extend(entries);
                outcomes.commands += 1;
            }
            Ok(Undone::Nothing) => break,
            Ok(Undone::Refused { entry, change, now }) => {
                outcomes.refused = Some(Refused { entry, change, now });
                break;
            }
            Err(error) => {
                outcomes.failed = Some(error);
                break;
            }
        }
    }
    outcomes
}

fn take_one_back(app: &App, folder: &MemoryFolder, args: &Undo) -> Result<Undone> {
    // Where there is nothing, not even the folder is made.
    if app.journal(folder)?.entries()?.is_empty() {
        return Ok(Undone::Nothing);
    }
    // A writer of its own for each command: their writes are told apart in the journal.
    Ok(match args.redo {
        true => vault::redo(&mut app.writer(folder, "undo --redo")?, |entry| is_of(entry, args))?,
        false => vault::undo(&mut app.writer(folder, "undo")?, |entry| is_of(entry, args))?,
    })
}

/// Shows what a write left and what stands in the file now.
fn difference(out: &mut dyn Write, refused: &Refused) -> Result<()> {
    let Refused { entry, change, now } = refused;
    let changes = change.as_ref().map_or_else(|| entry.changes.as_slice(), std::slice::from_ref);
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
    let now = app.environment.clock.now();
    let newest: Vec<&Entry> = entries.iter().rev().take(args.limit.into()).collect();
    let mut out = anstream::stdout().lock();
    if args.json {
        let list: Vec<EntryJson<'_>> =
            newest.iter().map(|entry| entry_json(&folder, entry, !standing.contains(&entry.id))).collect();
        json::line(&mut out, &list)?;
    } else {
        for entry in &newest {
            let fate = if entry.undoes.is_none() && !standing.contains(&entry.id) { "  (taken back)" } else { "" };
            writeln!(out, "{}{fate}", told(&folder, entry, &now))?;
        }
        if newest.is_empty() {
            terminal::note("nothing has been written yet");
        }
    }
    Ok(if newest.is_empty() { Outcome::Nothing } else { Outcome::Done })
}

/// Returns a write as one line: when, by which command, where, what.
fn told(folder: &MemoryFolder, entry: &Entry, now: &Zoned) -> String {
    let time = ago(entry.time, now);
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
