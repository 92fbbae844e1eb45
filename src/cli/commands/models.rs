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
use crate::embed::{EmbedError, Preparation};

#[derive(Serialize)]
struct ModelJson {
    id: String,
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
    let in_use = |id: &str| embedding.provider == Provider::Onnx && embedding.model == id;
    let models: Vec<ModelJson> = app
        .catalog()
        .list()?
        .into_iter()
        .map(|entry| ModelJson {
            in_use: in_use(&entry.id),
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
            let detail = match (&model.problem, model.dimensions) {
                (Some(problem), _) => problem.clone(),
                (None, Some(dimensions)) => format!(
                    "{dimensions} dimensions, {}, {}; kernel {}",
                    size(model.bytes),
                    model.licence.as_deref().unwrap_or("licence unknown"),
                    model.kernel.as_deref().unwrap_or("unknown")
                ),
                (None, None) => String::new(),
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
    writeln!(out, "installed {} ({} dimensions, {})", manifest.id, manifest.dimensions, size(manifest.size()))?;
    if app.settings.config.embedding.kernel == Kernel::Auto {
        match app.prepare(&manifest.id, false) {
            Ok(preparation) => writeln!(out, "kernel {preparation}")?,
            Err(error) => terminal::note(&format!("{} could not be prepared: {error}", manifest.id)),
        }
    }
    writeln!(out, "to embed with it: tars models use {}", manifest.id)?;
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
    file.set("embedding.model", id)?;
    file.set("embedding.provider", "onnx")?;
    writeln!(anstream::stdout().lock(), "{id} is in use; run 'tars index' to embed the notes with it")?;
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
