//! The instruction sets of x86-64.

#![expect(unsafe_code, reason = "calls functions that are compiled for instructions which not every processor has")]

use super::super::plain::{ByteProducts, InstructionSet, Product};
use super::super::portable::compiled_with;
use super::super::{Arithmetic, BLOCK};
use super::lanes::{Lanes128, Lanes256, Lanes512};
use super::{bytes, floats};

/// Returns the instruction sets that this processor supports, fastest first.
pub(in super::super) fn detect() -> Vec<&'static dyn Arithmetic> {
    let mut found: Vec<&'static dyn Arithmetic> = Vec::new();
    let has_fma = is_x86_feature_detected!("fma");
    if has_fma
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vnni")
    {
        found.push(&Avx512);
    }
    if has_fma && is_x86_feature_detected!("avx2") {
        if is_x86_feature_detected!("avxvnni") {
            found.push(&AvxVnni);
        }
        found.push(&Avx2);
    }
    if is_x86_feature_detected!("sse4.1") && is_x86_feature_detected!("ssse3") {
        found.push(&Sse);
    }
    found
}

/// Implements [`InstructionSet`] for AVX2 and its successors, with their products for either precision.
macro_rules! unit {
    ($type:ident, fine $fine:ident, coarse $coarse:ident, lanes $lanes:ident, columns $columns:literal, $multiply:ident) => {
        impl InstructionSet for $type {
            type Fine = $fine;
            type Coarse = $coarse;

            type Lanes = $lanes;

            const COLUMNS: usize = $columns;

            #[inline(always)]
            fn multiply<const R: usize>(product: Product<'_>, output: &mut [f32], row: usize) {
                // SAFETY: only the steps of a set with these instructions call this, and they run only where the processor has them.
                unsafe { floats::$multiply::<R>(product, output, row) }
            }

            #[inline(always)]
            fn transpose(square: [&[f32; 8]; 8], output: &mut [f32], row: usize) {
                // SAFETY: as above; each of these sets includes AVX2.
                unsafe { floats::transpose(square, output, row) }
            }
        }
    };
}

/// Implements [`ByteProducts`]: the maximum byte, the functions for one row, for two to three and for more, and the
/// function for a narrow block (fewer than `BLOCK` columns).
macro_rules! products {
    ($type:ident, $greatest:literal, $one:expr, $few:expr, $many:expr, $narrow:expr) => {
        impl ByteProducts for $type {
            const GREATEST: u8 = $greatest;
            const MIDDLE: i32 = 0;

            #[inline(always)]
            fn tile<const R: usize, const COLUMNS: usize>(rows: &[u8], block: &[i8], sums: &mut [[i32; COLUMNS]; R]) {
                // SAFETY: only the steps of a set with these instructions call this, and they run only where the processor has them.
                unsafe {
                    match R {
                        _ if COLUMNS < BLOCK => $narrow(rows, block, sums),
                        1 => $one(rows, block, sums),
                        2..=3 => $few(rows, block, sums),
                        _ => $many(rows, block, sums),
                    }
                }
            }
        }
    };
}

struct Avx512;
compiled_with!("avx512f,avx512bw,avx512vl,avx512vnni,fma", Avx512, "AVX-512 VNNI", rows 6, attend in bytes, queries 6);
unit!(Avx512, fine Avx512, coarse Avx512, lanes Lanes512, columns 32, multiply_512);
products!(
    Avx512,
    255,
    bytes::tile_512::<R, COLUMNS, 4>,
    bytes::tile_512::<R, COLUMNS, 4>,
    bytes::tile_512::<R, COLUMNS, 4>,
    bytes::tile_512::<R, COLUMNS, 2>
);

struct AvxVnni;
compiled_with!("avx2,fma,avxvnni", AvxVnni, "AVX-VNNI", rows 6, attend in bytes, queries 6);
unit!(AvxVnni, fine AvxVnni, coarse AvxVnni, lanes Lanes256, columns 16, multiply_256);
products!(
    AvxVnni,
    255,
    bytes::tile_vnni::<R, COLUMNS, 8>,
    bytes::tile_vnni::<R, COLUMNS, 4>,
    bytes::tile_vnni::<R, COLUMNS, 2>,
    bytes::tile_vnni::<R, COLUMNS, 2>
);

struct Avx2;
compiled_with!("avx2,fma", Avx2, "AVX2", rows 4, attend in floats, queries 6);
unit!(Avx2, fine Pairs, coarse Fours, lanes Lanes256, columns 16, multiply_256);

/// Sums two products in 16 bits.
struct Pairs;
products!(
    Pairs,
    254,
    bytes::tile_pairs::<R, COLUMNS, 8>,
    bytes::tile_pairs::<R, COLUMNS, 4>,
    bytes::tile_pairs::<R, COLUMNS, 2>,
    bytes::tile_pairs::<R, COLUMNS, 2>
);

/// Sums four products in 16 bits.
struct Fours;
products!(
    Fours,
    180,
    bytes::tile_fours::<R, COLUMNS, 4>,
    bytes::tile_fours::<R, COLUMNS, 2>,
    bytes::tile_fours::<R, COLUMNS, 2>,
    bytes::tile_fours::<R, COLUMNS, 2>
);

struct Sse;
compiled_with!("sse4.1,ssse3", Sse, "SSE4.1", rows 4, attend in floats, queries 4);

impl InstructionSet for Sse {
    type Fine = SsePairs;
    type Coarse = SseFours;

    type Lanes = Lanes128;
}

/// Sums two products in 16 bits.
struct SsePairs;
products!(
    SsePairs,
    254,
    bytes::sse_pairs::<R, COLUMNS, 8>,
    bytes::sse_pairs::<R, COLUMNS, 4>,
    bytes::sse_pairs::<R, COLUMNS, 2>,
    bytes::sse_pairs::<R, COLUMNS, 2>
);

/// Sums four products in 16 bits.
struct SseFours;
products!(
    SseFours,
    180,
    bytes::sse_fours::<R, COLUMNS, 4>,
    bytes::sse_fours::<R, COLUMNS, 2>,
    bytes::sse_fours::<R, COLUMNS, 2>,
    bytes::sse_fours::<R, COLUMNS, 2>
);
