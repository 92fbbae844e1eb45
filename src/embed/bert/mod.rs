//! Models of the BERT family, run by tars itself: a fixed computation over 8-bit weights in a memory-mapped file, which
//! starts in milliseconds and needs no runtime.
//!
//! `prepare` makes that file, once, from an installed model: one whose graph is exactly the expected one and whose vectors are
//! close to those that ONNX Runtime computes from the original, or one whose weights tars reads by itself ([`super::WeightsForm`])
//! and whose vectors are close to those of the same weights in 32-bit floats. [`BertEmbedder`] embeds with it, and [`BertReranker`]
//! reads a question and a text together. Every other model is left to ONNX Runtime. Whatever is not the file that was prepared from these very model files, in
//! this format, is never used.
//!
//! `unsafe` stands in [`arithmetic`], which uses the processor's vectors, and in [`map`].

mod arithmetic;
mod classifier;
mod config;
mod embedder;
mod encoder;
mod map;
mod matrix;
mod prepare;
mod prepared;
mod reranker;
mod runner;
mod tokenizer;
mod unigram;
mod vocabulary;
mod weights;
mod wordpiece;
mod words;

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
use crate::domain::{ContentHash, ModelId, hex};

/// Name of the prepared file within a model's folder.
const PREPARED_FILE: &str = "kernel.bin";

/// Name of the file that says why a model was not prepared. TOML, see [`Refusal`].
const REFUSAL_FILE: &str = "kernel.refused";

/// Name of the file that says which prepared file was found to be sound, see [`settled_stamp`]. It guards against damage and
/// mix-ups, not against someone who may write to the folder.
pub(super) const STAMP_FILE: &str = ".kernel.verified";

/// Files that are younger may change again without a trace.
const SETTLED: Duration = Duration::from_secs(2);

/// Raised whenever a model that was refused may be prepared by a newer tars.
const ATTEMPT: u32 = 1;

/// What keeps a model that cannot be prepared from being tried again and again.
#[derive(Debug, Serialize, Deserialize)]
struct Refusal {
    /// [`ATTEMPT`] when it was tried.
    attempt: u32,
    /// Hash of the model's files, in hexadecimal digits.
    source: String,
    /// Why it was refused.
    reason: String,
}

impl InstalledModel {
    /// Returns how it stands with the prepared file.
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

    /// Returns the size of its files in bytes: of a shipped model as they are, of any other as the manifest says.
    pub fn size(&self) -> u64 {
        match self.shipped {
            true => prepared_stamp(&self.dir).map_or(0, |(size, _)| size),
            false => self.manifest.size(),
        }
    }

    /// Returns the fingerprint of the vectors that the model gives as it is run now: by tars itself where `preparation` is
    /// there and lets it, otherwise by ONNX Runtime; one that needs the kernel by tars itself alone.
    pub fn vectors(&self, preparation: Option<&Preparation>) -> ModelId {
        match preparation {
            _ if self.needs_kernel() => embedder::fingerprint(&self.manifest),
            Some(Preparation::Ready { .. }) => embedder::fingerprint(&self.manifest),
            _ => self.manifest.fingerprint(),
        }
    }

    /// Hashes the contents of the prepared file, if there is one.
    ///
    /// # Errors
    /// [`EmbedError::NotPrepared`], or [`EmbedError::Shipped`] of a shipped model, if the file is there and is not the one that
    /// was prepared from this model.
    pub fn verify_prepared(&self) -> Result<(), EmbedError> {
        if !self.prepared_file().exists() {
            return Ok(());
        }
        mapped(self, true).map(drop)
    }

    fn prepared_file(&self) -> PathBuf {
        self.dir.join(PREPARED_FILE)
    }

    /// Returns why this model was refused, if it was.
    fn refusal(&self) -> Option<String> {
        let text = fs::read_to_string(self.dir.join(REFUSAL_FILE)).ok()?;
        let refusal: Refusal = toml::from_str(&text).ok()?;
        (refusal.attempt == ATTEMPT && refusal.source == hex(self.source().as_bytes())).then_some(refusal.reason)
    }

    /// Returns the hash of the files that a prepared one is made from, as the manifest names them.
    fn source(&self) -> ContentHash {
        let digest = |name: &str| self.manifest.files.get(name).map_or(&[][..], |file| file.sha256.as_bytes());
        let files = [Some(self.manifest.weights_file()), self.manifest.tokenizer_file(), self.manifest.config_file()];
        ContentHash::of_parts(files.into_iter().flatten().map(digest))
    }
}

/// Checks that the kernel could run a model of this `config.json` and this `tokenizer.json`.
///
/// # Errors
/// In a few words, what it computes or cuts otherwise.
pub(super) fn check_readable(config: &[u8], tokenizer: &[u8], kind: ModelKind) -> Result<(), String> {
    Config::read(config)?;
    let tokenizer = vocabulary::read(tokenizer)?;
    match kind {
        ModelKind::Reranker => tokenizer.second_kind.map(drop).ok_or(UNKNOWN_PAIR.into()),
        ModelKind::Embedding => Ok(()),
    }
}

/// Why a reranker's tokenizer cannot be used.
const UNKNOWN_PAIR: &str = "its tokenizer puts two texts together in an unknown way";

/// Returns what changes when the prepared file of the model in `dir` is replaced or goes away: its size and its time.
pub fn prepared_stamp(dir: &Path) -> Option<(u64, SystemTime)> {
    let stamp = |metadata: Metadata| Some((metadata.len(), metadata.modified().ok()?));
    fs::metadata(dir.join(PREPARED_FILE)).ok().and_then(stamp)
}

/// Maps the model's prepared file. It is hashed unless it has not changed since it last was; a stamp that cannot be written is
/// done without.
fn open(model: &InstalledModel) -> Result<Prepared, EmbedError> {
    let path = model.prepared_file();
    let stamp = settled_stamp(&path);
    if stamp.is_some() && fs::read_to_string(&model.stamp).ok() == stamp {
        return mapped(model, false);
    }
    let prepared = mapped(model, true)?;
    // A file that changed while it was hashed is not remembered.
    if let Some(stamp) = stamp.filter(|stamp| settled_stamp(&path).as_ref() == Some(stamp))
        && let Err(error) = write_stamp(model, &stamp)
    {
        tracing::debug!(%error, "that the kernel's file is sound could not be written down");
    }
    Ok(prepared)
}

fn write_stamp(model: &InstalledModel, stamp: &str) -> io::Result<()> {
    // Where all models came with tars, the person has no folder of them yet.
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

/// Returns what tells a file from what it was before, and from others: size, time in nanoseconds, inode and device. `None` for one that is not there,
/// or so young that it may change again within a tick of its clock.
fn settled_stamp(path: &Path) -> Option<String> {
    let metadata = fs::metadata(path).ok()?;
    let modified = metadata.modified().ok()?;
    if modified.elapsed().ok()? < SETTLED {
        return None;
    }
    let mtime = modified.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_nanos();
    Some(format!("{} {mtime} {} {}\n", metadata.len(), metadata.ino(), metadata.dev()))
}

/// Returns the name of the instruction set that is the fastest of this processor.
pub(super) fn instructions() -> &'static str {
    arithmetic::best().name()
}
