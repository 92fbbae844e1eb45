//! The steps of a layer that only a ModernBERT has: rotary embeddings and gated units.

use super::attention::{EXP, exp};
use super::lanes::{LANES, Lanes};
use super::plain::{fixed, fixed_mut, gelu};
use super::{GatedUnit, Rotation};

/// Turns each pair of numbers, one from either half of a head, by its angle.
#[inline(always)]
pub(super) fn rotate<L: Lanes>(projected: &mut [f32], hidden: usize, width: usize, rotation: &Rotation) {
    let half = width / 2;
    let angles = rotation.cosines.chunks_exact(half).zip(rotation.sines.chunks_exact(half));
    for (row, (cosines, sines)) in projected.chunks_exact_mut(3 * hidden).zip(angles) {
        // Queries and keys, but not values.
        for head in row[..2 * hidden].chunks_exact_mut(width) {
            let (left, right) = head.split_at_mut(half);
            for at in (0..half).step_by(LANES) {
                let (left, right) = (fixed_mut::<_, LANES>(&mut left[at..]), fixed_mut::<_, LANES>(&mut right[at..]));
                let (cosines, sines) = (L::load(fixed(&cosines[at..])), L::load(fixed(&sines[at..])));
                let (one, other) = (L::load(left), L::load(right));
                one.times(cosines).minus(other.times(sines)).store(left);
                other.times(cosines).plus(one.times(sines)).store(right);
            }
        }
    }
}

/// Applies a gated unit in place. A result is never stored at a number that is still needed: row after row, results need half the room.
#[inline(always)]
pub(super) fn gate<L: Lanes>(wide: &mut [f32], inner: usize, unit: GatedUnit) {
    for row in 0..wide.len() / (2 * inner) {
        for at in (0..inner).step_by(LANES) {
            let input = L::load(fixed(&wide[2 * row * inner + at..]));
            let gate = L::load(fixed(&wide[(2 * row + 1) * inner + at..]));
            let value = match unit {
                GatedUnit::Gelu => gelu(input),
                GatedUnit::Silu => silu(input),
            };
            value.times(gate).store(fixed_mut(&mut wide[row * inner + at..]));
        }
    }
}

/// Returns `x` times its sigmoid, within 1e-4 of it. With `e = exp(-|x|)` that is `max(x, 0) - |x| e / (1 + e)`.
#[inline(always)]
fn silu<L: Lanes>(x: L) -> L {
    let zero = L::splat(0.0);
    let size = x.greatest(zero.minus(x));
    let small = exp(zero.minus(size), EXP);
    let divisor = small.plus(L::splat(1.0));
    // The inverse of a number from 1 to 2: the best straight line is within a seventeenth, and each of Newton's steps squares that.
    let mut inverse = divisor.mul_add(L::splat(-8.0 / 17.0), L::splat(24.0 / 17.0));
    for _ in 0..2 {
        inverse = inverse.times(L::splat(2.0).minus(divisor.times(inverse)));
    }
    x.greatest(zero).minus(size.times(small).times(inverse))
}
