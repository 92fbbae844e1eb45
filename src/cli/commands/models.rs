//! `tars models`

use std::io::Write;

use crate::args::Models;
use crate::format::size;
use crate::progress::Bar;
use crate::{Outcome, eval_tables, interrupt, json, terminal};
use tars_embed::{EmbedError, HAS_ONNX, ModelKind};
use tars_service::evaluation::{CompareModelsRequest, ComparedModel, Reason};
use tars_service::setup::{ModelsRequest, PrepareModelRequest, PullModelRequest, UseModelRequest, VerifyModelsRequest};
use tars_service::{App, Backend, Problem, Result, Service};

pub(crate) fn run(app: &App, args: &Models) -> Result<Outcome> {
    let bar = Bar::of_bytes();
    let service = Service::new(app, Backend::Local).with_observer(&bar);
    match args {
        Models::List { json } => list(app, &service, *json),
        Models::Pull { spec, dimensions } => fetch(&service, spec, *dimensions),
        Models::Compare { first, second, sample, seed, json } => {
            let (first, second) = (first.clone(), second.clone());
            compare(app, &CompareModelsRequest { first, second, sample: *sample, seed: *seed }, *json)
        }
        Models::Use { id } => choose(&service, id),
        Models::Prepare { id } => prepare(&service, id.clone()),
        Models::Verify { id } => verify(&service, id.clone()),
    }
}

fn list(app: &App, service: &Service<'_>, as_json: bool) -> Result<Outcome> {
    let models = service.call(&ModelsRequest {})?;
    let mut out = anstream::stdout().lock();
    if as_json {
        json::line(&mut out, &models)?;
    } else {
        for model in &models {
            let mark = if model.in_use { '*' } else { ' ' };
            let detail = match &model.problem {
                Some(problem) => problem.clone(),
                None => {
                    let what = model.dimensions.map_or("reranker".into(), |count| format!("{count} dimensions"));
                    let licence = model.licence.as_deref().unwrap_or("licence unknown");
                    let kernel = model.kernel.as_ref().map_or(String::new(), |kernel| format!("; kernel {kernel}"));
                    let shipped = if model.shipped { "; came with tars" } else { "" };
                    format!("{what}, {}, {licence}{kernel}{shipped}", size(model.bytes))
                }
            };
            writeln!(out, "{mark} {:<32} {detail}", model.id)?;
        }
        if models.is_empty() {
            let dir = app.catalog().dir().to_path_buf();
            let said = format!("no model in {}", dir.display());
            let hint = EmbedError::NoModel { dir }.hint();
            terminal::print_note(&hint.map_or(said.clone(), |hint| format!("{said}: {hint}")));
        }
    }
    Ok(if models.is_empty() { Outcome::Nothing } else { Outcome::Done })
}

fn fetch(service: &Service<'_>, spec: &str, dimensions: Option<usize>) -> Result<Outcome> {
    interrupt::listen();
    let model = service.call(&PullModelRequest { spec: spec.to_owned(), dimensions })?;
    let mut out = anstream::stdout().lock();
    let (id, size) = (&model.id, size(model.bytes));
    let what = match model.kind {
        ModelKind::Embedding => format!("{} dimensions", model.dimensions),
        ModelKind::Reranker => "reranker".into(),
    };
    writeln!(out, "installed {id} ({what}, {size})")?;
    if let Some(kernel) = &model.kernel {
        writeln!(out, "kernel {kernel}")?;
    }
    if model.needs_kernel && model.kernel.as_deref() == Some(READY) {
        writeln!(out, "tars runs it by itself, without ONNX Runtime")?;
    } else if model.needs_kernel {
        terminal::print_note(&format!(
            "{id} cannot be used; if the repository has an ONNX file: tars models pull {spec}#PATH.onnx"
        ));
        return Ok(Outcome::Partial);
    }
    match model.kind {
        _ if !HAS_ONNX && !model.needs_kernel => {
            let error =
                if model.kind == ModelKind::Reranker { EmbedError::CannotRerank } else { EmbedError::WithoutOnnx };
            say("", &Problem::from(&error.into()));
        }
        ModelKind::Embedding => writeln!(out, "to embed with it: tars models use {id}")?,
        ModelKind::Reranker => writeln!(out, "to rerank with it: tars search --rerank QUERY")?,
    }
    Ok(Outcome::Done)
}

/// Kernel state of a usable prepared file.
const READY: &str = "ready";

fn prepare(service: &Service<'_>, id: Option<String>) -> Result<Outcome> {
    let model = service.call(&PrepareModelRequest { id })?;
    let id = &model.id;
    match model.cosines {
        Some((mean, least)) => {
            let mut out = anstream::stdout().lock();
            writeln!(out, "{id}: ready; cosine with the original {mean:.4} on average, {least:.4} at least")?;
            Ok(Outcome::Done)
        }
        None => {
            let what = if model.needs_kernel { "cannot be used" } else { "is run by ONNX Runtime" };
            terminal::print_note(&format!("{id} {what}: {}", model.kernel));
            Ok(Outcome::Partial)
        }
    }
}

fn choose(service: &Service<'_>, id: &str) -> Result<Outcome> {
    let model = service.call(&UseModelRequest { id: id.to_owned() })?;
    let next = match (model.kind, model.watcher_follows) {
        (ModelKind::Embedding, Some(true)) => "the watcher embeds the notes with it ('tars status' says how far it is)",
        (ModelKind::Embedding, _) => "run 'tars index' to embed the notes with it",
        (ModelKind::Reranker, _) => "'tars search --rerank' reads results with it",
    };
    writeln!(anstream::stdout().lock(), "{} is in use; {next}", model.id)?;
    if model.watcher_follows == Some(false) {
        terminal::print_note("the watcher uses the former settings until it is restarted");
    }
    Ok(Outcome::Done)
}

fn verify(service: &Service<'_>, id: Option<String>) -> Result<Outcome> {
    let verified = service.call(&VerifyModelsRequest { id })?;
    let mut outcome = if verified.models.is_empty() { Outcome::Nothing } else { Outcome::Done };
    let mut out = anstream::stdout().lock();
    for model in &verified.models {
        match &model.problem {
            None => writeln!(out, "{}: every file matches its manifest", model.id)?,
            Some(problem) => {
                say(&format!("{}: ", model.id), problem);
                outcome = Outcome::Partial;
            }
        }
    }
    let Some(runtime) = &verified.runtime else {
        match HAS_ONNX {
            true => writeln!(out, "runtime: none, and no model here needs one")?,
            false => writeln!(out, "runtime: none, because this tars is built without the feature 'onnx'")?,
        }
        return Ok(outcome);
    };
    if let Some(path) = &runtime.path {
        writeln!(out, "runtime {}: as installed", path.display())?;
    }
    if let Some(problem) = &runtime.problem {
        say("", problem);
        outcome = Outcome::Partial;
    }
    Ok(outcome)
}

fn compare(app: &App, request: &CompareModelsRequest, as_json: bool) -> Result<Outcome> {
    interrupt::listen();
    // Questions are counted here, not bytes.
    let bar = Bar::new(as_json);
    let found = Service::new(app, Backend::Local).with_observer(&bar).call(request)?;
    let mut out = anstream::stdout().lock();
    if as_json {
        json::line(&mut out, &found)?;
        return Ok(Outcome::Done);
    }
    let [first, second] = &found.models;
    for (name, model) in [("before", first), ("now", second)] {
        let ComparedModel { id, dimensions, bytes, ms } = model;
        writeln!(out, "{name:<7} {id} ({dimensions} dimensions, {}, {ms:.1} ms a search)", size(*bytes))?;
    }
    eval_tables::comparison(&mut out, &found.figures)?;
    let why = match found.verdict.reason {
        Reason::FindsMore => "it finds more in your notes",
        Reason::Smaller => "these questions show no difference, and it is the smaller one",
    };
    writeln!(out, "\ntake {}: {why}", found.verdict.take)?;
    writeln!(out, "to embed with it: tars models use {}", found.verdict.take)?;
    Ok(Outcome::Done)
}

fn say(of: &str, problem: &Problem) {
    terminal::print_problem(&format!("{of}{}", problem.message), problem.hint.as_deref());
}
