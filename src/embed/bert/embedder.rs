//! An embedder that runs a prepared model.

use super::encoder::Input;
use super::prepared::Prepared;
use super::runner::Runner;
use super::tokenizer::{SPECIAL_TOKENS, Tokenizer};
use crate::workers::Threads;
use crate::{EmbedError, Embedder, InstalledModel, Manifest, ModelKind, Pooling, TextKind, normalize};
use tars_base::domain::{CountTokens, ModelId};
use tars_base::embedding::ModelScale;

/// Increment this whenever the same file gives different vectors than before.
const VECTORS: u32 = 1;

/// Texts per worker in one call: enough to balance long texts against short ones, few enough to lose little when interrupted.
const TEXTS_PER_WORKER: usize = 8;

/// An installed model that the kernel runs from its prepared file.
pub struct BertEmbedder {
    id: ModelId,
    manifest: Manifest,
    runner: Runner,
}

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
        let hidden = prepared.header.hidden as usize;
        if hidden != manifest.dimensions {
            return Err(EmbedError::Dimensions {
                model: manifest.id.clone(),
                expected: manifest.dimensions,
                found: hidden,
            });
        }
        if manifest.center && prepared.mean().is_none() {
            return Err(unfit("it lacks the mean of the model's vectors, which its manifest's center needs"));
        }
        let runner = Runner::new(model, prepared, threads)?;
        Ok(Self { id: fingerprint(&manifest), manifest, runner })
    }

    /// Switches to another instruction set (for example `avx2`), so that benchmarks can compare them. By default the
    /// embedder uses the fastest one.
    ///
    /// # Errors
    /// [`EmbedError::NoInstructions`] if the processor does not support it.
    pub fn with_instructions(mut self, name: &str) -> Result<Self, EmbedError> {
        self.runner.set_instructions(name)?;
        Ok(self)
    }

    /// Returns the name of the instruction set in use.
    pub fn instructions(&self) -> &'static str {
        self.runner.instructions()
    }

    pub(super) fn tokenizer(&self) -> &Tokenizer {
        &self.runner.tokenizer
    }

    fn encode(&self, kind: TextKind, index: usize, text: &str) -> Result<Vec<u32>, EmbedError> {
        let tokens = self.tokenizer().encode_with_special(&self.manifest.prefixed(kind, text));
        match tokens.len() > self.manifest.window {
            true => Err(EmbedError::TextTooLong { index, tokens: tokens.len(), window: self.manifest.window }),
            false => Ok(tokens),
        }
    }

    fn run(&self, tokens: &[u32]) -> Result<Vec<f32>, EmbedError> {
        let input = Input { ids: tokens, second: None, first_token_only: self.manifest.pooling == Some(Pooling::Cls) };
        let mut vector = self.runner.run(input, |values| pooled(values, self.manifest.dimensions));
        let mean = self.runner.prepared.mean().filter(|_| self.manifest.center);
        let has_direction = normalize(&mut vector)
            && mean.is_none_or(|mean| {
                vector.iter_mut().zip(mean).for_each(|(value, mean)| *value -= mean);
                normalize(&mut vector)
            });
        if !has_direction {
            let reason = "a vector without a direction".into();
            return Err(EmbedError::Runtime { model: self.manifest.id.clone(), reason });
        }
        Ok(vector)
    }
}

/// Returns the sum of the vectors. It has the direction of their mean; the length is normalised later.
pub(super) fn pooled(values: &[f32], width: usize) -> Vec<f32> {
    let mut vector = vec![0.0f32; width];
    for row in values.chunks_exact(width) {
        vector.iter_mut().zip(row).for_each(|(total, value)| *total += value);
    }
    vector
}

impl Embedder for BertEmbedder {
    fn model(&self) -> &ModelId {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.manifest.dimensions
    }

    fn window(&self) -> usize {
        self.manifest.text_tokens(SPECIAL_TOKENS, self.tokenizer())
    }

    fn tokens(&self) -> &dyn CountTokens {
        self.tokenizer()
    }

    fn has_word(&self, word: &str) -> Option<bool> {
        Some(self.tokenizer().count(word) == 1)
    }

    fn model_scale(&self) -> ModelScale {
        self.manifest.model_scale()
    }

    fn batch_size(&self) -> usize {
        self.runner.workers.count() * TEXTS_PER_WORKER
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let encoded = texts
            .iter()
            .enumerate()
            .map(|(index, text)| self.encode(kind, index, text))
            .collect::<Result<Vec<_>, _>>()?;
        let lengths: Vec<usize> = encoded.iter().map(Vec::len).collect();
        self.runner.workers.run(kind, &lengths, |_, index| self.run(&encoded[index]))
    }
}
