//! Local models that ONNX Runtime runs: embedding models and rerankers.

mod network;
mod rerank;
mod runtime;

use tokenizers::Tokenizer;

use self::network::{LazySession, Network, Tokens, load_tokenizer};
use super::local::{Engine, LocalEmbedder, pooled};
use super::workers::{Threads, Workers};
use super::{EmbedError, Embedder, InstalledModel, Manifest, ModelKind, Pooling, Reranker};
pub(super) use network::ReferenceTokenizer;
pub use rerank::OnnxReranker;
pub use runtime::{RuntimeLibrary, RuntimeManifest};
use tars_base::domain::CountTokens;

/// An installed model that ONNX Runtime runs.
pub type OnnxEmbedder = LocalEmbedder<OnnxEngine>;

/// ONNX Runtime with an installed embedding model. Each worker owns a session with one thread.
pub struct OnnxEngine {
    counter: Counter,
    special_tokens: usize,
    network: Network,
    workers: Workers,
    /// One per worker.
    sessions: Vec<LazySession>,
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
        let special_tokens = tokenizer.encode_fast("", true).map_or(2, |encoding| encoding.len());
        let threads = threads.into().for_sessions();
        let engine = OnnxEngine {
            counter: Counter { tokenizer, name: manifest.tokenizer_name() },
            special_tokens,
            network,
            sessions: (0..threads.most()).map(|_| LazySession::default()).collect(),
            workers: Workers::new(&manifest.id, threads),
        };
        Ok(Self { id: manifest.fingerprint(), manifest: manifest.clone(), engine })
    }
}

impl Engine for OnnxEngine {
    const TEXTS_PER_WORKER: usize = 4;

    fn workers(&self) -> &Workers {
        &self.workers
    }

    fn counter(&self) -> &dyn CountTokens {
        &self.counter
    }

    fn special_tokens(&self) -> usize {
        self.special_tokens
    }

    fn encode_with_special(&self, text: &str) -> Result<Vec<u32>, EmbedError> {
        let encoding = self.counter.tokenizer.encode_fast(text, true).map_err(|error| self.network.failed(error))?;
        Ok(encoding.get_ids().to_vec())
    }

    fn run(&self, manifest: &Manifest, worker: usize, tokens: &[u32]) -> Result<Vec<f32>, EmbedError> {
        let ids: Vec<i64> = tokens.iter().map(|token| i64::from(*token)).collect();
        let types = vec![0; ids.len()];
        let tokens = Tokens { ids: &ids, types: &types };
        self.network.run(&self.sessions[worker], 1, &tokens, |shape, values| match *shape {
            [1, tokens, _] if tokens == ids.len() as i64 => Ok(pool(manifest, values, ids.len())),
            [1, _] => Ok(values.to_vec()),
            _ => Err(self.network.failed(format!("the model answers in the shape {shape:?}"))),
        })
    }
}

/// Pools the token vectors into one. Without padding there is nothing to mask.
fn pool(manifest: &Manifest, values: &[f32], tokens: usize) -> Vec<f32> {
    let width = values.len() / tokens;
    match manifest.pooling {
        Some(Pooling::Cls) => values[..width].to_vec(),
        // The manifest of an embedding model always sets the pooling.
        Some(Pooling::Mean) | None => pooled(values, width).into_iter().map(|total| total / tokens as f32).collect(),
    }
}

impl RuntimeLibrary {
    /// Loads an installed model, see `OnnxEmbedder::load`.
    ///
    /// # Errors
    /// As `OnnxEmbedder::load`.
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

#[cfg(test)]
mod tests;
