//! The forward pass of a BERT encoder (Devlin et al. 2019) over 8-bit weights.
//!
//! Each layer's four matrices are multiplied as integers: the weights are 8-bit with a scale for each output, the
//! activations are turned into bytes row by row. Everything between (attention, normalisation, GELU) is computed as f32.

use super::arithmetic::{Arithmetic, Heads, Precision, Rows, Space};
use super::matrix::{Matrix, Norm};
use super::words::Words;

/// An encoder's weights, wherever they lie.
#[derive(Debug)]
pub(super) struct Encoder<'a> {
    /// Length of a token's vector.
    pub(super) hidden: usize,
    /// Length of a head's part of it.
    pub(super) head: usize,
    /// A vector for each token of the vocabulary.
    pub(super) words: Words<'a>,
    /// A vector for each place, the one for the first sentence added.
    pub(super) positions: &'a [f32],
    /// Normalises the sum of both.
    pub(super) norm: Norm<'a>,
    /// The layers, first to last.
    pub(super) layers: Vec<Layer<'a>>,
}

/// A layer's weights.
#[derive(Debug)]
pub(super) struct Layer<'a> {
    /// To queries (already divided by the square root of a head's width), keys and values.
    pub(super) project: Matrix<'a>,
    /// From what the heads have seen.
    pub(super) combine: Matrix<'a>,
    /// After attention.
    pub(super) attention_norm: Norm<'a>,
    /// To the wide inner vector.
    pub(super) widen: Matrix<'a>,
    /// And back.
    pub(super) narrow: Matrix<'a>,
    /// After both.
    pub(super) norm: Norm<'a>,
}

/// What an encoder reads, and what of it is wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Input<'a> {
    /// The tokens.
    pub(super) ids: &'a [u32],
    /// Where a second text begins, and what is added to the vector of each of its tokens.
    pub(super) second: Option<(usize, &'a [f32])>,
    /// Whether nothing but the first token's vector is wanted.
    pub(super) first_alone: bool,
}

/// Room for the numbers of a text on their way, kept from text to text.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    values: Vec<f32>,
    rows: Rows,
    wide: Vec<f32>,
    context: Vec<f32>,
    space: Space,
}

impl Encoder<'_> {
    /// Returns the last layer's vectors of the tokens, one after the other.
    ///
    /// # Panics
    /// There are more of them than places, or one is not in the vocabulary.
    pub(super) fn run<'w>(
        &self,
        input: Input<'_>,
        arithmetic: &dyn Arithmetic,
        workspace: &'w mut Workspace,
    ) -> &'w [f32] {
        let Input { ids, second, first_alone } = input;
        let Workspace { values, rows, wide, context, space } = workspace;
        let hidden = self.hidden;
        values.clear();
        for (place, id) in ids.iter().enumerate() {
            self.words.extend(*id, &self.positions[place * hidden..][..hidden], values);
        }
        if let Some((begin, added)) = second {
            for row in values.chunks_exact_mut(hidden).skip(begin) {
                row.iter_mut().zip(added).for_each(|(value, added)| *value += added);
            }
        }
        context.clear();
        context.resize(values.len(), 0.0);
        arithmetic.add_and_normalize(values, context, &self.norm);
        for (number, layer) in (1..).zip(&self.layers) {
            let most = layer.project.outputs.max(layer.widen.outputs);
            wide.resize(ids.len() * most, 0.0);
            let projected = &mut wide[..ids.len() * layer.project.outputs];
            arithmetic.quantize(values, hidden, Precision::Fine, rows);
            arithmetic.linear(rows, &layer.project, projected);
            // What only other tokens' vectors depend on need not be computed in the last layer.
            let wanted = if first_alone && number == self.layers.len() { ids.len().min(1) } else { ids.len() };
            let heads = Heads { projected, tokens: ids.len(), queries: wanted, hidden, width: self.head };
            context.truncate(wanted * hidden);
            values.truncate(wanted * hidden);
            arithmetic.attend(heads, space, context);
            arithmetic.quantize(context, hidden, Precision::Fine, rows);
            arithmetic.linear(rows, &layer.combine, context);
            arithmetic.add_and_normalize(values, context, &layer.attention_norm);
            let widened = &mut wide[..wanted * layer.widen.outputs];
            arithmetic.quantize(values, hidden, Precision::Coarse, rows);
            arithmetic.linear_gelu(rows, &layer.widen, widened);
            arithmetic.quantize(widened, layer.narrow.inputs, Precision::Coarse, rows);
            arithmetic.linear(rows, &layer.narrow, context);
            arithmetic.add_and_normalize(values, context, &layer.norm);
        }
        values
    }
}
