//! Arithmetic for x86-64: AVX-512 with its instructions for 8-bit products (VNNI), and AVX2.

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

    use super::super::plain::{self, Unit};
    use super::super::portable::compiled_with;
    use super::super::{Arithmetic, BLOCK, GROUP, Heads, Rows, Space};
    use crate::embed::bert::matrix::{Matrix, Norm};

    /// Returns what this processor can run, the fastest first.
    pub(in super::super) fn detect() -> Vec<&'static dyn Arithmetic> {
        let mut found: Vec<&'static dyn Arithmetic> = Vec::new();
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vnni")
            && is_x86_feature_detected!("fma")
        {
            found.push(&Avx512);
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            found.push(&Avx2);
        }
        found
    }

    struct Avx512;

    compiled_with!("avx512f,avx512bw,avx512vl,avx512vnni,fma", Avx512, "AVX-512 VNNI");

    impl Unit for Avx512 {
        const OFFSET: i32 = 128;

        #[inline(always)]
        fn mul_add(a: f32, b: f32, c: f32) -> f32 {
            a.mul_add(b, c)
        }

        #[inline(always)]
        fn tile<const R: usize>(rows: &[u8], block: &[i8], sums: &mut [[i32; BLOCK]; R]) {
            // SAFETY: only the steps of `Avx512` call this, and they run where the instructions are.
            unsafe { tile_512(rows, block, sums) }
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,fma")]
    #[inline]
    fn tile_512<const R: usize>(rows: &[u8], block: &[i8], sums: &mut [[i32; BLOCK]; R]) {
        const VECTORS: usize = 4;
        let width = rows.len() / R;
        let groups = width / GROUP;
        assert!(rows.len() == R * groups * GROUP && block.len() == groups * GROUP * BLOCK);
        let mut totals = [[_mm512_setzero_si512(); VECTORS]; R];
        for (totals, sums) in totals.iter_mut().zip(sums.iter()) {
            for (total, sums) in totals.iter_mut().zip(sums.chunks_exact(16)) {
                // SAFETY: 16 numbers of 4 bytes are the 64 that are read.
                *total = unsafe { _mm512_loadu_si512(sums.as_ptr().cast()) };
            }
        }
        for group in 0..groups {
            let mut weights = [_mm512_setzero_si512(); VECTORS];
            for (vector, weights) in weights.iter_mut().enumerate() {
                // SAFETY: the block has `groups` times four vectors of 64 bytes; `group` and `vector` are less.
                *weights = unsafe { _mm512_loadu_si512(block.as_ptr().add((group * VECTORS + vector) * 64).cast()) };
            }
            for (row, totals) in totals.iter_mut().enumerate() {
                // SAFETY: row `row` of R begins at `row * width`, and has `groups` groups of 4 bytes.
                let bytes = unsafe { rows.as_ptr().add(row * width + group * GROUP).cast::<i32>().read_unaligned() };
                let bytes = _mm512_set1_epi32(bytes);
                for (total, weights) in totals.iter_mut().zip(weights) {
                    *total = _mm512_dpbusd_epi32(*total, bytes, weights);
                }
            }
        }
        for (totals, sums) in totals.iter().zip(sums) {
            for (total, sums) in totals.iter().zip(sums.chunks_exact_mut(16)) {
                // SAFETY: as where they were loaded.
                unsafe { _mm512_storeu_si512(sums.as_mut_ptr().cast(), *total) };
            }
        }
    }

    struct Avx2;

    compiled_with!("avx2,fma", Avx2, "AVX2");

    impl Unit for Avx2 {
        const OFFSET: i32 = 0;

        #[inline(always)]
        fn mul_add(a: f32, b: f32, c: f32) -> f32 {
            a.mul_add(b, c)
        }

        #[inline(always)]
        fn tile<const R: usize>(rows: &[u8], block: &[i8], sums: &mut [[i32; BLOCK]; R]) {
            // SAFETY: only the steps of `Avx2` call this, and they run where the instructions are.
            unsafe { tile_256(rows, block, sums) }
        }
    }

    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn tile_256<const R: usize>(rows: &[u8], block: &[i8], sums: &mut [[i32; BLOCK]; R]) {
        /// Vectors of sums that fit the 16 registers beside what else is needed, for up to six rows.
        const VECTORS: usize = 2;
        let width = rows.len() / R;
        let groups = width / GROUP;
        assert!(rows.len() == R * groups * GROUP && block.len() == groups * GROUP * BLOCK);
        let middle = _mm256_set1_epi8(-128);
        let ones = _mm256_set1_epi16(1);
        for part in (0..BLOCK).step_by(8 * VECTORS) {
            let mut totals = [[_mm256_setzero_si256(); VECTORS]; R];
            for (totals, sums) in totals.iter_mut().zip(sums.iter()) {
                for (total, sums) in totals.iter_mut().zip(sums[part..].chunks_exact(8)) {
                    // SAFETY: 8 numbers of 4 bytes are the 32 that are read.
                    *total = unsafe { _mm256_loadu_si256(sums.as_ptr().cast()) };
                }
            }
            for group in 0..groups {
                let mut weights = [_mm256_setzero_si256(); VECTORS];
                for (vector, weights) in weights.iter_mut().enumerate() {
                    let column = group * BLOCK + part + vector * 8;
                    // SAFETY: each of `groups` groups has 4 bytes for each of 64 columns, and 8 are left from here.
                    *weights = unsafe { _mm256_loadu_si256(block.as_ptr().add(column * GROUP).cast()) };
                }
                for (row, totals) in totals.iter_mut().enumerate() {
                    // SAFETY: row `row` of R begins at `row * width`, and has `groups` groups of 4 bytes.
                    let bytes =
                        unsafe { rows.as_ptr().add(row * width + group * GROUP).cast::<i32>().read_unaligned() };
                    let signed = _mm256_xor_si256(_mm256_set1_epi32(bytes), middle);
                    // The instruction takes unsigned bytes on one side and adds pairs of products into 16 bits, cutting
                    // off what does not fit. With the sign moved to the weights, a pair is at most 2 * 127 * 127: it fits.
                    let absolute = _mm256_abs_epi8(signed);
                    for (total, weights) in totals.iter_mut().zip(weights) {
                        let pairs = _mm256_maddubs_epi16(absolute, _mm256_sign_epi8(weights, signed));
                        *total = _mm256_add_epi32(*total, _mm256_madd_epi16(pairs, ones));
                    }
                }
            }
            for (totals, sums) in totals.iter().zip(sums.iter_mut()) {
                for (total, sums) in totals.iter().zip(sums[part..].chunks_exact_mut(8)) {
                    // SAFETY: as where they were loaded.
                    unsafe { _mm256_storeu_si256(sums.as_mut_ptr().cast(), *total) };
                }
            }
        }
    }
}
