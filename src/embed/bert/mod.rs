//! The kernel: models of the BERT family and ModernBERTs that tars runs itself. It is a fixed computation over 8-bit weights in a
//! memory-mapped file, which starts in milliseconds and needs no runtime.
//!
//! `prepare` creates that file once from an installed model. It accepts two kinds of models: an ONNX model whose graph is
//! exactly the expected one and whose vectors are close to those of ONNX Runtime, and a model whose weights tars reads
//! directly ([`super::WeightsForm`]) and whose vectors are close to those of the same weights in 32-bit floats.
//! [`BertEmbedder`] embeds with the file, and [`BertReranker`] reads a question and a text together. ONNX Runtime runs every
//! other model. The kernel uses only a file that was prepared from exactly these model files, in the current format.
//!
//! Only [`arithmetic`], which uses vector instructions, and [`map`] contain `unsafe`.

mod arithmetic;
mod byte_level;
mod classifier;
mod config;
mod embedder;
mod encoder;
mod map;
mod matrix;
mod modern;
mod prepare;
mod prepared;
mod reranker;
mod runner;
mod tokenizer;
mod unigram;
mod vocabulary;
mod weights;
mod word_embeddings;
mod wordpiece;

pub use embedder::BertEmbedder;
pub use prepare::prepare;
pub use reranker::BertReranker;

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use self::config::Config;
use self::prepared::Prepared;
use super::{EmbedError, InstalledModel, ModelKind, Preparation};
use tars_base::domain::{ContentHash, ModelId, hex};

/// Name of the prepared file in a model's folder.
const PREPARED_FILE: &str = "kernel.bin";

/// Name of the file that records why a model was not prepared. TOML, see [`Refusal`].
const REFUSAL_FILE: &str = "kernel.refused";

/// Name of the file that records which prepared file passed its check, see [`settled_stamp`]. It protects against
/// damage and mix-ups, not against somebody with write access to the folder.
pub(super) const STAMP_FILE: &str = ".kernel.verified";

/// Minimum age of a file that gets a stamp: a younger one may change again within its timestamp's resolution.
const MIN_SETTLED_AGE: Duration = Duration::from_secs(2);

/// Increment this whenever a newer tars may be able to prepare a refused model.
const PREPARATION_VERSION: u32 = 1;

/// Record of a refused model, so that it is not tried repeatedly.
#[derive(Debug, Serialize, Deserialize)]
struct Refusal {
    /// [`PREPARATION_VERSION`] at the time of the refusal.
    attempt: u32,
    /// Hash of the model's files, in hexadecimal.
    source: String,
    reason: String,
}

impl InstalledModel {
    /// Returns the state of the prepared file.
    pub fn preparation(&self) -> Preparation {
        let reason = match open(self) {
            Ok(prepared) => {
                let header = prepared.header;
                return Preparation::Ready { mean_cosine: header.mean_cosine, least_cosine: header.least_cosine };
            }
            Err(EmbedError::NotPrepared { reason, .. } | EmbedError::Shipped { reason, .. }) => reason,
            Err(error) => error.to_string(),
        };
        match self.refusal() {
            Some(reason) => Preparation::Refused { reason },
            None => Preparation::Missing { reason },
        }
    }

    /// Returns the total file size in bytes: the actual size for a shipped model, otherwise the manifest's.
    pub fn size(&self) -> u64 {
        match self.shipped {
            true => prepared_stamp(&self.dir).map_or(0, |(size, _)| size),
            false => self.manifest.size(),
        }
    }

    /// Returns the fingerprint of the vectors that the model gives at present: the kernel's if the model needs the
    /// kernel or `preparation` is ready, otherwise those of ONNX Runtime.
    pub fn vectors(&self, preparation: Option<&Preparation>) -> ModelId {
        match preparation {
            _ if self.needs_kernel() => embedder::fingerprint(&self.manifest),
            Some(Preparation::Ready { .. }) => embedder::fingerprint(&self.manifest),
            _ => self.manifest.fingerprint(),
        }
    }

    /// Hashes the contents of the prepared file, if it exists.
    ///
    /// # Errors
    /// [`EmbedError::NotPrepared`], or [`EmbedError::Shipped`] for a shipped model, if the file exists but was not
    /// prepared from this model.
    pub fn verify_prepared(&self) -> Result<(), EmbedError> {
        if !self.prepared_file().exists() {
            return Ok(());
        }
        mapped(self, true).map(drop)
    }

    fn prepared_file(&self) -> PathBuf {
        self.dir.join(PREPARED_FILE)
    }

    /// Returns the reason if this model was refused.
    fn refusal(&self) -> Option<String> {
        let text = fs::read_to_string(self.dir.join(REFUSAL_FILE)).ok()?;
        let refusal: Refusal = toml::from_str(&text).ok()?;
        (refusal.attempt == PREPARATION_VERSION && refusal.source == hex(self.source().as_bytes()))
            .then_some(refusal.reason)
    }

    /// Returns the hash of the files that the prepared one is made from, by the manifest's hashes.
    fn source(&self) -> ContentHash {
        let digest = |name: &str| self.manifest.files.get(name).map_or(&[][..], |file| file.sha256.as_bytes());
        let files = [Some(self.manifest.weights_file()), self.manifest.tokenizer_file(), self.manifest.config_file()];
        // The prepared file holds the classifier of a reranker, but not the layers after an embedding model's pooling.
        let layers = self.manifest.dense.iter().filter(|_| self.manifest.kind == ModelKind::Reranker);
        let files = files.into_iter().flatten().chain(layers.map(|layer| layer.file.as_str()));
        ContentHash::of_parts(files.map(digest))
    }
}

/// Checks whether the kernel supports a model with this `config.json` and this `tokenizer.json`.
///
/// # Errors
/// A short description of the first unsupported part.
pub(super) fn check_supported(config: &[u8], tokenizer: &[u8], kind: ModelKind) -> Result<(), String> {
    Config::read(config)?;
    let tokenizer = vocabulary::read(tokenizer)?;
    match kind {
        ModelKind::Reranker => tokenizer.second_kind.map(drop).ok_or(UNKNOWN_PAIR.into()),
        ModelKind::Embedding => Ok(()),
    }
}

/// Reason for refusing a reranker's tokenizer.
const UNKNOWN_PAIR: &str = "its tokenizer joins two texts in an unknown way";

/// Returns the size and time of the prepared file in `dir`, which change when it is replaced; `None` if there is none.
pub fn prepared_stamp(dir: &Path) -> Option<(u64, SystemTime)> {
    let stamp = |metadata: Metadata| Some((metadata.len(), metadata.modified().ok()?));
    fs::metadata(dir.join(PREPARED_FILE)).ok().and_then(stamp)
}

/// Maps the model's prepared file. It is hashed unless it has not changed since the last check. Failure to write the stamp is ignored.
fn open(model: &InstalledModel) -> Result<Prepared, EmbedError> {
    let path = model.prepared_file();
    let stamp = settled_stamp(&path);
    if stamp.is_some() && fs::read_to_string(&model.stamp).ok() == stamp {
        return mapped(model, false);
    }
    let prepared = mapped(model, true)?;
    // A file that changed while it was hashed gets no stamp.
    if let Some(stamp) = stamp.filter(|stamp| settled_stamp(&path).as_ref() == Some(stamp))
        && let Err(error) = write_stamp(model, &stamp)
    {
        tracing::debug!(%error, "cannot write the stamp of the prepared file");
    }
    Ok(prepared)
}

fn write_stamp(model: &InstalledModel, stamp: &str) -> io::Result<()> {
    // If all models came with tars, the models directory may not exist yet.
    if let (true, Some(folder)) = (model.shipped, model.stamp.parent()) {
        fs::create_dir_all(folder)?;
    }
    fs::write(&model.stamp, stamp)
}

fn mapped(model: &InstalledModel, hashed: bool) -> Result<Prepared, EmbedError> {
    let path = model.prepared_file();
    Prepared::open(&path, &model.source(), hashed).map_err(|reason| {
        let (id, reason) = (model.manifest.id.clone(), format!("{}: {reason}", path.display()));
        match model.shipped {
            true => EmbedError::Shipped { model: id, reason },
            false => EmbedError::NotPrepared { model: id, reason },
        }
    })
}

/// Returns what identifies a version of a file: size, time in nanoseconds, inode and device. Returns `None` for a
/// missing file, and for one so young that it may change again within the same clock tick.
fn settled_stamp(path: &Path) -> Option<String> {
    let metadata = fs::metadata(path).ok()?;
    let modified = metadata.modified().ok()?;
    if modified.elapsed().ok()? < MIN_SETTLED_AGE {
        return None;
    }
    let mtime = modified.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_nanos();
    Some(format!("{} {mtime} {} {}\n", metadata.len(), metadata.ino(), metadata.dev()))
}

/// Returns the name of the fastest instruction set of this processor.
pub(super) fn instructions() -> &'static str {
    arithmetic::best().name()
}
