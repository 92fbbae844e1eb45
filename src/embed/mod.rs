//! Text to vectors, and pairs of a question and a text to a relevance: the traits [`Embedder`] and [`Reranker`], the models
//! installed on this machine, and the services that embed for us.
//!
//! A local model is a folder with a [`Manifest`]; the [`Catalog`] lists such folders and [`hub::pull`] adds one.
//! [`RemoteEmbedder`] asks any OpenAI-compatible endpoint instead. Nothing here cuts short what is embedded: a text longer
//! than [`Embedder::window`] is an error. A [`Reranker`] alone reads no further than its window. A file whose hash is not the
//! manifest's is never loaded.
//!
//! What needs ONNX Runtime or the crate `tokenizers` stands in `onnx` and in parts of `bert::prepare`, which the feature `onnx`
//! compiles. Without it, `without_onnx` takes their place and answers with [`EmbedError::WithoutOnnx`].

mod bert;
mod catalog;
mod error;
#[cfg(test)]
mod hashing;
pub mod hub;
mod installed;
mod kind;
mod manifest;
#[cfg(feature = "onnx")]
mod onnx;
mod pairs;
mod remote;
mod retry;
mod spare;
mod verify;
#[cfg(not(feature = "onnx"))]
mod without_onnx;
mod workers;

pub use bert::{BertEmbedder, BertReranker, prepare, prepared_stamp};
pub use catalog::{Catalog, CatalogEntry};
pub use error::EmbedError;
#[cfg(test)]
pub use hashing::HashingEmbedder;
pub use installed::{InstalledModel, Preparation};
pub use kind::ModelKind;
pub use manifest::{MANIFEST_FILE, Manifest, ModelFile, Pooling, WeightsForm};
#[cfg(feature = "onnx")]
pub use onnx::{OnnxEmbedder, OnnxReranker, RuntimeLibrary, RuntimeManifest};
pub use remote::{RemoteEmbedder, RemoteOptions};
pub use verify::Verified;
#[cfg(not(feature = "onnx"))]
pub use without_onnx::RuntimeLibrary;
pub use workers::Threads;

use crate::domain::{CountTokens, ModelId};
use crate::rank::ModelScale;

/// Whether this tars is built with the feature `onnx`: without it, only models that tars reads by itself and those with a prepared
/// file run.
pub const HAS_ONNX: bool = cfg!(feature = "onnx");

/// Returns the name of the instruction set that tars' own kernel computes with on this machine. Vectors that were made with others
/// differ in their last bits.
pub fn instructions() -> &'static str {
    bert::instructions()
}

/// Turns texts into vectors of one length. Vectors compare only with vectors of the same [`Embedder::model`].
pub trait Embedder: Send + Sync {
    /// Returns the model's fingerprint: it changes whenever its vectors would.
    fn model(&self) -> &ModelId;

    /// Returns the length of every vector.
    fn dimensions(&self) -> usize;

    /// Returns the longest text that can be embedded, in tokens of [`Embedder::tokens`]; the special tokens and the
    /// prefix that the embedder adds are already left out.
    fn window(&self) -> usize;

    /// Returns the counter that [`Embedder::window`] is measured by.
    fn tokens(&self) -> &dyn CountTokens;

    /// Whether a lower-case word is one of the model's vocabulary, and so is probably no slip of the pen; `None` where the
    /// vocabulary is not known.
    fn knows(&self, _word: &str) -> Option<bool> {
        None
    }

    /// Returns how much the similarities of its vectors say.
    fn scale(&self) -> ModelScale {
        ModelScale::default()
    }

    /// Returns how many texts a call had best bring; any other number works too.
    fn batch_size(&self) -> usize;

    /// Returns one L2-normalised vector per text, in order; no text gives no vector.
    ///
    /// # Errors
    /// Any [`EmbedError`]; then no vector of the call is returned.
    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Judges how well texts answer a question, reading both together: slower than comparing vectors, and more exact.
pub trait Reranker: Send + Sync {
    /// Returns for each text, in order, the logit of its being relevant to the question: 0 is even odds, and
    /// `1 / (1 + exp(-logit))` the probability. No text gives no logit.
    ///
    /// Question and text share one window: of a text that does not fit beside the question the end is not read.
    ///
    /// # Errors
    /// [`EmbedError::QuestionTooLong`] if the question leaves no room for a text, and whatever the model fails on.
    fn relevance(&self, question: &str, texts: &[&str]) -> Result<Vec<f64>, EmbedError>;
}

/// What a text is to its model: many models expect another prefix before a question than before an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextKind {
    /// A question, asked by someone who waits.
    Query,
    /// A piece of a note.
    Passage,
}

/// Scales `vector` to length 1. Returns whether it could: a vector of zeros, or one that is not finite, has no
/// direction.
pub(crate) fn normalize(vector: &mut [f32]) -> bool {
    // Summed as f64: the squares of large components overflow f32.
    let length = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
    if !length.is_finite() || length == 0.0 {
        return false;
    }
    for x in vector {
        *x = (f64::from(*x) / length) as f32;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_scaled_to_length_one() {
        let mut vector = [3.0, 4.0];
        assert!(normalize(&mut vector));
        assert_eq!(vector, [0.6, 0.8]);
        let mut large = [f32::MAX, 0.0];
        assert!(normalize(&mut large));
        assert_eq!(large, [1.0, 0.0]);
    }

    #[test]
    fn vectors_without_direction_are_refused() {
        assert!(!normalize(&mut [0.0, 0.0]));
        assert!(!normalize(&mut [f32::NAN, 1.0]));
        assert!(!normalize(&mut [f32::INFINITY, 1.0]));
    }
}
