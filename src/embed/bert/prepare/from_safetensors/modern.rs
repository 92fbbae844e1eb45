//! The tensors of a ModernBERT, as `transformers` names them.

use super::NamedWeights;
use crate::bert::prepare::exact::{FloatLayer, FloatMatrix};
use crate::bert::weights::{ClassifierWeights, NormWeights};
use crate::safetensors::Tensors;

pub(super) const WORDS: &str = "embeddings.tok_embeddings.weight";

impl NamedWeights<'_> {
    /// Returns a normalisation that only scales.
    pub(super) fn modern_norm(&self, name: &str) -> Result<NormWeights, String> {
        let hidden = self.config.hidden;
        Ok(NormWeights { scale: self.floats(&format!("{name}.weight"), &[hidden])?, shift: vec![0.0; hidden] })
    }

    pub(super) fn modern_layer(&self, number: usize) -> Result<FloatLayer, String> {
        let (hidden, inner) = (self.config.hidden, self.config.inner);
        let matrix = |name: &str, inputs: usize, outputs: usize| {
            let values = self.floats(&format!("layers.{number}.{name}.weight"), &[outputs, inputs])?;
            Ok::<_, String>(FloatMatrix { inputs, outputs, values, bias: vec![0.0; outputs] })
        };
        let mut parts = matrix("attn.Wqkv", hidden, 3 * hidden)?.values;
        let mut last = || FloatMatrix {
            inputs: hidden,
            outputs: hidden,
            values: parts.split_off(parts.len() - hidden * hidden),
            bias: vec![0.0; hidden],
        };
        let (value, key, query) = (last(), last(), last());
        // The first layer has none, because the words' vectors are normalised already.
        let attention_norm = match number {
            0 => NormWeights { scale: vec![1.0; hidden], shift: vec![0.0; hidden] },
            _ => self.modern_norm(&format!("layers.{number}.attn_norm"))?,
        };
        Ok(FloatLayer {
            query,
            key,
            value,
            attention_output: matrix("attn.Wo", hidden, hidden)?,
            attention_norm,
            feed_forward_in: matrix("mlp.Wi", hidden, 2 * inner)?,
            feed_forward_out: matrix("mlp.Wo", inner, hidden)?,
            norm: self.modern_norm(&format!("layers.{number}.mlp_norm"))?,
        })
    }

    /// Returns the classifier of `ModernBertForSequenceClassification`.
    pub(super) fn modern_classifier(&self) -> Result<ClassifierWeights, String> {
        let hidden = self.config.hidden;
        let part = |name: &str, shape: &[usize]| self.tensors.floats(name, shape);
        let count = self.count_classes("classifier")?;
        let dense_bias = match self.tensors.has("head.dense.bias") {
            true => part("head.dense.bias", &[hidden])?,
            false => vec![0.0; hidden],
        };
        Ok(ClassifierWeights {
            second: vec![0.0; hidden],
            dense: part("head.dense.weight", &[hidden, hidden])?,
            dense_bias,
            classes: part("classifier.weight", &[count, hidden])?,
            classes_bias: part("classifier.bias", &[count])?,
            norm: Some(NormWeights { scale: part("head.norm.weight", &[hidden])?, shift: vec![0.0; hidden] }),
            reads_mean: self.config.classifies_mean,
        })
    }

    /// Returns the classifier that sentence-transformers stores as modules after a pooling: a dense layer with the Gaussian error linear
    /// unit, a normalisation, and a dense layer with one output.
    pub(super) fn classifier_of_modules(
        &self,
        files: &[Vec<u8>],
        reads_mean: bool,
    ) -> Result<ClassifierWeights, String> {
        let hidden = self.config.hidden;
        let [dense, norm, last] = files else { return Err("its classifier does not have three modules".into()) };
        if self.config.modern.is_none() {
            return Err("only a ModernBERT may have a classifier in files of its own".into());
        }
        let [dense, norm, last] = [Tensors::read(dense)?, Tensors::read(norm)?, Tensors::read(last)?];
        let bias = |tensors: &Tensors<'_>, name: &str, count: usize| match tensors.has(name) {
            true => tensors.floats(name, &[count]),
            false => Ok(vec![0.0; count]),
        };
        Ok(ClassifierWeights {
            second: vec![0.0; hidden],
            dense: dense.floats("linear.weight", &[hidden, hidden])?,
            dense_bias: bias(&dense, "linear.bias", hidden)?,
            classes: last.floats("linear.weight", &[1, hidden])?,
            classes_bias: bias(&last, "linear.bias", 1)?,
            norm: Some(NormWeights {
                scale: norm.floats("norm.weight", &[hidden])?,
                shift: bias(&norm, "norm.bias", hidden)?,
            }),
            reads_mean,
        })
    }
}
