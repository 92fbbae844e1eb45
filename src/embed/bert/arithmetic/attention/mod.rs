//! Attention: every token of a text attends to every other.
//!
//! Instruction sets with 8-bit products multiply queries with keys, and weights with values, as bytes (`bytes`). The
//! others use floating point (`floats`). AVX2 alone is among these, because its bytes would need fewer steps.

pub(super) mod bytes;
pub(super) mod floats;

use super::lanes::{Lanes, lanes, maximum};
use super::plain::{ROUNDING, polynomial};

/// Buffers of attention, reused from text to text.
#[derive(Debug, Default)]
pub(in super::super) struct AttentionBuffers {
    floats: floats::AttentionBuffers,
    bytes: bytes::AttentionBuffers,
}

/// Returns the maximum of a row, whose length is a multiple of [`super::lanes::LANES`].
#[inline(always)]
fn greatest<L: Lanes>(row: &[f32]) -> f32 {
    let mut greatest = L::splat(f32::MIN);
    for numbers in lanes::<L>(row) {
        greatest = numbers.greatest(greatest);
    }
    maximum(greatest)
}

/// Polynomial for powers of 2, with a relative error of at most 3e-6: the minimax polynomial of its degree for the relative error.
pub(super) const EXP: [f32; 5] = [9.570_101e-3, 5.591_786_7e-2, 0.240_247_44, 0.693_121_8, 0.999_999_3];

/// Returns e to the power of `x`, for `x` of at most 0. It is 2^n times a polynomial of the remainder, which is within ±0.5. Below
/// -87 the result is e^-87, practically 0. The error is that of the polynomial, whose coefficients start with the highest power.
#[inline(always)]
pub(super) fn exp<L: Lanes, const TERMS: usize>(x: L, coefficients: [f32; TERMS]) -> L {
    let (log, rounding) = (L::splat(std::f32::consts::LOG2_E), L::splat(ROUNDING));
    let x = x.greatest(L::splat(-87.0));
    // The integer part is in the low bits.
    let rounded = x.mul_add(log, rounding);
    let rest = x.mul_add(log, rounding.minus(rounded));
    polynomial(rest, coefficients).times_power_of_two(rounded)
}
