//! The encoder in 32-bit floats, written as plainly as possible. It is the reference for a model that tars reads
//! directly, and far too slow for anything else.

use crate::bert::arithmetic::{GatedUnit, Rotation};
use crate::bert::modern::{Attention, Modern, extend_rotation};
use crate::bert::weights::{LayerWeights, NormWeights, QuantizedMatrix, Table};
use crate::error_function::gelu;

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
    /// The settings of a ModernBERT; `None` for the BERT family.
    pub(super) modern: Option<Modern>,
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

    /// Runs the layer, whose index is `number`, on the vectors of a text's tokens.
    pub(super) fn run(&self, values: &mut [f32], number: usize, shape: Shape) {
        if let Some(modern) = shape.modern {
            return self.run_modern(values, number, modern, shape);
        }
        let context = self.attend(values, None, shape);
        add(values, &self.attention_output.apply(&context));
        normalize(values, &self.attention_norm, shape);
        let mut wide = self.feed_forward_in.apply(values);
        wide.iter_mut().for_each(|value| *value = gelu(*value));
        add(values, &self.feed_forward_out.apply(&wide));
        normalize(values, &self.norm, shape);
    }

    fn run_modern(&self, values: &mut [f32], number: usize, modern: Modern, shape: Shape) {
        let mut normed = values.to_vec();
        if number > 0 {
            normalize(&mut normed, &self.attention_norm, shape);
        }
        let context = self.attend(&normed, Some(modern.attention(number)), shape);
        add(values, &self.attention_output.apply(&context));
        let mut normed = values.to_vec();
        normalize(&mut normed, &self.norm, shape);
        let inner = self.feed_forward_out.inputs;
        let wide = self.feed_forward_in.apply(&normed);
        let unit = |input: f32| match modern.unit {
            GatedUnit::Gelu => gelu(input),
            GatedUnit::Silu => input / (1.0 + (-input).exp()),
        };
        let gated = wide.chunks_exact(2 * inner).flat_map(|row| {
            let (inputs, gates) = row.split_at(inner);
            inputs.iter().zip(gates).map(|(input, gate)| unit(*input) * gate)
        });
        add(values, &self.feed_forward_out.apply(&gated.collect::<Vec<_>>()));
    }

    fn attend(&self, values: &[f32], attention: Option<Attention>, shape: Shape) -> Vec<f32> {
        let Shape { hidden, head, .. } = shape;
        let [mut queries, mut keys, seen] = [&self.query, &self.key, &self.value].map(|matrix| matrix.apply(values));
        let (scale, tokens) = ((head as f32).sqrt().recip(), values.len() / hidden);
        if let Some(attention) = attention {
            let mut rotation = Rotation::default();
            extend_rotation(&mut rotation, attention.theta, head, tokens);
            rotate(&mut queries, &rotation, shape);
            rotate(&mut keys, &rotation, shape);
        }
        let reach = attention.and_then(|attention| attention.reach).unwrap_or(tokens);
        let mut context = vec![0.0; values.len()];
        for (token, row) in context.chunks_exact_mut(hidden).enumerate() {
            let near = token.saturating_sub(reach)..tokens.min(token + reach + 1);
            for (at, part) in (0..hidden).step_by(head).zip(row.chunks_exact_mut(head)) {
                let of = |all: &'_ [f32], token: usize| all[token * hidden + at..][..head].to_vec();
                let query = of(&queries, token);
                let scores: Vec<f32> = near.clone().map(|other| product(&query, &of(&keys, other)) * scale).collect();
                let greatest = scores.iter().copied().fold(f32::MIN, f32::max);
                let shares: Vec<f32> = scores.iter().map(|score| (score - greatest).exp()).collect();
                let total: f32 = shares.iter().sum();
                for (other, share) in near.clone().zip(&shares) {
                    let value = of(&seen, other);
                    part.iter_mut().zip(value).for_each(|(sum, value)| *sum += share / total * value);
                }
            }
        }
        context
    }
}

/// Turns each pair of numbers, one from either half of a head, by the angle of their token.
fn rotate(values: &mut [f32], rotation: &Rotation, Shape { hidden, head, .. }: Shape) {
    let half = head / 2;
    let angles = rotation.cosines.chunks_exact(half).zip(rotation.sines.chunks_exact(half));
    for (row, (cosines, sines)) in values.chunks_exact_mut(hidden).zip(angles) {
        for part in row.chunks_exact_mut(head) {
            for (place, (cosine, sine)) in cosines.iter().zip(sines).enumerate() {
                let (left, right) = (part[place], part[place + half]);
                part[place] = left * cosine - right * sine;
                part[place + half] = right * cosine + left * sine;
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;

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
