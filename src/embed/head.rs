//! The steps of an embedding model after the pooling of its token vectors: dense layers, then a cut.
//!
//! Dense layers are those of sentence-transformers (`2_Dense`): a matrix, a bias, an activation. There is one vector per text, so they
//! are computed in 32-bit floats. A cut keeps the first numbers of a vector; a model trained for it packs most of the meaning there
//! (Kusupati et al. 2022, Matryoshka representation learning). The vector is scaled to length 1 after both.

use std::fs;
use std::path::Path;

use super::error_function::gelu;
use super::safetensors::Tensors;
use super::{EmbedError, Manifest};
use crate::manifest::{Activation, DenseLayer};

/// Names of the tensors of a dense layer.
const WEIGHT: &str = "linear.weight";
const BIAS: &str = "linear.bias";

/// The steps of a model after its pooling.
#[derive(Debug)]
pub(crate) struct Head {
    layers: Vec<Dense>,
    /// Length of the vector before the cut.
    full: usize,
    /// Length of the final vector.
    dimensions: usize,
}

#[derive(Debug)]
struct Dense {
    inputs: usize,
    /// One row per output.
    weights: Vec<f32>,
    /// Empty if the layer has none.
    bias: Vec<f32>,
    activation: Activation,
}

impl Head {
    /// Reads the dense layers of the model in `dir`, whose files were checked.
    ///
    /// # Errors
    /// [`EmbedError::Io`] if a file cannot be read, [`EmbedError::Manifest`] with the file's path if the layers do not fit each other
    /// or the manifest.
    pub(crate) fn load(dir: &Path, manifest: &Manifest) -> Result<Self, EmbedError> {
        let full = manifest.full_dimensions.unwrap_or(manifest.dimensions);
        let mut layers: Vec<Dense> = Vec::new();
        for layer in &manifest.dense {
            let path = dir.join(&layer.file);
            let bytes = fs::read(&path).map_err(EmbedError::io("read", &path))?;
            let inputs = layers.last().map(Dense::outputs);
            let dense = Dense::read(&bytes, layer, inputs);
            layers.push(dense.map_err(|reason| EmbedError::Manifest { path, reason })?);
        }
        Ok(Self { layers, full, dimensions: manifest.dimensions })
    }

    /// Returns the length of the pooled vector.
    pub(crate) fn inputs(&self) -> usize {
        self.layers.first().map_or(self.full, |layer| layer.inputs)
    }

    /// Returns the length of the vector before the cut.
    #[cfg(any(feature = "onnx", test))]
    pub(crate) fn full(&self) -> usize {
        self.full
    }

    /// Whether the pooled vector must be the mean itself. Without dense layers, any vector of its direction does.
    pub(crate) fn needs_mean(&self) -> bool {
        !self.layers.is_empty()
    }

    /// Returns the final vector for a pooled one, not yet scaled.
    pub(crate) fn apply(&self, pooled: Vec<f32>) -> Vec<f32> {
        self.cut(self.layers.iter().fold(pooled, |vector, layer| layer.apply(&vector)))
    }

    /// Returns the beginning of a vector that the dense layers have made.
    pub(crate) fn cut(&self, mut vector: Vec<f32>) -> Vec<f32> {
        if vector.len() == self.full {
            vector.truncate(self.dimensions);
        }
        vector
    }
}

impl Dense {
    fn read(bytes: &[u8], layer: &DenseLayer, inputs: Option<usize>) -> Result<Self, String> {
        let tensors = Tensors::read(bytes)?;
        let [outputs, width] = tensors.get(WEIGHT)?.shape[..] else {
            return Err(format!("its tensor {WEIGHT} is not two-dimensional"));
        };
        let expected = inputs.unwrap_or(width);
        if outputs != layer.outputs || width != expected || width == 0 {
            let wanted = layer.outputs;
            return Err(format!("its layer turns {width} numbers into {outputs}, not {expected} into {wanted}"));
        }
        let weights = tensors.floats(WEIGHT, &[outputs, width])?;
        let bias = if tensors.has(BIAS) { tensors.floats(BIAS, &[outputs])? } else { Vec::new() };
        match weights.iter().chain(&bias).all(|value| value.is_finite()) {
            true => Ok(Self { inputs: width, weights, bias, activation: layer.activation }),
            false => Err("its layer holds numbers that are not finite".into()),
        }
    }

    fn outputs(&self) -> usize {
        self.weights.len() / self.inputs
    }

    fn apply(&self, vector: &[f32]) -> Vec<f32> {
        let rows = self.weights.chunks_exact(self.inputs).enumerate();
        rows.map(|(output, row)| {
            // Doubles, because a sum of a thousand single-precision products would differ in the fourth digit.
            let products = row.iter().zip(vector).map(|(weight, value)| f64::from(*weight) * f64::from(*value));
            let sum = products.sum::<f64>() + self.bias.get(output).copied().map_or(0.0, f64::from);
            self.activation.apply(sum as f32)
        })
        .collect()
    }
}

impl Activation {
    fn apply(self, value: f32) -> f32 {
        match self {
            Self::Identity => value,
            Self::Tanh => value.tanh(),
            Self::Relu => value.max(0.0),
            Self::Gelu => gelu(value),
            // No embedding model has such a layer.
            Self::Norm => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::manifest::tests::example;
    use crate::safetensors::tests::file;
    use crate::verify::tests::file_of;

    fn layer(weights: &[f32], outputs: usize, bias: Option<&[f32]>) -> Vec<u8> {
        let bytes = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
        let mut data = bytes(weights);
        let mut directory = json!({WEIGHT: {"dtype": "F32", "shape": [outputs, weights.len() / outputs],
            "data_offsets": [0, data.len()]}});
        if let Some(bias) = bias {
            let start = data.len();
            data.extend(bytes(bias));
            directory[BIAS] = json!({"dtype": "F32", "shape": [bias.len()], "data_offsets": [start, data.len()]});
        }
        file(&directory.to_string(), &data)
    }

    fn head(layers: &[(&str, Vec<u8>, usize, Activation)], full: usize, dimensions: usize) -> Result<Head, EmbedError> {
        let dir = tempfile::tempdir().unwrap();
        let full_dimensions = (full != dimensions).then_some(full);
        let mut manifest = Manifest { dimensions, full_dimensions, ..example() };
        for (name, bytes, outputs, activation) in layers {
            fs::write(dir.path().join(name), bytes).unwrap();
            manifest.files.insert((*name).into(), file_of(bytes));
            manifest.dense.push(DenseLayer { file: (*name).into(), outputs: *outputs, activation: *activation });
        }
        Head::load(dir.path(), &manifest)
    }

    #[test]
    fn dense_layers_follow_each_other_and_the_cut_comes_last() {
        let first = layer(&[1.0, 0.0, 0.0, 2.0, 1.0, 1.0], 3, Some(&[0.5, 0.0, -9.0]));
        let second = layer(&[1.0, 1.0, 1.0, 0.0, 0.0, -1.0], 2, None);
        let both =
            [("dense-1.safetensors", first, 3, Activation::Relu), ("dense-2.safetensors", second, 2, Activation::Tanh)];
        let whole = head(&both, 2, 2).unwrap();
        assert_eq!((whole.inputs(), whole.full()), (2, 2));
        // The first layer gives 1.5, 4 and, below zero, 0.
        assert_eq!(whole.apply(vec![1.0, 2.0]), [5.5f32.tanh(), 0.0]);
        assert_eq!(head(&both, 2, 1).unwrap().apply(vec![1.0, 2.0]), [5.5f32.tanh()]);
        assert_eq!(head(&[], 3, 2).unwrap().apply(vec![3.0, 4.0, 5.0]), [3.0, 4.0]);
    }

    #[test]
    fn layers_that_do_not_fit_are_refused_with_their_file() {
        let three = || layer(&[0.0; 6], 3, None);
        let told = |layers: &[(&str, Vec<u8>, usize, Activation)]| head(layers, 3, 3).unwrap_err().to_string();
        let next = [
            ("dense-1.safetensors", three(), 3, Activation::Identity),
            ("dense-2.safetensors", three(), 3, Activation::Identity),
        ];
        let said = told(&next);
        assert!(said.contains("dense-2.safetensors") && said.contains("turns 2 numbers into 3, not 3"), "{said}");
        assert!(told(&[("dense-1.safetensors", three(), 4, Activation::Identity)]).contains("into 3, not 2 into 4"));
        let endless = layer(&[f32::NAN; 6], 3, None);
        assert!(told(&[("dense-1.safetensors", endless, 3, Activation::Identity)]).contains("not finite"));
    }
}
