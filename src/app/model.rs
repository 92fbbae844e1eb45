//! The models that the settings name.

use std::time::SystemTime;

use super::App;
use crate::config::{Kernel, Provider};
use crate::domain::ModelId;
use crate::embed::{
    self, BertEmbedder, BertReranker, Catalog, EmbedError, Embedder, HAS_ONNX, InstalledModel, ModelKind, Preparation,
    RemoteEmbedder, RemoteOptions, Reranker, RuntimeLibrary, Threads,
};

/// An embedder, or why there is none.
pub enum Model {
    /// Ready.
    Ready(Box<dyn Embedder>),
    /// Switched off by the configuration.
    Off,
    /// Wanted, but not to be had.
    Missing(EmbedError),
}

impl Model {
    /// Returns the embedder, if there is one.
    pub fn embedder(&self) -> Option<&dyn Embedder> {
        match self {
            Self::Ready(embedder) => Some(embedder.as_ref()),
            Self::Off | Self::Missing(_) => None,
        }
    }

    /// Returns in a few words why there is no embedder and what mends it; `None` if there is one or none is wanted.
    pub fn unavailable_reason(&self) -> Option<String> {
        match self {
            Self::Missing(error) => Some(match error.hint() {
                Some(hint) => format!("{error} (mend it with: {hint})"),
                None => error.to_string(),
            }),
            Self::Ready(_) | Self::Off => None,
        }
    }
}

impl App {
    /// Returns how many threads a command that a person waits for may compute with.
    pub fn workers(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.settings.config.embedding.threads.unwrap_or_else(cores)
    }

    /// Loads the embedder that the settings name, with so many threads.
    pub fn model(&self, threads: impl Into<Threads>) -> Model {
        let settings = &self.settings.config.embedding;
        let loaded = match settings.provider {
            Provider::None => return Model::Off,
            Provider::Onnx => self.local_model(threads.into()),
            Provider::OpenAi => self.remote_model(),
        };
        match loaded {
            Ok(embedder) => Model::Ready(embedder),
            Err(error) => Model::Missing(error),
        }
    }

    /// Returns the installed models and those that came with tars.
    pub fn catalog(&self) -> Catalog {
        Catalog::new(&self.settings.config.models.dir).with_shipped(self.environment.shipped_models())
    }

    /// Returns the ONNX Runtime library that would be loaded.
    ///
    /// # Errors
    /// There is none.
    pub fn runtime(&self) -> Result<RuntimeLibrary, EmbedError> {
        let config = &self.settings.config;
        RuntimeLibrary::find(config.embedding.runtime.as_deref(), &config.models.dir)
    }

    /// Returns the model on this machine that the settings name, as they want it.
    pub(super) fn installed_model(&self) -> Result<InstalledModel, EmbedError> {
        let settings = &self.settings.config.embedding;
        let mut model = self.catalog().get(&settings.model)?;
        if let Some(prefix) = &settings.query_prefix {
            model.manifest.query_prefix.clone_from(prefix);
        }
        if let Some(prefix) = &settings.passage_prefix {
            model.manifest.passage_prefix.clone_from(prefix);
        }
        Ok(model)
    }

    /// Loads the model on this machine that the settings name.
    pub(super) fn local_model(&self, threads: Threads) -> Result<Box<dyn Embedder>, EmbedError> {
        self.run_locally(&self.installed_model()?, threads)
    }

    /// Loads an installed model: as it was prepared, or else through ONNX Runtime.
    pub(super) fn run_locally(
        &self,
        model: &InstalledModel,
        threads: Threads,
    ) -> Result<Box<dyn Embedder>, EmbedError> {
        let settings = &self.settings.config.embedding;
        if model.needs_kernel() {
            self.check_kernel(model)?;
        }
        if settings.kernel == Kernel::Auto {
            match BertEmbedder::load(model, threads) {
                Ok(embedder) => {
                    return Ok(Box::new(match &settings.instructions {
                        Some(name) => embedder.with_instructions(name)?,
                        None => embedder,
                    }));
                }
                Err(error) if model.needs_kernel() => return Err(error),
                // `tars status` says so; the process that indexes prepares what can be.
                Err(error) if HAS_ONNX => tracing::debug!(%error, "the kernel cannot run the model"),
                Err(error) => return Err(model.check_runnable().err().unwrap_or(error)),
            }
        }
        self.runtime()?.embedder(model, threads)
    }

    /// Returns the fingerprint of the vectors that an installed model makes as the settings have it run.
    pub(super) fn vectors_of(&self, model: &InstalledModel) -> ModelId {
        let is_ours = self.settings.config.embedding.kernel == Kernel::Auto;
        model.vectors(is_ours.then(|| model.preparation()).as_ref())
    }

    /// Checks that the settings let tars itself run a model that nothing else can.
    fn check_kernel(&self, model: &InstalledModel) -> Result<(), EmbedError> {
        match self.settings.config.embedding.kernel {
            Kernel::Auto => Ok(()),
            Kernel::Off => Err(EmbedError::NeedsKernel { model: model.manifest.id.clone() }),
        }
    }

    /// Returns whether the model on this machine waits to be prepared. The process that indexes does it, since an answer should
    /// not wait for it, and vectors that were made before would have to be made again. A build without ONNX Runtime can
    /// prepare models that need the kernel alone, and a model that came with tars is prepared already.
    pub fn awaits_preparation(&self) -> bool {
        let settings = &self.settings.config.embedding;
        let awaits = |model: InstalledModel| {
            !model.shipped
                && (HAS_ONNX || model.needs_kernel())
                && matches!(model.preparation(), Preparation::Missing { .. })
        };
        settings.provider == Provider::Onnx
            && settings.kernel == Kernel::Auto
            && self.catalog().get(&settings.model).is_ok_and(awaits)
    }

    /// Prepares an installed model for the kernel, if that was not done before or `again` asks for another try.
    ///
    /// # Errors
    /// See [`embed::prepare`].
    pub fn prepare(&self, id: &str, again: bool) -> Result<Preparation, EmbedError> {
        embed::prepare(&self.catalog().get(id)?, || self.runtime(), again)
    }

    /// Returns what changes when [`App::model`] would load another form of the same model.
    pub fn model_stamp(&self) -> Option<(u64, SystemTime)> {
        self.catalog().stamp(&self.settings.config.embedding.model)
    }

    fn remote_model(&self) -> Result<Box<dyn Embedder>, EmbedError> {
        let settings = &self.settings.config.embedding;
        let base_url = settings.base_url.clone().ok_or_else(|| EmbedError::Address {
            url: String::new(),
            reason: "embedding.provider is 'openai', but embedding.base_url is not set".into(),
        })?;
        let key = settings.api_key_env.as_deref().and_then(|name| self.environment.variable(name));
        let options = RemoteOptions {
            model: settings.model.clone(),
            dimensions: settings.dimensions.unwrap_or(0),
            api_key: key.map(|key| key.to_string_lossy().into_owned()),
            batch_size: settings.batch_size,
            timeout: settings.timeout,
            window: settings.window,
            query_prefix: settings.query_prefix.clone().unwrap_or_default(),
            passage_prefix: settings.passage_prefix.clone().unwrap_or_default(),
            base_url,
        };
        Ok(Box::new(RemoteEmbedder::new(options)?))
    }

    /// Whether the settings want this model prepared when it is installed, and this build can do it.
    pub fn prepares(&self, model: &InstalledModel) -> bool {
        let can_be = model.needs_kernel() || HAS_ONNX && model.manifest.kind == ModelKind::Embedding;
        can_be && self.settings.config.embedding.kernel == Kernel::Auto
    }

    /// Loads the reranker that the settings name, or the one that is installed: as it was prepared where tars itself runs it,
    /// otherwise through ONNX Runtime.
    ///
    /// # Errors
    /// There is none, or it cannot be used.
    pub(super) fn reranker(&self) -> Result<Box<dyn Reranker>, EmbedError> {
        let config = &self.settings.config;
        let model = match self.catalog().reranker(config.search.rerank_model.as_deref()) {
            // A build that can do nothing with most rerankers does not advise to fetch one.
            Err(EmbedError::NoReranker { .. }) if !HAS_ONNX => return Err(EmbedError::CannotRerank),
            found => found?,
        };
        if model.needs_kernel() {
            self.check_kernel(&model)?;
            let reranker = BertReranker::load(&model, self.workers())?;
            return Ok(Box::new(match &config.embedding.instructions {
                Some(name) => reranker.with_instructions(name)?,
                None => reranker,
            }));
        }
        if !HAS_ONNX {
            return Err(EmbedError::CannotRerank);
        }
        self.runtime()?.reranker(&model, self.workers())
    }
}
