//! `tars index`

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde::Serialize;

use crate::app::{App, IndexRequest};
use crate::cli::args::Index;
use crate::cli::human::count;
use crate::cli::progress::Bar;
use crate::cli::{Outcome, interrupt, json, terminal};
use crate::domain::{Progress, Stage};
use crate::embed::Preparation;
use crate::index::{IndexLock, Report};

#[derive(Serialize)]
struct IndexJson<'a> {
    #[serde(flatten)]
    report: &'a Report,
    degraded: Option<String>,
    seconds: f64,
}

pub(in crate::cli) fn run(app: &App, args: &Index) -> Result<Outcome> {
    interrupt::listen();
    let started = Instant::now();
    let paths = args.paths.iter().map(|path| located(path));
    let request = IndexRequest { paths: paths.collect::<Result<_>>()?, full: args.full, ..IndexRequest::default() };
    let roots = app.roots()?.len();
    let waiting = || terminal::note("another tars is indexing: waiting for it to finish");
    let Some(lock) = IndexLock::acquire(app.data_dir()?, waiting, interrupt::asked)? else {
        return Ok(Outcome::Interrupted);
    };
    let bar = Bar::new(args.json);
    prepare(app, &bar);
    let model = app.model(app.workers());
    if let Some(reason) = model.unavailable_reason() {
        terminal::note(&format!("indexing by words only: {reason}"));
    }
    let report = app.index(&lock, &request, &model, &bar)?;
    if let Some(path) = request.paths.iter().find(|path| !path.exists())
        && report.files + report.removed + report.evicted == 0
    {
        bail!("cannot index {}: it is not there, and the index knows nothing of it", path.display());
    }
    let seconds = started.elapsed().as_secs_f64();
    let mut out = anstream::stdout().lock();
    if args.json {
        let seconds = (seconds * 1000.0).round() / 1000.0;
        json::line(&mut out, &IndexJson { report: &report, degraded: model.unavailable_reason(), seconds })?;
    } else if report.roots_missing < roots {
        writeln!(out, "{}", summary(&report, seconds))?;
        if report.files == 0 {
            terminal::note("there are no notes to index: *.md files outside hidden and ignored folders");
        }
    }
    Ok(match &report {
        report if report.interrupted => Outcome::Interrupted,
        report if report.failed > 0 => Outcome::Partial,
        _ => Outcome::Done,
    })
}

/// Prepares the model before the first vector is made, if that is still to be done.
fn prepare(app: &App, bar: &Bar) {
    if !app.awaits_preparation() {
        return;
    }
    bar.start(Stage::Preparing, 1);
    let prepared = app.prepare(&app.settings.config.embedding.model, false);
    bar.finish();
    match prepared {
        Ok(Preparation::Ready { .. }) => {}
        Ok(other) => terminal::note(&format!("the model is run by ONNX Runtime: {other}")),
        Err(error) => terminal::note(&format!("the model could not be prepared: {:#}", anyhow::Error::from(error))),
    }
}

/// Returns the absolute path of a file or folder, links resolved. One that is gone is sought where it would be.
fn located(path: &Path) -> Result<PathBuf> {
    let failed = || format!("cannot index {}", path.display());
    match (std::fs::canonicalize(path), path.parent(), path.file_name()) {
        (Ok(found), _, _) => Ok(found),
        (Err(error), Some(folder), Some(name)) if error.kind() == std::io::ErrorKind::NotFound => {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            Ok(std::fs::canonicalize(folder).with_context(failed)?.join(name))
        }
        (Err(error), _, _) => Err(error).with_context(failed),
    }
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
