//! The arithmetic of an encoder's layers, compiled for several instruction sets and chosen when the program runs.
//!
//! Products of integers are exact, so every instruction set gives the same sums; sums of floating-point numbers differ in
//! their last bits, since some sets multiply and add in one rounding. This is the one module of the kernel with `unsafe`:
//! instructions that must be there, and loads and stores at addresses that were checked before.

mod neon;
mod plain;
mod portable;
#[cfg(test)]
mod tests;
mod x86;

use super::matrix::{Matrix, Norm};

/// Columns of a matrix that are computed together; every matrix has a multiple of them.
pub(super) const BLOCK: usize = 64;

/// Inputs that one instruction multiplies and sums; every matrix has a multiple of them.
pub(super) const GROUP: usize = 4;

/// Keys that are compared with a query together: the buffers of [`Arithmetic::attend`] are padded to a multiple.
pub(super) const LANES: usize = 32;

/// The byte that stands for 0 as it is multiplied: bytes are read as `byte - MIDDLE`, -127 to 127.
const MIDDLE: i32 = 128;

/// Rows of numbers as bytes. The number behind a byte is `(byte - MIDDLE - zero) * scale`, with the row's own two.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// Row after row, 1 to 255.
    pub(super) bytes: Vec<u8>,
    /// What a byte is worth, one a row.
    pub(super) scales: Vec<f32>,
    /// Where 0 lies, one a row.
    pub(super) zeros: Vec<i32>,
}

impl Rows {
    /// Makes room for `count` rows of `width`.
    fn resize(&mut self, count: usize, width: usize) {
        self.bytes.resize(count * width, 0);
        self.scales.resize(count, 0.0);
        self.zeros.resize(count, 0);
    }
}

/// What attention works on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heads<'a> {
    /// Queries, keys and values of each token beside each other: `tokens * 3 * hidden`.
    pub(super) projected: &'a [f32],
    /// Tokens of the text.
    pub(super) tokens: usize,
    /// Length of a token's vector.
    pub(super) hidden: usize,
    /// Length of a head's part of it: 32 or 64.
    pub(super) width: usize,
}

/// Room that attention works in, kept from text to text.
#[derive(Debug, Default)]
pub(super) struct Space {
    /// A head's keys, one a column.
    keys: Vec<f32>,
    /// The weights of some queries, one a row.
    weights: Vec<f32>,
}

/// The steps of a layer.
pub(super) trait Arithmetic: Sync {
    /// Returns the name of the instruction set.
    fn name(&self) -> &'static str;

    /// Turns rows of `width` numbers into bytes: each row is spread over 255 steps between its least and its greatest
    /// number, 0 lying on a step.
    fn quantize(&self, input: &[f32], width: usize, output: &mut Rows);

    /// Multiplies rows with a matrix and adds its bias. `output` holds `rows * matrix.outputs`.
    fn linear(&self, input: &Rows, matrix: &Matrix<'_>, output: &mut [f32]);

    /// Lets every token look at every other and writes what it sees, `tokens * hidden`, into `context`.
    fn attend(&self, heads: Heads<'_>, space: &mut Space, context: &mut [f32]);

    /// Adds `added` to `values` and normalises each row to mean 0 and variance 1, then scales and shifts it.
    fn add_and_normalize(&self, values: &mut [f32], added: &[f32], norm: &Norm<'_>);

    /// Replaces each number by its Gaussian error linear unit (Hendrycks & Gimpel 2016, the exact form with erf).
    fn gelu(&self, values: &mut [f32]);
}

/// Returns the fastest arithmetic of this processor.
pub(super) fn best() -> &'static dyn Arithmetic {
    x86::detect().into_iter().chain(neon::detect()).next().unwrap_or(&portable::Portable)
}

/// Returns the arithmetic of the instruction set `name`; `None` if this processor has none of that name.
pub(super) fn named(name: &str) -> Option<&'static dyn Arithmetic> {
    all().into_iter().find(|arithmetic| arithmetic.name() == name)
}

/// Returns every arithmetic that this processor can run, the portable one first.
fn all() -> Vec<&'static dyn Arithmetic> {
    let portable: &dyn Arithmetic = &portable::Portable;
    std::iter::once(portable).chain(x86::detect()).chain(neon::detect()).collect()
}
