//! `tars get`

use std::io::Write;

use crate::args::Get;
use crate::{Outcome, format, json, last_answer, pager, terminal};
use tars_service::{App, Backend, GetRequest, Result, Service};

pub(crate) fn run(app: &App, args: &Get) -> Result<Outcome> {
    let request = GetRequest {
        names: args.names.iter().map(|name| last_answer::note_name(app, name, true)).collect::<Result<_>>()?,
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
