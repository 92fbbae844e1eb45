//! ByteProducts of bytes.

#![expect(unsafe_code, reason = "vectors are loaded and stored by address")]

use std::arch::x86_64::*;

use super::super::GROUP;

/// Defines a tile of `V` vectors of `$columns` columns each, for each of `R` rows at a time. `$step` adds to a sum the
/// products of `$groups` groups of a row's bytes and weights.
macro_rules! tile {
    ($features:literal, $name:ident, $groups:literal, $step:path, $columns:literal, $zero:ident, $one:ident, $load:ident, $store:ident) => {
        #[target_feature(enable = $features)]
        #[inline]
        pub(super) fn $name<const R: usize, const COLUMNS: usize, const V: usize>(
            rows: &[u8],
            block: &[i8],
            sums: &mut [[i32; COLUMNS]; R],
        ) {
            const GROUPS: usize = $groups;
            let groups = block.len() / COLUMNS / GROUP;
            let width = groups * GROUP;
            assert!(rows.len() >= R * width && block.len() == width * COLUMNS);
            assert!(groups.is_multiple_of(GROUPS) && COLUMNS.is_multiple_of($columns * V));
            for part in (0..COLUMNS).step_by($columns * V) {
                let mut totals = [[$zero(); V]; R];
                for (totals, sums) in totals.iter_mut().zip(sums.iter()) {
                    for (total, sums) in totals.iter_mut().zip(sums[part..].chunks_exact($columns)) {
                        // SAFETY: a vector has room for exactly the 4-byte numbers that are read.
                        *total = unsafe { $load(sums.as_ptr().cast()) };
                    }
                }
                for first in (0..groups).step_by(GROUPS) {
                    let mut weights = [[$zero(); GROUPS]; V];
                    for (vector, weights) in weights.iter_mut().enumerate() {
                        for (group, weights) in weights.iter_mut().enumerate() {
                            let column = (first + group) * COLUMNS + part + vector * $columns;
                            // SAFETY: each of `groups` groups has 4 bytes per column, and a vector's worth of columns is left from here.
                            *weights = unsafe { $load(block.as_ptr().add(column * GROUP).cast()) };
                        }
                    }
                    for (row, totals) in totals.iter_mut().enumerate() {
                        let mut bytes = [$zero(); GROUPS];
                        for (group, bytes) in bytes.iter_mut().enumerate() {
                            let place = row * width + (first + group) * GROUP;
                            // SAFETY: row `row` of `R` starts at `row * width` and has `groups` groups of 4 bytes.
                            let four = unsafe { rows.as_ptr().add(place).cast::<i32>().read_unaligned() };
                            *bytes = $one(four);
                        }
                        for (total, weights) in totals.iter_mut().zip(weights) {
                            *total = $step(*total, bytes, weights);
                        }
                    }
                }
                for (totals, sums) in totals.iter().zip(sums.iter_mut()) {
                    for (total, sums) in totals.iter().zip(sums[part..].chunks_exact_mut($columns)) {
                        // SAFETY: as for the load.
                        unsafe { $store(sums.as_mut_ptr().cast(), *total) };
                    }
                }
            }
        }
    };
}

tile!(
    "avx512f,avx512bw,avx512vl,avx512vnni,fma",
    tile_512,
    1,
    vnni_512,
    16,
    _mm512_setzero_si512,
    _mm512_set1_epi32,
    _mm512_loadu_si512,
    _mm512_storeu_si512
);

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,fma")]
#[inline]
fn vnni_512(total: __m512i, [bytes]: [__m512i; 1], [weights]: [__m512i; 1]) -> __m512i {
    _mm512_dpbusd_epi32(total, bytes, weights)
}

/// Defines a tile of vectors of 256 bits.
macro_rules! tile_256 {
    ($features:literal, $name:ident, $groups:literal, $step:path) => {
        tile!(
            $features,
            $name,
            $groups,
            $step,
            8,
            _mm256_setzero_si256,
            _mm256_set1_epi32,
            _mm256_loadu_si256,
            _mm256_storeu_si256
        );
    };
}

/// Defines a tile of vectors of 128 bits.
macro_rules! tile_128 {
    ($name:ident, $groups:literal, $step:path) => {
        tile!(
            "sse4.1,ssse3",
            $name,
            $groups,
            $step,
            4,
            _mm_setzero_si128,
            _mm_set1_epi32,
            _mm_loadu_si128,
            _mm_storeu_si128
        );
    };
}

tile_256!("avx2,fma,avxvnni", tile_vnni, 1, vnni);
tile_256!("avx2,fma", tile_pairs, 1, pairs);
tile_256!("avx2,fma", tile_fours, 2, fours);
tile_128!(sse_pairs, 1, pairs_128);
tile_128!(sse_fours, 2, fours_128);

#[target_feature(enable = "avx2,fma,avxvnni")]
#[inline]
fn vnni(total: __m256i, [bytes]: [__m256i; 1], [weights]: [__m256i; 1]) -> __m256i {
    _mm256_dpbusd_avx_epi32(total, bytes, weights)
}

/// The instruction adds two products in 16 bits and saturates. Bytes of 0 to 254 cannot saturate if two neighbouring weights add up
/// to at most 129; otherwise they saturate only if both bytes are far from the middle (see the module's documentation).
#[target_feature(enable = "avx2,fma")]
#[inline]
fn pairs(total: __m256i, [bytes]: [__m256i; 1], [weights]: [__m256i; 1]) -> __m256i {
    let pairs = _mm256_maddubs_epi16(bytes, weights);
    _mm256_add_epi32(total, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
}

/// Adds two pairs before widening them, and saturates as well. Bytes of 0 to 180 cannot saturate if four weights add up to at most 182.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn fours(total: __m256i, bytes: [__m256i; 2], weights: [__m256i; 2]) -> __m256i {
    let left = _mm256_maddubs_epi16(bytes[0], weights[0]);
    let right = _mm256_maddubs_epi16(bytes[1], weights[1]);
    _mm256_add_epi32(total, _mm256_madd_epi16(_mm256_adds_epi16(left, right), _mm256_set1_epi16(1)))
}

/// As [`pairs`], with vectors of half the width.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn pairs_128(total: __m128i, [bytes]: [__m128i; 1], [weights]: [__m128i; 1]) -> __m128i {
    _mm_add_epi32(total, _mm_madd_epi16(_mm_maddubs_epi16(bytes, weights), _mm_set1_epi16(1)))
}

/// As [`fours`], with vectors of half the width.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn fours_128(total: __m128i, bytes: [__m128i; 2], weights: [__m128i; 2]) -> __m128i {
    let sums = _mm_adds_epi16(_mm_maddubs_epi16(bytes[0], weights[0]), _mm_maddubs_epi16(bytes[1], weights[1]));
    _mm_add_epi32(total, _mm_madd_epi16(sums, _mm_set1_epi16(1)))
}
