//! The instruction sets of 64-bit ARM.

#![expect(unsafe_code, reason = "calls functions that are compiled for instructions which not every processor has")]

use super::super::Arithmetic;
use super::super::plain::{ByteProducts, InstructionSet, Product};
use super::super::portable::compiled_with;
use super::lanes::Lanes128;
use super::{bytes, floats, matrices};

/// Returns the instruction sets that this processor supports, fastest first.
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

/// Implements [`InstructionSet`] and [`ByteProducts`] for a set: the value that it subtracts from a byte, its function for `R` rows,
/// and, if it needs them, the functions that rearrange rows and weights.
macro_rules! unit {
    ($type:ident, $middle:literal, $tile:expr $(, $rows:expr, $blocks:expr)?) => {
        impl InstructionSet for $type {
            type Fine = Self;
            type Coarse = Self;

            type Lanes = Lanes128;

            #[inline(always)]
            fn multiply<const R: usize>(product: Product<'_>, output: &mut [f32], row: usize) {
                // SAFETY: only the steps of a set with these instructions call this, and they run only where the processor has them.
                unsafe { floats::multiply::<R>(product, output, row) }
            }
        }

        impl ByteProducts for $type {
            const GREATEST: u8 = 255;
            const MIDDLE: i32 = $middle;

            $(
                #[inline(always)]
                fn arrange_rows<const TILE: usize>(rows: &[u8], width: usize, scratch: &mut Vec<u8>) -> bool {
                    // SAFETY: as above.
                    unsafe { $rows(rows, width, scratch) }
                    true
                }

                #[inline(always)]
                fn arrange_blocks<const COLUMNS: usize>(blocks: &[i8], inputs: usize, scratch: &mut Vec<i8>) -> bool {
                    // SAFETY: as above.
                    unsafe { $blocks(blocks, inputs, scratch) }
                    true
                }
            )?

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
unit!(Matrices, 0, matrices::tile::<R, COLUMNS>, matrices::arrange_rows::<TILE>, matrices::arrange_blocks::<COLUMNS>);

struct Dot;
compiled_with!("neon,dotprod", Dot, "NEON with dot products", rows 4, attend in bytes, queries 4);
unit!(Dot, 128, bytes::tile_by_dots::<R, COLUMNS>);

struct Neon;
compiled_with!("neon", Neon, "NEON", rows 3, attend in floats, queries 4);
unit!(Neon, 128, bytes::tile_by_pairs::<R, COLUMNS>);
