//! A local model, run by ONNX Runtime.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use ort::environment::Environment;
use ort::session::Session;
use ort::session::builder::{GraphOptimizationLevel, SessionBuilder};
use ort::value::TensorRef;
use tokenizers::Tokenizer;

use super::workers::Workers;
use super::{EmbedError, Embedder, InstalledModel, Manifest, Pooling, RuntimeLibrary, TextKind, normalize};
use crate::domain::{CountTokens, ModelId};

/// Texts a worker gets in one call: enough to balance long against short, little enough to be lost when interrupted.
const TEXTS_PER_WORKER: usize = 4;

/// An installed model with its sessions open.
///
/// Each worker owns a session of one thread.
pub struct OnnxEmbedder {
    id: ModelId,
    manifest: Manifest,
    tokenizer: Counter,
    special: usize,
    environment: &'static Environment,
    path: PathBuf,
    workers: Workers,
    /// One a worker, opened when there is work for it: each takes about a hundred megabytes and a fifth of a second.
    sessions: Vec<Mutex<Option<Session>>>,
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
    /// A file of the model is missing or not the one its manifest names, or the runtime refuses it.
    pub fn load(model: &InstalledModel, library: &RuntimeLibrary, workers: usize) -> Result<Self, EmbedError> {
        let InstalledModel { dir, manifest } = model;
        manifest.verify_cached(dir)?;
        let tokenizer = load_tokenizer(model)?;
        let special = tokenizer.encode_fast("", true).map_or(2, |encoding| encoding.len());
        let environment = library.environment()?;
        let workers = Workers::new(&manifest.id, workers);
        Ok(Self {
            id: manifest.fingerprint(),
            manifest: manifest.clone(),
            tokenizer: Counter { tokenizer, name: manifest.tokenizer_name() },
            special,
            environment,
            path: dir.join(manifest.onnx_file()),
            sessions: (0..workers.count()).map(|_| Mutex::default()).collect(),
            workers,
        })
    }

    fn run_on(&self, session: &Mutex<Option<Session>>, ids: &[i64]) -> Result<Vec<f32>, EmbedError> {
        let mut slot = session.lock().unwrap_or_else(PoisonError::into_inner);
        let session = match &mut *slot {
            Some(session) => session,
            None => slot.insert(self.open()?),
        };
        self.run(session, ids)
    }

    fn open(&self) -> Result<Session, EmbedError> {
        // Full optimisation folds the int8 weights into f32 once, at load; that is what the vectors were measured with.
        let opened = Session::builder(self.environment).map_err(|error| self.failed(error))?;
        let settings = |builder: SessionBuilder| -> ort::Result<Session> {
            builder
                .with_optimization_level(GraphOptimizationLevel::Level3)?
                .with_intra_threads(1)?
                .with_intra_op_spinning(false)?
                .with_inter_op_spinning(false)?
                .with_memory_pattern(false)?
                .commit_from_file(&self.path)
        };
        settings(opened).map_err(|error| self.failed(error))
    }

    fn failed(&self, error: impl ToString) -> EmbedError {
        EmbedError::Runtime { model: self.manifest.id.clone(), reason: error.to_string() }
    }

    /// Returns the tokens of a text with those that go around it, however many.
    pub(super) fn framed(&self, text: &str) -> Result<Vec<u32>, EmbedError> {
        let encoding = self.tokenizer.tokenizer.encode_fast(text, true).map_err(|error| self.failed(error))?;
        Ok(encoding.get_ids().to_vec())
    }

    fn encode(&self, kind: TextKind, index: usize, text: &str) -> Result<Vec<i64>, EmbedError> {
        let tokens = self.framed(&self.manifest.prefixed(kind, text))?;
        if tokens.len() > self.manifest.window {
            return Err(EmbedError::TextTooLong { index, tokens: tokens.len(), window: self.manifest.window });
        }
        Ok(tokens.into_iter().map(i64::from).collect())
    }

    fn run(&self, session: &mut Session, ids: &[i64]) -> Result<Vec<f32>, EmbedError> {
        let shape = [1, ids.len()];
        let mask = vec![1i64; ids.len()];
        let types = vec![0i64; ids.len()];
        let mut inputs = Vec::with_capacity(3);
        for input in session.inputs() {
            let data: &[i64] = match input.name() {
                "input_ids" => ids,
                "attention_mask" => &mask,
                "token_type_ids" => &types,
                other => {
                    return Err(self.failed(format!("the model asks for an input '{other}' that tars cannot give")));
                }
            };
            let tensor = TensorRef::from_array_view((shape, data)).map_err(|error| self.failed(error))?;
            inputs.push((input.name().to_owned(), tensor));
        }
        let outputs = session.run(inputs).map_err(|error| self.failed(error))?;
        let (shape, values) = outputs[0].try_extract_tensor::<f32>().map_err(|error| self.failed(error))?;
        let mut vector = match shape[..] {
            [1, tokens, _] if tokens == ids.len() as i64 => self.pool(values, ids.len()),
            [1, _] => values.to_vec(),
            _ => return Err(self.failed(format!("the model answers in the shape {shape:?}"))),
        };
        if vector.len() != self.manifest.dimensions {
            return Err(EmbedError::Dimensions {
                model: self.manifest.id.clone(),
                expected: self.manifest.dimensions,
                found: vector.len(),
            });
        }
        if !normalize(&mut vector) {
            return Err(self.failed("a vector without a direction"));
        }
        Ok(vector)
    }

    /// Reduces one vector a token to one a text. There is no padding, so nothing needs to be masked out.
    fn pool(&self, values: &[f32], tokens: usize) -> Vec<f32> {
        let width = values.len() / tokens;
        match self.manifest.pooling {
            Pooling::Cls => values[..width].to_vec(),
            Pooling::Mean => {
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

fn load_tokenizer(model: &InstalledModel) -> Result<Tokenizer, EmbedError> {
    let path = model.dir.join("tokenizer.json");
    let invalid = |error: tokenizers::Error| EmbedError::Manifest { path: path.clone(), reason: error.to_string() };
    let mut tokenizer = Tokenizer::from_file(&path).map_err(invalid)?;
    // The file's own settings would pad every text and cut long ones without a word.
    tokenizer.with_padding(None);
    tokenizer.with_truncation(None).map_err(invalid)?;
    Ok(tokenizer)
}

impl Embedder for OnnxEmbedder {
    fn model(&self) -> &ModelId {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.manifest.dimensions
    }

    fn window(&self) -> usize {
        self.manifest.room(self.special, &self.tokenizer)
    }

    fn tokens(&self) -> &dyn CountTokens {
        &self.tokenizer
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
