//! Arithmetic for x86-64: AVX-512 with its instructions for 8-bit products (VNNI), the same instructions with vectors of 256
//! bits (AVX-VNNI), AVX2 alone, and SSE4.1, which older processors and small ones of today have.

#[cfg(target_arch = "x86_64")]
pub(super) use found::detect;

/// Returns what this processor can run, the fastest first: nothing, since it is of another family.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn detect() -> Vec<&'static dyn super::Arithmetic> {
    Vec::new()
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "vectors are loaded and stored by address")]
mod found {
    use std::arch::x86_64::*;

    use super::super::plain::{Product, Products, Unit};
    use super::super::portable::{Portable, compiled_with};
    use super::super::{Arithmetic, BLOCK, GROUP};

    /// Returns what this processor can run, the fastest first.
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

    /// Defines a [`Unit`] of AVX2 and its successors, with how it multiplies rows of either precision.
    macro_rules! unit {
        ($type:ident, fine $fine:ident, coarse $coarse:ident, lanes $lanes:literal, $multiply:ident) => {
            impl Unit for $type {
                type Fine = $fine;
                type Coarse = $coarse;

                const LANES: usize = $lanes;

                #[inline(always)]
                fn mul_add(a: f32, b: f32, c: f32) -> f32 {
                    a.mul_add(b, c)
                }

                #[inline(always)]
                fn multiply<const R: usize>(product: Product<'_>, output: &mut [f32], row: usize) {
                    // SAFETY: only the steps of the set that has these instructions call this, and they run where they are.
                    unsafe { $multiply::<R>(product, output, row) }
                }

                #[inline(always)]
                fn transpose(square: [&[f32; 8]; 8], output: &mut [f32], row: usize) {
                    // SAFETY: as above; each of these sets has the instructions of AVX2.
                    unsafe { transpose(square, output, row) }
                }
            }
        };
    }

    /// Defines how bytes are multiplied: the greatest byte, the functions that multiply one row, two to three, and more, and the
    /// one for a block of half the columns.
    macro_rules! products {
        ($type:ident, $greatest:literal, $one:expr, $few:expr, $many:expr, $narrow:expr) => {
            impl Products for $type {
                const GREATEST: u8 = $greatest;
                const MIDDLE: i32 = 0;

                #[inline(always)]
                fn tile<const R: usize, const COLUMNS: usize>(
                    rows: &[u8],
                    block: &[i8],
                    sums: &mut [[i32; COLUMNS]; R],
                ) {
                    // SAFETY: only the steps of the set that has these instructions call this, and they run where they are.
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
    unit!(Avx512, fine Avx512, coarse Avx512, lanes 32, multiply_512);
    products!(
        Avx512,
        255,
        tile_512::<R, COLUMNS, 4>,
        tile_512::<R, COLUMNS, 4>,
        tile_512::<R, COLUMNS, 4>,
        tile_512::<R, COLUMNS, 2>
    );

    struct AvxVnni;
    compiled_with!("avx2,fma,avxvnni", AvxVnni, "AVX-VNNI", rows 6, attend in bytes, queries 6);
    unit!(AvxVnni, fine AvxVnni, coarse AvxVnni, lanes 16, multiply_256);
    products!(
        AvxVnni,
        255,
        tile_vnni::<R, COLUMNS, 8>,
        tile_vnni::<R, COLUMNS, 4>,
        tile_vnni::<R, COLUMNS, 2>,
        tile_vnni::<R, COLUMNS, 2>
    );

    struct Avx2;
    compiled_with!("avx2,fma", Avx2, "AVX2", rows 4, attend in floats, queries 6);
    unit!(Avx2, fine Pairs, coarse Fours, lanes 16, multiply_256);

    /// Sums of two products in 16 bits.
    struct Pairs;
    products!(
        Pairs,
        254,
        tile_pairs::<R, COLUMNS, 8>,
        tile_pairs::<R, COLUMNS, 4>,
        tile_pairs::<R, COLUMNS, 2>,
        tile_pairs::<R, COLUMNS, 2>
    );

    /// Sums of four products in 16 bits.
    struct Fours;
    products!(
        Fours,
        180,
        tile_fours::<R, COLUMNS, 4>,
        tile_fours::<R, COLUMNS, 2>,
        tile_fours::<R, COLUMNS, 2>,
        tile_fours::<R, COLUMNS, 2>
    );

    struct Sse;
    compiled_with!("sse4.1,ssse3", Sse, "SSE4.1", rows 4, attend in floats, queries 4);

    impl Unit for Sse {
        type Fine = SsePairs;
        type Coarse = SseFours;

        const LANES: usize = 16;

        #[inline(always)]
        fn mul_add(a: f32, b: f32, c: f32) -> f32 {
            a * b + c
        }

        #[inline(always)]
        fn multiply<const R: usize>(product: Product<'_>, output: &mut [f32], row: usize) {
            Portable::multiply::<R>(product, output, row);
        }
    }

    /// Sums of two products in 16 bits.
    struct SsePairs;
    products!(
        SsePairs,
        254,
        sse_pairs::<R, COLUMNS, 8>,
        sse_pairs::<R, COLUMNS, 4>,
        sse_pairs::<R, COLUMNS, 2>,
        sse_pairs::<R, COLUMNS, 2>
    );

    /// Sums of four products in 16 bits.
    struct SseFours;
    products!(
        SseFours,
        180,
        sse_fours::<R, COLUMNS, 4>,
        sse_fours::<R, COLUMNS, 2>,
        sse_fours::<R, COLUMNS, 2>,
        sse_fours::<R, COLUMNS, 2>
    );

    /// [`Unit::transpose`]: pairs of rows are interleaved by numbers, then by pairs, then by halves.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn transpose(square: [&[f32; 8]; 8], output: &mut [f32], row: usize) {
        assert!(output.len() >= 7 * row + 8);
        let mut rows = [_mm256_setzero_ps(); 8];
        for (vector, row) in rows.iter_mut().zip(square) {
            // SAFETY: eight numbers are what is read.
            *vector = unsafe { _mm256_loadu_ps(row.as_ptr()) };
        }
        let mut columns = [_mm256_setzero_ps(); 8];
        let mut fours = [[_mm256_setzero_ps(); 4]; 2];
        for (rows, fours) in rows.chunks_exact(4).zip(&mut fours) {
            let [low, high] = [_mm256_unpacklo_ps(rows[0], rows[1]), _mm256_unpackhi_ps(rows[0], rows[1])];
            let [next_low, next_high] = [_mm256_unpacklo_ps(rows[2], rows[3]), _mm256_unpackhi_ps(rows[2], rows[3])];
            *fours = [
                _mm256_shuffle_ps::<0x44>(low, next_low),
                _mm256_shuffle_ps::<0xee>(low, next_low),
                _mm256_shuffle_ps::<0x44>(high, next_high),
                _mm256_shuffle_ps::<0xee>(high, next_high),
            ];
        }
        for place in 0..4 {
            columns[place] = _mm256_permute2f128_ps::<0x20>(fours[0][place], fours[1][place]);
            columns[place + 4] = _mm256_permute2f128_ps::<0x31>(fours[0][place], fours[1][place]);
        }
        for (place, column) in columns.iter().enumerate() {
            // SAFETY: eight rows of `output`, `row` apart, have room for eight numbers, as was checked.
            unsafe { _mm256_storeu_ps(output.as_mut_ptr().add(place * row), *column) };
        }
    }

    /// Defines [`Unit::multiply`] with two vectors of `$lanes` numbers.
    macro_rules! multiply {
        ($features:literal, $name:ident, $lanes:literal, $zero:ident, $load:ident, $store:ident, $one:ident, $mul_add:ident) => {
            #[target_feature(enable = $features)]
            #[inline]
            fn $name<const R: usize>(product: Product<'_>, output: &mut [f32], row: usize) {
                product.check(R, 2 * $lanes, output, row);
                let Product { left, left_row, right, right_row, depth } = product;
                let mut sums = [[$zero(); 2]; R];
                for place in 0..depth {
                    // SAFETY: each of `depth` rows of `right` has two vectors, as was checked.
                    let (low, high) = unsafe {
                        let right = right.as_ptr().add(place * right_row);
                        ($load(right), $load(right.add($lanes)))
                    };
                    for (r, sums) in sums.iter_mut().enumerate() {
                        // SAFETY: each of `R` rows of `left` has `depth` numbers, as was checked.
                        let factor = $one(unsafe { *left.as_ptr().add(r * left_row + place) });
                        *sums = [$mul_add(factor, low, sums[0]), $mul_add(factor, high, sums[1])];
                    }
                }
                for (r, sums) in sums.iter().enumerate() {
                    // SAFETY: each of `R` rows of `output` has room for two vectors, as was checked.
                    unsafe {
                        let output = output.as_mut_ptr().add(r * row);
                        $store(output, sums[0]);
                        $store(output.add($lanes), sums[1]);
                    }
                }
            }
        };
    }

    multiply!(
        "avx512f,avx512bw,avx512vl,avx512vnni,fma",
        multiply_512,
        16,
        _mm512_setzero_ps,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_set1_ps,
        _mm512_fmadd_ps
    );
    multiply!(
        "avx2,fma",
        multiply_256,
        8,
        _mm256_setzero_ps,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_set1_ps,
        _mm256_fmadd_ps
    );

    /// Defines a tile of `V` vectors, which `$columns` columns share, for each of `R` rows at a time. `$step` adds to a sum the
    /// products of `$groups` groups, given a row's bytes and the weights.
    macro_rules! tile {
        ($features:literal, $name:ident, $groups:literal, $step:path, $columns:literal, $zero:ident, $one:ident, $load:ident, $store:ident) => {
            #[target_feature(enable = $features)]
            #[inline]
            fn $name<const R: usize, const COLUMNS: usize, const V: usize>(
                rows: &[u8],
                block: &[i8],
                sums: &mut [[i32; COLUMNS]; R],
            ) {
                const GROUPS: usize = $groups;
                let width = rows.len() / R;
                let groups = width / GROUP;
                assert!(rows.len() == R * groups * GROUP && block.len() == groups * GROUP * COLUMNS);
                assert!(groups.is_multiple_of(GROUPS) && COLUMNS.is_multiple_of($columns * V));
                for part in (0..COLUMNS).step_by($columns * V) {
                    let mut totals = [[$zero(); V]; R];
                    for (totals, sums) in totals.iter_mut().zip(sums.iter()) {
                        for (total, sums) in totals.iter_mut().zip(sums[part..].chunks_exact($columns)) {
                            // SAFETY: a vector has room for as many numbers of 4 bytes as are read.
                            *total = unsafe { $load(sums.as_ptr().cast()) };
                        }
                    }
                    for first in (0..groups).step_by(GROUPS) {
                        let mut weights = [[$zero(); GROUPS]; V];
                        for (vector, weights) in weights.iter_mut().enumerate() {
                            for (group, weights) in weights.iter_mut().enumerate() {
                                let column = (first + group) * COLUMNS + part + vector * $columns;
                                // SAFETY: each of `groups` groups has 4 bytes for each column; a vector's are left from here.
                                *weights = unsafe { $load(block.as_ptr().add(column * GROUP).cast()) };
                            }
                        }
                        for (row, totals) in totals.iter_mut().enumerate() {
                            let mut bytes = [$zero(); GROUPS];
                            for (group, bytes) in bytes.iter_mut().enumerate() {
                                let place = row * width + (first + group) * GROUP;
                                // SAFETY: row `row` of R begins at `row * width`, and has `groups` groups of 4 bytes.
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
                            // SAFETY: as where they were loaded.
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

    /// The instruction adds two products into 16 bits and cuts off what does not fit. Bytes of 0 to 254 fit for certain if two
    /// neighbouring weights are at most 129 in sum, and else unless both bytes are far from the middle: see the module.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn pairs(total: __m256i, [bytes]: [__m256i; 1], [weights]: [__m256i; 1]) -> __m256i {
        let pairs = _mm256_maddubs_epi16(bytes, weights);
        _mm256_add_epi32(total, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
    }

    /// Adds two pairs before they are widened, and cuts off what does not fit as well. Bytes of 0 to 180 fit for certain if four
    /// weights are at most 182 in sum.
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
}
