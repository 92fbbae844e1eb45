//! A prepared model as an embedder.

use std::sync::{Arc, Mutex, PoisonError};

use aho_corasick::{AhoCorasick, MatchKind};

use super::arithmetic::{self, Arithmetic};
use super::encoder::Workspace;
use super::prepared::Prepared;
use crate::domain::{CountTokens, ModelId};
use crate::embed::workers::Workers;
use crate::embed::{EmbedError, Embedder, InstalledModel, Manifest, ModelKind, Pooling, TextKind, normalize};
use crate::rank::ModelScale;

/// Raised whenever the same file gives other vectors than before.
const VECTORS: u32 = 1;

/// Texts a worker gets in one call: enough to balance long against short, little enough to be lost when interrupted.
const TEXTS_PER_WORKER: usize = 8;

/// Tokens put around a text.
const SPECIAL: usize = 2;

/// An installed model, run by tars itself from its prepared file.
pub struct BertEmbedder {
    id: ModelId,
    manifest: Manifest,
    tokenizer: Tokenizer,
    arithmetic: &'static dyn Arithmetic,
    workers: Workers,
    /// Those that nobody uses at the moment.
    workspaces: Mutex<Vec<Workspace>>,
}

/// Cuts and counts by a prepared file's vocabulary.
pub(super) struct Tokenizer {
    prepared: Arc<Prepared>,
    specials: AhoCorasick,
    /// The tokens that `specials` finds, by the number of the pattern.
    numbers: Vec<u32>,
    name: String,
}

/// Returns the fingerprint of the vectors that the kernel makes: never mixed with those of ONNX Runtime.
pub(super) fn fingerprint(manifest: &Manifest) -> ModelId {
    ModelId::new(format!("{}+kernel{VECTORS}", manifest.fingerprint().as_str()))
}

impl BertEmbedder {
    /// Maps the model's prepared file. Its texts are embedded by up to `workers` threads, at least one.
    ///
    /// # Errors
    /// [`EmbedError::WrongKind`] if it is no embedding model, [`EmbedError::NotPrepared`] or [`EmbedError::Shipped`] if there is no
    /// such file that can be used, and the errors of [`Manifest::verify_cached`].
    pub fn load(model: &InstalledModel, workers: usize) -> Result<Self, EmbedError> {
        model.require(ModelKind::Embedding)?;
        let prepared = super::open(model)?;
        model.verify_cached()?;
        Self::new(model, prepared, workers)
    }

    pub(super) fn new(model: &InstalledModel, prepared: Prepared, workers: usize) -> Result<Self, EmbedError> {
        let manifest = model.manifest.clone();
        let unfit = |reason: String| EmbedError::NotPrepared { model: manifest.id.clone(), reason };
        let hidden = prepared.header.hidden as usize;
        if hidden != manifest.dimensions {
            return Err(EmbedError::Dimensions {
                model: manifest.id.clone(),
                expected: manifest.dimensions,
                found: hidden,
            });
        }
        if manifest.window > prepared.header.positions as usize {
            return Err(unfit(format!("it reads {} tokens, fewer than its window", prepared.header.positions)));
        }
        if manifest.center && prepared.mean().is_none() {
            return Err(unfit("it holds no mean of the model's vectors, which its manifest wants taken away".into()));
        }
        let arithmetic = arithmetic::best();
        tracing::debug!(model = manifest.id, arithmetic = arithmetic.name(), "the kernel is ready");
        let tokenizer = Tokenizer::new(Arc::new(prepared), manifest.tokenizer_name()).map_err(unfit)?;
        Ok(Self {
            id: fingerprint(&manifest),
            workers: Workers::new(&manifest.id, workers),
            manifest,
            tokenizer,
            arithmetic,
            workspaces: Mutex::default(),
        })
    }

    /// Returns the embedder with the arithmetic of another instruction set (`avx2`) than the fastest one of this processor, so
    /// that benchmarks can compare them.
    ///
    /// # Errors
    /// [`EmbedError::NoInstructions`] if the processor does not have it.
    pub fn with_instructions(mut self, name: &str) -> Result<Self, EmbedError> {
        let setting = |found: &&'static dyn Arithmetic| found.name().to_lowercase().replace(' ', "-");
        let all = arithmetic::all();
        let Some(arithmetic) = all.iter().find(|found| setting(found) == name) else {
            let found = all.iter().map(setting).collect();
            return Err(EmbedError::NoInstructions { name: name.into(), found });
        };
        self.arithmetic = *arithmetic;
        tracing::debug!(arithmetic = self.arithmetic.name(), "the kernel computes as it was told");
        Ok(self)
    }

    /// Returns the name of the instruction set that the kernel computes with.
    pub fn instructions(&self) -> &'static str {
        self.arithmetic.name()
    }

    /// Returns the tokenizer.
    #[cfg(feature = "onnx")]
    pub(super) fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    fn encode(&self, kind: TextKind, index: usize, text: &str) -> Result<Vec<u32>, EmbedError> {
        let tokens = self.tokenizer.framed(&self.manifest.prefixed(kind, text));
        match tokens.len() > self.manifest.window {
            true => Err(EmbedError::TextTooLong { index, tokens: tokens.len(), window: self.manifest.window }),
            false => Ok(tokens),
        }
    }

    fn run(&self, tokens: &[u32]) -> Result<Vec<f32>, EmbedError> {
        let idle = || self.workspaces.lock().unwrap_or_else(PoisonError::into_inner);
        let mut workspace = idle().pop().unwrap_or_default();
        let values = self.tokenizer.prepared.encoder().run(tokens, self.arithmetic, &mut workspace);
        let mut vector = vec![0.0f32; self.manifest.dimensions];
        let rows = values.chunks_exact(vector.len());
        // The mean of the tokens is their sum, scaled: the vector's length is 1 in the end.
        for row in rows.take(if self.manifest.pooling == Some(Pooling::Cls) { 1 } else { tokens.len() }) {
            for (total, value) in vector.iter_mut().zip(row) {
                *total += value;
            }
        }
        idle().push(workspace);
        let mean = self.tokenizer.prepared.mean().filter(|_| self.manifest.center);
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

impl Embedder for BertEmbedder {
    fn model(&self) -> &ModelId {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.manifest.dimensions
    }

    fn window(&self) -> usize {
        self.manifest.text_tokens(SPECIAL, &self.tokenizer)
    }

    fn tokens(&self) -> &dyn CountTokens {
        &self.tokenizer
    }

    fn knows(&self, word: &str) -> Option<bool> {
        Some(self.tokenizer.count(word) == 1)
    }

    fn scale(&self) -> ModelScale {
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
        self.workers.run(kind, &lengths, |_, index| self.run(&encoded[index]))
    }
}

impl Tokenizer {
    pub(super) fn new(prepared: Arc<Prepared>, name: String) -> Result<Self, String> {
        let (numbers, spellings): (Vec<u32>, Vec<&[u8]>) = prepared.specials().into_iter().unzip();
        let specials = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(spellings);
        let specials = specials.map_err(|error| error.to_string())?;
        Ok(Self { numbers, specials, name, prepared })
    }

    /// Returns the tokens of a text with those that go around it.
    pub(super) fn framed(&self, text: &str) -> Vec<u32> {
        let header = &self.prepared.header;
        let mut tokens = vec![header.start];
        self.encode(text, &mut tokens);
        tokens.push(header.end);
        tokens
    }

    /// Appends the tokens of a text. What is spelled like a special token is one, as `tokenizers` sees it.
    fn encode(&self, text: &str, tokens: &mut Vec<u32>) {
        let pieces = self.prepared.vocabulary();
        let mut rest = 0;
        for found in self.specials.find_iter(text) {
            pieces.encode(&text[rest..found.start()], tokens);
            tokens.push(self.numbers[found.pattern().as_usize()]);
            rest = found.end();
        }
        pieces.encode(&text[rest..], tokens);
    }
}

impl CountTokens for Tokenizer {
    fn count(&self, text: &str) -> usize {
        let mut tokens = Vec::new();
        self.encode(text, &mut tokens);
        tokens.len()
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}
