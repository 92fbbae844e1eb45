//! A model's original weights, and its exact vectors without the kernel's rounding.

use super::exact::{FloatLayer, Shape, normalize};
use crate::bert::encoder::Input;
use crate::bert::weights::{ModernWeights, NormWeights, Table, Weights};

/// Original weights of a model. At most one layer is in memory as floats at a time.
pub(super) trait WeightSource {
    /// Returns the parameters that all layers share.
    fn shape(&self) -> Shape;

    fn layers(&self) -> usize;

    /// Returns the word vectors in the form for the prepared file.
    fn words(&self) -> Result<Table<'_>, String>;

    /// Returns the exact vector of a word.
    fn word(&self, token: u32) -> Result<Vec<f32>, String>;

    /// Returns the position vectors, with the vector of the first kind of sentence added; none for a ModernBERT.
    fn positions(&self) -> Result<Vec<f32>, String>;

    /// Returns the normalisation of the sum of word and position vectors.
    fn norm(&self) -> Result<NormWeights, String>;

    fn layer(&self, number: usize) -> Result<FloatLayer, String>;

    /// Returns the number of positions and the normalisation after the last layer of a ModernBERT.
    fn after_layers(&self) -> Result<Option<(usize, NormWeights)>, String> {
        Ok(None)
    }
}

/// Converts the weights to the kernel's form, without a classifier.
pub(super) fn weights(original: &impl WeightSource) -> Result<Weights<'_>, String> {
    let shape = original.shape();
    let layers =
        (0..original.layers()).map(|number| original.layer(number)?.weights(shape)).collect::<Result<_, _>>()?;
    Ok(Weights {
        head: shape.head,
        epsilon: shape.epsilon,
        words: original.words()?,
        positions: original.positions()?,
        norm: original.norm()?,
        layers,
        has_mean: true,
        classifier: None,
        modern: match (shape.modern, original.after_layers()?) {
            (Some(settings), Some((places, final_norm))) => Some(ModernWeights { settings, places, final_norm }),
            _ => None,
        },
    })
}

/// Returns the last layer's vectors of each text, computed in 32-bit floats. All texts pass through a layer before the next layer is read.
pub(super) fn vectors(original: &impl WeightSource, texts: &[Input<'_>]) -> Result<Vec<Vec<f32>>, String> {
    let (shape, positions, norm) = (original.shape(), original.positions()?, original.norm()?);
    let mut all = Vec::new();
    for text in texts {
        let mut values = Vec::new();
        let none = vec![0.0; shape.hidden];
        for (place, token) in text.ids.iter().enumerate() {
            let position = positions.get(place * shape.hidden..).and_then(|rest| rest.get(..shape.hidden));
            let position = position.unwrap_or(&none);
            let kind = text.second.filter(|(begin, _)| place >= *begin).map(|(_, added)| added);
            let word = original.word(*token)?.into_iter().zip(position);
            match kind {
                Some(added) => values.extend(word.zip(added).map(|((word, position), added)| word + position + added)),
                None => values.extend(word.map(|(word, position)| word + position)),
            }
        }
        normalize(&mut values, &norm, shape);
        all.push(values);
    }
    for number in 0..original.layers() {
        let layer = original.layer(number)?;
        all.iter_mut().for_each(|values| layer.run(values, number, shape));
    }
    if let Some((_, norm)) = original.after_layers()? {
        all.iter_mut().for_each(|values| normalize(values, &norm, shape));
    }
    Ok(all)
}
