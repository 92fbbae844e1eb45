//! Attention: every token of a text looks at every other.
//!
//! Sets with instructions for 8-bit products multiply queries with keys, and what comes of it with values, as bytes: `bytes`.
//! The others do it in floating point: `floats`. AVX2 alone is among them, since it would have to cut its bytes down further.

pub(super) mod bytes;
pub(super) mod floats;

use super::plain::{ROUNDING, SUMS, Unit};

/// Room that attention works in, kept from text to text.
#[derive(Debug, Default)]
pub(in super::super) struct Space {
    floats: floats::Space,
    bytes: bytes::Space,
}

/// Returns the greatest number of a row, whose length is a multiple of [`SUMS`].
#[inline(always)]
fn greatest<U: Unit>(row: &[f32]) -> f32 {
    let mut greatest = [f32::MIN; SUMS];
    for part in row.chunks_exact(SUMS) {
        for lane in 0..SUMS {
            greatest[lane] = if part[lane] > greatest[lane] { part[lane] } else { greatest[lane] };
        }
    }
    U::largest(greatest)
}

/// Returns e to the power of `x`, which is at most 0: 2^n times a polynomial of what is left, which is within half of 1. Below
/// -87 it is e^-87, next to nothing. The error is that of the polynomial, whose coefficients begin with the highest power.
#[inline(always)]
fn exp<U: Unit, const TERMS: usize>(x: f32, polynomial: [f32; TERMS]) -> f32 {
    let x = if x > -87.0 { x } else { -87.0 };
    let rounded = U::mul_add(x, std::f32::consts::LOG2_E, ROUNDING);
    let rest = U::mul_add(x, std::f32::consts::LOG2_E, ROUNDING - rounded);
    let mut sum = polynomial[0];
    for coefficient in &polynomial[1..] {
        sum = U::mul_add(sum, rest, *coefficient);
    }
    // The whole part stands in the low bits of `rounded`: adding it to the exponent multiplies by 2^n.
    f32::from_bits(sum.to_bits().wrapping_add(rounded.to_bits() << 23))
}
