//! The weights that an encoder's layers are computed with, wherever they lie.

/// A matrix of 8-bit weights, -127 to 127.
#[derive(Debug, Clone, Copy)]
pub(super) struct Matrix<'a> {
    /// Numbers that go in: a multiple of [`super::arithmetic::GROUP`].
    pub(super) inputs: usize,
    /// Numbers that come out: a multiple of [`super::arithmetic::BLOCK`].
    pub(super) outputs: usize,
    /// Block after block of columns; within one, group after group of inputs; within one, column after column.
    pub(super) weights: &'a [i8],
    /// What a weight is worth, one an output.
    pub(super) scales: &'a [f32],
    /// The sum of an output's weights.
    pub(super) sums: &'a [i32],
    /// Added to each output.
    pub(super) bias: &'a [f32],
}

/// A layer normalisation (Ba et al. 2016).
#[derive(Debug, Clone, Copy)]
pub(super) struct Norm<'a> {
    /// Multiplied with each number.
    pub(super) scale: &'a [f32],
    /// Added to it then.
    pub(super) shift: &'a [f32],
    /// Added to the variance, against a division by 0.
    pub(super) epsilon: f32,
}
