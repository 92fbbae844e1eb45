//! The encoder in 32-bit floats, written as plainly as possible. It is the reference for a model that tars reads
//! directly, and far too slow for anything else.

use crate::bert::weights::{LayerWeights, NormWeights, QuantizedMatrix, Table};

/// A matrix with its bias.
pub(super) struct FloatMatrix {
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    /// One row per output.
    pub(super) values: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

pub(super) struct FloatLayer {
    pub(super) query: FloatMatrix,
    pub(super) key: FloatMatrix,
    pub(super) value: FloatMatrix,
    pub(super) attention_output: FloatMatrix,
    pub(super) attention_norm: NormWeights,
    pub(super) feed_forward_in: FloatMatrix,
    pub(super) feed_forward_out: FloatMatrix,
    pub(super) norm: NormWeights,
}

/// Parameters that all layers share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) hidden: usize,
    pub(super) head: usize,
    pub(super) epsilon: f32,
}

impl FloatMatrix {
    /// Returns the outputs for each row of inputs.
    fn apply(&self, rows: &[f32]) -> Vec<f32> {
        let row = |row| {
            let outputs = self.values.chunks_exact(self.inputs).zip(&self.bias);
            outputs.map(move |(weights, bias)| product(row, weights) + bias)
        };
        rows.chunks_exact(self.inputs).flat_map(row).collect()
    }

    /// Returns the matrix with 8-bit weights.
    fn weight(&self) -> Result<QuantizedMatrix, String> {
        let by_input = (0..self.inputs).flat_map(|input| self.values[input..].iter().step_by(self.inputs).copied());
        QuantizedMatrix::new(Table::of_floats(self.inputs, self.outputs, by_input.collect()), self.bias.clone())
    }
}

impl FloatLayer {
    /// Converts the layer to the kernel's form.
    pub(super) fn weights(self, shape: Shape) -> Result<LayerWeights, String> {
        Ok(LayerWeights {
            query: self.query.weight()?.times((shape.head as f32).sqrt().recip()),
            key: self.key.weight()?,
            value: self.value.weight()?,
            attention_output: self.attention_output.weight()?,
            attention_norm: self.attention_norm,
            feed_forward_in: self.feed_forward_in.weight()?,
            feed_forward_out: self.feed_forward_out.weight()?,
            norm: self.norm,
        })
    }

    /// Runs the layer on the vectors of a text's tokens.
    pub(super) fn run(&self, values: &mut [f32], shape: Shape) {
        let context = self.attend(values, shape);
        add(values, &self.attention_output.apply(&context));
        normalize(values, &self.attention_norm, shape);
        let mut wide = self.feed_forward_in.apply(values);
        for value in &mut wide {
            *value *= 0.5 * (1.0 + error_function(f64::from(*value) / std::f64::consts::SQRT_2) as f32);
        }
        add(values, &self.feed_forward_out.apply(&wide));
        normalize(values, &self.norm, shape);
    }

    fn attend(&self, values: &[f32], Shape { hidden, head, .. }: Shape) -> Vec<f32> {
        let [queries, keys, seen] = [&self.query, &self.key, &self.value].map(|matrix| matrix.apply(values));
        let scale = (head as f32).sqrt().recip();
        let mut context = vec![0.0; values.len()];
        for (token, row) in context.chunks_exact_mut(hidden).enumerate() {
            for (at, part) in (0..hidden).step_by(head).zip(row.chunks_exact_mut(head)) {
                let of = |all: &'_ [f32], token: usize| all[token * hidden + at..][..head].to_vec();
                let query = of(&queries, token);
                let tokens = values.len() / hidden;
                let scores: Vec<f32> = (0..tokens).map(|other| product(&query, &of(&keys, other)) * scale).collect();
                let greatest = scores.iter().copied().fold(f32::MIN, f32::max);
                let shares: Vec<f32> = scores.iter().map(|score| (score - greatest).exp()).collect();
                let total: f32 = shares.iter().sum();
                for (other, share) in shares.iter().enumerate() {
                    let value = of(&seen, other);
                    part.iter_mut().zip(value).for_each(|(sum, value)| *sum += share / total * value);
                }
            }
        }
        context
    }
}

/// Normalises each row to mean 0 and variance 1, then applies `norm`.
pub(super) fn normalize(values: &mut [f32], norm: &NormWeights, shape: Shape) {
    let count = shape.hidden as f32;
    for row in values.chunks_exact_mut(shape.hidden) {
        let mean = row.iter().sum::<f32>() / count;
        let variance = row.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / count;
        let factor = (variance + shape.epsilon).sqrt().recip();
        for ((value, scale), shift) in row.iter_mut().zip(&norm.scale).zip(&norm.shift) {
            *value = (*value - mean) * factor * scale + shift;
        }
    }
}

fn add(values: &mut [f32], others: &[f32]) {
    values.iter_mut().zip(others).for_each(|(value, other)| *value += other);
}

/// Sums in sixteen lanes, which compilers turn into vector instructions.
fn product(left: &[f32], right: &[f32]) -> f32 {
    let mut sums = [0.0f32; 16];
    for (left, right) in left.chunks_exact(16).zip(right.chunks_exact(16)) {
        for at in 0..16 {
            sums[at] += left[at] * right[at];
        }
    }
    sums.iter().sum()
}

/// The error function, within 2e-7 (Abramowitz and Stegun 1964, 7.1.26, has 1.5e-7).
fn error_function(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
    let polynomial = [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
    let sum = polynomial.iter().fold(0.0, |sum, factor| sum * t + factor) * t;
    (1.0 - sum * (-x * x).exp()).copysign(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_function_matches_known_values() {
        let known =
            [(0.0, 0.0), (0.1, 0.112_462_916), (0.5, 0.520_499_878), (1.0, 0.842_700_793), (2.0, 0.995_322_265)];
        for (x, value) in known {
            assert!((error_function(x) - value).abs() < 2e-7, "{x}");
            assert!((error_function(-x) + value).abs() < 2e-7, "{x}");
        }
    }

    #[test]
    fn a_matrix_keeps_its_size_in_bytes_and_multiplies_exactly() {
        let values: Vec<f32> = (0..64 * 64).map(|at| ((at * 37 % 201) as f32 - 100.0) / 100.0).collect();
        let matrix = FloatMatrix { inputs: 64, outputs: 64, values, bias: vec![0.5; 64] };
        let input: Vec<f32> = (0..64).map(|at| at as f32 / 64.0).collect();
        let weight = matrix.weight().unwrap();
        assert_eq!((weight.inputs, weight.outputs), (64, 64));
        for (output, exact) in matrix.apply(&input).into_iter().enumerate() {
            let sum: f32 = (0..64).map(|at| matrix.values[output * 64 + at] * input[at]).sum();
            assert!((exact - sum - 0.5).abs() < 1e-4, "{output}");
        }
    }
}
