//! `tars get`

use std::io::Write;

use crate::args::Get;
use crate::last_answer::{self, Place};
use crate::listing::roots;
use crate::{Outcome, format, json, pager, terminal};
use tars_service::{App, Backend, GetRequest, Result, Service};

pub(crate) fn run(app: &App, args: &Get) -> Result<Outcome> {
    let request = GetRequest {
        names: args.names.iter().map(|name| named(app, name)).collect::<Result<_>>()?,
        lines: args.lines,
        section: args.section.clone(),
        window: args.window,
        budget: args.budget.map(|tokens| tokens as usize),
        collections: args.collections.clone(),
    };
    let found = Service::new(app, Backend::Fallback).call(&request)?;
    if args.json {
        json::line(&mut anstream::stdout().lock(), &found)?;
        return Ok(Outcome::Done);
    }
    let mut out = pager::output();
    for (index, note) in found.notes.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        format::expansion(&mut out, &note.text)?;
        if note.is_cut {
            let next = note.text.end_line + 1;
            terminal::print_note(&format!(
                "{}: the text from line {next} on is omitted to keep the budget",
                note.text.path
            ));
        }
    }
    out.finish()?;
    Ok(Outcome::Done)
}

/// Returns the name of a note; that of a place in the last answer if `name` is its number.
fn named(app: &App, name: &str) -> Result<String> {
    let Some(Place { collection, path, line, column }) = last_answer::numbered(app, name)? else {
        return Ok(name.to_owned());
    };
    // The absolute path means this note, even if another collection has one of the same name.
    let note = roots(app)?.remove(&collection).unwrap_or_default().join(path);
    let note = note.to_string_lossy();
    Ok(match (line, column) {
        (0, _) => note.into_owned(),
        (_, 0 | 1) => format!("{note}:{line}"),
        _ => format!("{note}:{line}:{column}"),
    })
}
