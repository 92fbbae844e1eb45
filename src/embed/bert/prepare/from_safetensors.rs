//! Converts a model in its published form: named weights in `model.safetensors`, their shape in `config.json`, the
//! vocabulary in `tokenizer.json`.
//!
//! Supported are the encoders of `transformers`' classes for BERT, RoBERTa, XLM-R and ModernBERT, and their classifiers. The
//! tokenizer is independent of the architecture: multilingual-e5-small is a BERT that reads XLM-R's tokens.

#[cfg(all(test, feature = "onnx"))]
mod fuzz;
mod modern;
#[cfg(test)]
mod seeded_modern;
#[cfg(test)]
mod tests;

use std::fs;
use std::ops::Range;
use std::path::Path;

use super::exact::{FloatLayer, FloatMatrix, Shape};
#[cfg(feature = "onnx")]
use super::reference::TEXTS;
use super::weight_source::{WeightSource, weights};
use crate::bert::UNKNOWN_PAIR;
use crate::bert::config::Config;
use crate::bert::map::FileMap;
use crate::bert::prepared;
use crate::bert::tokenizer::Tokenizer;
use crate::bert::vocabulary::{self, MAX_PIECES, TokenizerFile};
use crate::bert::weights::{ClassifierWeights, NormWeights, Table};
use crate::manifest::{CONFIG_FILE, TOKENIZER_FILE};
#[cfg(feature = "onnx")]
use crate::onnx::ReferenceTokenizer;
use crate::safetensors::Tensors;
use crate::{EmbedError, InstalledModel, ModelKind, Pooling};

/// Possible prefixes of an encoder's tensor names.
const PREFIXES: [&str; 4] = ["", "bert.", "roberta.", "model."];

/// Number of word vectors that are in memory as floats at a time.
const WORDS_AT_ONCE: usize = 1024;

pub(super) struct Files {
    weights: FileMap,
    config: Vec<u8>,
    /// The modules of a classifier that has files of its own.
    classifier: Vec<Vec<u8>>,
}

impl Files {
    /// Maps the weights and reads the configuration.
    pub(super) fn open(model: &InstalledModel) -> Result<Self, EmbedError> {
        let weights = model.dir.join(model.manifest.weights_file());
        let weights = FileMap::open(&weights).map_err(EmbedError::io("read", &weights))?;
        let modules = model.manifest.dense.iter().filter(|_| model.manifest.kind == ModelKind::Reranker);
        let classifier = modules.map(|layer| read(&model.dir.join(&layer.file))).collect::<Result<_, _>>()?;
        Ok(Self { weights, config: read(&model.dir.join(CONFIG_FILE))?, classifier })
    }
}

/// Returns the bytes of the prepared file. The inner error is what the kernel does not support.
pub(super) fn convert(files: &Files, model: &InstalledModel) -> Result<Result<Vec<u8>, String>, EmbedError> {
    let tokenizer = read(&model.dir.join(TOKENIZER_FILE))?;
    let converted = || {
        let TokenizerFile { vocabulary, second_kind } = vocabulary::read(&tokenizer)?;
        let original = NamedWeights::read(files, vocabulary.pieces())?;
        let mut weights = weights(&original)?;
        if model.manifest.kind == ModelKind::Reranker {
            let kind = second_kind.ok_or(UNKNOWN_PAIR)?;
            weights.classifier = Some(match &files.classifier[..] {
                [] => original.classifier(kind)?,
                modules => original.classifier_of_modules(modules, model.manifest.pooling == Some(Pooling::Mean))?,
            });
        }
        Ok(prepared::write(weights.checked()?, &vocabulary, &model.source()))
    };
    Ok(converted())
}

/// Checks that the tokenizer splits texts and joins pairs as the crate `tokenizers` does with the same file.
#[cfg(feature = "onnx")]
pub(super) fn check_tokenizer(ours: &Tokenizer, model: &InstalledModel) -> Result<Result<(), String>, EmbedError> {
    let theirs = ReferenceTokenizer::load(model)?;
    let others = TEXTS.iter().cycle().skip(1);
    for (text, other) in TEXTS.iter().zip(others) {
        let pair = ours.pair(&ours.encode(text), &ours.encode(other));
        let differs = ours.encode_with_special(text) != theirs.encode_with_special(text)
            || model.manifest.kind == ModelKind::Reranker && pair.tokens != theirs.pair(text, other);
        if differs {
            return Ok(Err(format!("its tokenizer splits texts differently: {text:?}")));
        }
    }
    Ok(Ok(()))
}

#[cfg(not(feature = "onnx"))]
pub(super) fn check_tokenizer(_: &Tokenizer, _: &InstalledModel) -> Result<Result<(), String>, EmbedError> {
    Ok(Ok(()))
}

fn read(path: &Path) -> Result<Vec<u8>, EmbedError> {
    fs::read(path).map_err(EmbedError::io("read", path))
}

/// Named weights of an encoder.
pub(super) struct NamedWeights<'a> {
    tensors: Tensors<'a>,
    config: Config,
    prefix: &'static str,
    /// Name of the tensor of word vectors, without the prefix.
    words: &'static str,
    /// Size of the vocabulary; word vectors beyond it are never read.
    pieces: usize,
}

impl<'a> NamedWeights<'a> {
    /// Reads the directory of the weights, for a vocabulary of this many pieces.
    ///
    /// # Errors
    /// A short description of the inconsistency.
    pub(super) fn read(files: &'a Files, pieces: usize) -> Result<Self, String> {
        Self::of(&files.weights, Config::read(&files.config)?, pieces)
    }

    pub(super) fn of(weights: &'a [u8], config: Config, pieces: usize) -> Result<Self, String> {
        let tensors = Tensors::read(weights)?;
        let words = if config.modern.is_some() { modern::WORDS } else { WORDS };
        let has_words = |prefix: &&&str| tensors.has(&format!("{prefix}{words}"));
        let prefix = PREFIXES.iter().find(has_words).ok_or_else(|| format!("it has no tensor {words}"))?;
        let [rows, width] = tensors.get(&format!("{prefix}{words}"))?.shape[..] else {
            return Err("its word vectors are not a two-dimensional tensor".into());
        };
        if width != config.hidden || rows < pieces || rows > MAX_PIECES || pieces == 0 {
            return Err(format!("{pieces} pieces have {rows} vectors of {width}"));
        }
        Ok(Self { tensors, config, prefix, words, pieces })
    }

    /// Returns the numbers of a tensor of the encoder.
    fn floats(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, String> {
        self.tensors.floats(&format!("{}{name}", self.prefix), shape)
    }

    /// Returns all rows of a table of the encoder.
    fn table(&self, name: &str) -> Result<Vec<f32>, String> {
        let name = format!("{}{name}", self.prefix);
        let [rows, width] = self.tensors.get(&name)?.shape[..] else {
            return Err(format!("its tensor {name} is not two-dimensional"));
        };
        match width == self.config.hidden {
            true => self.tensors.rows(&name, 0..rows),
            false => Err(format!("its tensor {name} has rows of {width}, not {}", self.config.hidden)),
        }
    }

    fn words_of(&self, rows: Range<usize>) -> Result<Vec<f32>, String> {
        self.tensors.rows(&format!("{}{}", self.prefix, self.words), rows)
    }

    fn norm_named(&self, name: &str) -> Result<NormWeights, String> {
        // The first releases of BERT use these names.
        let old = [("weight", "gamma"), ("bias", "beta")];
        let half = |(part, old): (&str, &str)| {
            let names = [part, old].map(|part| format!("{name}.{part}"));
            let found =
                names.iter().find(|name| self.tensors.has(&format!("{}{name}", self.prefix))).unwrap_or(&names[0]);
            self.floats(found, &[self.config.hidden])
        };
        let [scale, shift] = old;
        Ok(NormWeights { scale: half(scale)?, shift: half(shift)? })
    }

    /// Returns the number of classes of the layer with this name.
    fn count_classes(&self, layer: &str) -> Result<usize, String> {
        match self.tensors.get(&format!("{layer}.weight"))?.shape[..] {
            [count @ 1..=2, _] => Ok(count),
            [count, _] => Err(format!("it distinguishes {count} classes; a reranker has one or two")),
            _ => Err(format!("its tensor {layer}.weight is not two-dimensional")),
        }
    }

    /// Returns the classifier of a cross-encoder, for second texts of this kind of sentence.
    pub(super) fn classifier(&self, second_kind: usize) -> Result<ClassifierWeights, String> {
        if self.config.modern.is_some() {
            return self.modern_classifier();
        }
        let hidden = self.config.hidden;
        let named = |name: &str, shape: &[usize]| self.tensors.floats(name, shape);
        // RoBERTa's and XLM-R's classes have both layers in the classifier; BERT's class keeps the first one in the encoder.
        let is_whole = self.tensors.has("classifier.out_proj.weight");
        let (dense, classes) = match is_whole {
            true => ("classifier.dense".to_owned(), "classifier.out_proj"),
            false => (format!("{}pooler.dense", self.prefix), "classifier"),
        };
        let count = self.count_classes(classes)?;
        let kinds = self.table(KINDS)?;
        let kind = |number: usize| kinds.get(number * hidden..(number + 1) * hidden);
        let (Some(first), Some(second)) = (kind(0), kind(second_kind)) else {
            return Err(format!("it has no sentences of kind {second_kind}"));
        };
        Ok(ClassifierWeights {
            second: second.iter().zip(first).map(|(second, first)| second - first).collect(),
            dense: named(&format!("{dense}.weight"), &[hidden, hidden])?,
            dense_bias: named(&format!("{dense}.bias"), &[hidden])?,
            classes: named(&format!("{classes}.weight"), &[count, hidden])?,
            classes_bias: named(&format!("{classes}.bias"), &[count])?,
            norm: None,
            reads_mean: false,
        })
    }
}

const WORDS: &str = "embeddings.word_embeddings.weight";
const KINDS: &str = "embeddings.token_type_embeddings.weight";

impl WeightSource for NamedWeights<'_> {
    fn shape(&self) -> Shape {
        let Config { hidden, head, epsilon, modern, .. } = self.config;
        Shape { hidden, head, epsilon, modern }
    }

    fn layers(&self) -> usize {
        self.config.layers
    }

    fn words(&self) -> Result<Table<'_>, String> {
        let (mut values, mut scales) = (Vec::with_capacity(self.pieces * self.config.hidden), Vec::new());
        for first in (0..self.pieces).step_by(WORDS_AT_ONCE) {
            let rows = first..self.pieces.min(first + WORDS_AT_ONCE);
            let (bytes, row_scales) =
                Table::of_floats(rows.len(), self.config.hidden, self.words_of(rows)?).bytes(true);
            values.extend(bytes);
            scales.extend(row_scales);
        }
        Ok(Table::of_bytes(self.config.hidden, values, scales, true))
    }

    fn word(&self, token: u32) -> Result<Vec<f32>, String> {
        let token = token as usize;
        self.words_of(token..token + 1)
    }

    fn positions(&self) -> Result<Vec<f32>, String> {
        if self.config.modern.is_some() {
            return Ok(Vec::new());
        }
        let mut positions = self.table("embeddings.position_embeddings.weight")?;
        let unused = self.config.first_place * self.config.hidden;
        if positions.len() <= unused {
            return Err("it has no position for a token".into());
        }
        positions.drain(..unused);
        let kinds = self.table(KINDS)?;
        let kind = kinds.get(..self.config.hidden).ok_or("it has no kind of sentence")?;
        for row in positions.chunks_exact_mut(self.config.hidden) {
            row.iter_mut().zip(kind).for_each(|(value, kind)| *value += kind);
        }
        Ok(positions)
    }

    fn norm(&self) -> Result<NormWeights, String> {
        match self.config.modern.is_some() {
            true => self.modern_norm("embeddings.norm"),
            false => self.norm_named("embeddings.LayerNorm"),
        }
    }

    fn after_layers(&self) -> Result<Option<(usize, NormWeights)>, String> {
        match self.config.modern.is_some() {
            true => Ok(Some((self.config.places, self.modern_norm("final_norm")?))),
            false => Ok(None),
        }
    }

    fn layer(&self, number: usize) -> Result<FloatLayer, String> {
        if self.config.modern.is_some() {
            return self.modern_layer(number);
        }
        let Config { hidden, inner, .. } = self.config;
        let matrix = |name: &str, inputs: usize, outputs: usize| {
            let name = format!("encoder.layer.{number}.{name}");
            let values = self.floats(&format!("{name}.weight"), &[outputs, inputs])?;
            let bias = self.floats(&format!("{name}.bias"), &[outputs])?;
            Ok::<_, String>(FloatMatrix { inputs, outputs, values, bias })
        };
        Ok(FloatLayer {
            query: matrix("attention.self.query", hidden, hidden)?,
            key: matrix("attention.self.key", hidden, hidden)?,
            value: matrix("attention.self.value", hidden, hidden)?,
            attention_output: matrix("attention.output.dense", hidden, hidden)?,
            attention_norm: self.norm_named(&format!("encoder.layer.{number}.attention.output.LayerNorm"))?,
            feed_forward_in: matrix("intermediate.dense", hidden, inner)?,
            feed_forward_out: matrix("output.dense", inner, hidden)?,
            norm: self.norm_named(&format!("encoder.layer.{number}.output.LayerNorm"))?,
        })
    }
}
