//! ByteProducts of bytes, with dot-product instructions and with those that every processor has.

#![expect(unsafe_code, reason = "vectors are loaded and stored by address, and an instruction has no function yet")]

use std::arch::aarch64::*;
use std::arch::asm;

use super::super::GROUP;

/// Loads the weights of one group for four columns, starting at `column`.
///
/// # Safety
/// The block has this group with `COLUMNS` columns, and three more columns follow `column`.
#[target_feature(enable = "neon")]
#[inline]
pub(super) unsafe fn weights<const COLUMNS: usize>(block: &[i8], group: usize, column: usize) -> int8x16_t {
    // SAFETY: a group has 4 bytes for each column, and 4 columns are left.
    unsafe { vld1q_s8(block.as_ptr().add((group * COLUMNS + column) * GROUP)) }
}

/// Adds four totals to the sums of four columns.
#[target_feature(enable = "neon")]
#[inline]
pub(super) fn add(sums: &mut [i32], total: int32x4_t) {
    let sums: &mut [i32; 4] = sums.first_chunk_mut().expect("a block is a multiple of four columns");
    // SAFETY: four numbers of four bytes are the 16 bytes that are read and written.
    unsafe { vst1q_s32(sums.as_mut_ptr(), vaddq_s32(vld1q_s32(sums.as_ptr()), total)) };
}

/// Returns the number of groups of inputs.
pub(super) fn groups<const R: usize, const COLUMNS: usize>(rows: &[u8], block: &[i8]) -> usize {
    let groups = block.len() / COLUMNS / GROUP;
    assert!(rows.len() >= R * groups * GROUP && block.len() == groups * GROUP * COLUMNS && groups.is_multiple_of(4));
    groups
}

/// Adds to four sums the products of the four bytes in lane `LANE` with four times four weights.
#[target_feature(enable = "neon,dotprod")]
#[inline]
fn dot<const LANE: i32>(mut sums: int32x4_t, bytes: int8x16_t, weights: int8x16_t) -> int32x4_t {
    // SAFETY: the instruction reads and writes only these registers. Its intrinsic, `vdotq_laneq_s32`, is not stable yet.
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

/// Loads 16 bytes, starting at `place`, of each of `R` rows of `width` bytes, and subtracts 128.
///
/// # Safety
/// Each row has these bytes.
#[target_feature(enable = "neon")]
#[inline]
unsafe fn signed<const R: usize>(rows: &[u8], width: usize, place: usize) -> [int8x16_t; R] {
    let mut bytes = [vdupq_n_s8(-128); R];
    for (row, bytes) in bytes.iter_mut().enumerate() {
        // SAFETY: guaranteed by the caller.
        let read = unsafe { vld1q_u8(rows.as_ptr().add(row * width + place)) };
        *bytes = veorq_s8(vreinterpretq_s8_u8(read), *bytes);
    }
    bytes
}

#[target_feature(enable = "neon,dotprod")]
#[inline]
pub(super) fn tile_by_dots<const R: usize, const COLUMNS: usize>(
    rows: &[u8],
    block: &[i8],
    sums: &mut [[i32; COLUMNS]; R],
) {
    /// Vectors of sums per row that fit into the 32 registers besides the other operands, for up to four rows.
    const VECTORS: usize = 4;
    let groups = groups::<R, COLUMNS>(rows, block);
    for part in (0..COLUMNS).step_by(4 * VECTORS) {
        let mut totals = [[vdupq_n_s32(0); R]; VECTORS];
        for first in (0..groups).step_by(4) {
            // SAFETY: 16 bytes are left of each row.
            let bytes = unsafe { signed::<R>(rows, groups * GROUP, first * GROUP) };
            // Unrolled by hand: the compiler keeps a loop here, with the sums in memory.
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

/// Adds to four sums per row the products of 16 bytes with the weights of four groups of four columns, starting at `(group, column)`.
///
/// # Safety
/// As [`weights`], for the last of the four groups.
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
        // SAFETY: guaranteed by the caller.
        *columns = unsafe { weights::<COLUMNS>(block, group + next, column) };
    }
    for (total, bytes) in totals.iter_mut().zip(bytes) {
        let first = dot::<1>(dot::<0>(*total, bytes, columns[0]), bytes, columns[1]);
        *total = dot::<3>(dot::<2>(first, bytes, columns[2]), bytes, columns[3]);
    }
}

/// Multiplies with the instructions that every processor has. A product is at most 128 * 127, so two fit into 16 bits.
#[target_feature(enable = "neon")]
#[inline]
pub(super) fn tile_by_pairs<const R: usize, const COLUMNS: usize>(
    rows: &[u8],
    block: &[i8],
    sums: &mut [[i32; COLUMNS]; R],
) {
    /// Vectors of four columns whose sums fit into the 32 registers besides the other operands, for up to four rows.
    const VECTORS: usize = 2;
    let groups = groups::<R, COLUMNS>(rows, block);
    for part in (0..COLUMNS).step_by(4 * VECTORS) {
        // Each vector holds two columns, with two partial sums per column.
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

/// Adds the products of the groups `LEFT` and `RIGHT` in each row's 16 bytes with the weights of these two groups.
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
