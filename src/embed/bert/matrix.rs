//! Weights of an encoder's layers, borrowed from any storage.

/// A matrix of 8-bit weights, -127 to 127.
#[derive(Debug, Clone, Copy)]
pub(super) struct Matrix<'a> {
    /// Number of inputs: a multiple of [`super::arithmetic::GROUP`].
    pub(super) inputs: usize,
    /// Number of outputs: a multiple of [`super::arithmetic::BLOCK`].
    pub(super) outputs: usize,
    /// The weights: by block of columns, then by group of inputs, then by column.
    pub(super) weights: &'a [i8],
    /// Scale of each output's weights.
    pub(super) scales: &'a [f32],
    /// Sum of each output's weights.
    pub(super) sums: &'a [i32],
    /// Added to each output.
    pub(super) bias: &'a [f32],
}

/// A layer normalisation (Ba et al. 2016).
#[derive(Debug, Clone, Copy)]
pub(super) struct Norm<'a> {
    /// Factor for each number.
    pub(super) scale: &'a [f32],
    /// Added after the multiplication.
    pub(super) shift: &'a [f32],
    /// Added to the variance to avoid a division by 0.
    pub(super) epsilon: f32,
}
