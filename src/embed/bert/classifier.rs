//! What a cross-encoder makes of the vector of a pair's first token.

/// A classifier's weights, wherever they lie, in 32-bit floats: there is one vector a pair to compute with them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Classifier<'a> {
    /// Added to the vector of each token of the second text.
    pub(super) second: &'a [f32],
    /// Row after row, a row for each output.
    pub(super) dense: &'a [f32],
    pub(super) dense_bias: &'a [f32],
    /// A row for each class.
    pub(super) classes: &'a [f32],
    /// One number a class.
    pub(super) classes_bias: &'a [f32],
}

impl Classifier<'_> {
    /// Returns what the classes are told by: the hyperbolic tangent of what the dense layer makes of the first token's vector.
    pub(super) fn pooled(&self, first: &[f32]) -> Vec<f32> {
        multiplied(first, self.dense, self.dense_bias).map(f32::tanh).collect()
    }

    /// Returns the logit of the text's being relevant. Of two classes the second is the relevant one, and the logit of the second
    /// in a softmax over two is the difference between them.
    pub(super) fn logit(&self, pooled: &[f32]) -> f64 {
        let mut logits = multiplied(pooled, self.classes, self.classes_bias).map(f64::from);
        let first = logits.next().unwrap_or_default();
        logits.next().map_or(first, |second| second - first)
    }
}

/// Returns the products of the rows of a matrix with a vector, each with its bias.
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
            second: &[],
            dense: &[1.0, 0.0, 0.0, 2.0],
            dense_bias: &[0.5, -1.0],
            classes: &[1.0, 1.0],
            classes_bias: &[0.25],
        };
        let pooled = classifier.pooled(&[0.5, 0.5]);
        assert_eq!(pooled, [1.0f32.tanh(), 0.0]);
        assert!((classifier.logit(&[0.5, -1.0]) + 0.25).abs() < 1e-6);
        let two = Classifier { classes: &[1.0, 1.0, 0.0, 3.0], classes_bias: &[0.25, 1.0], ..classifier };
        assert!((two.logit(&[0.5, -1.0]) - (-2.0 - -0.25)).abs() < 1e-6);
    }
}
