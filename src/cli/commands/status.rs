//! `tars status`

use std::io::Write;

use anyhow::Result;
use jiff::Zoned;

use crate::app::{App, CollectionReport, StatusReport};
use crate::cli::args::Status;
use crate::cli::human::{count, size};
use crate::cli::times::ago_of;
use crate::cli::{Outcome, json};
use crate::config::Provider;
use crate::service::{Reach, Service, StatusRequest};

pub(in crate::cli) fn run(app: &App, args: &Status) -> Result<Outcome> {
    let status = Service::new(app, Reach::Fallback).call(&StatusRequest {})?;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &status)?;
    } else {
        print(&mut out, &status, &app.environment.clock.now())?;
    }
    Ok(Outcome::Done)
}

fn print(out: &mut dyn Write, status: &StatusReport, now: &Zoned) -> Result<()> {
    for collection in &status.collections {
        let mut state = match (&collection.problem, collection.pending) {
            (Some(problem), _) => format!(", {problem}"),
            (None, 0) => String::new(),
            (None, pending) => format!(", {pending} changed on disk"),
        };
        if collection.unreadable > 0 {
            state += &format!(", {} unreadable", collection.unreadable);
        }
        if collection.evicted > 0 {
            state += &format!(", {} evicted by iCloud", collection.evicted);
        }
        writeln!(out, "{:<12} {} ({}{state})", collection.name, collection.root, count(collection.files, "note"))?;
    }
    let copies: Vec<&String> = status.collections.iter().flat_map(|one| &one.conflict_copies).collect();
    if let [first, rest @ ..] = &copies[..] {
        let others = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
        writeln!(out, "{:<12} left out as copies of a conflict: {first}{others}", "conflicts")?;
    }
    let model = match status.model.provider {
        Provider::None => "none: words only".into(),
        _ => match &status.model.problem {
            Some(problem) => format!("{}: {problem}", status.model.id),
            None => status.model.id.clone(),
        },
    };
    writeln!(
        out,
        "{:<12} {}, {} embedded of {}",
        "index",
        count(status.chunks, "chunk"),
        status.embedded,
        count(status.passages, "passage")
    )?;
    writeln!(out, "{:<12} {model}", "model")?;
    writeln!(out, "{:<12} {} ({})", "database", status.database.path, size(status.database.bytes))?;
    if let Some(codes) = &status.database.codes {
        let since = if codes.changed > 0 { format!(", {} changed since", codes.changed) } else { String::new() };
        writeln!(out, "{:<12} {}{since} ({})", "vector file", count(codes.vectors, "vector"), size(codes.bytes))?;
    }
    writeln!(
        out,
        "{:<12} {}",
        "last index",
        status.last_index.as_deref().map_or_else(|| "never (tars index)".into(), |time| ago_of(time, now))
    )?;
    let unknown = status.collections.iter().find(|collection| collection.problem.is_some());
    let state = match (unknown, status.pending) {
        (Some(CollectionReport { name, problem: Some(problem), .. }), _) => format!("not known: {name} is {problem}"),
        (_, 0) => "up to date".into(),
        (_, pending) => format!("{} to bring in (tars index)", count(pending, "file")),
    };
    writeln!(out, "{:<12} {state}", "state")?;
    Ok(())
}
