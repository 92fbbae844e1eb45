//! Creates the prepared file of a model.

mod compare;
mod exact;
#[cfg(feature = "onnx")]
mod from_onnx;
mod from_packed;
mod from_safetensors;
#[cfg(test)]
#[cfg(feature = "onnx")]
pub(super) mod fuzz;
#[cfg(feature = "onnx")]
mod graph;
mod packed;
#[cfg(feature = "onnx")]
mod recognize;
pub(super) mod reference;
mod source;
#[cfg(test)]
#[cfg(feature = "onnx")]
mod tests;
mod weight_source;

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

use self::reference::TEXTS;
use self::source::Source;
use super::embedder::BertEmbedder;
use super::prepared::{self, Prepared};
use super::reranker::BertReranker;
use super::tokenizer::Tokenizer;
use super::{PREPARATION_VERSION, PREPARED_FILE, Preparation, REFUSAL_FILE, Refusal};
use crate::{EmbedError, Embedder, InstalledModel, ModelKind, RuntimeLibrary, TextKind, Threads};
use tars_base::domain::hex;
use tars_base::private;

/// Minimum mean cosine between the prepared model's vectors and the original's on the reference texts.
const MIN_MEAN_COSINE: f32 = 0.99;

/// Name of the lock file that serialises processes preparing the same model.
const LOCK_FILE: &str = ".kernel.lock";

/// How long a process waits for another one that prepares the model.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);

/// Interval between attempts to take the lock.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Prepares a model, unless it is prepared or refused already and `again` is false: converts its weights and vocabulary, compares
/// the vectors with the original's, and writes `kernel.bin` into its folder. A model that the kernel does not support, or for which
/// it would give other vectors, is refused, and the refusal is recorded. Only an ONNX model needs ONNX Runtime for this, and an
/// ONNX reranker is left to it entirely. A shipped model is prepared already; its folder is never changed.
///
/// The model is an ONNX reranker, a shipped model is damaged, a file differs from the manifest, the runtime is needed
/// but unavailable, or the folder is not writable. In these cases nothing changes.
pub fn prepare(
    model: &InstalledModel,
    library: impl FnOnce() -> Result<RuntimeLibrary, EmbedError>,
    again: bool,
) -> Result<Preparation, EmbedError> {
    if model.shipped {
        return model.check_runnable().map(|()| model.preparation());
    }
    if !model.needs_kernel() {
        model.check_kind(ModelKind::Embedding)?;
    }
    let lock = model.dir.join(LOCK_FILE);
    let lock_file = private::open_lock(&lock).map_err(EmbedError::io("open", &lock))?;
    acquire(&lock_file).map_err(EmbedError::io("lock", &lock))?;
    // Another process may have prepared the model in the meantime.
    let known = model.preparation();
    if !again && !matches!(known, Preparation::Missing { .. }) {
        return Ok(known);
    }
    model.manifest.verify_cached(&model.dir)?;
    clear_leftovers(&model.dir);
    match build(model, library)? {
        Ok(file) => {
            let path = model.prepared_file();
            file.persist(&path).map_err(|failed| EmbedError::io("rename", &path)(failed.error))?;
            remove(&model.dir.join(REFUSAL_FILE))?;
        }
        Err(reason) => {
            let source = hex(model.source().as_bytes());
            let refusal = toml::to_string(&Refusal { attempt: PREPARATION_VERSION, source, reason });
            let refusal = refusal.expect("two texts and a number are TOML");
            let path = model.dir.join(REFUSAL_FILE);
            let mut file = temporary(&model.dir)?;
            file.write_all(refusal.as_bytes()).map_err(EmbedError::io("write", &path))?;
            file.persist(&path).map_err(|failed| EmbedError::io("rename", &path)(failed.error))?;
            remove(&model.prepared_file())?;
        }
    }
    Ok(model.preparation())
}

/// Takes the lock. Preparing takes seconds, so a lock that is held for longer is an error.
fn acquire(lock: &File) -> io::Result<()> {
    let started = Instant::now();
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if started.elapsed() < LOCK_TIMEOUT => thread::sleep(POLL_INTERVAL),
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "another process holds it for over a minute"));
            }
        }
    }
}

/// Writes the file under a temporary name in the model's folder. The inner error is the reason for a refusal.
fn build(
    model: &InstalledModel,
    library: impl FnOnce() -> Result<RuntimeLibrary, EmbedError>,
) -> Result<Result<NamedTempFile, String>, EmbedError> {
    if cfg!(target_endian = "big") {
        return Ok(Err("this machine is big-endian".into()));
    }
    // The original is opened a second time for the comparison, so that its mapping and the bytes of the new file are
    // not held together with the mapping of the new file.
    let bytes = match Source::open(model)?.convert(model)? {
        Ok(bytes) => bytes,
        Err(reason) => return Ok(Err(reason)),
    };
    let mut file = temporary(&model.dir)?;
    let path = file.path().to_owned();
    let failed = || EmbedError::io("write", &path);
    file.write_all(&bytes).map_err(failed())?;
    drop(bytes);
    let prepared = match Prepared::open(&path, &model.source(), true) {
        Ok(prepared) => prepared,
        Err(reason) => return Ok(Err(reason)),
    };
    let (mut header, place) = (prepared.header, prepared.mean_offset());
    let kernel = match Loaded::new(model, prepared) {
        Ok(kernel) => kernel,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let cosines = match Source::open(model)?.compare(&kernel, model, library)? {
        Ok(cosines) => cosines,
        Err(reason) => return Ok(Err(reason)),
    };
    header.mean_cosine = cosines.iter().sum::<f32>() / cosines.len() as f32;
    header.least_cosine = cosines.iter().copied().fold(1.0, f32::min);
    if header.mean_cosine < MIN_MEAN_COSINE || header.mean_cosine.is_nan() {
        return Ok(Err(format!(
            "its vectors would differ from the original's: mean cosine {:.4}, less than {MIN_MEAN_COSINE}",
            header.mean_cosine
        )));
    }
    let mean = match (&kernel, place) {
        (Loaded::Embedder(embedder), Some(place)) if model.manifest.center => Some((place, mean(embedder)?)),
        _ => None,
    };
    // The file must not be written to while it is mapped.
    drop(kernel);
    prepared::finish(file.as_file(), header, mean.as_ref().map(|(place, mean)| (*place, &mean[..])))
        .map_err(failed())?;
    file.as_file().sync_all().map_err(failed())?;
    Ok(Ok(file))
}

/// A prepared model of either kind.
enum Loaded {
    Embedder(Box<BertEmbedder>),
    Reranker(Box<BertReranker>),
}

impl Loaded {
    fn new(model: &InstalledModel, prepared: Prepared) -> Result<Self, EmbedError> {
        Ok(match model.manifest.kind {
            ModelKind::Embedding => Self::Embedder(Box::new(BertEmbedder::new(model, prepared, Threads::of(1))?)),
            ModelKind::Reranker => Self::Reranker(Box::new(BertReranker::new(model, prepared, Threads::of(1))?)),
        })
    }

    fn tokenizer(&self) -> &Tokenizer {
        match self {
            Self::Embedder(kernel) => kernel.tokenizer(),
            Self::Reranker(kernel) => kernel.tokenizer(),
        }
    }
}

/// Returns the mean of the reference texts' vectors: what the model's vectors of all texts and languages have in common.
fn mean(embedder: &BertEmbedder) -> Result<Vec<f32>, EmbedError> {
    let texts: Vec<String> = TEXTS.iter().map(|text| shortened(text, embedder)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut mean = vec![0.0; embedder.dimensions()];
    for vector in embedder.embed(TextKind::Passage, &texts)? {
        mean.iter_mut().zip(&vector).for_each(|(sum, value)| *sum += value / texts.len() as f32);
    }
    Ok(mean)
}

/// Returns the cosine of each pair of vectors, whatever their lengths.
fn cosines(ours: &[Vec<f32>], theirs: &[Vec<f32>]) -> Vec<f32> {
    let product =
        |left: &[f32], right: &[f32]| left.iter().zip(right).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    let cosine = |(left, right): (&Vec<f32>, &Vec<f32>)| {
        (product(left, right) / (product(left, left) * product(right, right)).sqrt()) as f32
    };
    ours.iter().zip(theirs).map(cosine).collect()
}

/// Returns the beginning of a text, as much as fits into the window.
fn shortened(text: &str, embedder: &BertEmbedder) -> String {
    let mut text = text;
    while embedder.tokens().count(text) > embedder.window() {
        let half = text.len() / 2;
        text = &text[..text.floor_char_boundary(half)];
    }
    text.into()
}

/// Returns a new temporary file in `dir`. Everyone who can read the model may read it.
fn temporary(dir: &Path) -> Result<NamedTempFile, EmbedError> {
    let mut builder = tempfile::Builder::new();
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    builder.prefix(&format!(".{PREPARED_FILE}")).tempfile_in(dir).map_err(EmbedError::io("write", dir))
}

/// Removes temporary files of killed preparations. The caller holds the lock, so they are not in use.
fn clear_leftovers(dir: &Path) {
    let prefix = format!(".{PREPARED_FILE}");
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn remove(path: &Path) -> Result<(), EmbedError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(EmbedError::io("remove", path)(error)),
        _ => Ok(()),
    }
}

/// Stub for the conversion of ONNX graphs in builds without the feature `onnx`.
#[cfg(not(feature = "onnx"))]
mod from_onnx {
    use super::{BertEmbedder, EmbedError, InstalledModel, RuntimeLibrary};

    pub(super) fn convert(_: &InstalledModel) -> Result<Result<Vec<u8>, String>, EmbedError> {
        Err(EmbedError::WithoutOnnx)
    }

    pub(super) fn compare(
        _: &BertEmbedder,
        _: &InstalledModel,
        _: impl FnOnce() -> Result<RuntimeLibrary, EmbedError>,
    ) -> Result<Result<Vec<f32>, String>, EmbedError> {
        Err(EmbedError::WithoutOnnx)
    }
}
