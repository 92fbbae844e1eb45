//! The models in the settings.

use std::time::SystemTime;

use super::with_hint;
use crate::App;
use tars_base::domain::ModelId;
use tars_config::{Kernel, Provider};
use tars_embed::{
    BertEmbedder, BertReranker, Catalog, EmbedError, Embedder, HAS_ONNX, InstalledModel, Preparation, RemoteEmbedder,
    RemoteOptions, Reranker, RuntimeLibrary, Threads,
};

/// An embedder, or the reason why there is none.
pub enum Model {
    /// Ready.
    Ready(Box<dyn Embedder>),
    /// Disabled in the configuration.
    Off,
    /// Configured but unavailable.
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

    /// Returns in a few words why the embedder is unavailable and the fix; `None` if there is one or none is configured.
    pub fn unavailable_reason(&self) -> Option<String> {
        match self {
            Self::Missing(error) => Some(with_hint(error.to_string(), error.hint())),
            Self::Ready(_) | Self::Off => None,
        }
    }
}

impl App {
    /// Returns the number of threads for a command that a person waits for.
    pub fn workers(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.settings.config.embedding.threads.unwrap_or_else(cores)
    }

    /// Loads the embedder in the settings with this number of threads.
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

    /// Returns the installed models and those that ship with tars.
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

    /// Returns the local model in the settings, with its prefixes from the settings.
    pub(crate) fn installed_model(&self) -> Result<InstalledModel, EmbedError> {
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

    /// Loads the local model in the settings.
    pub(crate) fn local_model(&self, threads: Threads) -> Result<Box<dyn Embedder>, EmbedError> {
        self.run_locally(&self.installed_model()?, threads)
    }

    /// Loads an installed model: in its prepared form, otherwise through ONNX Runtime.
    pub(crate) fn run_locally(
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
                // `tars status` reports this; the indexing process prepares the model if possible.
                Err(error) if HAS_ONNX => tracing::debug!(%error, "the kernel cannot run the model"),
                Err(error) => return Err(model.check_runnable().err().unwrap_or(error)),
            }
        }
        self.runtime()?.embedder(model, threads)
    }

    /// Returns the fingerprint of the vectors that an installed model makes with the current settings.
    pub(crate) fn vectors_of(&self, model: &InstalledModel) -> ModelId {
        let is_ours = self.settings.config.embedding.kernel == Kernel::Auto;
        model.vectors(is_ours.then(|| model.preparation()).as_ref())
    }

    /// Checks that the settings allow tars' own kernel for a model that nothing else can run.
    fn check_kernel(&self, model: &InstalledModel) -> Result<(), EmbedError> {
        match self.settings.config.embedding.kernel {
            Kernel::Auto => Ok(()),
            Kernel::Off => Err(EmbedError::NeedsKernel { model: model.manifest.id.clone() }),
        }
    }

    /// Whether the local model still needs preparation. The indexing process prepares it, because a question should not wait for
    /// that, and because vectors from before the preparation would have to be computed again. A build without ONNX Runtime can
    /// prepare only models that need the kernel, and a shipped model is already prepared.
    pub fn needs_preparation(&self) -> bool {
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

    /// Prepares an installed model for the kernel, unless that was done before; `again` forces another attempt.
    ///
    /// # Errors
    /// See [`tars_embed::prepare`].
    pub fn prepare(&self, id: &str, again: bool) -> Result<Preparation, EmbedError> {
        tars_embed::prepare(&self.catalog().get(id)?, || self.runtime(), again)
    }

    /// Returns a stamp that changes when [`App::model`] would load another form of the same model.
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

    /// Loads the reranker in the settings, or the installed one: in its prepared form if tars' own kernel runs it, otherwise
    /// through ONNX Runtime.
    ///
    /// # Errors
    /// There is none; or it is unusable.
    pub(crate) fn reranker(&self) -> Result<Box<dyn Reranker>, EmbedError> {
        let config = &self.settings.config;
        let model = match self.catalog().reranker(config.search.rerank_model.as_deref()) {
            // This build cannot use most rerankers, so it does not suggest downloading one.
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
