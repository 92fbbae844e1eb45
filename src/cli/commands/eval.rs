//! `tars eval`

use std::io::Write;
use std::path::Path;

use tempfile::NamedTempFile;

use crate::args::Eval;
use crate::format::pluralize;
use crate::progress::Bar;
use crate::{Outcome, eval_tables, interrupt, json, terminal};
use tars_service::evaluation::{Record, read_records};
use tars_service::{App, Backend, Context, Error, EvalRequest, EvalResponse, Refusal, Result, Service};

/// Most unindexed files named.
const MAX_NAMED: usize = 3;

/// Explanation of the figures of generated questions.
const OWN: &str = "
Each question is a name from your notes, hidden where it would reveal the answer: the search must find the text that it names.
Names say less than real questions: compare modes and runs (--out, --against) with each other, not with figures of other notes.";

pub(crate) fn run(app: &App, args: &Eval) -> Result<Outcome> {
    interrupt::listen();
    // Checked first, because the questions may take minutes.
    let place = args.out.as_deref().map(free_place).transpose()?;
    let bar = Bar::new(args.json);
    let found = Service::new(app, Backend::Local).with_observer(&bar).call(&EvalRequest {
        queries: args.queries.clone(),
        sample: args.sample,
        seed: args.seed,
        modes: args.modes.clone(),
        against: args.against.clone(),
    })?;
    report_gaps(&found);
    if let (Some(file), Some([])) = (&args.against, found.against.as_deref()) {
        let message = format!("{} contains no question of this run", file.display());
        return Err(Refusal { message, hint: "compare runs of the same questions in the same modes".into() }.into());
    }
    if let (Some((file, path)), Some(shown)) = (place, &args.out) {
        keep(file, path, &found.records).with_context(|| format!("cannot write {}", shown.display()))?;
    }
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &found)?;
    } else {
        eval_tables::table(&mut out, &found, args.categories)?;
        eval_tables::reliability(&mut out, &found)?;
        if let Some(compared) = &found.against {
            eval_tables::comparison(&mut out, compared)?;
        }
        if args.own {
            writeln!(out, "{OWN}")?;
        }
    }
    Ok(Outcome::Done)
}

/// Reports the gaps in the figures.
fn report_gaps(found: &EvalResponse) {
    if let Some(reason) = &found.left_out {
        terminal::print_note(&format!("hybrid and vector are left out: {reason}"));
    }
    if found.astray > 0 {
        let mut names: Vec<&str> = found.absent.iter().take(MAX_NAMED).map(String::as_str).collect();
        if found.absent.len() > MAX_NAMED {
            names.push("…");
        }
        let (verb, names) = (if found.astray == 1 { "names" } else { "name" }, names.join(", "));
        let (astray, total) = (found.astray, found.questions);
        terminal::print_note(&format!("{astray} of {total} questions {verb} a file that is not indexed: {names}"));
    }
    if found.empty > 0 {
        terminal::print_note(&format!("{} without search terms: no answer", pluralize(found.empty, "question")));
    }
    for (reason, times) in &found.degraded {
        terminal::print_note(&format!("{}: {reason}", pluralize(*times, "answer")));
    }
}

/// Returns an empty file for `path`, which must be free or contain an earlier run: nothing else is overwritten.
fn free_place(path: &Path) -> Result<(NamedTempFile, &Path)> {
    if path.exists() && read_records(path).is_err() {
        let message = format!("{} exists and is not an earlier run: it was not overwritten", path.display());
        return Err(Refusal { message, hint: "--out with the name of a new file".into() }.into());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = NamedTempFile::new_in(folder).with_context(|| format!("cannot write {}", path.display()))?;
    Ok((file, path))
}

fn keep(mut file: NamedTempFile, path: &Path, records: &[Record]) -> Result<()> {
    for record in records {
        json::line(&mut file, record)?;
    }
    file.persist(path).map_err(Error::without_hint)?;
    Ok(())
}
