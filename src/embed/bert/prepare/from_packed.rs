//! The prepared form of a packed model, and its vectors against those of the same weights in 32-bit floats.

use super::exact::{Shape, normalize};
use super::packed::Packed;
use super::reference::TEXTS;
use super::{Converted, cosines};
use crate::embed::bert::embedder::BertEmbedder;
use crate::embed::bert::map::FileMap;
use crate::embed::bert::prepared::{self, Tables};
use crate::embed::bert::unigram::UnigramVocabulary;
use crate::embed::bert::weights::Weights;
use crate::embed::bert::words::Words;
use crate::embed::{EmbedError, Embedder, InstalledModel, Manifest, Pooling, TextKind};

/// Tokens that a text may have with which the vectors are compared: the exact computation is slow.
const EXACT_TOKENS: usize = 32;

/// Texts and their vectors without any rounding but that of the packed weights.
pub(super) struct Exact {
    texts: Vec<&'static str>,
    vectors: Vec<Vec<f32>>,
}

impl Exact {
    /// Returns the cosine of each text's vectors.
    pub(super) fn compare(&self, kernel: &BertEmbedder) -> Result<Vec<f32>, EmbedError> {
        Ok(cosines(&kernel.embed(TextKind::Passage, &self.texts)?, &self.vectors))
    }
}

/// Reads the file `name` of the model. Returns the bytes of the prepared one, or what it is that the kernel does not understand.
pub(super) fn convert(model: &InstalledModel, name: &str) -> Result<Result<Converted, String>, EmbedError> {
    let path = model.dir.join(name);
    let map = FileMap::open(&path).map_err(EmbedError::io("read", &path))?;
    let converted = || {
        let packed = Packed::read(&map)?;
        let vocabulary = packed.vocabulary()?;
        let (weights, exact) = weights(&packed, &vocabulary, &model.manifest)?;
        let bytes = prepared::write(weights.checked()?, &Tables::Unigram(&vocabulary), &model.source());
        Ok(Converted { bytes, exact: Some(exact) })
    };
    Ok(converted())
}

/// Takes the weights layer by layer, and puts the texts through each of them before it is rounded to bytes, so that no more than
/// one layer is in memory as floats.
fn weights<'a>(
    packed: &Packed<'a>,
    vocabulary: &UnigramVocabulary,
    manifest: &Manifest,
) -> Result<(Weights<'a>, Exact), String> {
    let shape = Shape { hidden: packed.hidden, head: packed.head, epsilon: packed.epsilon };
    let (words, positions, norm) = (packed.word_vectors()?, packed.positions()?, packed.norm()?);
    let blocks = Words::Packed(words.packed().unwrap_or_default());
    let mut texts: Vec<(&str, Vec<f32>)> = Vec::new();
    for text in TEXTS {
        let mut tokens = vec![vocabulary.start];
        vocabulary.unigram().encode(&manifest.prefixed(TextKind::Passage, text), &mut tokens);
        tokens.push(vocabulary.end);
        if tokens.len() <= EXACT_TOKENS && tokens.len() * shape.hidden <= positions.len() {
            let mut values = Vec::new();
            for (token, position) in tokens.iter().zip(positions.chunks_exact(shape.hidden)) {
                blocks.extend(*token, position, &mut values);
            }
            normalize(&mut values, &norm, shape);
            texts.push((text, values));
        }
    }
    let mut layers = Vec::new();
    for number in 0..packed.layers {
        let layer = packed.layer(number)?;
        texts.iter_mut().for_each(|(_, values)| layer.run(values, shape));
        layers.push(layer.weights(shape)?);
    }
    let pooled = |values: &[f32]| {
        let rows = values.chunks_exact(shape.hidden);
        let mut vector = vec![0.0f32; shape.hidden];
        for row in rows.take(if manifest.pooling == Some(Pooling::Cls) { 1 } else { usize::MAX }) {
            vector.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        }
        crate::embed::normalize(&mut vector);
        vector
    };
    let vectors = texts.iter().map(|(_, values)| pooled(values)).collect();
    let exact = Exact { texts: texts.into_iter().map(|(text, _)| text).collect(), vectors };
    Ok((Weights { head: shape.head, epsilon: shape.epsilon, words, positions, norm, layers }, exact))
}
