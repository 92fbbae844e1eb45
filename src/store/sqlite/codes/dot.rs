//! Sums of products of bytes and 16-bit numbers, by the widest instructions that the machine has.
//!
//! All ways give the same sums to the last bit: nothing is rounded, and nothing overflows as long as the sums fit into 32
//! bits, for which the caller cares. Which way is taken is found out once. This is the only place in the store with
//! `unsafe` code for speed: loads from pointers, in functions that only run where the machine has been asked.

use std::sync::LazyLock;

/// Sums for each code (as many as `sums` has room for, one after the other, the bytes read as `i8`) its products with the
/// question. Codes are as long as the question, which is a multiple of 64.
pub(super) type Dot = fn(codes: &[u8], question: &[i16], sums: &mut [i32]);

/// Returns the fastest way on this machine.
pub(super) fn dot() -> Dot {
    static BEST: LazyLock<Dot> = LazyLock::new(|| ways().pop().expect("one way works everywhere").1);
    *BEST
}

/// Returns the ways that work on this machine, slowest first, each with its name.
fn ways() -> Vec<(&'static str, Dot)> {
    let mut ways: Vec<(&'static str, Dot)> = vec![("portable", portable)];
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx2") {
            ways.push(("avx2", x86::avx2));
        }
        if std::arch::is_x86_feature_detected!("avx512bw") && std::arch::is_x86_feature_detected!("avx512vnni") {
            ways.push(("avx512vnni", x86::avx512));
        }
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("neon") {
        ways.push(("neon", arm::neon));
    }
    ways
}

fn check(codes: &[u8], question: &[i16], sums: &[i32]) {
    assert_eq!(question.len() % 64, 0, "questions are padded");
    assert_eq!(codes.len(), sums.len() * question.len(), "codes are as long as the question");
}

/// Written so that the compiler finds wide instructions by itself where it may use any.
fn portable(codes: &[u8], question: &[i16], sums: &mut [i32]) {
    check(codes, question, sums);
    if question.is_empty() {
        return sums.fill(0);
    }
    for (code, sum) in codes.chunks_exact(question.len()).zip(sums) {
        let products = code.iter().zip(question).map(|(one, other)| i32::from(one.cast_signed()) * i32::from(*other));
        *sum = products.sum();
    }
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "loads of vectors from memory, in functions for machines that were asked")]
mod x86 {
    use std::arch::x86_64::*;

    pub(super) fn avx2(codes: &[u8], question: &[i16], sums: &mut [i32]) {
        super::check(codes, question, sums);
        // SAFETY: offered by `ways` only where the machine has AVX2; lengths are checked above.
        unsafe { by_avx2(codes, question, sums) }
    }

    pub(super) fn avx512(codes: &[u8], question: &[i16], sums: &mut [i32]) {
        super::check(codes, question, sums);
        // SAFETY: offered by `ways` only where the machine has AVX-512 BW (hence F) and VNNI; lengths are checked above.
        unsafe { by_avx512(codes, question, sums) }
    }

    #[target_feature(enable = "avx2")]
    unsafe fn by_avx2(codes: &[u8], question: &[i16], sums: &mut [i32]) {
        let mut codes = codes;
        let mut twos = sums.chunks_exact_mut(2);
        for two in &mut twos {
            let (now, later) = codes.split_at(2 * question.len());
            two.copy_from_slice(&sums_256::<2>(now, question));
            codes = later;
        }
        for one in twos.into_remainder() {
            [*one] = sums_256::<1>(codes, question);
        }
    }

    #[target_feature(enable = "avx2")]
    fn sums_256<const N: usize>(codes: &[u8], question: &[i16]) -> [i32; N] {
        assert_eq!(codes.len(), N * question.len());
        let mut totals = [_mm256_setzero_si256(); N];
        for (at, values) in question.as_chunks::<16>().0.iter().enumerate() {
            // SAFETY: 16 values of 16 bits are 32 bytes.
            let values = unsafe { _mm256_loadu_si256(values.as_ptr().cast()) };
            for (code, total) in totals.iter_mut().enumerate() {
                // SAFETY: the question has `16 * (at + 1)` values at least, and there are `N` codes of its length.
                let bytes = unsafe { _mm_loadu_si128(codes.as_ptr().add(code * question.len() + 16 * at).cast()) };
                *total = _mm256_add_epi32(*total, _mm256_madd_epi16(_mm256_cvtepi8_epi16(bytes), values));
            }
        }
        totals.map(|all| {
            let four = _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all));
            let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
            _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two)))
        })
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    unsafe fn by_avx512(codes: &[u8], question: &[i16], sums: &mut [i32]) {
        // Several codes at once: each part of the question is loaded once for all of them, and no sum waits for the last.
        let mut codes = codes;
        let mut fours = sums.chunks_exact_mut(4);
        for four in &mut fours {
            let (now, later) = codes.split_at(4 * question.len());
            four.copy_from_slice(&sums_512::<4>(now, question));
            codes = later;
        }
        for one in fours.into_remainder() {
            let (now, later) = codes.split_at(question.len());
            [*one] = sums_512::<1>(now, question);
            codes = later;
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    fn sums_512<const N: usize>(codes: &[u8], question: &[i16]) -> [i32; N] {
        assert_eq!(codes.len(), N * question.len());
        let mut totals = [_mm512_setzero_si512(); N];
        for (at, values) in question.as_chunks::<32>().0.iter().enumerate() {
            // SAFETY: 32 values of 16 bits are 64 bytes.
            let values = unsafe { _mm512_loadu_si512(values.as_ptr().cast()) };
            for (code, total) in totals.iter_mut().enumerate() {
                // SAFETY: the question has `32 * (at + 1)` values at least, and there are `N` codes of its length.
                let bytes = unsafe { _mm256_loadu_si256(codes.as_ptr().add(code * question.len() + 32 * at).cast()) };
                *total = _mm512_dpwssd_epi32(*total, _mm512_cvtepi8_epi16(bytes), values);
            }
        }
        totals.map(|total| _mm512_reduce_add_epi32(total))
    }
}

#[cfg(target_arch = "aarch64")]
#[expect(unsafe_code, reason = "loads of vectors from memory, in functions for machines that were asked")]
mod arm {
    use std::arch::aarch64::*;

    pub(super) fn neon(codes: &[u8], question: &[i16], sums: &mut [i32]) {
        super::check(codes, question, sums);
        // SAFETY: offered by `ways` only where the machine has NEON; lengths are checked above.
        unsafe { by_neon(codes, question, sums) }
    }

    #[target_feature(enable = "neon")]
    unsafe fn by_neon(codes: &[u8], question: &[i16], sums: &mut [i32]) {
        for (number, sum) in sums.iter_mut().enumerate() {
            let code = &codes[number * question.len()..];
            let mut halves = [vdupq_n_s32(0); 2];
            for at in (0..question.len()).step_by(16) {
                // SAFETY: `at + 16` is at most the question's length, and as many bytes of the code follow.
                let (bytes, low, high) = unsafe {
                    let bytes = vld1q_s8(code.as_ptr().add(at).cast());
                    (bytes, vld1q_s16(question.as_ptr().add(at)), vld1q_s16(question.as_ptr().add(at + 8)))
                };
                for (codes, values) in [(vmovl_s8(vget_low_s8(bytes)), low), (vmovl_high_s8(bytes), high)] {
                    halves[0] = vmlal_s16(halves[0], vget_low_s16(codes), vget_low_s16(values));
                    halves[1] = vmlal_high_s16(halves[1], codes, values);
                }
            }
            *sum = vaddvq_s32(vaddq_s32(halves[0], halves[1]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_gives_the_same_sums() {
        let mut seed = 1u64;
        let mut next = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            seed >> 33
        };
        for width in [0, 64, 128, 192, 384, 1024] {
            for count in [0, 1, 3, 65] {
                let codes: Vec<u8> = (0..width * count).map(|_| next() as u8).collect();
                let question: Vec<i16> = (0..width).map(|_| (next() % 16_383) as i16 - 8191).collect();
                let sum = |code: usize| -> i64 {
                    let code = &codes[code * width..][..width];
                    code.iter().zip(&question).map(|(one, other)| i64::from(*one as i8) * i64::from(*other)).sum()
                };
                let expected: Vec<i64> = (0..count).map(sum).collect();
                for (name, way) in ways() {
                    let mut sums = vec![7; count];
                    way(&codes, &question, &mut sums);
                    assert_eq!(sums.iter().map(|sum| i64::from(*sum)).collect::<Vec<_>>(), expected, "{name} {width}");
                }
            }
        }
    }

    #[test]
    fn the_largest_values_do_not_overflow() {
        let codes = vec![(-127i8).cast_unsigned(); 3072];
        let question = vec![5504i16; 3072];
        for (name, way) in ways() {
            let mut sums = [0];
            way(&codes, &question, &mut sums);
            assert_eq!(i64::from(sums[0]), -127 * 5504 * 3072, "{name}");
        }
    }
}
