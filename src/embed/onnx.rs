//! Local models, run by ONNX Runtime: one that embeds, and one that reranks.

mod network;
mod rerank;

use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use ort::session::Session;
use tokenizers::Tokenizer;

use self::network::{Network, Tokens, load_tokenizer};
use super::{EmbedError, Embedder, InstalledModel, Manifest, ModelKind, Pooling, RuntimeLibrary, TextKind, normalize};
use crate::domain::{CountTokens, ModelId};
pub use rerank::OnnxReranker;

/// Texts a worker gets in one call: enough to balance long against short, little enough to be lost when interrupted.
const TEXTS_PER_WORKER: usize = 4;

/// How long a passage gives way to questions: a stream of them slows indexing down, and does not stop it.
const GIVE_WAY: Duration = Duration::from_millis(200);

/// An installed model with its sessions open.
///
/// Each worker owns a session of one thread and embeds one text at a time, without padding: on a CPU that is faster than
/// batches, and two such sessions are faster than one with two threads.
pub struct OnnxEmbedder {
    id: ModelId,
    manifest: Manifest,
    tokenizer: Counter,
    special: usize,
    network: Network,
    workers: Vec<Worker>,
    /// Questions that wait for a session: whoever works through passages lets them go first.
    questions: AtomicUsize,
    answered: (Mutex<()>, Condvar),
}

/// One session, opened when there is work for it: each takes about a hundred megabytes and a fifth of a second.
#[derive(Default)]
struct Worker {
    session: Mutex<Option<Session>>,
}

/// Counts in the model's own tokens.
struct Counter {
    tokenizer: Tokenizer,
    name: String,
}

impl CountTokens for Counter {
    fn count(&self, text: &str) -> usize {
        // The tokenizer refuses no text: it has no rule that could fail on one.
        self.tokenizer.encode_fast(text, false).map_or_else(|_| text.len(), |encoding| encoding.len())
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}

impl OnnxEmbedder {
    /// Loads an installed model that up to `workers` threads, at least one, will run; their sessions are opened when they
    /// are needed.
    ///
    /// # Errors
    /// It is no embedding model, a file of it is missing or not the one its manifest names, or the runtime refuses it.
    pub fn load(model: &InstalledModel, library: &RuntimeLibrary, workers: usize) -> Result<Self, EmbedError> {
        model.require(ModelKind::Embedding)?;
        let manifest = &model.manifest;
        let network = Network::of(model, library)?;
        let tokenizer = load_tokenizer(model)?;
        let special = tokenizer.encode_fast("", true).map_or(2, |encoding| encoding.len());
        let workers = (0..workers.max(1)).map(|_| Worker::default()).collect();
        let digest = manifest.files.get("tokenizer.json").map_or("", |file| &file.sha256);
        let name = format!("tokenizer:{}", &digest[..digest.len().min(16)]);
        Ok(Self {
            id: manifest.fingerprint(),
            manifest: manifest.clone(),
            tokenizer: Counter { tokenizer, name },
            special,
            network,
            workers,
            questions: AtomicUsize::new(0),
            answered: (Mutex::new(()), Condvar::new()),
        })
    }

    /// Runs one text. Between two passages, a question that waits is served: someone sits before it.
    fn run_in_turn(&self, kind: TextKind, worker: &Worker, ids: &[i64]) -> Result<Vec<f32>, EmbedError> {
        let (lock, answered) = &self.answered;
        match kind {
            TextKind::Query => {
                self.questions.fetch_add(1, Ordering::SeqCst);
                let result = self.run_on(worker, ids);
                drop(lock.lock().unwrap_or_else(PoisonError::into_inner));
                self.questions.fetch_sub(1, Ordering::SeqCst);
                answered.notify_all();
                result
            }
            TextKind::Passage => {
                let guard = lock.lock().unwrap_or_else(PoisonError::into_inner);
                let waited =
                    answered.wait_timeout_while(guard, GIVE_WAY, |()| self.questions.load(Ordering::SeqCst) > 0);
                drop(waited);
                self.run_on(worker, ids)
            }
        }
    }

    fn run_on(&self, worker: &Worker, ids: &[i64]) -> Result<Vec<f32>, EmbedError> {
        let mut slot = worker.session.lock().unwrap_or_else(PoisonError::into_inner);
        let session = match &mut *slot {
            Some(session) => session,
            None => slot.insert(self.network.open(1)?),
        };
        self.run(session, ids)
    }

    fn prefix(&self, kind: TextKind) -> &str {
        match kind {
            TextKind::Query => &self.manifest.query_prefix,
            TextKind::Passage => &self.manifest.passage_prefix,
        }
    }

    fn encode(&self, kind: TextKind, index: usize, text: &str) -> Result<Vec<i64>, EmbedError> {
        let prefix = self.prefix(kind);
        let joined;
        let input = if prefix.is_empty() {
            text
        } else {
            joined = format!("{prefix}{text}");
            &joined
        };
        let encoding = self.tokenizer.tokenizer.encode_fast(input, true).map_err(|error| self.network.failed(error))?;
        let tokens = encoding.len();
        if tokens > self.manifest.window {
            return Err(EmbedError::TextTooLong { index, tokens, window: self.manifest.window });
        }
        Ok(encoding.get_ids().iter().map(|id| i64::from(*id)).collect())
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

    /// Reduces one vector a token to one a text. There is no padding, so nothing needs to be masked out.
    fn pool(&self, values: &[f32], tokens: usize) -> Vec<f32> {
        let width = values.len() / tokens;
        match self.manifest.pooling {
            Some(Pooling::Cls) => values[..width].to_vec(),
            // A manifest of an embedding model says how to pool.
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

impl Embedder for OnnxEmbedder {
    fn model(&self) -> &ModelId {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.manifest.dimensions
    }

    fn window(&self) -> usize {
        let longest = [TextKind::Query, TextKind::Passage].map(|kind| self.tokenizer.count(self.prefix(kind)));
        self.manifest.window.saturating_sub(self.special + longest[0].max(longest[1])).max(1)
    }

    fn tokens(&self) -> &dyn CountTokens {
        &self.tokenizer
    }

    fn knows(&self, word: &str) -> Option<bool> {
        Some(self.tokenizer.count(word) == 1)
    }

    fn batch_size(&self) -> usize {
        self.workers.len() * TEXTS_PER_WORKER
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let encoded = texts
            .iter()
            .enumerate()
            .map(|(index, text)| self.encode(kind, index, text))
            .collect::<Result<Vec<_>, _>>()?;
        // Longest first, so that no worker is left with a long text at the end.
        let mut order: Vec<usize> = (0..encoded.len()).collect();
        order.sort_by_key(|index| Reverse(encoded[*index].len()));
        let next = AtomicUsize::new(0);
        let work = |worker: &Worker| -> Result<Vec<(usize, Vec<f32>)>, EmbedError> {
            let mut done = Vec::new();
            while let Some(index) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                done.push((*index, self.run_in_turn(kind, worker, &encoded[*index])?));
            }
            Ok(done)
        };
        // No more threads than texts, so that no session is opened for nothing.
        let busy = &self.workers[..self.workers.len().min(order.len())];
        let results = match busy {
            [] => Vec::new(),
            [worker] => vec![work(worker)],
            workers => thread::scope(|scope| {
                let workers: Vec<_> = workers.iter().map(|worker| scope.spawn(|| work(worker))).collect();
                workers
                    .into_iter()
                    .map(|worker| worker.join().unwrap_or_else(|_| Err(self.network.failed("a worker panicked"))))
                    .collect()
            }),
        };
        let mut vectors = vec![Vec::new(); encoded.len()];
        for result in results {
            for (index, vector) in result? {
                vectors[index] = vector;
            }
        }
        Ok(vectors)
    }
}

#[cfg(test)]
mod tests;
