//! ByteProducts of bytes as matrices (i8mm).
//!
//! One instruction multiplies two rows with two columns, eight bytes of each. It needs the bytes of the two rows side by
//! side, and those of the two columns as well. Rows and weights are therefore rearranged once, before all their products.

#![expect(unsafe_code, reason = "vectors are loaded and stored by address, and an instruction has no function yet")]

use std::arch::aarch64::*;
use std::arch::asm;

use super::super::GROUP;
use super::super::plain::height;
use super::bytes::{add, groups, weights};

/// Multiplies `R` rows, at most ten, with a block. Both are already rearranged.
#[target_feature(enable = "neon,i8mm")]
#[inline]
pub(super) fn tile<const R: usize, const COLUMNS: usize>(rows: &[u8], block: &[i8], sums: &mut [[i32; COLUMNS]; R]) {
    match R {
        1..=2 => tile_of_pairs_of_rows::<R, COLUMNS, 1>(rows, block, sums),
        3..=4 => tile_of_pairs_of_rows::<R, COLUMNS, 2>(rows, block, sums),
        5..=6 => tile_of_pairs_of_rows::<R, COLUMNS, 3>(rows, block, sums),
        7..=8 => tile_of_pairs_of_rows::<R, COLUMNS, 4>(rows, block, sums),
        _ => tile_of_pairs_of_rows::<R, COLUMNS, 5>(rows, block, sums),
    }
}

/// Adds the products of two rows of eight bytes with two columns of eight weights: first row with both columns, then second row.
#[target_feature(enable = "neon,i8mm")]
#[inline]
fn matrices(mut sums: int32x4_t, bytes: uint8x16_t, weights: int8x16_t) -> int32x4_t {
    // SAFETY: the instruction reads and writes only these registers. Its intrinsic, `vusmmlaq_s32`, is not stable yet.
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

/// Number of columns that [`tile_of_pairs_of_rows`] sums up at a time. Their sums fit into the 32 registers besides the
/// other operands, for up to five pairs of rows.
const PART: usize = 8;

/// Interleaves eight bytes of a row with eight of the next row, for each pair of rows that are multiplied together. The
/// last row of an odd number is paired with itself.
#[target_feature(enable = "neon")]
#[inline]
pub(super) fn arrange_rows<const TILE: usize>(rows: &[u8], width: usize, scratch: &mut Vec<u8>) {
    assert!(width.is_multiple_of(16) && TILE.is_multiple_of(2));
    let count = rows.len() / width;
    scratch.resize(count.next_multiple_of(2) * width, 0);
    let mut first = 0;
    while first < count {
        let height = height::<TILE>(count - first);
        let pairs = height.div_ceil(2);
        let places = &mut scratch[first * width..][..2 * pairs * width];
        for pair in 0..pairs {
            let line = |row: usize| rows[(first + row).min(count - 1) * width..][..width].as_chunks::<16>().0;
            let lines = line(2 * pair).iter().zip(line(2 * pair + 1));
            for (at, (upper, lower)) in lines.enumerate() {
                // SAFETY: 16 bytes are read of each row, and each 16 bytes of each row have a place.
                unsafe {
                    let upper = vreinterpretq_u64_u8(vld1q_u8(upper.as_ptr()));
                    let lower = vreinterpretq_u64_u8(vld1q_u8(lower.as_ptr()));
                    let place = places.as_mut_ptr().add(16 * (2 * at * pairs + pair));
                    vst1q_u8(place, vreinterpretq_u8_u64(vzip1q_u64(upper, lower)));
                    vst1q_u8(place.add(16 * pairs), vreinterpretq_u8_u64(vzip2q_u64(upper, lower)));
                }
            }
        }
        first += height;
    }
}

/// Groups eight columns at a time and stores eight weights of each column side by side.
#[target_feature(enable = "neon")]
#[inline]
pub(super) fn arrange_blocks<const COLUMNS: usize>(blocks: &[i8], inputs: usize, scratch: &mut Vec<i8>) {
    assert!(inputs.is_multiple_of(2 * GROUP) && COLUMNS.is_multiple_of(PART));
    scratch.resize(blocks.len(), 0);
    let arranged = scratch.chunks_exact_mut(inputs * COLUMNS);
    for (block, arranged) in blocks.chunks_exact(inputs * COLUMNS).zip(arranged) {
        for (part, arranged) in arranged.chunks_exact_mut(inputs * PART).enumerate() {
            for (eight, places) in arranged.as_chunks_mut::<{ 8 * PART }>().0.iter_mut().enumerate() {
                for (four, places) in places.as_chunks_mut::<32>().0.iter_mut().enumerate() {
                    let column = part * PART + four * 4;
                    // SAFETY: `2 * eight + 1` is less than the number of groups, and the columns lie within the block.
                    let weights = |group| vreinterpretq_s32_s8(unsafe { weights::<COLUMNS>(block, group, column) });
                    let (left, right) = (weights(2 * eight), weights(2 * eight + 1));
                    let [first, second] = [vzip1q_s32(left, right), vzip2q_s32(left, right)];
                    // SAFETY: there are 32 places.
                    unsafe {
                        vst1q_s8(places.as_mut_ptr(), vreinterpretq_s8_s32(first));
                        vst1q_s8(places.as_mut_ptr().add(16), vreinterpretq_s8_s32(second));
                    }
                }
            }
        }
    }
}

/// Multiplies `PAIRS` pairs of rearranged rows. The results of a duplicated last row are dropped.
#[target_feature(enable = "neon,i8mm")]
#[inline]
fn tile_of_pairs_of_rows<const R: usize, const COLUMNS: usize, const PAIRS: usize>(
    rows: &[u8],
    block: &[i8],
    sums: &mut [[i32; COLUMNS]; R],
) {
    let width = groups::<R, COLUMNS>(rows, block) * GROUP;
    let bytes = rows[..2 * PAIRS * width].as_chunks::<16>().0.as_chunks::<PAIRS>().0;
    for part in (0..COLUMNS).step_by(PART) {
        let mut totals = [[vdupq_n_s32(0); PART / 2]; PAIRS];
        let weights = block[part * width..][..PART * width].as_chunks::<16>().0.as_chunks::<{ PART / 2 }>().0;
        for (weights, bytes) in weights.iter().zip(bytes) {
            for (two, weights) in weights.iter().enumerate() {
                // SAFETY: 16 bytes are read.
                let columns = unsafe { vld1q_s8(weights.as_ptr()) };
                for (totals, bytes) in totals.iter_mut().zip(bytes) {
                    // SAFETY: as above.
                    let bytes = unsafe { vld1q_u8(bytes.as_ptr()) };
                    totals[two] = matrices(totals[two], bytes, columns);
                }
            }
        }
        for (pair, totals) in totals.iter().enumerate() {
            for (four, columns) in totals.as_chunks::<2>().0.iter().enumerate() {
                let [left, right] = [vreinterpretq_s64_s32(columns[0]), vreinterpretq_s64_s32(columns[1])];
                let both = [vtrn1q_s64(left, right), vtrn2q_s64(left, right)];
                for (row, total) in (2 * pair..R).zip(both) {
                    add(&mut sums[row][part + 4 * four..], vreinterpretq_s32_s64(total));
                }
            }
        }
    }
}
