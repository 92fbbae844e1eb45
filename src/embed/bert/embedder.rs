//! An embedder that runs a prepared model.

use super::encoder::Input;
use super::prepared::Prepared;
use super::runner::Runner;
use super::tokenizer::{SPECIAL_TOKENS, Tokenizer};
use crate::head::Head;
use crate::local::{Engine, LocalEmbedder, mean, pooled};
use crate::workers::{Threads, Workers};
use crate::{EmbedError, InstalledModel, Manifest, ModelKind, Pooling};
use tars_base::domain::{CountTokens, ModelId};

/// Increment this whenever the same file gives different vectors than before.
const VECTORS: u32 = 1;

/// An installed model that the kernel runs from its prepared file.
pub type BertEmbedder = LocalEmbedder<Runner>;

/// Returns the fingerprint of the kernel's vectors. They are never mixed with those of ONNX Runtime.
pub(super) fn fingerprint(manifest: &Manifest) -> ModelId {
    ModelId::new(format!("{}+kernel{VECTORS}", manifest.fingerprint().as_str()))
}

impl BertEmbedder {
    /// Maps the model's prepared file into memory; these threads embed the texts.
    ///
    /// # Errors
    /// [`EmbedError::WrongKind`] if it is not an embedding model, [`EmbedError::NotPrepared`] or
    /// [`EmbedError::Shipped`] if there is no usable prepared file, and the errors of [`Manifest::verify_cached`].
    pub fn load(model: &InstalledModel, threads: impl Into<Threads>) -> Result<Self, EmbedError> {
        model.check_kind(ModelKind::Embedding)?;
        let prepared = super::open(model)?;
        model.verify_cached()?;
        Self::new(model, prepared, threads.into())
    }

    pub(super) fn new(model: &InstalledModel, prepared: Prepared, threads: Threads) -> Result<Self, EmbedError> {
        let manifest = model.manifest.clone();
        let unfit = |reason: &str| EmbedError::NotPrepared { model: manifest.id.clone(), reason: reason.into() };
        let head = Head::load(&model.dir, &manifest)?;
        let (expected, found) = (head.inputs(), prepared.header.hidden as usize);
        if found != expected {
            return Err(EmbedError::Dimensions { model: manifest.id.clone(), expected, found });
        }
        if manifest.center && prepared.mean().is_none() {
            return Err(unfit("it lacks the mean of the model's vectors, which its manifest's center needs"));
        }
        let engine = Runner::new(model, prepared, threads)?;
        Ok(Self { id: fingerprint(&manifest), manifest, head, engine })
    }

    /// Switches to another instruction set (for example `avx2`), so that benchmarks can compare them. By default the
    /// embedder uses the fastest one.
    ///
    /// # Errors
    /// [`EmbedError::NoInstructions`] if the processor does not support it.
    pub fn with_instructions(mut self, name: &str) -> Result<Self, EmbedError> {
        self.engine.set_instructions(name)?;
        Ok(self)
    }

    /// Returns the name of the instruction set in use.
    pub fn instructions(&self) -> &'static str {
        self.engine.instructions()
    }

    pub(super) fn tokenizer(&self) -> &Tokenizer {
        &self.engine.tokenizer
    }
}

impl Engine for Runner {
    const TEXTS_PER_WORKER: usize = 8;

    fn workers(&self) -> &Workers {
        &self.workers
    }

    fn counter(&self) -> &dyn CountTokens {
        &self.tokenizer
    }

    fn special_tokens(&self) -> usize {
        SPECIAL_TOKENS
    }

    fn encode_with_special(&self, text: &str) -> Result<Vec<u32>, EmbedError> {
        Ok(self.tokenizer.encode_with_special(text))
    }

    fn run(&self, manifest: &Manifest, head: &Head, _worker: usize, tokens: &[u32]) -> Result<Vec<f32>, EmbedError> {
        let first_token_only = manifest.pooling == Some(Pooling::Cls);
        let input = Input { ids: tokens, second: None, first_token_only };
        let sum = if head.needs_mean() { mean } else { pooled };
        Ok(head.apply(self.run_input(input, |values| sum(values, head.inputs()))))
    }

    fn mean(&self) -> Option<&[f32]> {
        self.prepared.mean()
    }
}
