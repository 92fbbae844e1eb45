//! ByteProducts of floating-point numbers.

#![expect(unsafe_code, reason = "vectors are loaded and stored by address")]

use std::arch::aarch64::*;

use super::super::plain::Product;

/// Implements `InstructionSet::multiply` with four vectors of four numbers, for up to four rows.
#[target_feature(enable = "neon")]
#[inline]
pub(super) fn multiply<const R: usize>(product: Product<'_>, output: &mut [f32], row: usize) {
    product.check(R, 16, output, row);
    let Product { left, left_row, right, right_row, depth } = product;
    let mut sums = [[vdupq_n_f32(0.0); 4]; R];
    let line = |place: usize| -> [float32x4_t; 4] {
        let mut line = [vdupq_n_f32(0.0); 4];
        for (part, numbers) in line.iter_mut().enumerate() {
            // SAFETY: each of `depth` rows of `right` has 16 numbers, as checked above.
            *numbers = unsafe { vld1q_f32(right.as_ptr().add(place * right_row + 4 * part)) };
        }
        line
    };
    let whole = depth - depth % 4;
    for place in (0..whole).step_by(4) {
        let mut factors = [vdupq_n_f32(0.0); R];
        for (r, factors) in factors.iter_mut().enumerate() {
            // SAFETY: each of `R` rows of `left` has `depth` numbers, and four are left from here.
            *factors = unsafe { vld1q_f32(left.as_ptr().add(r * left_row + place)) };
        }
        add_multiples::<0, R>(&mut sums, line(place), factors);
        add_multiples::<1, R>(&mut sums, line(place + 1), factors);
        add_multiples::<2, R>(&mut sums, line(place + 2), factors);
        add_multiples::<3, R>(&mut sums, line(place + 3), factors);
    }
    for place in whole..depth {
        let mut factors = [vdupq_n_f32(0.0); R];
        for (r, factors) in factors.iter_mut().enumerate() {
            // SAFETY: as above; one number is left.
            *factors = unsafe { vld1q_dup_f32(left.as_ptr().add(r * left_row + place)) };
        }
        add_multiples::<0, R>(&mut sums, line(place), factors);
    }
    for (r, sums) in sums.iter().enumerate() {
        for (part, sum) in sums.iter().enumerate() {
            // SAFETY: each of `R` rows of `output` has room for 16 numbers, as checked above.
            unsafe { vst1q_f32(output.as_mut_ptr().add(r * row + 4 * part), *sum) };
        }
    }
}

/// Adds `right` times lane `LANE` of each row's factors to the sums of the row.
#[target_feature(enable = "neon")]
#[inline]
fn add_multiples<const LANE: i32, const R: usize>(
    sums: &mut [[float32x4_t; 4]; R],
    right: [float32x4_t; 4],
    factors: [float32x4_t; R],
) {
    for (sums, factors) in sums.iter_mut().zip(factors) {
        for (sum, right) in sums.iter_mut().zip(right) {
            *sum = vfmaq_laneq_f32::<LANE>(*sum, right, factors);
        }
    }
}
