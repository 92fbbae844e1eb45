//! An encoder's weights as read from a model, and in the kernel's form.

use crate::bert::arithmetic::{BLOCK, GROUP};
use crate::bert::modern::Modern;
use crate::bert::word_embeddings::{BLOCK_BYTES, BLOCK_WEIGHTS, block_scale, unpack};

/// All weights of a model.
#[derive(Debug)]
pub(in crate::bert) struct Weights<'a> {
    pub(in crate::bert) head: usize,
    pub(in crate::bert) epsilon: f32,
    pub(in crate::bert) words: Table<'a>,
    /// Row after row.
    pub(in crate::bert) positions: Vec<f32>,
    pub(in crate::bert) norm: NormWeights,
    pub(in crate::bert) layers: Vec<LayerWeights>,
    /// Whether the prepared file has room for the mean of the model's vectors. A file with packed words always has.
    pub(in crate::bert) has_mean: bool,
    pub(in crate::bert) classifier: Option<ClassifierWeights>,
    pub(in crate::bert) modern: Option<ModernWeights>,
}

/// The parts that only a ModernBERT has.
#[derive(Debug)]
pub(in crate::bert) struct ModernWeights {
    pub(in crate::bert) settings: Modern,
    /// Number of positions.
    pub(in crate::bert) places: usize,
    /// Normalises after the last layer.
    pub(in crate::bert) final_norm: NormWeights,
}

/// Classifier of a cross-encoder, see [`crate::bert::classifier::Classifier`].
#[derive(Debug)]
pub(in crate::bert) struct ClassifierWeights {
    pub(in crate::bert) second: Vec<f32>,
    pub(in crate::bert) dense: Vec<f32>,
    pub(in crate::bert) dense_bias: Vec<f32>,
    pub(in crate::bert) classes: Vec<f32>,
    pub(in crate::bert) classes_bias: Vec<f32>,
    /// Normalises the dense layer's output in a ModernBERT's classifier.
    pub(in crate::bert) norm: Option<NormWeights>,
    /// Whether it reads the mean of all tokens' vectors.
    pub(in crate::bert) reads_mean: bool,
}

#[derive(Debug)]
pub(in crate::bert) struct LayerWeights {
    pub(in crate::bert) query: QuantizedMatrix,
    pub(in crate::bert) key: QuantizedMatrix,
    pub(in crate::bert) value: QuantizedMatrix,
    pub(in crate::bert) attention_output: QuantizedMatrix,
    pub(in crate::bert) attention_norm: NormWeights,
    pub(in crate::bert) feed_forward_in: QuantizedMatrix,
    pub(in crate::bert) feed_forward_out: QuantizedMatrix,
    pub(in crate::bert) norm: NormWeights,
}

#[derive(Debug)]
pub(in crate::bert) struct NormWeights {
    pub(in crate::bert) scale: Vec<f32>,
    pub(in crate::bert) shift: Vec<f32>,
}

/// A table of numbers, row after row.
#[derive(Debug)]
pub(in crate::bert) struct Table<'a> {
    pub(in crate::bert) rows: usize,
    pub(in crate::bert) columns: usize,
    values: Values<'a>,
}

#[derive(Debug)]
enum Values<'a> {
    Floats(Vec<f32>),
    Bytes {
        values: Vec<i8>,
        scales: Vec<f32>,
        by_row: bool,
    },
    /// See [`crate::bert::word_embeddings::WordEmbeddings::Packed`].
    Packed(&'a [u8]),
}

/// A matrix of 8-bit weights with its bias.
#[derive(Debug)]
pub(in crate::bert) struct QuantizedMatrix {
    pub(in crate::bert) inputs: usize,
    pub(in crate::bert) outputs: usize,
    /// Row after row; a row holds the weights of one input.
    values: Vec<i8>,
    pub(in crate::bert) scales: Vec<f32>,
    pub(in crate::bert) bias: Vec<f32>,
}

impl Weights<'_> {
    /// Returns the weights if their sizes are consistent and supported by the kernel.
    pub(in crate::bert) fn checked(self) -> Result<Self, String> {
        let hidden = self.words.columns;
        if !matches!(self.head, 32 | 64) || !hidden.is_multiple_of(BLOCK) || !hidden.is_multiple_of(self.head) {
            return Err(format!("its vectors of {hidden} in heads of {} are not supported", self.head));
        }
        let fits = |norm: &NormWeights| norm.scale.len() == hidden && norm.shift.len() == hidden;
        // The gates follow the inner vector.
        let parts = if self.modern.is_some() { 2 } else { 1 };
        for layer in &self.layers {
            let inner = layer.feed_forward_out.inputs;
            let square = [&layer.query, &layer.key, &layer.value, &layer.attention_output];
            let sizes = square.map(|weight| (weight.inputs, weight.outputs, hidden, hidden));
            let others = [(&layer.feed_forward_in, hidden, inner * parts), (&layer.feed_forward_out, inner, hidden)];
            let others = others.map(|(weight, inputs, outputs)| (weight.inputs, weight.outputs, inputs, outputs));
            let wrong =
                |(inputs, outputs, wanted, given): (usize, usize, usize, usize)| (inputs, outputs) != (wanted, given);
            let same =
                inner == self.layers[0].feed_forward_out.inputs && fits(&layer.attention_norm) && fits(&layer.norm);
            if sizes.into_iter().chain(others).any(wrong) || !inner.is_multiple_of(BLOCK) || !same {
                return Err("the sizes of its layers are inconsistent".into());
            }
        }
        let positions = self.positions.len() / hidden;
        let has_places = self
            .modern
            .as_ref()
            .map_or(positions > 0, |modern| modern.places > 0 && positions == 0 && fits(&modern.final_norm));
        if !fits(&self.norm) || !has_places || positions * hidden != self.positions.len() {
            return Err("the sizes of its tables are inconsistent".into());
        }
        let classes = |classifier: &ClassifierWeights| {
            let classes = classifier.classes_bias.len();
            let square = classifier.second.len() == hidden && classifier.dense_bias.len() == hidden;
            let whole = classifier.dense.len() == hidden * hidden && classifier.classes.len() == hidden * classes;
            let normed = classifier.norm.as_ref().is_none_or(fits);
            square && whole && normed && matches!(classes, 1 | 2)
        };
        if !self.classifier.as_ref().is_none_or(classes) {
            return Err("its classifier has neither one class nor two".into());
        }
        if !self.numbers().all(|value| value.is_finite()) {
            return Err("it holds numbers that are not finite".into());
        }
        Ok(self)
    }

    fn numbers(&self) -> impl Iterator<Item = f32> {
        let norms = self.layers.iter().flat_map(|layer| [&layer.attention_norm, &layer.norm]).chain([&self.norm]);
        let norms = norms.chain(self.modern.iter().map(|modern| &modern.final_norm));
        let norms = norms.chain(self.classifier.iter().filter_map(|classifier| classifier.norm.as_ref()));
        let weights = self.layers.iter().flat_map(LayerWeights::all);
        let parts = norms.flat_map(|norm| [&norm.scale, &norm.shift]);
        let parts = parts.chain(weights.flat_map(|weight| [&weight.scales, &weight.bias])).chain([&self.positions]);
        let classifier = self.classifier.iter().flat_map(ClassifierWeights::all);
        let parts = parts.chain(classifier);
        let words = match &self.words.values {
            Values::Floats(values) | Values::Bytes { scales: values, .. } => values.as_slice(),
            Values::Packed(_) => &[],
        };
        let packed = self.words.packed().unwrap_or_default().chunks_exact(BLOCK_BYTES).map(block_scale);
        parts.flatten().copied().chain(words.iter().copied()).chain(packed).chain([self.epsilon])
    }
}

impl ClassifierWeights {
    fn all(&self) -> [&Vec<f32>; 5] {
        [&self.second, &self.dense, &self.dense_bias, &self.classes, &self.classes_bias]
    }
}

impl LayerWeights {
    fn all(&self) -> [&QuantizedMatrix; 6] {
        [&self.query, &self.key, &self.value, &self.attention_output, &self.feed_forward_in, &self.feed_forward_out]
    }
}

impl<'a> Table<'a> {
    pub(in crate::bert) fn of_floats(rows: usize, columns: usize, values: Vec<f32>) -> Self {
        Self { rows, columns, values: Values::Floats(values) }
    }

    /// Returns a table of 8-bit integers with a scale for each row or column.
    pub(in crate::bert) fn of_bytes(columns: usize, values: Vec<i8>, scales: Vec<f32>, by_row: bool) -> Self {
        Self { rows: values.len() / columns.max(1), columns, values: Values::Bytes { values, scales, by_row } }
    }

    /// Returns a table of packed rows; `None` if their size does not match.
    pub(in crate::bert) fn of_packed(rows: usize, columns: usize, blocks: &'a [u8]) -> Option<Self> {
        let size = (columns / BLOCK_WEIGHTS * BLOCK_BYTES).checked_mul(rows)?;
        let is_whole = columns.is_multiple_of(BLOCK_WEIGHTS) && blocks.len() == size;
        is_whole.then_some(Self { rows, columns, values: Values::Packed(blocks) })
    }

    /// Returns the bytes of a packed table.
    pub(in crate::bert) fn packed(&self) -> Option<&'a [u8]> {
        match self.values {
            Values::Packed(blocks) => Some(blocks),
            Values::Floats(_) | Values::Bytes { .. } => None,
        }
    }

    /// Returns the numbers, row after row.
    pub(in crate::bert) fn floats(&self) -> Vec<f32> {
        match &self.values {
            Values::Packed(blocks) => {
                let mut values = Vec::with_capacity(self.rows * self.columns);
                unpack(blocks, &mut values);
                values
            }
            Values::Floats(values) => values.clone(),
            Values::Bytes { values, scales, by_row } => values
                .iter()
                .enumerate()
                .map(|(at, value)| {
                    let line = if *by_row { at / self.columns } else { at % self.columns };
                    f32::from(*value) * scales[line]
                })
                .collect(),
        }
    }

    /// Returns the numbers as 8-bit integers from -127 to 127 with a scale for each row or column. Bytes that have this
    /// form already are returned unchanged.
    pub(in crate::bert) fn bytes(self, by_row: bool) -> (Vec<i8>, Vec<f32>) {
        let values = match self.values {
            Values::Bytes { values, scales, by_row: so } if so == by_row && !values.contains(&i8::MIN) => {
                return (values, scales);
            }
            _ => self.floats(),
        };
        let line = |at: usize| if by_row { at / self.columns } else { at % self.columns };
        let mut greatest = vec![0.0f32; if by_row { self.rows } else { self.columns }];
        for (at, value) in values.iter().enumerate() {
            greatest[line(at)] = greatest[line(at)].max(value.abs());
        }
        // Any scale fits a line of zeros.
        let scales: Vec<f32> =
            greatest.iter().map(|greatest| greatest.max(f32::MIN_POSITIVE * 127.0) / 127.0).collect();
        let bytes = values.iter().enumerate().map(|(at, value)| (value / scales[line(at)]).round() as i8);
        (bytes.collect(), scales)
    }
}

impl QuantizedMatrix {
    /// Returns the matrix with its bias.
    pub(in crate::bert) fn new(table: Table<'_>, bias: Vec<f32>) -> Result<Self, String> {
        let (inputs, outputs) = (table.rows, table.columns);
        if bias.len() != outputs {
            return Err(format!("a matrix with {outputs} outputs has a bias of {}", bias.len()));
        }
        let (values, scales) = table.bytes(false);
        Ok(Self { inputs, outputs, values, scales, bias })
    }

    /// Multiplies the outputs of the matrix by `factor`.
    pub(in crate::bert) fn times(mut self, factor: f32) -> Self {
        self.scales.iter_mut().chain(&mut self.bias).for_each(|value| *value *= factor);
        self
    }

    /// Returns the weights in the order of [`crate::bert::matrix::Matrix::weights`].
    pub(in crate::bert) fn packed(&self) -> Vec<i8> {
        let mut packed = Vec::with_capacity(self.values.len());
        for first in (0..self.outputs).step_by(BLOCK) {
            for group in (0..self.inputs).step_by(GROUP) {
                for output in first..first + BLOCK {
                    packed.extend((group..group + GROUP).map(|input| self.values[input * self.outputs + output]));
                }
            }
        }
        packed
    }

    /// Returns the sum of each output's weights.
    pub(in crate::bert) fn sums(&self) -> Vec<i32> {
        let mut sums = vec![0; self.outputs];
        for row in self.values.chunks_exact(self.outputs) {
            for (sum, value) in sums.iter_mut().zip(row) {
                *sum += i32::from(*value);
            }
        }
        sums
    }

    /// Concatenates the outputs of matrices with the same inputs.
    pub(in crate::bert) fn beside(parts: [&Self; 3]) -> Self {
        let [first, ..] = parts;
        let row = |input: usize| parts.map(|part| &part.values[input * part.outputs..][..part.outputs]).concat();
        Self {
            inputs: first.inputs,
            outputs: parts.iter().map(|part| part.outputs).sum(),
            values: (0..first.inputs).flat_map(row).collect(),
            scales: parts.map(|part| part.scales.as_slice()).concat(),
            bias: parts.map(|part| part.bias.as_slice()).concat(),
        }
    }
}
