//! The common part of the local embedders: prefixes, the window, and the distribution of texts to threads.

use super::head::Head;
use super::workers::Workers;
use super::{EmbedError, Embedder, Manifest, TextKind, normalize};
use tars_base::domain::{CountTokens, ModelId};
use tars_base::embedding::ModelScale;

/// An installed embedding model that an engine runs in this process.
pub struct LocalEmbedder<E> {
    pub(crate) id: ModelId,
    pub(crate) manifest: Manifest,
    pub(crate) head: Head,
    pub(crate) engine: E,
}

/// Runs the network of an embedding model.
pub(crate) trait Engine: Send + Sync {
    /// Texts per worker in one call: enough to balance long texts against short ones, few enough to lose little when interrupted.
    const TEXTS_PER_WORKER: usize;

    fn workers(&self) -> &Workers;

    fn counter(&self) -> &dyn CountTokens;

    /// Returns the number of special tokens around a text.
    fn special_tokens(&self) -> usize;

    /// Returns the tokens of a text with the special tokens around it, without a length limit.
    fn encode_with_special(&self, text: &str) -> Result<Vec<u32>, EmbedError>;

    /// Returns the vector of a text after the pooling and the steps of `head`, of any length.
    fn run(&self, manifest: &Manifest, head: &Head, worker: usize, tokens: &[u32]) -> Result<Vec<f32>, EmbedError>;

    /// Returns the mean of the model's vectors, if it is known.
    fn mean(&self) -> Option<&[f32]> {
        None
    }
}

/// Whether a word is one token. Byte-level vocabularies hold most words only with the blank before them.
fn is_piece(tokens: &dyn CountTokens, word: &str) -> bool {
    tokens.count(word) == 1 || tokens.count(&format!(" {word}")) == 1
}

/// Returns the mean of the token vectors.
pub(crate) fn mean(values: &[f32], width: usize) -> Vec<f32> {
    let tokens = (values.len() / width) as f32;
    pooled(values, width).into_iter().map(|total| total / tokens).collect()
}

/// Returns the sum of the token vectors. It has the direction of their mean.
pub(crate) fn pooled(values: &[f32], width: usize) -> Vec<f32> {
    let mut vector = vec![0.0f32; width];
    for row in values.chunks_exact(width) {
        vector.iter_mut().zip(row).for_each(|(total, value)| *total += value);
    }
    vector
}

impl<E: Engine> Embedder for LocalEmbedder<E> {
    fn model(&self) -> &ModelId {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.manifest.dimensions
    }

    fn window(&self) -> usize {
        self.manifest.text_tokens(self.engine.special_tokens(), self.tokens())
    }

    fn tokens(&self) -> &dyn CountTokens {
        self.engine.counter()
    }

    fn has_word(&self, word: &str) -> Option<bool> {
        Some(is_piece(self.tokens(), word))
    }

    fn model_scale(&self) -> ModelScale {
        self.manifest.model_scale()
    }

    fn batch_size(&self) -> usize {
        self.engine.workers().count() * E::TEXTS_PER_WORKER
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let encode = |(index, text): (usize, &&str)| encode(self, kind, index, text);
        let encoded = texts.iter().enumerate().map(encode).collect::<Result<Vec<_>, _>>()?;
        let lengths: Vec<usize> = encoded.iter().map(Vec::len).collect();
        self.engine.workers().run(kind, &lengths, |worker, index| vector(self, worker, &encoded[index]))
    }
}

fn encode<E: Engine>(
    embedder: &LocalEmbedder<E>,
    kind: TextKind,
    index: usize,
    text: &str,
) -> Result<Vec<u32>, EmbedError> {
    let tokens = embedder.engine.encode_with_special(&embedder.manifest.prefixed(kind, text))?;
    match tokens.len() > embedder.manifest.window {
        true => Err(EmbedError::TextTooLong { index, tokens: tokens.len(), window: embedder.manifest.window }),
        false => Ok(tokens),
    }
}

fn vector<E: Engine>(embedder: &LocalEmbedder<E>, worker: usize, tokens: &[u32]) -> Result<Vec<f32>, EmbedError> {
    let model = || embedder.manifest.id.clone();
    let mut vector = embedder.engine.run(&embedder.manifest, &embedder.head, worker, tokens)?;
    let (expected, found) = (embedder.manifest.dimensions, vector.len());
    if found != expected {
        return Err(EmbedError::Dimensions { model: model(), expected, found });
    }
    let mean = embedder.engine.mean().filter(|_| embedder.manifest.center);
    let has_direction = normalize(&mut vector)
        && mean.is_none_or(|mean| {
            vector.iter_mut().zip(mean).for_each(|(value, mean)| *value -= mean);
            normalize(&mut vector)
        });
    match has_direction {
        true => Ok(vector),
        false => Err(EmbedError::Runtime { model: model(), reason: "a vector without a direction".into() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Holds "pump" only behind a blank.
    struct ByteLevel;

    impl CountTokens for ByteLevel {
        fn count(&self, text: &str) -> usize {
            if text == " pump" { 1 } else { text.len() }
        }

        fn name(&self) -> String {
            "byte-level".into()
        }
    }

    #[test]
    fn a_word_that_the_vocabulary_holds_behind_a_blank_is_known() {
        assert!(is_piece(&ByteLevel, "pump") && !is_piece(&ByteLevel, "flusensieb"));
    }
}
