//! The arithmetic of an encoder's layers, compiled for several instruction sets and chosen when the program runs.
//!
//! Products of integers are exact, so every set with instructions for 8-bit products gives the same sums; sums of
//! floating-point numbers differ in their last bits, since some sets multiply and add in one rounding. AVX2 alone sums two or
//! four products in 16 bits, and cuts off what does not fit. Its bytes have fewer steps (see [`Precision`]), so that this takes
//! weights and bytes of one sign that are all near the end of their range. `scripts/bench-embed` compares the vectors.
//!
//! This is the one module of the kernel with `unsafe`: instructions that must be there, and loads and stores at addresses that
//! were checked before.

mod attention;
mod neon;
mod plain;
mod portable;
#[cfg(test)]
mod tests;
mod x86;

pub(super) use attention::Space;

use super::matrix::{Matrix, Norm};

/// Columns of a matrix that are computed together; every matrix has a multiple of them.
pub(super) const BLOCK: usize = 64;

/// Inputs that one instruction multiplies and sums; every matrix has a multiple of four times as many.
pub(super) const GROUP: usize = 4;

/// Rows of numbers as bytes. The number behind a byte is `(byte - zero) * scale`, with the row's own two.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// Row after row.
    pub(super) bytes: Vec<u8>,
    /// What a byte is worth, one a row: less than 0 where the row was turned around.
    pub(super) scales: Vec<f32>,
    /// The byte that stands for 0, one a row.
    pub(super) zeros: Vec<i32>,
    /// How many different bytes there may be.
    precision: Precision,
}

impl Rows {
    /// Makes room for `count` rows of `width`.
    fn resize(&mut self, count: usize, width: usize) {
        self.bytes.resize(count * width, 0);
        self.scales.resize(count, 0.0);
        self.zeros.resize(count, 0);
    }
}

/// How exact the bytes of a row are, where the instruction set is faster with fewer bits: with AVX2, which sums products in 16
/// bits. Everywhere else both are bytes of eight bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Precision {
    /// For what goes into and comes out of attention, which the vectors depend on most.
    #[default]
    Fine,
    /// For everything else.
    Coarse,
}

/// What attention works on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heads<'a> {
    /// Queries, keys and values of each token beside each other: `tokens * 3 * hidden`.
    pub(super) projected: &'a [f32],
    /// Tokens of the text.
    pub(super) tokens: usize,
    /// How many of them, from the first on, look at the others.
    pub(super) queries: usize,
    /// Length of a token's vector.
    pub(super) hidden: usize,
    /// Length of a head's part of it: 32 or 64.
    pub(super) width: usize,
}

/// The steps of a layer.
pub(super) trait Arithmetic: Sync {
    /// Returns the name of the instruction set.
    fn name(&self) -> &'static str;

    /// Turns rows of `width` numbers into bytes: each row is spread evenly between its least and its greatest number, 0 lying
    /// on a step.
    fn quantize(&self, input: &[f32], width: usize, precision: Precision, output: &mut Rows);

    /// Multiplies rows with a matrix and adds its bias. `output` holds `rows * matrix.outputs`.
    fn linear(&self, input: &Rows, matrix: &Matrix<'_>, output: &mut [f32]);

    /// Does the same and replaces what comes out by its Gaussian error linear unit (Hendrycks & Gimpel 2016, the form with
    /// erf, to 1e-4).
    fn linear_gelu(&self, input: &Rows, matrix: &Matrix<'_>, output: &mut [f32]);

    /// Lets the first `queries` tokens look at every token and writes what they see, `queries * hidden`, into `context`.
    fn attend(&self, heads: Heads<'_>, space: &mut Space, context: &mut [f32]);

    /// Adds `added` to `values` and normalises each row to mean 0 and variance 1, then scales and shifts it.
    fn add_and_normalize(&self, values: &mut [f32], added: &[f32], norm: &Norm<'_>);

    /// Returns the greatest byte that numbers of this precision become.
    #[cfg(test)]
    fn greatest(&self, precision: Precision) -> u8;

    /// Returns how far what [`Arithmetic::attend`] makes of numbers up to 2 may be from the truth.
    #[cfg(test)]
    fn attention_error(&self) -> f64;
}

/// Returns the fastest arithmetic of this processor.
pub(super) fn best() -> &'static dyn Arithmetic {
    x86::detect().into_iter().chain(neon::detect()).next().unwrap_or(&portable::Portable)
}

/// Returns every arithmetic that this processor can run, the fastest first.
pub(super) fn all() -> Vec<&'static dyn Arithmetic> {
    let portable: &dyn Arithmetic = &portable::Portable;
    x86::detect().into_iter().chain(neon::detect()).chain([portable]).collect()
}
