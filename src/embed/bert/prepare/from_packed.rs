//! Converts a packed model to the prepared form.

use super::exact::{FloatLayer, Shape};
use super::packed::Packed;
use super::weight_source::{WeightSource, weights};
use crate::bert::map::FileMap;
use crate::bert::prepared;
use crate::bert::vocabulary::Vocabulary;
use crate::bert::weights::{NormWeights, Table};
use crate::bert::word_embeddings::WordEmbeddings;
use crate::{EmbedError, InstalledModel};

/// Maps the model's only file.
pub(super) fn open(model: &InstalledModel) -> Result<FileMap, EmbedError> {
    let path = model.dir.join(model.manifest.weights_file());
    FileMap::open(&path).map_err(EmbedError::io("read", &path))
}

/// Returns the bytes of the prepared file. The error is what the kernel does not support.
pub(super) fn convert(map: &FileMap, model: &InstalledModel) -> Result<Vec<u8>, String> {
    let packed = PackedWeights::read(map)?;
    let vocabulary = Vocabulary::Unigram(packed.file.vocabulary()?);
    Ok(prepared::write(weights(&packed)?.checked()?, &vocabulary, &model.source()))
}

/// A packed model with direct access to its word vectors.
pub(super) struct PackedWeights<'a> {
    file: Packed<'a>,
    words: &'a [u8],
}

impl<'a> PackedWeights<'a> {
    pub(super) fn read(map: &'a FileMap) -> Result<Self, String> {
        let file = Packed::read(map)?;
        let words = file.word_vectors()?.packed().unwrap_or_default();
        Ok(Self { file, words })
    }
}

impl WeightSource for PackedWeights<'_> {
    fn shape(&self) -> Shape {
        Shape { hidden: self.file.hidden, head: self.file.head, epsilon: self.file.epsilon, modern: None }
    }

    fn layers(&self) -> usize {
        self.file.layers
    }

    fn words(&self) -> Result<Table<'_>, String> {
        self.file.word_vectors()
    }

    fn word(&self, token: u32) -> Result<Vec<f32>, String> {
        let mut vector = Vec::with_capacity(self.file.hidden);
        WordEmbeddings::Packed(self.words).extend(token, &vec![0.0; self.file.hidden], &mut vector);
        Ok(vector)
    }

    fn positions(&self) -> Result<Vec<f32>, String> {
        self.file.positions()
    }

    fn norm(&self) -> Result<NormWeights, String> {
        self.file.norm()
    }

    fn layer(&self, number: usize) -> Result<FloatLayer, String> {
        self.file.layer(number)
    }
}
