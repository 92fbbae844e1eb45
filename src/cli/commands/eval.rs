//! `tars eval`

use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;
use tempfile::NamedTempFile;

use crate::app::{App, Model};
use crate::cli::args::Eval;
use crate::cli::errors::Usage;
use crate::cli::human::count;
use crate::cli::progress::Bar;
use crate::cli::{Outcome, figures, interrupt, json, terminal};
use crate::eval::{Compared, Evaluation, Question, Record, Run, Subject, Timing, Way};
use crate::eval::{compare, evaluate, read_questions, read_records};
use crate::metrics::Figures;
use crate::search::SearchError;

/// How many files that are not indexed are named.
const NAMED: usize = 3;

pub(in crate::cli) fn run(app: &App, args: &Eval) -> Result<Outcome> {
    interrupt::listen();
    let questions = read_questions(&args.queries)?;
    let earlier = args.against.as_deref().map(read_records).transpose()?;
    // Before the questions are asked, which may take minutes.
    let place = args.out.as_deref().map(free_place).transpose()?;
    let ways = if args.modes.is_empty() { &Way::ALL[..] } else { &args.modes };
    let model = if ways.iter().any(|way| way.needs_model()) { app.model(1) } else { Model::Off };
    let (store, freshness) = app.open_fresh(&model, true)?;
    if freshness.pending > 0 {
        terminal::note(&format!("the index is behind by {} (tars index)", count(freshness.pending, "note")));
    }
    let subject = Subject { app, store: &store, model: &model };
    let found = evaluate(subject, &questions, ways, &Bar::new(args.json))?;
    if found.interrupted {
        return Ok(Outcome::Interrupted);
    }
    if let (true, Some(reason)) = (found.runs.is_empty(), &found.lack) {
        return Err(SearchError::NoSemantics { reason: reason.clone() }.into());
    }
    say(&found, questions.len());
    let records: Vec<Record> = found.runs.iter().flat_map(|run| run.records(&questions)).collect();
    let compared = earlier.map(|earlier| against(&earlier, &records, args)).transpose()?;
    if let (Some((file, path)), Some(shown)) = (place, &args.out) {
        keep(file, path, &records).with_context(|| format!("cannot write {}", shown.display()))?;
    }
    let mut out = anstream::stdout().lock();
    let categories = categories(&questions);
    if args.json {
        json::line(&mut out, &EvaluationJson::new(&found, (&questions, &categories), compared.as_deref()))?;
    } else {
        figures::table(&mut out, &found, &questions, (&categories, args.categories))?;
        if let Some(compared) = &compared {
            figures::comparison(&mut out, compared)?;
        }
    }
    Ok(Outcome::Done)
}

/// Says what the figures do not.
fn say(found: &Evaluation, total: usize) {
    if let Some(reason) = &found.lack {
        terminal::note(&format!("hybrid and vector are left out: {reason}"));
    }
    if found.astray > 0 {
        let mut names: Vec<&str> = found.absent.iter().take(NAMED).map(String::as_str).collect();
        if found.absent.len() > NAMED {
            names.push("…");
        }
        let (verb, names) = (if found.astray == 1 { "names" } else { "name" }, names.join(", "));
        terminal::note(&format!("{} of {total} questions {verb} a file that is not indexed: {names}", found.astray));
    }
    if found.empty > 0 {
        terminal::note(&format!(
            "{} with nothing in it to look for: answered by nothing",
            count(found.empty, "question")
        ));
    }
    for (reason, times) in &found.degraded {
        terminal::note(&format!("{}: {reason}", count(*times, "answer")));
    }
}

fn against(earlier: &[Record], records: &[Record], args: &Eval) -> Result<Vec<Compared>> {
    let compared = compare(earlier, records);
    if compared.is_empty() {
        let file = args.against.as_deref().unwrap_or(Path::new("")).display();
        let message = format!("{file} holds no question of this run");
        return Err(Usage { message, hint: "compare runs of the same questions in the same modes".into() }.into());
    }
    Ok(compared)
}

fn categories(questions: &[Question]) -> Vec<&str> {
    let mut names: Vec<&str> = questions.iter().filter_map(|question| question.category.as_deref()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns an empty file beside `path`, which is free or holds an earlier run: nothing else is written over.
fn free_place(path: &Path) -> Result<(NamedTempFile, &Path)> {
    if path.exists() && read_records(path).is_err() {
        let message = format!("{} is there and holds no earlier run: it is not written over", path.display());
        return Err(Usage { message, hint: "--out with the name of a new file".into() }.into());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = NamedTempFile::new_in(folder).with_context(|| format!("cannot write {}", path.display()))?;
    Ok((file, path))
}

fn keep(mut file: NamedTempFile, path: &Path, records: &[Record]) -> Result<()> {
    for record in records {
        json::line(&mut file, record)?;
    }
    file.persist(path)?;
    Ok(())
}

#[derive(Serialize)]
struct EvaluationJson<'a> {
    questions: usize,
    files: usize,
    chunks: usize,
    left_out: Option<&'a str>,
    astray: usize,
    absent: Vec<&'a str>,
    degraded: Vec<&'a str>,
    modes: Vec<RunJson<'a>>,
    against: Option<&'a [Compared]>,
}

#[derive(Serialize)]
struct RunJson<'a> {
    mode: Way,
    ms: Option<Timing>,
    overall: Figures,
    categories: Vec<CategoryJson<'a>>,
}

#[derive(Serialize)]
struct CategoryJson<'a> {
    category: &'a str,
    questions: usize,
    #[serde(flatten)]
    figures: Figures,
}

impl<'a> EvaluationJson<'a> {
    fn new(
        found: &'a Evaluation,
        (questions, categories): (&'a [Question], &[&'a str]),
        against: Option<&'a [Compared]>,
    ) -> Self {
        let run = |run: &Run| RunJson {
            mode: run.way,
            ms: run.timing(),
            overall: run.mean(questions, None).rounded(),
            categories: categories
                .iter()
                .map(|name| CategoryJson {
                    category: name,
                    questions: questions.iter().filter(|one| one.category.as_deref() == Some(name)).count(),
                    figures: run.mean(questions, Some(name)).rounded(),
                })
                .collect(),
        };
        Self {
            questions: questions.len(),
            files: found.statistics.files,
            chunks: found.statistics.chunks,
            left_out: found.lack.as_deref(),
            astray: found.astray,
            absent: found.absent.iter().map(String::as_str).collect(),
            degraded: found.degraded.iter().map(|(reason, _)| reason.as_str()).collect(),
            modes: found.runs.iter().map(run).collect(),
            against,
        }
    }
}
