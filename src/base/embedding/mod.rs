//! The traits between those who need vectors and the crate that makes them: [`Embedder`], [`Reranker`] and their error.
//!
//! A crate that uses vectors imports this room alone, so that it compiles without the kernel and ONNX Runtime.

mod error;
#[cfg(any(test, feature = "testing"))]
mod hashing;
mod kind;
mod scale;

pub use error::EmbedError;
#[cfg(any(test, feature = "testing"))]
pub use hashing::HashingEmbedder;
pub use kind::ModelKind;
pub use scale::{Calibration, ModelScale};

use crate::domain::{CountTokens, ModelId};

/// Whether this build has the feature `onnx`. Without it, tars runs only models that the kernel reads directly and
/// models with a prepared file.
pub const HAS_ONNX: bool = cfg!(feature = "onnx");

/// Turns texts into vectors of one length. Only vectors of the same [`Embedder::model`] are comparable.
pub trait Embedder: Send + Sync {
    /// Returns the model's fingerprint, which changes whenever its vectors would.
    fn model(&self) -> &ModelId;

    /// Returns the length of every vector.
    fn dimensions(&self) -> usize;

    /// Returns the maximum length of a text in tokens of [`Embedder::tokens`], already without the special tokens and
    /// the prefix that the embedder adds.
    fn window(&self) -> usize;

    /// Returns the token counter for [`Embedder::window`].
    fn tokens(&self) -> &dyn CountTokens;

    /// Whether the model's vocabulary contains a lower-case word, which is then probably not a typing error; `None` if
    /// the vocabulary is unknown.
    fn has_word(&self, _word: &str) -> Option<bool> {
        None
    }

    /// Returns the calibration of its similarities.
    fn model_scale(&self) -> ModelScale {
        ModelScale::default()
    }

    /// Returns the best number of texts per call; any other number works too.
    fn batch_size(&self) -> usize;

    /// Returns one L2-normalised vector per text, in order; an empty slice gives no vectors.
    ///
    /// # Errors
    /// Any [`EmbedError`]; the call then returns no vectors.
    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Rates how well texts answer a question by reading both together: slower than comparing vectors, and more accurate.
pub trait Reranker: Send + Sync {
    /// Returns for each text, in order, the logit of its relevance to the question: 0 means even odds, and `1 / (1 +
    /// exp(-logit))` is the probability. An empty slice gives no logits.
    ///
    /// Question and text share one window. The end of a text that does not fit after the question is ignored.
    ///
    /// # Errors
    /// [`EmbedError::QuestionTooLong`] if the question leaves no room for a text, and any failure of the model.
    fn relevance(&self, question: &str, texts: &[&str]) -> Result<Vec<f64>, EmbedError>;
}

/// The role of a text: many models expect a prefix for questions and another one for passages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextKind {
    /// A question; somebody waits for the answer.
    Query,
    /// A passage of a note.
    Passage,
}

/// Scales `vector` to length 1. Returns false for a vector without a direction: all zeros, or not finite.
pub fn normalize(vector: &mut [f32]) -> bool {
    // The sum is f64, because the squares of large components overflow f32.
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
