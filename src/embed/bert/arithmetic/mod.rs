//! The arithmetic of an encoder's layers, compiled for several instruction sets and selected at run time.
//!
//! Integer products are exact, so every instruction set with 8-bit products gives the same sums. Floating-point sums differ
//! in their last bits, because some sets multiply and add with a single rounding. AVX2 alone sums two or four products in 16
//! bits and saturates. It therefore uses bytes with fewer steps (see [`Precision`]), so that saturation happens only if
//! weights of one sign and bytes are all near the end of their range. `scripts/bench/embed` compares the vectors.
//!
//! This is the only module of the kernel with `unsafe`: it uses instructions that must be present, and loads and stores
//! at addresses that are checked beforehand.

mod attention;
mod lanes;
mod modern;
mod neon;
mod plain;
mod portable;
#[cfg(test)]
mod tests;
mod x86;

pub(super) use attention::AttentionBuffers;

use super::matrix::{Matrix, Norm};

/// Number of matrix columns that are computed together. The columns of every matrix are a multiple of it.
pub(super) const BLOCK: usize = 64;

/// Number of inputs that one instruction multiplies and sums. The inputs of every matrix are a multiple of four times this number.
pub(super) const GROUP: usize = 4;

/// Rows of numbers as bytes. A byte stands for `(byte - zero) * scale`, with the zero and scale of its row.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// The bytes, row after row.
    pub(super) bytes: Vec<u8>,
    /// Scale of each row; negative if the row was mirrored.
    pub(super) scales: Vec<f32>,
    /// Byte that stands for 0 in each row.
    pub(super) zeros: Vec<i32>,
    precision: Precision,
}

impl Rows {
    /// Allocates `count` rows of `width` bytes.
    fn resize(&mut self, count: usize, width: usize) {
        self.bytes.resize(count * width, 0);
        self.scales.resize(count, 0.0);
        self.zeros.resize(count, 0);
    }
}

/// Precision of the bytes of a row. Only AVX2 distinguishes the two: it sums products in 16 bits and is faster with
/// fewer bits. All other sets use eight bits for both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Precision {
    /// For the inputs and outputs of attention, which affect the vectors most.
    #[default]
    Fine,
    /// For everything else.
    Coarse,
}

/// Input of attention.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heads<'a> {
    /// Queries, keys and values of each token, side by side: `tokens * 3 * hidden`.
    pub(super) projected: &'a [f32],
    /// Number of tokens in the text.
    pub(super) tokens: usize,
    /// Number of tokens, from the first, whose attention is computed.
    pub(super) queries: usize,
    /// Length of a token's vector.
    pub(super) hidden: usize,
    /// Length of a head's part of the vector: 32 or 64.
    pub(super) width: usize,
    /// Number of tokens on each side of a token that it attends to; `None` means all.
    pub(super) reach: Option<usize>,
}

impl Heads<'_> {
    /// Gives the scores of tokens that a query does not attend to the least value. `scores` has one number per token.
    #[inline(always)]
    fn mask(&self, query: usize, scores: &mut [f32]) {
        if let Some(reach) = self.reach {
            let (first, end) = (query.saturating_sub(reach), query + reach + 1);
            scores[..first.min(self.tokens)].fill(f32::MIN);
            scores[end.min(self.tokens)..self.tokens].fill(f32::MIN);
        }
    }
}

/// The rotations of a rotary embedding: for each position, those of half a head's numbers.
#[derive(Debug, Default)]
pub(super) struct Rotation {
    pub(super) cosines: Vec<f32>,
    pub(super) sines: Vec<f32>,
}

/// Function of a gated unit's input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GatedUnit {
    /// The Gaussian error linear unit.
    Gelu,
    /// The sigmoid linear unit: a number times its sigmoid.
    Silu,
}

/// The steps of a layer.
pub(super) trait Arithmetic: Sync {
    /// Returns the name of the instruction set.
    fn name(&self) -> &'static str;

    /// Quantizes rows of `width` numbers. The bytes of each row are spaced evenly between its minimum and maximum, with
    /// 0 exactly on a step.
    fn quantize(&self, input: &[f32], width: usize, precision: Precision, output: &mut Rows);

    /// Multiplies rows with a matrix and adds its bias. `output` has room for `rows * matrix.outputs`.
    fn linear(&self, input: &Rows, matrix: &Matrix<'_>, output: &mut [f32]);

    /// Like [`Arithmetic::linear`], then applies the Gaussian error linear unit (Hendrycks & Gimpel 2016, the form with erf, to 1e-4).
    fn linear_gelu(&self, input: &Rows, matrix: &Matrix<'_>, output: &mut [f32]);

    /// Computes the attention of the first `queries` tokens to all tokens, and writes the result, `queries * hidden`, into `context`.
    fn attend(&self, heads: Heads<'_>, buffers: &mut AttentionBuffers, context: &mut [f32]);

    /// Adds `added` to `values`, normalises each row to mean 0 and variance 1, then scales and shifts it.
    fn add_and_normalize(&self, values: &mut [f32], added: &[f32], norm: &Norm<'_>);

    /// Normalises each row like [`Arithmetic::add_and_normalize`], without adding anything.
    fn normalize(&self, values: &mut [f32], norm: &Norm<'_>);

    /// Turns the queries and keys of `projected` (see [`Heads::projected`]) by the rotation of their position.
    fn rotate(&self, projected: &mut [f32], hidden: usize, width: usize, rotation: &Rotation);

    /// Multiplies the unit's function of the first `inner` numbers of each row of twice as many with the others. The results follow
    /// each other from the start of `wide`.
    fn gate(&self, wide: &mut [f32], inner: usize, unit: GatedUnit);

    /// Returns the maximum byte of this precision.
    #[cfg(test)]
    fn greatest(&self, precision: Precision) -> u8;

    /// Returns the maximum error of [`Arithmetic::attend`] for inputs up to 2.
    #[cfg(test)]
    fn attention_error(&self) -> f64;
}

/// Returns the fastest arithmetic for this processor.
pub(super) fn best() -> &'static dyn Arithmetic {
    x86::detect().into_iter().chain(neon::detect()).next().unwrap_or(&portable::Portable)
}

/// Returns every arithmetic that this processor supports, fastest first.
pub(super) fn all() -> Vec<&'static dyn Arithmetic> {
    let portable: &dyn Arithmetic = &portable::Portable;
    x86::detect().into_iter().chain(neon::detect()).chain([portable]).collect()
}
