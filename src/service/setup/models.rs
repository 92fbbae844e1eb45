//! Installed models: lists, downloads, selects and verifies them.

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::protocol::{Request as Message, Response as Reply};
use crate::{Daemon, Problem, Result, Service, UseCase};
use tars_config::{Kernel, Provider, UserFile};
use tars_embed::hub::{Hub, Pull, pull};
use tars_embed::{EmbedError, HAS_ONNX, ModelKind, Preparation};

/// How long the watcher may take to confirm the restart.
const RESTART_TIMEOUT: Duration = Duration::from_secs(2);

/// Asks for the installed models.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ModelsRequest {}

/// An installed model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ModelLine {
    /// Its id.
    pub id: String,
    /// The kind of model; `None` if its manifest cannot be read.
    pub kind: Option<ModelKind>,
    /// Length of its vectors; `None` except for an embedding model.
    pub dimensions: Option<usize>,
    /// Its licence, if its manifest names one.
    pub licence: Option<String>,
    /// Size of its files, in bytes.
    pub bytes: u64,
    /// Whether the settings select it.
    pub in_use: bool,
    /// The state of its prepared file; `None` for a reranker that ONNX Runtime runs.
    pub kernel: Option<String>,
    /// Why it is unusable, if it is.
    pub problem: Option<String>,
    /// Whether it ships with tars.
    pub shipped: bool,
}

impl UseCase for ModelsRequest {
    type Response = Vec<ModelLine>;

    fn run(&self, service: &Service<'_>) -> Result<Vec<ModelLine>> {
        let app = service.app;
        let embedding = &app.settings.config.embedding;
        let embeds = Some(&embedding.model).filter(|_| embedding.provider == Provider::Onnx);
        let reranker = app.catalog().reranker(app.settings.config.search.rerank_model.as_deref());
        let reranks = reranker.as_ref().ok().map(|model| &model.manifest.id);
        let models = app.catalog().list()?.into_iter().map(|entry| ModelLine {
            in_use: match entry.kind {
                Some(ModelKind::Reranker) => reranks == Some(&entry.id),
                Some(ModelKind::Embedding) | None => embeds == Some(&entry.id),
            },
            kind: entry.kind,
            dimensions: entry.dimensions,
            licence: entry.licence,
            bytes: entry.size,
            kernel: entry.preparation.map(|preparation| preparation.to_string()),
            problem: (!entry.problems.is_empty()).then(|| entry.problems.join("; ")),
            shipped: entry.shipped,
            id: entry.id,
        });
        Ok(models.collect())
    }
}

/// Downloads a model from the hub, and prepares it if the settings ask for that.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PullModelRequest {
    /// `hf:OWNER/NAME[@REVISION][#PATH]`, where the path is that of an ONNX file or of `model.safetensors`.
    pub spec: String,
    /// Length to cut its vectors to; `None` for that of its authors.
    pub dimensions: Option<usize>,
}

/// The model that was installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PullModelResponse {
    /// Its id.
    pub id: String,
    /// The kind of model.
    pub kind: ModelKind,
    /// Length of its vectors; 0 for a reranker.
    pub dimensions: usize,
    /// Size of its files, in bytes.
    pub bytes: u64,
    /// The state of its prepared file; `None` if preparation was not due or failed.
    pub kernel: Option<String>,
    /// Whether only tars' own kernel can run it.
    pub needs_kernel: bool,
}

impl UseCase for PullModelRequest {
    type Response = PullModelResponse;

    fn run(&self, service: &Service<'_>) -> Result<PullModelResponse> {
        let Service { app, observer, .. } = service;
        let models = &app.settings.config.models;
        let token = models.hub_token_env.as_deref().and_then(|name| app.environment.variable(name));
        let hub = Hub::new(&models.hub, token.map(|token| token.to_string_lossy().into_owned()));
        let manifest = pull(&hub, Pull { spec: &self.spec, dimensions: self.dimensions }, &models.dir, *observer)?;
        let model = app.catalog().get(&manifest.id)?;
        let mut response = PullModelResponse {
            kind: manifest.kind,
            dimensions: manifest.dimensions,
            bytes: manifest.size(),
            kernel: None,
            needs_kernel: model.needs_kernel(),
            id: manifest.id,
        };
        let can_prepare = model.needs_kernel() || HAS_ONNX && response.kind == ModelKind::Embedding;
        if can_prepare && app.settings.config.embedding.kernel == Kernel::Auto {
            match app.prepare(&response.id, false) {
                Ok(preparation) => response.kernel = Some(preparation.to_string()),
                Err(error) => observer.warn(&format!("{} could not be prepared: {error}", response.id)),
            }
        } else if model.needs_kernel() {
            observer.warn(&EmbedError::NeedsKernel { model: response.id.clone() }.to_string());
        }
        Ok(response)
    }
}

/// Selects an installed model in the user's configuration, after a check of its files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UseModelRequest {
    /// Its id.
    pub id: String,
}

/// The model that is now selected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UseModelResponse {
    /// Its id.
    pub id: String,
    /// The kind of model.
    pub kind: ModelKind,
    /// Whether the running watcher switches to it; `None` if no watcher runs.
    pub watcher_follows: Option<bool>,
}

impl UseCase for UseModelRequest {
    type Response = UseModelResponse;

    fn run(&self, service: &Service<'_>) -> Result<UseModelResponse> {
        let model = service.app.catalog().get(&self.id)?;
        model.verify(true)?;
        model.check_runnable()?;
        let file = UserFile::locate(&service.app.environment)?;
        match model.manifest.kind {
            ModelKind::Embedding => {
                file.set("embedding.model", &self.id)?;
                file.set("embedding.provider", "onnx")?;
            }
            ModelKind::Reranker => {
                file.set("search.rerank_model", &self.id)?;
            }
        }
        let watcher = Daemon::of(service.app);
        let watcher_follows = watcher.running().map(|_| {
            // The watcher keeps its settings as long as it runs. Its finished work stays.
            matches!(watcher.ask_any(&Message::Restart, RESTART_TIMEOUT), Some(Reply::Done))
        });
        Ok(UseModelResponse { id: self.id.clone(), kind: model.manifest.kind, watcher_follows })
    }
}

/// Prepares an installed model to run in tars' own kernel, even if an earlier attempt was refused.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PrepareModelRequest {
    /// Its id; `None` means the model in the settings.
    pub id: Option<String>,
}

/// The state of the prepared file.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PrepareModelResponse {
    /// The model's id.
    pub id: String,
    /// Mean and minimum cosine between its vectors and the original's; `None` if it was refused.
    pub cosines: Option<(f32, f32)>,
    /// `ready`, or the reason why not.
    pub kernel: String,
    /// Whether only tars' own kernel can run it.
    pub needs_kernel: bool,
}

impl UseCase for PrepareModelRequest {
    type Response = PrepareModelResponse;

    fn run(&self, service: &Service<'_>) -> Result<PrepareModelResponse> {
        let app = service.app;
        let id = self.id.as_ref().unwrap_or(&app.settings.config.embedding.model);
        let prepared = app.prepare(id, true)?;
        let cosines = match prepared {
            Preparation::Ready { mean_cosine, least_cosine } => Some((mean_cosine, least_cosine)),
            Preparation::Refused { .. } | Preparation::Missing { .. } => None,
        };
        let needs_kernel = app.catalog().get(id)?.needs_kernel();
        Ok(PrepareModelResponse { id: id.clone(), cosines, kernel: prepared.to_string(), needs_kernel })
    }
}

/// Compares the files of installed models and of ONNX Runtime with their state at installation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VerifyModelsRequest {
    /// The id of the only model to verify; `None` verifies all.
    pub id: Option<String>,
}

/// The result of the verification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VerifyModelsResponse {
    /// The models, by id.
    pub models: Vec<VerifiedModel>,
    /// ONNX Runtime; `None` if this build lacks it, or if there is none and no model needs one.
    pub runtime: Option<VerifiedRuntime>,
}

/// A verified model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VerifiedModel {
    /// Its id.
    pub id: String,
    /// The problem, if there is one.
    pub problem: Option<Problem>,
}

/// The verified ONNX Runtime.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VerifiedRuntime {
    /// The library; `None` if there is a problem.
    pub path: Option<PathBuf>,
    /// The problem, if there is one.
    pub problem: Option<Problem>,
}

impl UseCase for VerifyModelsRequest {
    type Response = VerifyModelsResponse;

    fn run(&self, service: &Service<'_>) -> Result<VerifyModelsResponse> {
        let catalog = service.app.catalog();
        let ids = match &self.id {
            Some(id) => vec![catalog.get(id)?.manifest.id],
            None => catalog.list()?.into_iter().map(|entry| entry.id).collect(),
        };
        let check = |id: String| {
            let verified = catalog.get(&id).and_then(|model| {
                model.verify(true)?;
                model.verify_prepared()
            });
            VerifiedModel { id, problem: verified.err().map(|error| problem(&error)) }
        };
        let is_needed = ids.is_empty() || !ids.iter().all(|id| catalog.get(id).is_ok_and(|model| model.needs_kernel()));
        let runtime = match service.app.runtime().and_then(|library| library.verify().map(|()| library)) {
            _ if !HAS_ONNX => None,
            Ok(library) => Some(VerifiedRuntime { path: Some(library.path), problem: None }),
            Err(EmbedError::NoRuntime { .. }) if !is_needed => None,
            Err(error) => Some(VerifiedRuntime {
                path: None,
                problem: Some(Problem::not_ready(&error, Some("./scripts/install-models".into()))),
            }),
        };
        Ok(VerifyModelsResponse { models: ids.into_iter().map(check).collect(), runtime })
    }
}

/// Returns the problem of a model. The hint depends on where the model came from.
fn problem(error: &EmbedError) -> Problem {
    let hint = match error {
        EmbedError::Shipped { .. } => error.hint(),
        // A freshly installed model is not prepared, and only a full build could prepare it.
        _ if !HAS_ONNX => EmbedError::WithoutOnnx.hint(),
        EmbedError::NotPrepared { .. } => Some("tars models prepare".into()),
        _ => Some("./scripts/install-models for the default model, tars models pull for another".into()),
    };
    Problem::not_ready(error, hint)
}
