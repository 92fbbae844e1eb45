//! The forward pass of a BERT encoder (Devlin et al. 2019) over 8-bit weights.
//!
//! Each layer's four matrices are multiplied as integers: weights are 8-bit with one scale per output, and activations
//! are converted to bytes row by row. The operations in between (attention, normalisation, GELU) are computed in f32.

use super::arithmetic::{Arithmetic, AttentionBuffers, Heads, Precision, Rows};
use super::matrix::{Matrix, Norm};
use super::word_embeddings::WordEmbeddings;

/// Weights of an encoder, borrowed from any storage.
#[derive(Debug)]
pub(super) struct Encoder<'a> {
    /// Length of a token's vector.
    pub(super) hidden: usize,
    /// Length of a head's part of the vector.
    pub(super) head: usize,
    /// One vector per token of the vocabulary.
    pub(super) words: WordEmbeddings<'a>,
    /// One vector per position, with the vector of the first segment already added.
    pub(super) positions: &'a [f32],
    /// Normalises the sum of word and position vectors.
    pub(super) norm: Norm<'a>,
    /// The layers, first to last.
    pub(super) layers: Vec<Layer<'a>>,
}

#[derive(Debug)]
pub(super) struct Layer<'a> {
    /// Projects to queries (already divided by the square root of a head's width), keys and values.
    pub(super) project: Matrix<'a>,
    /// Combines the outputs of the heads.
    pub(super) attention_output: Matrix<'a>,
    /// Normalises after attention.
    pub(super) attention_norm: Norm<'a>,
    /// First matrix of the feed-forward network, to the wide inner vector.
    pub(super) feed_forward_in: Matrix<'a>,
    /// Second matrix of the feed-forward network, back to the token vector.
    pub(super) feed_forward_out: Matrix<'a>,
    /// Normalises after the feed-forward network.
    pub(super) norm: Norm<'a>,
}

/// Input of an encoder, and the outputs that are needed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Input<'a> {
    pub(super) ids: &'a [u32],
    /// Start of a second text, and the vector to add to each of its tokens.
    pub(super) second: Option<(usize, &'a [f32])>,
    /// Whether only the first token's vector is needed.
    pub(super) first_token_only: bool,
}

/// Buffers for the intermediate results, reused from text to text.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    values: Vec<f32>,
    rows: Rows,
    wide: Vec<f32>,
    context: Vec<f32>,
    buffers: AttentionBuffers,
}

impl Encoder<'_> {
    /// Returns the last layer's token vectors, one after the other.
    ///
    /// # Panics
    /// Panics if there are more tokens than positions, or if a token is not in the vocabulary.
    pub(super) fn run<'w>(
        &self,
        input: Input<'_>,
        arithmetic: &dyn Arithmetic,
        workspace: &'w mut Workspace,
    ) -> &'w [f32] {
        let Input { ids, second, first_token_only } = input;
        let Workspace { values, rows, wide, context, buffers } = workspace;
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
            let most = layer.project.outputs.max(layer.feed_forward_in.outputs);
            wide.resize(ids.len() * most, 0.0);
            let projected = &mut wide[..ids.len() * layer.project.outputs];
            arithmetic.quantize(values, hidden, Precision::Fine, rows);
            arithmetic.linear(rows, &layer.project, projected);
            // The last layer skips what affects only the vectors of other tokens.
            let wanted = if first_token_only && number == self.layers.len() { ids.len().min(1) } else { ids.len() };
            let heads = Heads { projected, tokens: ids.len(), queries: wanted, hidden, width: self.head };
            context.truncate(wanted * hidden);
            values.truncate(wanted * hidden);
            arithmetic.attend(heads, buffers, context);
            arithmetic.quantize(context, hidden, Precision::Fine, rows);
            arithmetic.linear(rows, &layer.attention_output, context);
            arithmetic.add_and_normalize(values, context, &layer.attention_norm);
            let widened = &mut wide[..wanted * layer.feed_forward_in.outputs];
            arithmetic.quantize(values, hidden, Precision::Coarse, rows);
            arithmetic.linear_gelu(rows, &layer.feed_forward_in, widened);
            arithmetic.quantize(widened, layer.feed_forward_out.inputs, Precision::Coarse, rows);
            arithmetic.linear(rows, &layer.feed_forward_out, context);
            arithmetic.add_and_normalize(values, context, &layer.norm);
        }
        values
    }
}
