//! Sixteen numbers in vectors.

#![expect(unsafe_code, reason = "vectors are loaded and stored by address")]

use std::arch::x86_64::*;

use super::super::lanes::{LANES, Lanes, lanes_of_vectors};

lanes_of_vectors!(
    /// With AVX-512.
    Lanes512(1 of __m512, 16 numbers each),
    load _mm512_loadu_ps, store _mm512_storeu_ps, splat _mm512_set1_ps,
    add _mm512_add_ps, subtract _mm512_sub_ps, multiply _mm512_mul_ps, mul_add _mm512_fmadd_ps, min _mm512_min_ps, max _mm512_max_ps,
    integers { load _mm512_loadu_si512, store _mm512_storeu_si512, splat _mm512_set1_epi32,
        convert _mm512_cvtepi32_ps, from_bits _mm512_castsi512_ps, to_bits _mm512_castps_si512,
        add _mm512_add_epi32, multiply _mm512_mullo_epi32, and _mm512_and_si512, or _mm512_or_si512, shift _mm512_slli_epi32 },
    bytes bytes_512
);

lanes_of_vectors!(
    /// With AVX2.
    Lanes256(2 of __m256, 8 numbers each),
    load _mm256_loadu_ps, store _mm256_storeu_ps, splat _mm256_set1_ps,
    add _mm256_add_ps, subtract _mm256_sub_ps, multiply _mm256_mul_ps, mul_add _mm256_fmadd_ps, min _mm256_min_ps, max _mm256_max_ps,
    integers { load _mm256_loadu_si256, store _mm256_storeu_si256, splat _mm256_set1_epi32,
        convert _mm256_cvtepi32_ps, from_bits _mm256_castsi256_ps, to_bits _mm256_castps_si256,
        add _mm256_add_epi32, multiply _mm256_mullo_epi32, and _mm256_and_si256, or _mm256_or_si256, shift _mm256_slli_epi32 },
    bytes bytes_256
);

lanes_of_vectors!(
    /// With SSE4.1.
    Lanes128(4 of __m128, 4 numbers each),
    load _mm_loadu_ps, store _mm_storeu_ps, splat _mm_set1_ps,
    add _mm_add_ps, subtract _mm_sub_ps, multiply _mm_mul_ps, mul_add mul_add_128, min _mm_min_ps, max _mm_max_ps,
    integers { load _mm_loadu_si128, store _mm_storeu_si128, splat _mm_set1_epi32,
        convert _mm_cvtepi32_ps, from_bits _mm_castsi128_ps, to_bits _mm_castps_si128,
        add _mm_add_epi32, multiply _mm_mullo_epi32, and _mm_and_si128, or _mm_or_si128, shift _mm_slli_epi32 },
    bytes bytes_128
);

#[target_feature(enable = "avx512f")]
#[inline]
fn bytes_512([integers]: [__m512i; 1], bytes: &mut [u8; LANES]) {
    // SAFETY: sixteen bytes are written.
    unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), _mm512_cvtepi32_epi8(integers)) };
}

/// The instructions join the halves of the vectors each for itself, so the quarters come out as 0, 2, 1 and 3.
#[target_feature(enable = "avx2")]
#[inline]
fn bytes_256([low, high]: [__m256i; 2], bytes: &mut [u8; LANES]) {
    let words = _mm256_packus_epi32(low, high);
    let packed = _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
    // SAFETY: sixteen bytes are written.
    unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), _mm_shuffle_epi32::<0b11_01_10_00>(packed)) };
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn bytes_128([a, b, c, d]: [__m128i; 4], bytes: &mut [u8; LANES]) {
    let packed = _mm_packus_epi16(_mm_packus_epi32(a, b), _mm_packus_epi32(c, d));
    // SAFETY: sixteen bytes are written.
    unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), packed) };
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn mul_add_128(one: __m128, factor: __m128, addend: __m128) -> __m128 {
    _mm_add_ps(_mm_mul_ps(one, factor), addend)
}
