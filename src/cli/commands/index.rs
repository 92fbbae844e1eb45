//! `tars index`

use std::io::Write;
use std::path::Path;

use crate::args::Index;
use crate::format::{pluralize, size};
use crate::progress::Bar;
use crate::{Outcome, interrupt, json, terminal};
use tars_engine::index::Report;
use tars_service::{
    App, Backend, ExportIndexRequest, ImportIndexRequest, IndexRequest, IndexResponse, Result, Service,
    TransferredIndex,
};

pub(crate) fn run(app: &App, args: &Index) -> Result<Outcome> {
    interrupt::listen();
    if let Some(file) = &args.export {
        return export(app, file, args.json);
    }
    if let Some(file) = &args.import {
        return import(app, file, args);
    }
    let bar = Bar::new(args.json);
    let service = Service::new(app, Backend::Local).with_observer(&bar);
    let response =
        service.call(&IndexRequest { paths: args.paths.clone(), full: args.full, ..IndexRequest::default() })?;
    let IndexResponse { report, seconds, roots, .. } = &response;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &response)?;
    } else if report.roots_missing < *roots {
        writeln!(out, "{}", summary(report, *seconds))?;
        if report.files == 0 {
            terminal::print_note("there are no notes to index: *.md files outside hidden and ignored folders");
        }
    }
    Ok(match report {
        report if report.interrupted => Outcome::Interrupted,
        report if report.failed > 0 => Outcome::Partial,
        _ => Outcome::Done,
    })
}

/// Writes the index into a file.
fn export(app: &App, file: &Path, as_json: bool) -> Result<Outcome> {
    let request = ExportIndexRequest { file: file.to_owned() };
    let carried = Service::new(app, Backend::Local).call(&request)?;
    said("exported", &carried, as_json)
}

/// Loads the index from a file.
fn import(app: &App, file: &Path, args: &Index) -> Result<Outcome> {
    let bar = Bar::of_bytes();
    let service = Service::new(app, Backend::Local).with_observer(&bar);
    let carried = service.call(&ImportIndexRequest { file: file.to_owned(), force: args.force })?;
    said("imported", &carried, args.json)?;
    if !args.json {
        terminal::print_note("tars index compares your notes with it, and embeds the differences");
    }
    Ok(Outcome::Done)
}

fn said(verb: &str, carried: &TransferredIndex, as_json: bool) -> Result<Outcome> {
    let mut out = anstream::stdout().lock();
    if as_json {
        json::line(&mut out, carried)?;
        return Ok(Outcome::Done);
    }
    let TransferredIndex { file, bytes, notes, passages, embedded, set_aside, remarks, .. } = carried;
    let vectors = format!("{embedded} of {} embedded", pluralize(*passages, "passage"));
    let way = if verb == "exported" { "to" } else { "from" };
    let place = terminal::sanitize_line(&file.display().to_string());
    writeln!(out, "{verb} {}, {vectors}, {way} {place} ({})", pluralize(*notes, "note"), size(*bytes))?;
    if let Some(aside) = set_aside {
        terminal::print_note(&format!("the former index is in {}", aside.display()));
    }
    for remark in remarks {
        terminal::print_note(remark);
    }
    Ok(Outcome::Done)
}

fn summary(report: &Report, seconds: f64) -> String {
    let parts: Vec<String> = [
        ("new", report.added),
        ("changed", report.changed),
        ("moved", report.moved),
        ("removed", report.removed),
        ("unchanged", report.unchanged),
        ("private", report.private),
        ("skipped", report.skipped),
        ("copies of a conflict left out", report.conflict_copies),
        ("evicted by iCloud", report.evicted),
        ("failed", report.failed),
    ]
    .into_iter()
    .filter(|(_, number)| *number > 0)
    .map(|(word, number)| format!("{number} {word}"))
    .collect();
    let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    let waiting = if report.pending > 0 { format!(", {} waiting", report.pending) } else { String::new() };
    let verb = if report.interrupted { "interrupted after" } else { "indexed" };
    format!(
        "{verb} {}{parts}, {} embedded{waiting}, in {seconds:.1} s",
        pluralize(report.files, "note"),
        pluralize(report.embedded, "passage")
    )
}
