//! Attention: every token of a text attends to every other.
//!
//! Instruction sets with 8-bit products multiply queries with keys, and weights with values, as bytes (`bytes`). The
//! others use floating point (`floats`). AVX2 alone is among these, because its bytes would need fewer steps.

pub(super) mod bytes;
pub(super) mod floats;

use super::plain::{InstructionSet, ROUNDING, SUMS};

/// Buffers of attention, reused from text to text.
#[derive(Debug, Default)]
pub(in super::super) struct AttentionBuffers {
    floats: floats::AttentionBuffers,
    bytes: bytes::AttentionBuffers,
}

/// Returns the maximum of a row, whose length is a multiple of [`SUMS`].
#[inline(always)]
fn greatest<U: InstructionSet>(row: &[f32]) -> f32 {
    let mut greatest = [f32::MIN; SUMS];
    for part in row.chunks_exact(SUMS) {
        for lane in 0..SUMS {
            greatest[lane] = if part[lane] > greatest[lane] { part[lane] } else { greatest[lane] };
        }
    }
    U::largest(greatest)
}

/// Returns e to the power of `x`, for `x` of at most 0. It is 2^n times a polynomial of the remainder, which is within ±0.5. Below
/// -87 the result is e^-87, practically 0. The error is that of the polynomial, whose coefficients start with the highest power.
#[inline(always)]
fn exp<U: InstructionSet, const TERMS: usize>(x: f32, polynomial: [f32; TERMS]) -> f32 {
    let x = if x > -87.0 { x } else { -87.0 };
    let rounded = U::mul_add(x, std::f32::consts::LOG2_E, ROUNDING);
    let rest = U::mul_add(x, std::f32::consts::LOG2_E, ROUNDING - rounded);
    let mut sum = polynomial[0];
    for coefficient in &polynomial[1..] {
        sum = U::mul_add(sum, rest, *coefficient);
    }
    // The integer part is in the low bits of `rounded`; adding it to the exponent multiplies by 2^n.
    f32::from_bits(sum.to_bits().wrapping_add(rounded.to_bits() << 23))
}
