//! ByteProducts of floating-point numbers.

#![expect(unsafe_code, reason = "vectors are loaded and stored by address")]

use std::arch::x86_64::*;

use super::super::plain::Product;

/// Implements `InstructionSet::transpose`: interleaves pairs of rows by numbers, then by pairs, then by halves.
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(super) fn transpose(square: [&[f32; 8]; 8], output: &mut [f32], row: usize) {
    assert!(output.len() >= 7 * row + 8);
    let mut rows = [_mm256_setzero_ps(); 8];
    for (vector, row) in rows.iter_mut().zip(square) {
        // SAFETY: eight numbers are read.
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
        // SAFETY: each of eight rows of `output`, `row` apart, has room for eight numbers, as checked above.
        unsafe { _mm256_storeu_ps(output.as_mut_ptr().add(place * row), *column) };
    }
}

/// Defines an implementation of `InstructionSet::multiply` with two vectors of `$lanes` numbers.
macro_rules! multiply {
    ($features:literal, $name:ident, $lanes:literal, $zero:ident, $load:ident, $store:ident, $one:ident, $mul_add:ident) => {
        #[target_feature(enable = $features)]
        #[inline]
        pub(super) fn $name<const R: usize>(product: Product<'_>, output: &mut [f32], row: usize) {
            product.check(R, 2 * $lanes, output, row);
            let Product { left, left_row, right, right_row, depth } = product;
            let mut sums = [[$zero(); 2]; R];
            for place in 0..depth {
                // SAFETY: each of `depth` rows of `right` has two vectors, as checked above.
                let (low, high) = unsafe {
                    let right = right.as_ptr().add(place * right_row);
                    ($load(right), $load(right.add($lanes)))
                };
                for (r, sums) in sums.iter_mut().enumerate() {
                    // SAFETY: each of `R` rows of `left` has `depth` numbers, as checked above.
                    let factor = $one(unsafe { *left.as_ptr().add(r * left_row + place) });
                    *sums = [$mul_add(factor, low, sums[0]), $mul_add(factor, high, sums[1])];
                }
            }
            for (r, sums) in sums.iter().enumerate() {
                // SAFETY: each of `R` rows of `output` has room for two vectors, as checked above.
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
