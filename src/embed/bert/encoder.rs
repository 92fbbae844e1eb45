//! The forward pass of a BERT encoder (Devlin et al. 2019) over 8-bit weights.
//!
//! Each layer's four matrices are multiplied as integers: weights are 8-bit with one scale per output, and activations
//! are converted to bytes row by row. The operations in between (attention, normalisation, GELU) are computed in f32.

use super::arithmetic::{Arithmetic, AttentionBuffers, Heads, Precision, Rotation, Rows};
use super::matrix::{Matrix, Norm};
use super::modern::{Modern, extend_rotation};
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
    /// The parts before and after the layers.
    pub(super) network: Network<'a>,
    /// Normalises the sum of word and position vectors.
    pub(super) norm: Norm<'a>,
    /// The layers, first to last.
    pub(super) layers: Vec<Layer<'a>>,
}

/// The two kinds of encoders.
#[derive(Debug, Clone, Copy)]
pub(super) enum Network<'a> {
    /// One vector per position, with the vector of the first segment already added.
    Bert(&'a [f32]),
    /// The settings, and the normalisation after the last layer.
    Modern(Modern, Norm<'a>),
}

#[derive(Debug)]
pub(super) struct Layer<'a> {
    /// Projects to queries (already divided by the square root of a head's width), keys and values.
    pub(super) project: Matrix<'a>,
    /// Combines the outputs of the heads.
    pub(super) attention_output: Matrix<'a>,
    /// Normalises after attention; in a ModernBERT before it, except in the first layer.
    pub(super) attention_norm: Norm<'a>,
    /// First matrix of the feed-forward network, to the wide inner vector. In a ModernBERT its gates follow.
    pub(super) feed_forward_in: Matrix<'a>,
    /// Second matrix of the feed-forward network, back to the token vector.
    pub(super) feed_forward_out: Matrix<'a>,
    /// Normalises after the feed-forward network; in a ModernBERT before it.
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
    pub(super) values: Vec<f32>,
    pub(super) rows: Rows,
    pub(super) wide: Vec<f32>,
    pub(super) context: Vec<f32>,
    pub(super) buffers: AttentionBuffers,
    /// Input of a ModernBERT's steps, and the rotations of its global and its local layers.
    pub(super) normed: Vec<f32>,
    pub(super) rotations: [Rotation; 2],
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
        self.start(input, arithmetic, workspace);
        match self.network {
            Network::Bert(_) => self.run_bert(input, arithmetic, workspace),
            Network::Modern(settings, final_norm) => {
                self.run_modern((settings, final_norm), input, arithmetic, workspace)
            }
        }
    }

    /// Sets the values to the normalised vectors of the tokens.
    fn start(&self, input: Input<'_>, arithmetic: &dyn Arithmetic, workspace: &mut Workspace) {
        let Workspace { values, context, .. } = workspace;
        let hidden = self.hidden;
        values.clear();
        let none = vec![0.0; hidden];
        for (place, id) in input.ids.iter().enumerate() {
            let position = match self.network {
                Network::Bert(positions) => &positions[place * hidden..][..hidden],
                Network::Modern(..) => &none[..],
            };
            self.words.extend(*id, position, values);
        }
        if let Some((begin, added)) = input.second {
            for row in values.chunks_exact_mut(hidden).skip(begin) {
                row.iter_mut().zip(added).for_each(|(value, added)| *value += added);
            }
        }
        context.clear();
        context.resize(values.len(), 0.0);
        arithmetic.normalize(values, &self.norm);
    }

    /// Returns the last layer's token vectors of a ModernBERT; see [`super::modern`].
    fn run_modern<'w>(
        &self,
        (modern, final_norm): (Modern, Norm<'_>),
        input: Input<'_>,
        arithmetic: &dyn Arithmetic,
        workspace: &'w mut Workspace,
    ) -> &'w [f32] {
        let Workspace { values, rows, wide, context, buffers, normed, rotations } = workspace;
        let (hidden, tokens) = (self.hidden, input.ids.len());
        let [global, local] = rotations;
        extend_rotation(global, modern.global_theta, self.head, tokens);
        extend_rotation(local, modern.local_theta, self.head, tokens);
        for (number, layer) in self.layers.iter().enumerate() {
            let attention = modern.attention(number);
            let most = layer.project.outputs.max(layer.feed_forward_in.outputs);
            wide.resize(tokens * most, 0.0);
            // The first layer has no normalisation: its input is normalised already.
            normed.clone_from(values);
            if number > 0 {
                arithmetic.normalize(normed, &layer.attention_norm);
            }
            let projected = &mut wide[..tokens * layer.project.outputs];
            arithmetic.quantize(normed, hidden, Precision::Fine, rows);
            arithmetic.linear(rows, &layer.project, projected);
            let rotation = if attention.reach.is_none() { &*global } else { &*local };
            arithmetic.rotate(projected, hidden, self.head, rotation);
            // The last layer skips what affects only the vectors of other tokens.
            let is_last = number + 1 == self.layers.len();
            let wanted = if input.first_token_only && is_last { tokens.min(1) } else { tokens };
            let heads = Heads { projected, tokens, queries: wanted, hidden, width: self.head, reach: attention.reach };
            context.truncate(wanted * hidden);
            values.truncate(wanted * hidden);
            arithmetic.attend(heads, buffers, context);
            arithmetic.quantize(context, hidden, Precision::Fine, rows);
            arithmetic.linear(rows, &layer.attention_output, context);
            add(values, context);
            normed.clone_from(values);
            arithmetic.normalize(normed, &layer.norm);
            let widened = &mut wide[..wanted * layer.feed_forward_in.outputs];
            arithmetic.quantize(normed, hidden, Precision::Coarse, rows);
            arithmetic.linear(rows, &layer.feed_forward_in, widened);
            let inner = layer.feed_forward_out.inputs;
            arithmetic.gate(widened, inner, modern.unit);
            arithmetic.quantize(&widened[..wanted * inner], inner, Precision::Coarse, rows);
            arithmetic.linear(rows, &layer.feed_forward_out, context);
            add(values, context);
        }
        arithmetic.normalize(values, &final_norm);
        values
    }

    fn run_bert<'w>(&self, input: Input<'_>, arithmetic: &dyn Arithmetic, workspace: &'w mut Workspace) -> &'w [f32] {
        let Input { ids, first_token_only, .. } = input;
        let Workspace { values, rows, wide, context, buffers, .. } = workspace;
        let hidden = self.hidden;
        for (number, layer) in (1..).zip(&self.layers) {
            let most = layer.project.outputs.max(layer.feed_forward_in.outputs);
            wide.resize(ids.len() * most, 0.0);
            let projected = &mut wide[..ids.len() * layer.project.outputs];
            arithmetic.quantize(values, hidden, Precision::Fine, rows);
            arithmetic.linear(rows, &layer.project, projected);
            // The last layer skips what affects only the vectors of other tokens.
            let wanted = if first_token_only && number == self.layers.len() { ids.len().min(1) } else { ids.len() };
            let heads = Heads { projected, tokens: ids.len(), queries: wanted, hidden, width: self.head, reach: None };
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

fn add(values: &mut [f32], others: &[f32]) {
    values.iter_mut().zip(others).for_each(|(value, other)| *value += other);
}
