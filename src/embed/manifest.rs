//! A model's manifest: `manifest.toml` in the model's folder.
//!
//! ```toml
//! id = "all-minilm-l6-v2-quantized"  # name of the folder: A-Z a-z 0-9 . _ -, no leading dot, at most 100 characters
//! kind = "embedding"                 # or "reranker"; left out: embedding
//! dimensions = 384                   # length of its vectors, 1 to 16384
//! pooling = "mean"                   # or "cls": how token vectors become one vector
//! normalize = true                   # whether the model's authors scale its vectors to length 1
//! query_prefix = ""                  # prepended to questions; default: empty
//! passage_prefix = ""                # prepended to passages of notes; default: empty
//! window = 256                       # longest input in tokens, special tokens included, 8 to 131072
//! licence = "apache-2.0"             # as its authors name it
//! source = "hf:OWNER/NAME@REVISION#FILE"  # origin; optional
//! languages = ["en"]                 # supported languages by ISO 639-1, ["*"] for nearly all; default: unknown
//! full_dimensions = 768              # length of its vectors before their end is cut off; default: nothing is cut off
//! center = false                     # whether to subtract the mean of its vectors, not for .onnx; default: false
//! scale.both = { intercept = -2.18, matched = 5.19, similarity = 1.84 }  # output of scripts/quality/fit-calibration; default:
//! scale.meaning_alone = { intercept = -1.67, similarity = 1.91 }         # the values that fit the shipped English model
//!
//! [[dense]]                          # layers after the pooling, in their order; default: none
//! file = "dense-1.safetensors"       # their weights: linear.weight and, if there is one, linear.bias
//! outputs = 768                      # length of their result
//! activation = "identity"            # or "tanh" or "relu"
//!
//! [files."model.onnx"]               # every file of the model: one with its weights, and tokenizer.json
//! sha256 = "64 lower-case hexadecimal digits"
//! size = 23026053                    # in bytes, at most 2 GiB
//! ```
//!
//! Exactly one file holds the weights, in one of three forms. `.onnx` is a graph, which ONNX Runtime runs; the kernel runs it too
//! if it supports the graph. `.safetensors` holds named weights, with `config.json` beside it for their shape. `.bin` is a packed
//! model: one file with 4-bit weights and the vocabulary, without `tokenizer.json`. Only the kernel runs the last two.
//!
//! In some models, such as E5, all vectors point in nearly the same direction, so texts differ only by small differences of large
//! cosines. `center` subtracts the mean of the vectors. The cosines then spread as those of other models do, and results improve.
//!
//! A reranker produces no vectors: its manifest omits `dimensions`, `pooling`, `normalize`, the prefixes, the cut and the layers. Its window
//! covers a question and a text together.
//!
//! Unknown fields are errors, because a misspelt prefix would silently spoil every vector.

mod check;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{EmbedError, ModelKind, TextKind};
pub(crate) use check::{check_name, is_sha256};
use tars_base::domain::{ContentHash, CountTokens, ModelId, hex};
use tars_base::embedding::ModelScale;

/// Name of the manifest file in a model's folder.
pub const MANIFEST_FILE: &str = "manifest.toml";

/// Name of the tokenizer file in a model's folder.
pub(super) const TOKENIZER_FILE: &str = "tokenizer.json";

/// Name of the file in a model's folder that describes the shape of named weights.
pub(super) const CONFIG_FILE: &str = "config.json";

/// Stands for nearly all languages.
const ALL_LANGUAGES: &str = "*";

/// Maximum size of a model file, in bytes: protobuf, and therefore `.onnx`, is limited to 2 GiB.
pub(crate) const MAX_FILE_SIZE: u64 = 2 << 30;

/// Folder beside the models that holds the ONNX Runtime library. It has a manifest of another format, and no model may use its name.
pub(super) const RUNTIME_FOLDER: &str = "onnxruntime";

const MAX_MANIFEST_SIZE: u64 = 64 << 10;
const MAX_TEXT: usize = 4096;

/// Description of a local model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Name of the model and of its folder.
    pub id: String,
    /// Its kind.
    #[serde(default, skip_serializing_if = "is_default")]
    pub kind: ModelKind,
    /// Length of its vectors; 0 for a reranker.
    #[serde(default, skip_serializing_if = "is_default")]
    pub dimensions: usize,
    /// How token vectors become one vector; `None` for a reranker, unless its classifier has files of its own.
    #[serde(default, skip_serializing_if = "is_default")]
    pub pooling: Option<Pooling>,
    /// Whether the model's authors scale its vectors to length 1; `None` for a reranker.
    #[serde(default, skip_serializing_if = "is_default")]
    pub normalize: Option<bool>,
    /// Prefix of questions.
    #[serde(default, skip_serializing_if = "is_default")]
    pub query_prefix: String,
    /// Prefix of passages.
    #[serde(default, skip_serializing_if = "is_default")]
    pub passage_prefix: String,
    /// Longest input in tokens, special tokens and prefix included.
    pub window: usize,
    /// Supported languages by ISO 639-1; only `*` if the model supports nearly all. Empty if unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// Length of its vectors before their end is cut off; `None` if nothing is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_dimensions: Option<usize>,
    /// Whether the mean of its vectors is subtracted from each.
    #[serde(default, skip_serializing_if = "is_default")]
    pub center: bool,
    /// Licence, as the model's authors name it.
    pub licence: String,
    /// Origin of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Calibration of its similarities; `None` for the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<ModelScale>,
    /// Layers after the pooling, in their order: those of an embedding model, or the classifier of a reranker.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dense: Vec<DenseLayer>,
    /// Files of the model, by their path relative to the folder.
    pub files: BTreeMap<String, ModelFile>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A file of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    /// sha256 of its bytes, 64 lower-case hexadecimal digits.
    pub sha256: String,
    /// Its size in bytes.
    pub size: u64,
}

/// A layer after the pooling.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DenseLayer {
    /// Name of the file with its weights.
    pub file: String,
    /// Length of its result.
    pub outputs: usize,
    /// Function applied to each number of the result.
    pub activation: Activation,
}

/// Function of a layer after the pooling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Activation {
    /// None.
    Identity,
    /// The hyperbolic tangent.
    Tanh,
    /// Zero for negative numbers.
    Relu,
    /// The Gaussian error linear unit.
    Gelu,
    /// The layer is no matrix but a normalisation. Only a reranker has such a layer.
    Norm,
}

impl Activation {
    /// Returns the word for the function in manifests.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Tanh => "tanh",
            Self::Relu => "relu",
            Self::Gelu => "gelu",
            Self::Norm => "norm",
        }
    }
}

/// Form of a model's weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WeightsForm {
    /// A graph with all computations.
    Onnx,
    /// 4-bit weights and the vocabulary in one file.
    Packed,
    /// Named weights; `config.json` describes their shape.
    Safetensors,
}

impl WeightsForm {
    const ALL: [Self; 3] = [Self::Onnx, Self::Packed, Self::Safetensors];

    /// Returns the extension of such files.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Self::Onnx => ".onnx",
            Self::Packed => ".bin",
            Self::Safetensors => ".safetensors",
        }
    }
}

/// How token vectors become one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// Their mean, without padding.
    Mean,
    /// The vector of the first token.
    Cls,
}

impl Pooling {
    /// Returns the word for the pooling in manifests.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Cls => "cls",
        }
    }
}

impl Manifest {
    /// Reads and validates the manifest of the model in `dir`. The model's files are not checked; see [`Manifest::verify`].
    ///
    /// # Errors
    /// [`EmbedError::Io`] if it cannot be read, [`EmbedError::Manifest`] if it is invalid.
    pub fn read(dir: &Path) -> Result<Self, EmbedError> {
        let path = dir.join(MANIFEST_FILE);
        let invalid = |reason| EmbedError::Manifest { path: path.clone(), reason };
        let mut text = String::new();
        let file = File::open(&path).map_err(EmbedError::io("read", &path))?;
        file.take(MAX_MANIFEST_SIZE + 1).read_to_string(&mut text).map_err(EmbedError::io("read", &path))?;
        if text.len() as u64 > MAX_MANIFEST_SIZE {
            return Err(invalid(format!("larger than {MAX_MANIFEST_SIZE} bytes")));
        }
        let manifest: Self = toml::from_str(&text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = 1 + text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count();
            invalid(format!("line {line}: {}", error.message()))
        })?;
        manifest.check().map_err(invalid)?;
        Ok(manifest)
    }

    /// Writes the manifest into `dir`, replacing an existing one.
    ///
    /// # Errors
    /// [`EmbedError::Manifest`] if it is invalid, [`EmbedError::Io`] or [`EmbedError::DiskFull`] if it cannot be
    /// written.
    pub fn write(&self, dir: &Path) -> Result<(), EmbedError> {
        let path = dir.join(MANIFEST_FILE);
        let invalid = |reason| EmbedError::Manifest { path: path.clone(), reason };
        self.check().map_err(invalid)?;
        let text = toml::to_string(self).map_err(|error| invalid(error.to_string()))?;
        let partial = dir.join(format!("{MANIFEST_FILE}.partial"));
        let mut file = File::create(&partial).map_err(EmbedError::io("write", &partial))?;
        file.write_all(text.as_bytes()).map_err(EmbedError::io("write", &partial))?;
        file.sync_all().map_err(EmbedError::io("write", &partial))?;
        fs::rename(&partial, &path).map_err(EmbedError::io("rename", &partial))
    }

    /// Returns the model's fingerprint: its id and a short hash of everything that affects its vectors (files, pooling,
    /// normalisation, prefixes, centring, layers, cut). Licence, source and window do not affect it.
    pub fn fingerprint(&self) -> ModelId {
        let settings = [
            self.pooling.map_or("", Pooling::as_str),
            if self.normalize == Some(true) { "normalize" } else { "as is" },
            &self.query_prefix,
            &self.passage_prefix,
        ];
        let cut = self.full_dimensions.map(|_| self.dimensions.to_string());
        let mut parts: Vec<&str> = settings.to_vec();
        parts.extend(self.center.then_some("center"));
        parts.extend(self.dense.iter().flat_map(|layer| [layer.file.as_str(), layer.activation.as_str()]));
        parts.extend(cut.as_deref());
        parts.extend(self.files.iter().flat_map(|(name, file)| [name.as_str(), &file.sha256]));
        let hash = ContentHash::of_parts(parts.into_iter().map(str::as_bytes));
        ModelId::new(format!("{}@{}", self.id, hex(&hash.as_bytes()[..6])))
    }

    /// Returns the form of the weights.
    pub fn form(&self) -> WeightsForm {
        self.weights().map_or(WeightsForm::Onnx, |(form, _)| form)
    }

    /// Returns the name of the file that holds the weights.
    pub fn weights_file(&self) -> &str {
        // A validated manifest names one; an unvalidated one may not, and then this file fails to open.
        self.weights().map_or("model.onnx", |(_, name)| name)
    }

    /// Returns the name of the tokenizer file; `None` for a packed model, which contains its vocabulary.
    pub(super) fn tokenizer_file(&self) -> Option<&'static str> {
        (self.form() != WeightsForm::Packed).then_some(TOKENIZER_FILE)
    }

    /// Returns the name of the file that describes the shape of the weights, if the form has one.
    pub(super) fn config_file(&self) -> Option<&'static str> {
        (self.form() == WeightsForm::Safetensors).then_some(CONFIG_FILE)
    }

    fn weights(&self) -> Option<(WeightsForm, &str)> {
        let form_of = |name: &str| WeightsForm::ALL.into_iter().find(|form| name.ends_with(form.suffix()));
        self.files.keys().filter(|name| !self.is_dense(name)).find_map(|name| Some((form_of(name)?, name.as_str())))
    }

    /// Whether the file of this name belongs to a layer after the pooling.
    fn is_dense(&self, name: &str) -> bool {
        self.dense.iter().any(|layer| layer.file == name)
    }

    /// Whether the model reads texts in nearly all languages.
    pub fn reads_all_languages(&self) -> bool {
        self.languages.iter().any(|language| language == ALL_LANGUAGES)
    }

    /// Returns the model's properties that affect ranking.
    pub fn model_scale(&self) -> ModelScale {
        ModelScale { every_script: self.reads_all_languages(), ..self.scale.unwrap_or_default() }
    }

    /// Returns the total size of all files, in bytes.
    pub fn size(&self) -> u64 {
        self.files.values().map(|file| file.size).sum()
    }

    /// Returns the name of the model's token counter. Counters of the same name give the same counts.
    pub(super) fn tokenizer_name(&self) -> String {
        let file = self.tokenizer_file().unwrap_or(self.weights_file());
        let digest = self.files.get(file).map_or("", |file| &file.sha256);
        format!("tokenizer:{}", &digest[..digest.len().min(16)])
    }

    /// Returns a text with the prefix of its kind.
    pub(super) fn prefixed<'t>(&self, kind: TextKind, text: &'t str) -> Cow<'t, str> {
        match self.prefix(kind) {
            "" => Cow::Borrowed(text),
            prefix => Cow::Owned(format!("{prefix}{text}")),
        }
    }

    /// Returns the maximum number of tokens of a text, without prefix and `special` tokens.
    pub(super) fn text_tokens(&self, special: usize, tokens: &dyn CountTokens) -> usize {
        let longest = [TextKind::Query, TextKind::Passage].map(|kind| tokens.count(self.prefix(kind)));
        self.window.saturating_sub(special + longest[0].max(longest[1])).max(1)
    }

    fn prefix(&self, kind: TextKind) -> &str {
        match kind {
            TextKind::Query => &self.query_prefix,
            TextKind::Passage => &self.passage_prefix,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
