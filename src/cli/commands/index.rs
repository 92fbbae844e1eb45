//! `tars index`

use std::io::Write;

use anyhow::Result;

use crate::app::App;
use crate::cli::args::Index;
use crate::cli::human::count;
use crate::cli::progress::Bar;
use crate::cli::{Outcome, interrupt, json, terminal};
use crate::index::Report;
use crate::service::setup::{IndexRequest, IndexResponse};
use crate::service::{Reach, Service};

pub(in crate::cli) fn run(app: &App, args: &Index) -> Result<Outcome> {
    interrupt::listen();
    let bar = Bar::new(args.json);
    let service = Service::new(app, Reach::Local).observed_by(&bar);
    let response = service.call(&IndexRequest { paths: args.paths.clone(), full: args.full })?;
    let IndexResponse { report, seconds, roots, .. } = &response;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &response)?;
    } else if report.roots_missing < *roots {
        writeln!(out, "{}", summary(report, *seconds))?;
        if report.files == 0 {
            terminal::note("there are no notes to index: *.md files outside hidden and ignored folders");
        }
    }
    Ok(match report {
        report if report.interrupted => Outcome::Interrupted,
        report if report.failed > 0 => Outcome::Partial,
        _ => Outcome::Done,
    })
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
        count(report.files, "note"),
        count(report.embedded, "passage")
    )
}
