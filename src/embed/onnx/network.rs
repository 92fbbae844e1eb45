//! The network of an installed model: its sessions, inputs and outputs.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use ort::environment::Environment;
use ort::session::Session;
use ort::session::builder::{GraphOptimizationLevel, SessionBuilder};
use ort::value::TensorRef;
use tokenizers::Tokenizer;

use crate::manifest::TOKENIZER_FILE;
use crate::{EmbedError, InstalledModel, RuntimeLibrary};

/// A network whose file was checked against its manifest.
pub(super) struct Network {
    model: String,
    path: PathBuf,
    environment: &'static Environment,
}

/// A session that opens on first use, because it takes about 100 MB and 0.2 s.
pub(super) type LazySession = Mutex<Option<Session>>;

/// Input of a network: token ids, and the segment that each token belongs to. Both have the same length.
pub(super) struct Tokens<'a> {
    pub(super) ids: &'a [i64],
    pub(super) types: &'a [i64],
}

impl Network {
    /// Checks the model's files and loads the runtime. Sessions are opened later.
    pub(super) fn of(model: &InstalledModel, library: &RuntimeLibrary) -> Result<Self, EmbedError> {
        let InstalledModel { dir, manifest, .. } = model;
        manifest.verify_cached(dir)?;
        let environment = library.environment()?;
        Ok(Self { model: manifest.id.clone(), path: dir.join(manifest.weights_file()), environment })
    }

    /// Opens a session that computes with this many threads.
    fn open(&self, threads: usize) -> Result<Session, EmbedError> {
        // Full optimisation folds the int8 weights into f32 once, at load time. The reference vectors were measured this way.
        let opened = Session::builder(self.environment).map_err(|error| self.failed(error))?;
        let settings = |builder: SessionBuilder| -> ort::Result<Session> {
            builder
                .with_optimization_level(GraphOptimizationLevel::Level3)?
                .with_intra_threads(threads)?
                .with_intra_op_spinning(false)?
                .with_inter_op_spinning(false)?
                .with_memory_pattern(false)?
                .commit_from_file(&self.path)
        };
        settings(opened).map_err(|error| self.failed(error))
    }

    /// Runs one unpadded input with these threads and passes the shape and the values of the first output to `read`.
    pub(super) fn run<T>(
        &self,
        session: &LazySession,
        threads: usize,
        tokens: &Tokens<'_>,
        read: impl FnOnce(&[i64], &[f32]) -> Result<T, EmbedError>,
    ) -> Result<T, EmbedError> {
        let mut slot = session.lock().unwrap_or_else(PoisonError::into_inner);
        let session = match &mut *slot {
            Some(session) => session,
            None => slot.insert(self.open(threads)?),
        };
        let shape = [1, tokens.ids.len()];
        let mask = vec![1i64; tokens.ids.len()];
        let mut inputs = Vec::with_capacity(3);
        for input in session.inputs() {
            let data: &[i64] = match input.name() {
                "input_ids" => tokens.ids,
                "attention_mask" => &mask,
                "token_type_ids" => tokens.types,
                other => {
                    return Err(self.failed(format!("the model needs an input '{other}' that tars cannot provide")));
                }
            };
            let tensor = TensorRef::from_array_view((shape, data)).map_err(|error| self.failed(error))?;
            inputs.push((input.name().to_owned(), tensor));
        }
        let outputs = session.run(inputs).map_err(|error| self.failed(error))?;
        let (shape, values) = outputs[0].try_extract_tensor::<f32>().map_err(|error| self.failed(error))?;
        read(shape, values)
    }

    /// Returns an error that names the model.
    pub(super) fn failed(&self, error: impl ToString) -> EmbedError {
        EmbedError::Runtime { model: self.model.clone(), reason: error.to_string() }
    }
}

/// A model's tokenizer from the crate `tokenizers`, the reference for the kernel's tokenizer.
pub(crate) struct ReferenceTokenizer(Tokenizer);

impl ReferenceTokenizer {
    /// Loads the tokenizer of a model.
    ///
    /// # Errors
    /// [`EmbedError::Manifest`] if it cannot be read.
    pub(crate) fn load(model: &InstalledModel) -> Result<Self, EmbedError> {
        load_tokenizer(model).map(Self)
    }

    /// Returns the tokens of a text with the special tokens around it; empty if tokenizing fails.
    pub(crate) fn encode_with_special(&self, text: &str) -> Vec<u32> {
        self.0.encode_fast(text, true).map_or(Vec::new(), |encoding| encoding.get_ids().to_vec())
    }

    /// Returns the tokens of a pair of texts; empty if tokenizing fails.
    pub(crate) fn pair(&self, first: &str, second: &str) -> Vec<u32> {
        self.0.encode_fast((first, second), true).map_or(Vec::new(), |encoding| encoding.get_ids().to_vec())
    }
}

/// Loads a model's tokenizer with padding and truncation turned off.
pub(super) fn load_tokenizer(model: &InstalledModel) -> Result<Tokenizer, EmbedError> {
    let path = model.dir.join(TOKENIZER_FILE);
    let invalid = |error: tokenizers::Error| EmbedError::Manifest { path: path.clone(), reason: error.to_string() };
    let mut tokenizer = Tokenizer::from_file(&path).map_err(invalid)?;
    // The settings in the file would pad every text and truncate long ones silently.
    tokenizer.with_padding(None);
    tokenizer.with_truncation(None).map_err(invalid)?;
    Ok(tokenizer)
}
