//! `tars eval`

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;
use tempfile::NamedTempFile;

use crate::app::{App, CatchUp, Model, Wanted};
use crate::cli::args::Eval;
use crate::cli::human::count;
use crate::cli::progress::Bar;
use crate::cli::{Outcome, figures, interrupt, json, terminal};
use crate::eval::{
    Band, Compared, Evaluation, Question, Record, Run, SampleOptions, SelfQuestions, SelfQuestionsSource, Subject,
    System, Timing,
};
use crate::eval::{compare, evaluate, read_questions, read_records};
use crate::metrics::Figures;
use crate::search::SearchError;
use crate::service::Refusal;

/// Fewer questions than this are said to be few.
const FEW: usize = 20;
/// How many files that are not indexed are named.
const NAMED: usize = 3;

/// What the figures of questions that notes pose themselves mean.
const OWN: &str = "
Each question is a name that your notes give something, hidden where it would give the answer away: found is what its text is found by.
Names say less than questions do: compare modes, and runs (--out, --against), rather than the figures with those of other notes.";

pub(in crate::cli) fn run(app: &App, args: &Eval) -> Result<Outcome> {
    interrupt::listen();
    let earlier = args.against.as_deref().map(read_records).transpose()?;
    // Before the questions are asked, which may take minutes.
    let place = args.out.as_deref().map(free_place).transpose()?;
    let asked = match &args.queries {
        Some(file) => ask(app, args, read_questions(file)?)?,
        None => ask_self_questions(app, args)?,
    };
    let Some((questions, found)) = asked.filter(|(_, found)| !found.interrupted) else {
        return Ok(Outcome::Interrupted);
    };
    if found.runs.is_empty()
        && let Some(reason) = &found.unavailable_reason
    {
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
        json::line(&mut out, &EvaluationJson::new(&found, &questions, &categories, compared.as_deref()))?;
    } else {
        let shown = figures::Categories { names: &categories, every_figure: args.categories };
        figures::table(&mut out, &found, &questions, &shown)?;
        figures::reliability(&mut out, &found, &questions)?;
        if let Some(compared) = &compared {
            figures::comparison(&mut out, compared)?;
        }
        if args.own {
            writeln!(out, "{OWN}")?;
        }
    }
    Ok(Outcome::Done)
}

/// Questions and what came of them; `None` if it was interrupted before they were asked.
type Asked = Option<(Vec<Question>, Evaluation)>;

fn systems(args: &Eval) -> &[System] {
    if args.modes.is_empty() { &System::ALL } else { &args.modes }
}

fn model(app: &App, args: &Eval, workers: usize) -> Model {
    if systems(args).iter().any(|system| system.needs_model()) { app.model(workers) } else { Model::Off }
}

fn ask(app: &App, args: &Eval, questions: Vec<Question>) -> Result<Asked> {
    let (model, opened) = app.open_fresh(|| model(app, args, 1), CatchUp::Words);
    let (store, freshness) = opened?;
    if freshness.pending > 0 {
        terminal::note(&format!("the index is behind by {} (tars index)", count(freshness.pending, "note")));
    }
    let stage = app.second_stage(Wanted::default())?;
    let index = store.snapshot()?;
    let subject = Subject { app, store: &*index, model: &model, stage: stage.as_ref() };
    let found = evaluate(subject, &questions, systems(args), &Bar::new(args.json))?;
    Ok(Some((questions, found)))
}

fn ask_self_questions(app: &App, args: &Eval) -> Result<Asked> {
    let options = SampleOptions { size: args.sample.into(), seed: args.seed };
    let progress = Bar::new(args.json);
    // The index is taken as it is: it is not even brought up to date.
    let (_, opened) = app.open_fresh(|| Model::Off, CatchUp::Nothing);
    let (store, _) = opened?;
    let source = SelfQuestionsSource { app, store: &*store, model: &model(app, args, app.workers()) };
    let own = SelfQuestions::make(source, options, &progress)?;
    let Some(SelfQuestions { folder: _folder, questions, app, store, changed }) = own else { return Ok(None) };
    if changed > 0 {
        let notes = count(changed, "note");
        terminal::note(&format!(
            "passed over: {notes} that changed since the last index or cannot be read (tars index)"
        ));
    }
    // With as many threads as answer a search.
    let (model, stage) = (model(&app, args, 1), app.second_stage(Wanted::default())?);
    let index = store.snapshot()?;
    let subject = Subject { app: &app, store: &*index, model: &model, stage: stage.as_ref() };
    let found = evaluate(subject, &questions, systems(args), &progress)?;
    if questions.len() < FEW {
        terminal::note(&format!("no more than {}: the figures say little", count(questions.len(), "question")));
    }
    Ok(Some((questions, found)))
}

/// Says what the figures do not.
fn say(found: &Evaluation, total: usize) {
    if let Some(reason) = &found.unavailable_reason {
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
        return Err(Refusal { message, hint: "compare runs of the same questions in the same modes".into() }.into());
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
    empty: usize,
    degraded: Vec<&'a str>,
    modes: Vec<RunJson<'a>>,
    against: Option<&'a [Compared]>,
}

#[derive(Serialize)]
struct RunJson<'a> {
    mode: System,
    ms: Option<Timing>,
    overall: Figures,
    reliability: Vec<Band>,
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
        questions: &'a [Question],
        categories: &[&'a str],
        against: Option<&'a [Compared]>,
    ) -> Self {
        let run = |run: &Run| RunJson {
            mode: run.system,
            ms: run.timing(),
            overall: run.mean(questions, None).rounded(),
            reliability: run.reliability(questions, None),
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
            left_out: found.unavailable_reason.as_deref(),
            astray: found.astray,
            absent: found.absent.iter().map(String::as_str).collect(),
            empty: found.empty,
            degraded: found.degraded.iter().map(|(reason, _)| reason.as_str()).collect(),
            modes: found.runs.iter().map(run).collect(),
            against,
        }
    }
}
