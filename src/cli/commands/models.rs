//! `tars models`

use std::io::Write;

use anyhow::Result;
use serde::Serialize;

use crate::app::App;
use crate::cli::args::Models;
use crate::cli::human::size;
use crate::cli::progress::Bar;
use crate::cli::{Outcome, interrupt, json, terminal};
use crate::config::{Kernel, Provider, UserFile};
use crate::embed::hub::{Hub, pull};
use crate::embed::{EmbedError, HAS_ONNX, ModelKind, Preparation};

#[derive(Serialize)]
struct ModelJson {
    id: String,
    kind: Option<&'static str>,
    dimensions: Option<usize>,
    licence: Option<String>,
    bytes: u64,
    in_use: bool,
    kernel: Option<String>,
    problem: Option<String>,
}

pub(in crate::cli) fn run(app: &App, args: &Models) -> Result<Outcome> {
    match args {
        Models::List { json } => list(app, *json),
        Models::Pull { spec } => fetch(app, spec),
        Models::Use { id } => choose(app, id),
        Models::Prepare { id } => prepare(app, id.as_deref()),
        Models::Verify { id } => verify(app, id.as_deref()),
    }
}

fn list(app: &App, as_json: bool) -> Result<Outcome> {
    let embedding = &app.settings.config.embedding;
    let embeds = Some(&embedding.model).filter(|_| embedding.provider == Provider::Onnx);
    let reranker = app.catalog().reranker(app.settings.config.search.rerank_model.as_deref());
    let reranks = reranker.as_ref().ok().map(|model| &model.manifest.id);
    let models: Vec<ModelJson> = app
        .catalog()
        .list()?
        .into_iter()
        .map(|entry| ModelJson {
            in_use: match entry.kind {
                Some(ModelKind::Reranker) => reranks == Some(&entry.id),
                Some(ModelKind::Embedding) | None => embeds == Some(&entry.id),
            },
            kind: entry.kind.map(ModelKind::as_str),
            dimensions: entry.dimensions,
            licence: entry.licence,
            bytes: entry.size,
            kernel: entry.preparation.map(|preparation| preparation.to_string()),
            problem: (!entry.problems.is_empty()).then(|| entry.problems.join("; ")),
            id: entry.id,
        })
        .collect();
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
                    format!("{what}, {}, {licence}{kernel}", size(model.bytes))
                }
            };
            writeln!(out, "{mark} {:<32} {detail}", model.id)?;
        }
        if models.is_empty() {
            terminal::note(&format!(
                "no model in {}: ./scripts/install-models or tars models pull hf:OWNER/NAME",
                app.catalog().dir().display()
            ));
        }
    }
    Ok(if models.is_empty() { Outcome::Nothing } else { Outcome::Done })
}

fn fetch(app: &App, spec: &str) -> Result<Outcome> {
    interrupt::listen();
    let models = &app.settings.config.models;
    let token = models.hub_token_env.as_deref().and_then(|name| app.environment.variable(name));
    let hub = Hub::new(&models.hub, token.map(|token| token.to_string_lossy().into_owned()));
    let manifest = pull(&hub, spec, &models.dir, &Bar::of_bytes())?;
    let mut out = anstream::stdout().lock();
    let (id, size) = (&manifest.id, size(manifest.size()));
    match manifest.kind {
        ModelKind::Embedding => {
            writeln!(out, "installed {id} ({} dimensions, {size})", manifest.dimensions)?;
            if app.settings.config.embedding.kernel == Kernel::Auto {
                match app.prepare(id, false) {
                    Ok(preparation) => writeln!(out, "kernel {preparation}")?,
                    Err(error) => terminal::note(&format!("{id} could not be prepared: {error}")),
                }
            }
            writeln!(out, "to embed with it: tars models use {id}")?;
        }
        ModelKind::Reranker => {
            writeln!(out, "installed {id} (reranker, {size})")?;
            match HAS_ONNX {
                true => writeln!(out, "to rerank with it: tars search --rerank QUERY")?,
                false => terminal::note(&EmbedError::WithoutOnnx.to_string()),
            }
        }
    }
    Ok(Outcome::Done)
}

fn prepare(app: &App, id: Option<&str>) -> Result<Outcome> {
    let id = id.unwrap_or(&app.settings.config.embedding.model);
    match app.prepare(id, true)? {
        Preparation::Ready { mean_cosine, least_cosine } => {
            let mut out = anstream::stdout().lock();
            writeln!(
                out,
                "{id}: ready; cosine with the original {mean_cosine:.4} on average, {least_cosine:.4} at least"
            )?;
            Ok(Outcome::Done)
        }
        other => {
            terminal::note(&format!("{id} is run by ONNX Runtime: {other}"));
            Ok(Outcome::Partial)
        }
    }
}

fn choose(app: &App, id: &str) -> Result<Outcome> {
    let model = app.catalog().get(id)?;
    model.manifest.verify(&model.dir, true)?;
    let file = UserFile::locate(&app.environment)?;
    let next = match model.manifest.kind {
        ModelKind::Embedding => {
            file.set("embedding.model", id)?;
            file.set("embedding.provider", "onnx")?;
            "run 'tars index' to embed the notes with it"
        }
        ModelKind::Reranker => {
            file.set("search.rerank_model", id)?;
            "'tars search --rerank' reads results with it"
        }
    };
    writeln!(anstream::stdout().lock(), "{id} is in use; {next}")?;
    Ok(Outcome::Done)
}

fn verify(app: &App, id: Option<&str>) -> Result<Outcome> {
    let catalog = app.catalog();
    let ids = match id {
        Some(id) => vec![catalog.get(id)?.manifest.id],
        None => catalog.list()?.into_iter().map(|entry| entry.id).collect(),
    };
    let mut outcome = if ids.is_empty() { Outcome::Nothing } else { Outcome::Done };
    let mut out = anstream::stdout().lock();
    for id in ids {
        let verified = catalog.get(&id).and_then(|model| {
            model.manifest.verify(&model.dir, true)?;
            model.verify_prepared()
        });
        match verified {
            Ok(()) => writeln!(out, "{id}: every file is the one its manifest names")?,
            Err(error) => {
                terminal::note(&format!("{id}: {error}"));
                terminal::note(match error {
                    EmbedError::NotPrepared { .. } => "try: tars models prepare",
                    _ => "try: ./scripts/install-models for the default model, tars models pull for another",
                });
                outcome = Outcome::Partial;
            }
        }
    }
    if !HAS_ONNX {
        writeln!(out, "runtime: none, since this tars is built without the feature 'onnx'")?;
        return Ok(outcome);
    }
    match app.runtime().and_then(|library| library.verify().map(|()| library)) {
        Ok(library) => writeln!(out, "runtime {}: as installed", library.path.display())?,
        Err(error) => {
            terminal::note(&error.to_string());
            terminal::note("try: ./scripts/install-models");
            outcome = Outcome::Partial;
        }
    }
    Ok(outcome)
}
