//! Local models that ONNX Runtime runs: embedding models and rerankers.

mod network;
mod rerank;
mod runtime;

use tokenizers::Tokenizer;

use self::network::{LazySession, Network, Tokens, load_tokenizer};
use super::head::Head;
use super::local::{Engine, LocalEmbedder, mean};
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
        let head = Head::load(&model.dir, manifest)?;
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
        Ok(Self { id: manifest.fingerprint(), manifest: manifest.clone(), head, engine })
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

    fn run(&self, manifest: &Manifest, head: &Head, worker: usize, tokens: &[u32]) -> Result<Vec<f32>, EmbedError> {
        let ids: Vec<i64> = tokens.iter().map(|token| i64::from(*token)).collect();
        let types = vec![0; ids.len()];
        let tokens = Tokens { ids: &ids, types: &types };
        self.network.run(&self.sessions[worker], 1, &tokens, |shape, values| match *shape {
            [1, tokens, _] if tokens == ids.len() as i64 => finished(manifest, head, pool(manifest, values, ids.len())),
            // The graph pools by itself. Its width shows whether it ends before or after the dense layers.
            [1, width] if head.needs_mean() && width == head.full() as i64 && head.inputs() == head.full() => {
                let reason = "its graph pools by itself, and nothing shows whether it includes the dense layers";
                Err(self.network.failed(reason))
            }
            [1, width] if width == head.full() as i64 => Ok(head.cut(values.to_vec())),
            [1, _] => finished(manifest, head, values.to_vec()),
            _ => Err(self.network.failed(format!("the model answers in the shape {shape:?}"))),
        })
    }
}

/// Returns the vector of a text for its pooled one.
fn finished(manifest: &Manifest, head: &Head, pooled: Vec<f32>) -> Result<Vec<f32>, EmbedError> {
    let (expected, found) = (head.inputs(), pooled.len());
    match found == expected {
        true => Ok(head.apply(pooled)),
        false => Err(EmbedError::Dimensions { model: manifest.id.clone(), expected, found }),
    }
}

/// Pools the token vectors into one. Without padding there is nothing to mask.
fn pool(manifest: &Manifest, values: &[f32], tokens: usize) -> Vec<f32> {
    let width = values.len() / tokens;
    match manifest.pooling {
        Some(Pooling::Cls) => values[..width].to_vec(),
        // The manifest of an embedding model always sets the pooling.
        Some(Pooling::Mean) | None => mean(values, width),
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
