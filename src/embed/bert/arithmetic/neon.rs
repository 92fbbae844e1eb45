//! Arithmetic for 64-bit ARM: NEON, with the instructions for 8-bit dot products and for 8-bit products of matrices (i8mm) where
//! the processor has them.

#[cfg(target_arch = "aarch64")]
pub(super) use found::detect;

/// Returns what this processor can run, the fastest first: nothing, since it is of another family.
#[cfg(not(target_arch = "aarch64"))]
pub(super) fn detect() -> Vec<&'static dyn super::Arithmetic> {
    Vec::new()
}

#[cfg(target_arch = "aarch64")]
#[expect(unsafe_code, reason = "vectors are loaded and stored by address, and two instructions have no function yet")]
mod found {
    use std::arch::aarch64::*;
    use std::arch::asm;

    use super::super::plain::{Product, Products, Unit};
    use super::super::portable::compiled_with;
    use super::super::{Arithmetic, BLOCK, GROUP};

    /// Returns what this processor can run, the fastest first.
    pub(in super::super) fn detect() -> Vec<&'static dyn Arithmetic> {
        let mut found: Vec<&'static dyn Arithmetic> = Vec::new();
        if std::arch::is_aarch64_feature_detected!("neon") {
            if std::arch::is_aarch64_feature_detected!("i8mm") {
                found.push(&Matrices);
            }
            if std::arch::is_aarch64_feature_detected!("dotprod") {
                found.push(&Dot);
            }
            found.push(&Neon);
        }
        found
    }

    /// Defines how a set of this family multiplies: what it takes away from a byte, and its function for `R` rows.
    macro_rules! unit {
        ($type:ident, $middle:literal, $tile:expr) => {
            impl Unit for $type {
                type Fine = Self;
                type Coarse = Self;

                const LANES: usize = 16;

                #[inline(always)]
                fn mul_add(a: f32, b: f32, c: f32) -> f32 {
                    a.mul_add(b, c)
                }

                #[inline(always)]
                fn multiply<const R: usize>(product: Product<'_>, output: &mut [f32], row: usize) {
                    // SAFETY: only the steps of the set that has these instructions call this, and they run where they are.
                    unsafe { multiply::<R>(product, output, row) }
                }
            }

            impl Products for $type {
                const GREATEST: u8 = 255;
                const MIDDLE: i32 = $middle;

                #[inline(always)]
                fn tile<const R: usize>(rows: &[u8], block: &[i8], sums: &mut [[i32; BLOCK]; R]) {
                    // SAFETY: as above.
                    unsafe { $tile(rows, block, sums) }
                }
            }
        };
    }

    struct Matrices;
    compiled_with!("neon,i8mm", Matrices, "NEON with i8mm", rows 6, queries 6);
    unit!(Matrices, 0, tile_by_matrices::<R>);

    struct Dot;
    compiled_with!("neon,dotprod", Dot, "NEON with dot products", rows 4, queries 6);
    unit!(Dot, 128, tile_by_dots::<R>);

    struct Neon;
    compiled_with!("neon", Neon, "NEON", rows 4, queries 6);
    unit!(Neon, 128, tile_by_pairs::<R>);

    /// [`Unit::multiply`] with four vectors of four numbers.
    #[target_feature(enable = "neon")]
    #[inline]
    fn multiply<const R: usize>(product: Product<'_>, output: &mut [f32], row: usize) {
        product.check(R, 16, output, row);
        let Product { left, left_row, right, right_row, depth } = product;
        let mut sums = [[vdupq_n_f32(0.0); 4]; R];
        for place in 0..depth {
            // SAFETY: each of `depth` rows of `right` has 16 numbers, as was checked.
            let right: [float32x4_t; 4] =
                std::array::from_fn(|part| unsafe { vld1q_f32(right.as_ptr().add(place * right_row + 4 * part)) });
            for (r, sums) in sums.iter_mut().enumerate() {
                // SAFETY: each of `R` rows of `left` has `depth` numbers, as was checked.
                let factor = unsafe { *left.as_ptr().add(r * left_row + place) };
                for (sum, right) in sums.iter_mut().zip(right) {
                    *sum = vfmaq_n_f32(*sum, right, factor);
                }
            }
        }
        for (r, sums) in sums.iter().enumerate() {
            for (part, sum) in sums.iter().enumerate() {
                // SAFETY: each of `R` rows of `output` has room for 16 numbers, as was checked.
                unsafe { vst1q_f32(output.as_mut_ptr().add(r * row + 4 * part), *sum) };
            }
        }
    }

    /// Reads the weights of four columns from `column` on, of one group.
    ///
    /// # Safety
    /// The block has so many groups, and `column` is at most 60.
    #[target_feature(enable = "neon")]
    #[inline]
    unsafe fn weights(block: &[i8], group: usize, column: usize) -> int8x16_t {
        // SAFETY: a group has 4 bytes for each of 64 columns, and 4 columns are left.
        unsafe { vld1q_s8(block.as_ptr().add((group * BLOCK + column) * GROUP)) }
    }

    /// Adds four sums to those of four columns.
    #[target_feature(enable = "neon")]
    #[inline]
    fn add(sums: &mut [i32], total: int32x4_t) {
        let sums: &mut [i32; 4] = sums.first_chunk_mut().expect("a block is a multiple of four columns");
        // SAFETY: four numbers of four bytes are the 16 that are read and written.
        unsafe { vst1q_s32(sums.as_mut_ptr(), vaddq_s32(vld1q_s32(sums.as_ptr()), total)) };
    }

    /// Returns how many groups of inputs there are.
    fn groups<const R: usize>(rows: &[u8], block: &[i8]) -> usize {
        let groups = rows.len() / R / GROUP;
        assert!(rows.len() == R * groups * GROUP && block.len() == groups * GROUP * BLOCK && groups.is_multiple_of(2));
        groups
    }

    /// Adds to four sums the products of the four bytes of lane `LANE` with four times four weights.
    #[target_feature(enable = "neon,dotprod")]
    #[inline]
    fn dot<const LANE: i32>(mut sums: int32x4_t, bytes: int8x16_t, weights: int8x16_t) -> int32x4_t {
        // SAFETY: reads and writes these registers alone. Its function, `vdotq_laneq_s32`, is not stable yet.
        unsafe {
            asm!(
                "sdot {sums:v}.4s, {weights:v}.16b, {bytes:v}.4b[{lane}]",
                sums = inout(vreg) sums,
                weights = in(vreg) weights,
                bytes = in(vreg) bytes,
                lane = const LANE,
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        sums
    }

    #[target_feature(enable = "neon,dotprod")]
    #[inline]
    fn tile_by_dots<const R: usize>(rows: &[u8], block: &[i8], sums: &mut [[i32; BLOCK]; R]) {
        /// Vectors of sums that fit the 32 registers beside what else is needed, for up to four rows.
        const VECTORS: usize = 4;
        let groups = groups::<R>(rows, block);
        let width = groups * GROUP;
        let middle = vdup_n_s8(-128);
        for part in (0..BLOCK).step_by(4 * VECTORS) {
            let mut totals = [[vdupq_n_s32(0); VECTORS]; R];
            for first in (0..groups).step_by(2) {
                let bytes: [int8x16_t; R] = std::array::from_fn(|row| {
                    // SAFETY: row `row` of R begins at `row * width`, and 8 bytes of its groups are left.
                    let bytes = unsafe { vld1_u8(rows.as_ptr().add(row * width + first * GROUP)) };
                    let bytes = veor_s8(vreinterpret_s8_u8(bytes), middle);
                    vcombine_s8(bytes, bytes)
                });
                for vector in 0..VECTORS {
                    // SAFETY: `first + 1` is less than `groups`, and the columns lie within the block.
                    let [left, right] = [0, 1].map(|next| unsafe { weights(block, first + next, part + 4 * vector) });
                    for (totals, bytes) in totals.iter_mut().zip(bytes) {
                        totals[vector] = dot::<1>(dot::<0>(totals[vector], bytes, left), bytes, right);
                    }
                }
            }
            for (totals, sums) in totals.iter().zip(sums.iter_mut()) {
                for (vector, total) in totals.iter().enumerate() {
                    add(&mut sums[part + 4 * vector..], *total);
                }
            }
        }
    }

    #[target_feature(enable = "neon,i8mm")]
    #[inline]
    fn tile_by_matrices<const R: usize>(rows: &[u8], block: &[i8], sums: &mut [[i32; BLOCK]; R]) {
        match R {
            1..=2 => tile_of_pairs_of_rows::<R, 1>(rows, block, sums),
            3..=4 => tile_of_pairs_of_rows::<R, 2>(rows, block, sums),
            _ => tile_of_pairs_of_rows::<R, 3>(rows, block, sums),
        }
    }

    /// Adds the products of two rows of eight bytes with two columns of eight weights: of the first row with both columns, then
    /// of the second.
    #[target_feature(enable = "neon,i8mm")]
    #[inline]
    fn matrices(mut sums: int32x4_t, bytes: uint8x16_t, weights: int32x4_t) -> int32x4_t {
        // SAFETY: reads and writes these registers alone. Its function, `vusmmlaq_s32`, is not stable yet.
        unsafe {
            asm!(
                "usmmla {sums:v}.4s, {bytes:v}.16b, {weights:v}.16b",
                sums = inout(vreg) sums,
                bytes = in(vreg) bytes,
                weights = in(vreg) weights,
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        sums
    }

    /// Multiplies `PAIRS` pairs of rows; where `R` is odd, the last row is paired with itself.
    #[target_feature(enable = "neon,i8mm")]
    #[inline]
    fn tile_of_pairs_of_rows<const R: usize, const PAIRS: usize>(
        rows: &[u8],
        block: &[i8],
        sums: &mut [[i32; BLOCK]; R],
    ) {
        /// Vectors of four columns whose sums fit the 32 registers beside what else is needed, for up to three pairs.
        const VECTORS: usize = 4;
        let groups = groups::<R>(rows, block);
        let width = groups * GROUP;
        for part in (0..BLOCK).step_by(4 * VECTORS) {
            let mut totals = [[[vdupq_n_s32(0); 2]; VECTORS]; PAIRS];
            for first in (0..groups).step_by(2) {
                let bytes: [uint8x16_t; PAIRS] = std::array::from_fn(|pair| {
                    let [upper, lower] = [2 * pair, 2 * pair + 1].map(|row| {
                        // SAFETY: the row, less than R, begins at `row * width`, and 8 bytes of its groups are left.
                        unsafe { vld1_u8(rows.as_ptr().add(row.min(R - 1) * width + first * GROUP)) }
                    });
                    vcombine_u8(upper, lower)
                });
                for vector in 0..VECTORS {
                    // SAFETY: `first + 1` is less than `groups`, and the columns lie within the block.
                    let [left, right] = [0, 1]
                        .map(|next| vreinterpretq_s32_s8(unsafe { weights(block, first + next, part + 4 * vector) }));
                    // A column's eight weights beside each other, two columns in a vector.
                    let columns = [vzip1q_s32(left, right), vzip2q_s32(left, right)];
                    for (totals, bytes) in totals.iter_mut().zip(bytes) {
                        for (total, columns) in totals[vector].iter_mut().zip(columns) {
                            *total = matrices(*total, bytes, columns);
                        }
                    }
                }
            }
            for (pair, totals) in totals.iter().enumerate() {
                for (vector, [left, right]) in totals.iter().enumerate() {
                    let [left, right] = [vreinterpretq_s64_s32(*left), vreinterpretq_s64_s32(*right)];
                    let [upper, lower] =
                        [vtrn1q_s64(left, right), vtrn2q_s64(left, right)].map(|sums| vreinterpretq_s32_s64(sums));
                    add(&mut sums[2 * pair][part + 4 * vector..], upper);
                    if 2 * pair + 1 < R {
                        add(&mut sums[2 * pair + 1][part + 4 * vector..], lower);
                    }
                }
            }
        }
    }

    /// Multiplies with the instructions that every processor has. A product is at most 128 * 127, and two fit 16 bits.
    #[target_feature(enable = "neon")]
    #[inline]
    fn tile_by_pairs<const R: usize>(rows: &[u8], block: &[i8], sums: &mut [[i32; BLOCK]; R]) {
        /// Vectors of four columns whose sums fit the 32 registers beside what else is needed, for up to four rows.
        const VECTORS: usize = 2;
        let groups = groups::<R>(rows, block);
        let width = groups * GROUP;
        let middle = vdupq_n_s8(-128);
        for part in (0..BLOCK).step_by(4 * VECTORS) {
            // Of two columns each, two sums a column.
            let mut totals = [[[vdupq_n_s32(0); 2]; VECTORS]; R];
            for first in (0..groups).step_by(2) {
                let columns: [[int8x16_t; 2]; VECTORS] = std::array::from_fn(|vector| {
                    // SAFETY: `first + 1` is less than `groups`, and the columns lie within the block.
                    [0, 1].map(|next| unsafe { weights(block, first + next, part + 4 * vector) })
                });
                for (row, totals) in totals.iter_mut().enumerate() {
                    let bytes = [0, 1].map(|next| {
                        let place = row * width + (first + next) * GROUP;
                        // SAFETY: row `row` of R begins at `row * width`, and has `groups` groups of 4 bytes.
                        let bytes = unsafe { rows.as_ptr().add(place).cast::<i32>().read_unaligned() };
                        veorq_s8(vreinterpretq_s8_s32(vdupq_n_s32(bytes)), middle)
                    });
                    for ([low, high], columns) in totals.iter_mut().zip(columns) {
                        let sums = vmull_s8(vget_low_s8(bytes[0]), vget_low_s8(columns[0]));
                        let sums = vmlal_s8(sums, vget_low_s8(bytes[1]), vget_low_s8(columns[1]));
                        *low = vpadalq_s16(*low, sums);
                        let sums = vmull_high_s8(bytes[0], columns[0]);
                        *high = vpadalq_s16(*high, vmlal_high_s8(sums, bytes[1], columns[1]));
                    }
                }
            }
            for (totals, sums) in totals.iter().zip(sums.iter_mut()) {
                for (vector, [low, high]) in totals.iter().enumerate() {
                    add(&mut sums[part + 4 * vector..], vpaddq_s32(*low, *high));
                }
            }
        }
    }
}
