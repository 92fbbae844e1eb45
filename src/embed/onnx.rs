//! Local models that ONNX Runtime runs: embedding models and rerankers.

mod network;
mod rerank;
mod runtime;

use std::sync::{Mutex, PoisonError};

use ort::session::Session;
use tokenizers::Tokenizer;

use self::network::{Network, Tokens, load_tokenizer};
use super::workers::{Threads, Workers};
use super::{EmbedError, Embedder, InstalledModel, Manifest, ModelKind, Pooling, Reranker, TextKind, normalize};
pub(super) use network::ReferenceTokenizer;
pub use rerank::OnnxReranker;
pub use runtime::{RuntimeLibrary, RuntimeManifest};
use tars_base::domain::{CountTokens, ModelId};
use tars_base::embedding::ModelScale;

/// Texts per worker in one call: enough to balance long texts against short ones, few enough to lose little when interrupted.
const TEXTS_PER_WORKER: usize = 4;

/// An installed model with open sessions.
///
/// Each worker owns a session with one thread.
pub struct OnnxEmbedder {
    id: ModelId,
    manifest: Manifest,
    tokenizer: Counter,
    special: usize,
    network: Network,
    workers: Workers,
    /// One session per worker, opened when first needed: each takes about 100 MB and 0.2 s.
    sessions: Vec<Mutex<Option<Session>>>,
}

/// Counts tokens with the model's own tokenizer.
struct Counter {
    tokenizer: Tokenizer,
    name: String,
}

impl CountTokens for Counter {
    fn count(&self, text: &str) -> usize {
        // The tokenizer has no rule that can fail on a text.
        self.tokenizer.encode_fast(text, false).map_or_else(|_| text.len(), |encoding| encoding.len())
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}

impl OnnxEmbedder {
    /// Loads an installed model for these threads; sessions open on first use. In the background, at most half as many
    /// threads run, because a session takes more memory than the kernel.
    ///
    /// # Errors
    /// The model is not an embedding model, a file is missing or differs from the manifest, or the runtime rejects the model.
    pub fn load(
        model: &InstalledModel,
        library: &RuntimeLibrary,
        threads: impl Into<Threads>,
    ) -> Result<Self, EmbedError> {
        model.check_kind(ModelKind::Embedding)?;
        let manifest = &model.manifest;
        let network = Network::of(model, library)?;
        let tokenizer = load_tokenizer(model)?;
        let special = tokenizer.encode_fast("", true).map_or(2, |encoding| encoding.len());
        let threads = threads.into().for_sessions();
        let workers = Workers::new(&manifest.id, threads);
        Ok(Self {
            id: manifest.fingerprint(),
            manifest: manifest.clone(),
            tokenizer: Counter { tokenizer, name: manifest.tokenizer_name() },
            special,
            network,
            sessions: (0..threads.most()).map(|_| Mutex::default()).collect(),
            workers,
        })
    }

    fn run_on(&self, session: &Mutex<Option<Session>>, ids: &[i64]) -> Result<Vec<f32>, EmbedError> {
        let mut slot = session.lock().unwrap_or_else(PoisonError::into_inner);
        let session = match &mut *slot {
            Some(session) => session,
            None => slot.insert(self.network.open(1)?),
        };
        self.run(session, ids)
    }

    /// Returns the tokens of a text with the special tokens around it, without a length limit.
    pub(super) fn encode_with_special(&self, text: &str) -> Result<Vec<u32>, EmbedError> {
        let encoding = self.tokenizer.tokenizer.encode_fast(text, true).map_err(|error| self.network.failed(error))?;
        Ok(encoding.get_ids().to_vec())
    }

    fn encode(&self, kind: TextKind, index: usize, text: &str) -> Result<Vec<i64>, EmbedError> {
        let tokens = self.encode_with_special(&self.manifest.prefixed(kind, text))?;
        if tokens.len() > self.manifest.window {
            return Err(EmbedError::TextTooLong { index, tokens: tokens.len(), window: self.manifest.window });
        }
        Ok(tokens.into_iter().map(i64::from).collect())
    }

    fn run(&self, session: &mut Session, ids: &[i64]) -> Result<Vec<f32>, EmbedError> {
        let types = vec![0; ids.len()];
        let mut vector = self.network.run(session, &Tokens { ids, types: &types }, |shape, values| match *shape {
            [1, tokens, _] if tokens == ids.len() as i64 => Ok(self.pool(values, ids.len())),
            [1, _] => Ok(values.to_vec()),
            _ => Err(self.network.failed(format!("the model answers in the shape {shape:?}"))),
        })?;
        if vector.len() != self.manifest.dimensions {
            return Err(EmbedError::Dimensions {
                model: self.manifest.id.clone(),
                expected: self.manifest.dimensions,
                found: vector.len(),
            });
        }
        if !normalize(&mut vector) {
            return Err(self.network.failed("a vector without a direction"));
        }
        Ok(vector)
    }

    /// Pools the token vectors into one. Without padding there is nothing to mask.
    fn pool(&self, values: &[f32], tokens: usize) -> Vec<f32> {
        let width = values.len() / tokens;
        match self.manifest.pooling {
            Some(Pooling::Cls) => values[..width].to_vec(),
            // The manifest of an embedding model always sets the pooling.
            Some(Pooling::Mean) | None => {
                let mut sum = vec![0.0f32; width];
                for row in values.chunks_exact(width) {
                    for (total, value) in sum.iter_mut().zip(row) {
                        *total += value;
                    }
                }
                sum.iter().map(|total| total / tokens as f32).collect()
            }
        }
    }
}

impl RuntimeLibrary {
    /// Loads an installed model, see [`OnnxEmbedder::load`].
    ///
    /// # Errors
    /// As [`OnnxEmbedder::load`].
    pub fn embedder(&self, model: &InstalledModel, threads: Threads) -> Result<Box<dyn Embedder>, EmbedError> {
        Ok(Box::new(OnnxEmbedder::load(model, self, threads)?))
    }

    /// Loads an installed reranker, see [`OnnxReranker::load`].
    ///
    /// # Errors
    /// As [`OnnxReranker::load`].
    pub fn reranker(&self, model: &InstalledModel, threads: usize) -> Result<Box<dyn Reranker>, EmbedError> {
        Ok(Box::new(OnnxReranker::load(model, self, threads)?))
    }
}

impl Embedder for OnnxEmbedder {
    fn model(&self) -> &ModelId {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.manifest.dimensions
    }

    fn window(&self) -> usize {
        self.manifest.text_tokens(self.special, &self.tokenizer)
    }

    fn tokens(&self) -> &dyn CountTokens {
        &self.tokenizer
    }

    fn has_word(&self, word: &str) -> Option<bool> {
        Some(self.tokenizer.count(word) == 1)
    }

    fn model_scale(&self) -> ModelScale {
        self.manifest.model_scale()
    }

    fn batch_size(&self) -> usize {
        self.workers.count() * TEXTS_PER_WORKER
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let encoded = texts
            .iter()
            .enumerate()
            .map(|(index, text)| self.encode(kind, index, text))
            .collect::<Result<Vec<_>, _>>()?;
        let lengths: Vec<usize> = encoded.iter().map(Vec::len).collect();
        self.workers.run(kind, &lengths, |worker, index| self.run_on(&self.sessions[worker], &encoded[index]))
    }
}

#[cfg(test)]
mod tests;
