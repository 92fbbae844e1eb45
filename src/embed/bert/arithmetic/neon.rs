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
    use super::super::{Arithmetic, GROUP};

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
                fn tile<const R: usize, const COLUMNS: usize>(
                    rows: &[u8],
                    block: &[i8],
                    sums: &mut [[i32; COLUMNS]; R],
                ) {
                    // SAFETY: as above.
                    unsafe { $tile(rows, block, sums) }
                }
            }
        };
    }

    struct Matrices;
    compiled_with!("neon,i8mm", Matrices, "NEON with i8mm", rows 10, attend in bytes, queries 10);
    unit!(Matrices, 0, tile_by_matrices::<R, COLUMNS>);

    struct Dot;
    compiled_with!("neon,dotprod", Dot, "NEON with dot products", rows 4, attend in bytes, queries 4);
    unit!(Dot, 128, tile_by_dots::<R, COLUMNS>);

    struct Neon;
    compiled_with!("neon", Neon, "NEON", rows 3, attend in floats, queries 4);
    unit!(Neon, 128, tile_by_pairs::<R, COLUMNS>);

    /// [`Unit::multiply`] with four vectors of four numbers, for up to four rows.
    #[target_feature(enable = "neon")]
    #[inline]
    fn multiply<const R: usize>(product: Product<'_>, output: &mut [f32], row: usize) {
        product.check(R, 16, output, row);
        let Product { left, left_row, right, right_row, depth } = product;
        let mut sums = [[vdupq_n_f32(0.0); 4]; R];
        let line = |place: usize| -> [float32x4_t; 4] {
            let mut line = [vdupq_n_f32(0.0); 4];
            for (part, numbers) in line.iter_mut().enumerate() {
                // SAFETY: each of `depth` rows of `right` has 16 numbers, as was checked.
                *numbers = unsafe { vld1q_f32(right.as_ptr().add(place * right_row + 4 * part)) };
            }
            line
        };
        let whole = depth - depth % 4;
        for place in (0..whole).step_by(4) {
            let mut factors = [vdupq_n_f32(0.0); R];
            for (r, factors) in factors.iter_mut().enumerate() {
                // SAFETY: each of `R` rows of `left` has `depth` numbers, four of which are left.
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
                // SAFETY: as above, one of which is left.
                *factors = unsafe { vld1q_dup_f32(left.as_ptr().add(r * left_row + place)) };
            }
            add_multiples::<0, R>(&mut sums, line(place), factors);
        }
        for (r, sums) in sums.iter().enumerate() {
            for (part, sum) in sums.iter().enumerate() {
                // SAFETY: each of `R` rows of `output` has room for 16 numbers, as was checked.
                unsafe { vst1q_f32(output.as_mut_ptr().add(r * row + 4 * part), *sum) };
            }
        }
    }

    /// Adds `right` times lane `LANE` of each row's factors to its sums.
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

    /// Reads the weights of four columns from `column` on, of one group.
    ///
    /// # Safety
    /// The block has so many groups of `COLUMNS` columns, and three more columns follow.
    #[target_feature(enable = "neon")]
    #[inline]
    unsafe fn weights<const COLUMNS: usize>(block: &[i8], group: usize, column: usize) -> int8x16_t {
        // SAFETY: a group has 4 bytes for each column, and 4 columns are left.
        unsafe { vld1q_s8(block.as_ptr().add((group * COLUMNS + column) * GROUP)) }
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
    fn groups<const R: usize, const COLUMNS: usize>(rows: &[u8], block: &[i8]) -> usize {
        let groups = rows.len() / R / GROUP;
        assert!(
            rows.len() == R * groups * GROUP && block.len() == groups * GROUP * COLUMNS && groups.is_multiple_of(4)
        );
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

    /// Returns 16 bytes from `place` on of each of `R` rows of `width` bytes, less 128.
    ///
    /// # Safety
    /// Each row has them.
    #[target_feature(enable = "neon")]
    #[inline]
    unsafe fn signed<const R: usize>(rows: &[u8], width: usize, place: usize) -> [int8x16_t; R] {
        let mut bytes = [vdupq_n_s8(-128); R];
        for (row, bytes) in bytes.iter_mut().enumerate() {
            // SAFETY: as the caller says.
            let read = unsafe { vld1q_u8(rows.as_ptr().add(row * width + place)) };
            *bytes = veorq_s8(vreinterpretq_s8_u8(read), *bytes);
        }
        bytes
    }

    #[target_feature(enable = "neon,dotprod")]
    #[inline]
    fn tile_by_dots<const R: usize, const COLUMNS: usize>(rows: &[u8], block: &[i8], sums: &mut [[i32; COLUMNS]; R]) {
        /// Vectors of sums that fit the 32 registers beside what else is needed, for up to four rows.
        const VECTORS: usize = 4;
        let groups = groups::<R, COLUMNS>(rows, block);
        for part in (0..COLUMNS).step_by(4 * VECTORS) {
            let mut totals = [[vdupq_n_s32(0); R]; VECTORS];
            for first in (0..groups).step_by(4) {
                // SAFETY: 16 bytes are left of each row.
                let bytes = unsafe { signed::<R>(rows, groups * GROUP, first * GROUP) };
                // Not a loop, which the compiler would leave one, with the sums in memory.
                // SAFETY: `first + 3` is less than `groups`, and the columns lie within the block.
                unsafe {
                    add_dots::<R, COLUMNS>(&mut totals[0], bytes, block, (first, part));
                    add_dots::<R, COLUMNS>(&mut totals[1], bytes, block, (first, part + 4));
                    add_dots::<R, COLUMNS>(&mut totals[2], bytes, block, (first, part + 8));
                    add_dots::<R, COLUMNS>(&mut totals[3], bytes, block, (first, part + 12));
                }
            }
            for (vector, totals) in totals.iter().enumerate() {
                for (total, sums) in totals.iter().zip(sums.iter_mut()) {
                    add(&mut sums[part + 4 * vector..], *total);
                }
            }
        }
    }

    /// Adds to four sums a row the products of 16 bytes with the weights of four groups of four columns from `(group, column)` on.
    ///
    /// # Safety
    /// As [`weights`], for the last of the groups.
    #[target_feature(enable = "neon,dotprod")]
    #[inline]
    unsafe fn add_dots<const R: usize, const COLUMNS: usize>(
        totals: &mut [int32x4_t; R],
        bytes: [int8x16_t; R],
        block: &[i8],
        (group, column): (usize, usize),
    ) {
        let mut columns = [vdupq_n_s8(0); 4];
        for (next, columns) in columns.iter_mut().enumerate() {
            // SAFETY: as the caller says.
            *columns = unsafe { weights::<COLUMNS>(block, group + next, column) };
        }
        for (total, bytes) in totals.iter_mut().zip(bytes) {
            let first = dot::<1>(dot::<0>(*total, bytes, columns[0]), bytes, columns[1]);
            *total = dot::<3>(dot::<2>(first, bytes, columns[2]), bytes, columns[3]);
        }
    }

    #[target_feature(enable = "neon,i8mm")]
    #[inline]
    fn tile_by_matrices<const R: usize, const COLUMNS: usize>(
        rows: &[u8],
        block: &[i8],
        sums: &mut [[i32; COLUMNS]; R],
    ) {
        match R {
            1..=2 => tile_of_pairs_of_rows::<R, COLUMNS, 1>(rows, block, sums),
            3..=4 => tile_of_pairs_of_rows::<R, COLUMNS, 2>(rows, block, sums),
            5..=8 => tile_of_pairs_of_rows::<R, COLUMNS, 4>(rows, block, sums),
            _ => tile_of_pairs_of_rows::<R, COLUMNS, 5>(rows, block, sums),
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

    /// Multiplies `PAIRS` pairs of rows; where there are fewer, the last row stands in for those that are missing.
    #[target_feature(enable = "neon,i8mm")]
    #[inline]
    fn tile_of_pairs_of_rows<const R: usize, const COLUMNS: usize, const PAIRS: usize>(
        rows: &[u8],
        block: &[i8],
        sums: &mut [[i32; COLUMNS]; R],
    ) {
        /// Vectors of four columns whose sums fit the 32 registers beside what else is needed, for up to five pairs.
        const VECTORS: usize = 2;
        /// Bytes of each row that are laid out at a time.
        const PART: usize = 512;
        let groups = groups::<R, COLUMNS>(rows, block);
        let width = groups * GROUP;
        // Eight bytes of a row beside eight of the next, pair after pair.
        let mut pairs = [[[vdupq_n_u8(0); PAIRS]; 2]; PART / 16];
        for from in (0..width).step_by(PART) {
            let sixteens = (width - from).min(PART) / 16;
            for (at, pairs) in pairs[..sixteens].iter_mut().enumerate() {
                for pair in 0..PAIRS {
                    let line = |row: usize| {
                        let place = row.min(R - 1) * width + from + 16 * at;
                        // SAFETY: the row, less than R, begins at its multiple of `width`, and 16 bytes of it are left.
                        vreinterpretq_u64_u8(unsafe { vld1q_u8(rows.as_ptr().add(place)) })
                    };
                    let (upper, lower) = (line(2 * pair), line(2 * pair + 1));
                    pairs[0][pair] = vreinterpretq_u8_u64(vzip1q_u64(upper, lower));
                    pairs[1][pair] = vreinterpretq_u8_u64(vzip2q_u64(upper, lower));
                }
            }
            for part in (0..COLUMNS).step_by(4 * VECTORS) {
                let mut totals = [[[vdupq_n_s32(0); 2]; VECTORS]; PAIRS];
                for (at, eights) in pairs[..sixteens].iter().enumerate() {
                    for (eight, bytes) in eights.iter().enumerate() {
                        let first = from / GROUP + 4 * at + 2 * eight;
                        for vector in 0..VECTORS {
                            // SAFETY: `first + 1` is less than `groups`, and the columns lie within the block.
                            let weights = |group| unsafe { weights::<COLUMNS>(block, group, part + 4 * vector) };
                            let left = vreinterpretq_s32_s8(weights(first));
                            let right = vreinterpretq_s32_s8(weights(first + 1));
                            // A column's eight weights beside each other, two columns in a vector.
                            let columns = [vzip1q_s32(left, right), vzip2q_s32(left, right)];
                            for (totals, bytes) in totals.iter_mut().zip(bytes) {
                                for (total, columns) in totals[vector].iter_mut().zip(columns) {
                                    *total = matrices(*total, *bytes, columns);
                                }
                            }
                        }
                    }
                }
                for (pair, totals) in totals.iter().enumerate() {
                    for (vector, [left, right]) in totals.iter().enumerate() {
                        let [left, right] = [vreinterpretq_s64_s32(*left), vreinterpretq_s64_s32(*right)];
                        let both = [vtrn1q_s64(left, right), vtrn2q_s64(left, right)];
                        for (row, total) in (2 * pair..R).zip(both) {
                            add(&mut sums[row][part + 4 * vector..], vreinterpretq_s32_s64(total));
                        }
                    }
                }
            }
        }
    }

    /// Multiplies with the instructions that every processor has. A product is at most 128 * 127, and two fit 16 bits.
    #[target_feature(enable = "neon")]
    #[inline]
    fn tile_by_pairs<const R: usize, const COLUMNS: usize>(rows: &[u8], block: &[i8], sums: &mut [[i32; COLUMNS]; R]) {
        /// Vectors of four columns whose sums fit the 32 registers beside what else is needed, for up to four rows.
        const VECTORS: usize = 2;
        let groups = groups::<R, COLUMNS>(rows, block);
        for part in (0..COLUMNS).step_by(4 * VECTORS) {
            // Of two columns each, two sums a column.
            let mut totals = [[[vdupq_n_s32(0); 2]; VECTORS]; R];
            for first in (0..groups).step_by(4) {
                // SAFETY: 16 bytes are left of each row.
                let bytes = unsafe { signed::<R>(rows, groups * GROUP, first * GROUP) };
                let columns = |group: usize| -> [[int8x16_t; 2]; VECTORS] {
                    let mut columns = [[vdupq_n_s8(0); 2]; VECTORS];
                    for (vector, columns) in columns.iter_mut().enumerate() {
                        for (next, weights) in columns.iter_mut().enumerate() {
                            // SAFETY: `first + 3` is less than `groups`, and the columns lie within the block.
                            *weights = unsafe { self::weights::<COLUMNS>(block, group + next, part + 4 * vector) };
                        }
                    }
                    columns
                };
                add_pairs::<0, 1, R, VECTORS>(&mut totals, bytes, columns(first));
                add_pairs::<2, 3, R, VECTORS>(&mut totals, bytes, columns(first + 2));
            }
            for (totals, sums) in totals.iter().zip(sums.iter_mut()) {
                for (vector, [low, high]) in totals.iter().enumerate() {
                    add(&mut sums[part + 4 * vector..], vpaddq_s32(*low, *high));
                }
            }
        }
    }

    /// Adds the products of groups `LEFT` and `RIGHT` of each row's 16 bytes with the weights of these two groups.
    #[target_feature(enable = "neon")]
    #[inline]
    fn add_pairs<const LEFT: i32, const RIGHT: i32, const R: usize, const VECTORS: usize>(
        totals: &mut [[[int32x4_t; 2]; VECTORS]; R],
        bytes: [int8x16_t; R],
        columns: [[int8x16_t; 2]; VECTORS],
    ) {
        for (totals, bytes) in totals.iter_mut().zip(bytes) {
            let bytes = vreinterpretq_s32_s8(bytes);
            let left = vreinterpretq_s8_s32(vdupq_laneq_s32::<LEFT>(bytes));
            let right = vreinterpretq_s8_s32(vdupq_laneq_s32::<RIGHT>(bytes));
            for ([low, high], columns) in totals.iter_mut().zip(columns) {
                let sums = vmull_s8(vget_low_s8(left), vget_low_s8(columns[0]));
                *low = vpadalq_s16(*low, vmlal_s8(sums, vget_low_s8(right), vget_low_s8(columns[1])));
                let sums = vmull_high_s8(left, columns[0]);
                *high = vpadalq_s16(*high, vmlal_high_s8(sums, right, columns[1]));
            }
        }
    }
}
