//! `tars doctor`

use std::io::Write;

use anyhow::Result;

use crate::app::{App, Examination, ProblemKind};
use crate::cli::args::Doctor;
use crate::cli::human::count;
use crate::cli::progress::Bar;
use crate::cli::{Outcome, interrupt, json, terminal};
use crate::index::IndexLock;

pub(in crate::cli) fn run(app: &App, args: &Doctor) -> Result<Outcome> {
    if !args.repair {
        let found = app.examine()?;
        show(args, &found)?;
        return Ok(if found.healthy { Outcome::Done } else { Outcome::Nothing });
    }
    interrupt::listen();
    let waiting = || terminal::note("another tars is indexing: waiting for it to finish");
    let Some(lock) = IndexLock::acquire(app.data_dir()?, waiting, interrupt::asked)? else {
        return Ok(Outcome::Interrupted);
    };
    let (found, report) = app.repair(&lock, || app.model(app.workers()), &Bar::new(args.json))?;
    show(args, &found)?;
    Ok(match report {
        Some(report) if report.interrupted => Outcome::Interrupted,
        Some(report) if report.failed > 0 => Outcome::Partial,
        _ if found.healthy => Outcome::Done,
        _ => Outcome::Nothing,
    })
}

fn show(args: &Doctor, found: &Examination) -> Result<()> {
    let mut out = anstream::stdout().lock();
    if args.json {
        return json::line(&mut out, found);
    }
    for done in &found.repaired {
        writeln!(out, "{:<12} {}", "mended", terminal::clean_line(done))?;
    }
    for problem in &found.problems {
        let kind = match problem.kind {
            ProblemKind::Index => "index",
            ProblemKind::VectorFile => "vector file",
            ProblemKind::Permissions => "permissions",
            ProblemKind::Leftover => "left over",
        };
        let line = format!("{}: {}", problem.path.display(), problem.detail);
        writeln!(out, "{kind:<12} {}", terminal::clean_line(&line))?;
    }
    for path in &found.set_aside {
        let line = format!("{}: a damaged index that was set aside; it can be deleted", path.display());
        writeln!(out, "{:<12} {}", "set aside", terminal::clean_line(&line))?;
    }
    for path in &found.conflicts {
        let line = format!("{}: one side of a conflict; merge it into its file and delete it", path.display());
        writeln!(out, "{:<12} {}", "conflict", terminal::clean_line(&line))?;
    }
    match found.problems.len() {
        0 => writeln!(out, "{:<12} {}", "healthy", terminal::clean_line(&found.database.display().to_string()))?,
        problems => terminal::note(&format!("found {}: tars doctor --repair", count(problems, "problem"))),
    }
    Ok(())
}
