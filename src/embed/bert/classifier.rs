//! The classifier of a cross-encoder: from the vector of a pair's first token to a logit.

use super::matrix::Norm;
use crate::error_function::gelu;
use crate::local::mean;

/// Weights of a classifier, borrowed from any storage. They are 32-bit floats, because there is only one vector per pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct Classifier<'a> {
    /// Added to the vector of each token of the second text.
    pub(super) second: &'a [f32],
    /// One row per output.
    pub(super) dense: &'a [f32],
    pub(super) dense_bias: &'a [f32],
    /// One row per class.
    pub(super) classes: &'a [f32],
    /// One number per class.
    pub(super) classes_bias: &'a [f32],
    /// In a ModernBERT, the dense layer's output passes the Gaussian error linear unit and this normalisation.
    pub(super) norm: Option<Norm<'a>>,
    /// Whether it reads the mean of all tokens' vectors instead of the first one.
    pub(super) reads_mean: bool,
}

impl Classifier<'_> {
    /// Returns the input of the classes for the vectors of a pair's tokens: the output of the dense layer, after the hyperbolic tangent
    /// or, in a ModernBERT, after its two steps.
    pub(super) fn pooled(&self, values: &[f32]) -> Vec<f32> {
        let hidden = self.second.len();
        let read = match self.reads_mean {
            true => mean(values, hidden),
            false => values[..hidden].to_vec(),
        };
        let output = multiplied(&read, self.dense, self.dense_bias);
        let Some(norm) = &self.norm else { return output.map(f32::tanh).collect() };
        let output: Vec<f32> = output.map(gelu).collect();
        let count = hidden as f32;
        let mean = output.iter().sum::<f32>() / count;
        let variance = output.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / count;
        let factor = (variance + norm.epsilon).sqrt().recip();
        let parts = norm.scale.iter().zip(norm.shift);
        output.iter().zip(parts).map(|(value, (scale, shift))| (value - mean) * factor * scale + shift).collect()
    }

    /// Returns the logit of the text being relevant. With two classes the second means relevant, and its logit in a
    /// softmax over two is the difference of the two values.
    pub(super) fn logit(&self, pooled: &[f32]) -> f64 {
        let mut logits = multiplied(pooled, self.classes, self.classes_bias).map(f64::from);
        let first = logits.next().unwrap_or_default();
        logits.next().map_or(first, |second| second - first)
    }
}

/// Returns the products of a matrix's rows with a vector, plus the bias.
fn multiplied<'a>(vector: &'a [f32], matrix: &'a [f32], bias: &'a [f32]) -> impl Iterator<Item = f32> + 'a {
    let rows = matrix.chunks_exact(vector.len().max(1)).zip(bias);
    rows.map(move |(row, bias)| row.iter().zip(vector).map(|(weight, value)| weight * value).sum::<f32>() + bias)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logit_is_the_only_one_or_the_difference_of_two() {
        let classifier = Classifier {
            second: &[0.0, 0.0],
            dense: &[1.0, 0.0, 0.0, 2.0],
            dense_bias: &[0.5, -1.0],
            classes: &[1.0, 1.0],
            classes_bias: &[0.25],
            norm: None,
            reads_mean: false,
        };
        let pooled = classifier.pooled(&[0.5, 0.5]);
        assert_eq!(pooled, [1.0f32.tanh(), 0.0]);
        assert!((classifier.logit(&[0.5, -1.0]) + 0.25).abs() < 1e-6);
        assert_eq!(Classifier { reads_mean: true, ..classifier }.pooled(&[0.25, 0.5, 0.75, 0.5]), pooled);
        let norm = Norm { scale: &[2.0, 2.0], shift: &[1.0, 1.0], epsilon: 1e-12 };
        let normed = Classifier { norm: Some(norm), ..classifier }.pooled(&[0.5, 0.5]);
        // Two numbers are one standard deviation from their mean.
        assert!((normed[0] - 3.0).abs() < 1e-4 && (normed[1] + 1.0).abs() < 1e-4, "{normed:?}");
        let two = Classifier { classes: &[1.0, 1.0, 0.0, 3.0], classes_bias: &[0.25, 1.0], ..classifier };
        assert!((two.logit(&[0.5, -1.0]) - (-2.0 - -0.25)).abs() < 1e-6);
    }
}
