//! Computes sums of products of two-bit levels and bytes, with the widest instructions of the machine.
//!
//! All implementations give exactly the same sums: nothing is rounded and nothing overflows. The implementation is chosen once.
//! This is the only place in the store with `unsafe` code for speed: loads from pointers, in functions that run only after the
//! CPU's features were detected.

use std::sync::LazyLock;

/// Vectors per group.
pub(super) const GROUP_VECTORS: usize = 32;
/// Values per run: their levels are stored side by side.
pub(super) const RUN_VALUES: usize = 16;
/// Bytes of one vector in a run.
pub(super) const RUN_BYTES: usize = RUN_VALUES / 4;

/// Computes for each vector of a group (see `block`) the product of its levels (0 to 3) and the query's values. The query
/// has the width of the vectors.
pub(super) type Dot = fn(levels: &[u8], query: &[i8], sums: &mut [i32; GROUP_VECTORS]);

/// Bytes of a run of all vectors of a group.
const GROUP_RUN_BYTES: usize = RUN_BYTES * GROUP_VECTORS;

/// Returns the fastest implementation for this machine.
pub(super) fn dot() -> Dot {
    static BEST: LazyLock<Dot> = LazyLock::new(|| ways().pop().expect("one way works everywhere").1);
    *BEST
}

/// Returns the implementations that this machine supports, slowest first, each with its name.
fn ways() -> Vec<(&'static str, Dot)> {
    let mut ways: Vec<(&'static str, Dot)> = vec![("portable", portable)];
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx2") {
            ways.push(("avx2", x86::avx2));
        }
        if std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("avx512vnni") {
            ways.push(("avx512vnni", x86::avx512));
        }
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("neon") {
        ways.push(("neon", arm::neon));
    }
    ways
}

/// Returns the runs of a group and the query's values for each run: four words of four bytes.
fn runs<'a>(levels: &'a [u8], query: &'a [i8]) -> (&'a [[u8; GROUP_RUN_BYTES]], &'a [[i8; RUN_VALUES]]) {
    let (runs, values) = (levels.as_chunks::<GROUP_RUN_BYTES>().0, query.as_chunks::<RUN_VALUES>().0);
    assert!(runs.len() == values.len() && query.len() == RUN_VALUES * values.len(), "queries are as wide as vectors");
    (runs, values)
}

/// Returns four values of the query as they lie in memory. Spelt out, because closures are not compiled with the instructions of
/// the calling function, and a call between them would move all sums to memory and back.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
fn word(values: &[i8; RUN_VALUES], place: usize) -> i32 {
    let at = RUN_BYTES * place;
    i32::from_le_bytes([values[at] as u8, values[at + 1] as u8, values[at + 2] as u8, values[at + 3] as u8])
}

/// Written so that the compiler vectorizes it, if it may.
fn portable(levels: &[u8], query: &[i8], sums: &mut [i32; GROUP_VECTORS]) {
    let (runs, values) = runs(levels, query);
    // For each query value, all vectors of a group side by side: no sum exceeds 4 * 3 * 127, which fits into 16 bits.
    *sums = [0; GROUP_VECTORS];
    for (run, values) in runs.iter().zip(values) {
        let mut parts = [0i16; GROUP_RUN_BYTES];
        for (place, four) in values.as_chunks::<RUN_BYTES>().0.iter().enumerate() {
            for (parts, bytes) in parts.as_chunks_mut::<RUN_BYTES>().0.iter_mut().zip(run.as_chunks::<RUN_BYTES>().0) {
                for at in 0..RUN_BYTES {
                    parts[at] += i16::from(bytes[at] >> (2 * place) & 3) * i16::from(four[at]);
                }
            }
        }
        for (sum, parts) in sums.iter_mut().zip(parts.as_chunks::<RUN_BYTES>().0) {
            *sum += parts.iter().map(|part| i32::from(*part)).sum::<i32>();
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "loads vectors from memory, in functions for detected CPU features")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{GROUP_RUN_BYTES, GROUP_VECTORS, RUN_VALUES, word};

    pub(super) fn avx2(levels: &[u8], query: &[i8], sums: &mut [i32; GROUP_VECTORS]) {
        let (runs, values) = super::runs(levels, query);
        // SAFETY: `ways` offers this function only if the machine has AVX2.
        unsafe { by_avx2(runs, values, sums) }
    }

    pub(super) fn avx512(levels: &[u8], query: &[i8], sums: &mut [i32; GROUP_VECTORS]) {
        let (runs, values) = super::runs(levels, query);
        // SAFETY: `ways` offers this function only if the machine has AVX-512 F and VNNI.
        unsafe { by_avx512(runs, values, sums) }
    }

    /// Runs whose sums fit into 16 bits: each adds at most four times 2 * 3 * 127.
    const RUNS_PER_SUM: usize = 10;

    #[target_feature(enable = "avx2")]
    fn by_avx2(runs: &[[u8; GROUP_RUN_BYTES]], values: &[[i8; RUN_VALUES]], sums: &mut [i32; GROUP_VECTORS]) {
        let low = _mm256_set1_epi8(3);
        for (part, sums) in sums.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let mut totals = _mm256_setzero_si256();
            for (runs, values) in runs.chunks(RUNS_PER_SUM).zip(values.chunks(RUNS_PER_SUM)) {
                let mut narrow = _mm256_setzero_si256();
                for (run, values) in runs.iter().zip(values) {
                    // SAFETY: a run has four times 32 bytes.
                    let bytes = unsafe { _mm256_loadu_si256(run.as_ptr().add(32 * part).cast()) };
                    let moved = [
                        bytes,
                        _mm256_srli_epi16::<2>(bytes),
                        _mm256_srli_epi16::<4>(bytes),
                        _mm256_srli_epi16::<6>(bytes),
                    ];
                    for (place, bytes) in moved.into_iter().enumerate() {
                        let word = _mm256_set1_epi32(word(values, place));
                        let products = _mm256_maddubs_epi16(_mm256_and_si256(bytes, low), word);
                        narrow = _mm256_add_epi16(narrow, products);
                    }
                }
                totals = _mm256_add_epi32(totals, _mm256_madd_epi16(narrow, _mm256_set1_epi16(1)));
            }
            // SAFETY: eight sums are 32 bytes.
            unsafe { _mm256_storeu_si256(sums.as_mut_ptr().cast(), totals) }
        }
    }

    #[target_feature(enable = "avx512f,avx512vnni")]
    fn by_avx512(runs: &[[u8; GROUP_RUN_BYTES]], values: &[[i8; RUN_VALUES]], sums: &mut [i32; GROUP_VECTORS]) {
        // Levels are not shifted to the lowest bits: their products, and thus the sums, are multiples of 4, 16 and 64.
        const MASKS: [i8; 4] = [3, 3 << 2, 3 << 4, -64];
        let mut totals = [[_mm512_setzero_si512(); 4]; 2];
        for (run, values) in runs.iter().zip(values) {
            for (half, totals) in totals.iter_mut().enumerate() {
                // SAFETY: a run has twice 64 bytes.
                let bytes = unsafe { _mm512_loadu_si512(run.as_ptr().add(64 * half).cast()) };
                for place in 0..4 {
                    let levels = _mm512_and_si512(bytes, _mm512_set1_epi8(MASKS[place]));
                    totals[place] = _mm512_dpbusd_epi32(totals[place], levels, _mm512_set1_epi32(word(values, place)));
                }
            }
        }
        for ([one, two, three, four], sums) in totals.into_iter().zip(sums.as_chunks_mut::<16>().0) {
            let low = _mm512_add_epi32(one, _mm512_srai_epi32::<2>(two));
            let high = _mm512_add_epi32(_mm512_srai_epi32::<4>(three), _mm512_srai_epi32::<6>(four));
            // SAFETY: 16 sums are 64 bytes.
            unsafe { _mm512_storeu_si512(sums.as_mut_ptr().cast(), _mm512_add_epi32(low, high)) }
        }
    }
}

#[cfg(target_arch = "aarch64")]
#[expect(unsafe_code, reason = "loads vectors from memory, in functions for detected CPU features")]
mod arm {
    use std::arch::aarch64::*;

    use super::{GROUP_RUN_BYTES, GROUP_VECTORS, RUN_VALUES, word};

    pub(super) fn neon(levels: &[u8], query: &[i8], sums: &mut [i32; GROUP_VECTORS]) {
        let (runs, values) = super::runs(levels, query);
        // SAFETY: `ways` offers this function only if the machine has NEON.
        unsafe { by_neon(runs, values, sums) }
    }

    /// Runs whose sums fit into 16 bits: each adds at most four times 3 * 127.
    const RUNS_PER_SUM: usize = 20;

    #[target_feature(enable = "neon")]
    fn by_neon(runs: &[[u8; GROUP_RUN_BYTES]], values: &[[i8; RUN_VALUES]], sums: &mut [i32; GROUP_VECTORS]) {
        let low = vdupq_n_u8(3);
        for (part, sums) in sums.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let mut totals = [vdupq_n_s32(0); 2];
            for (runs, values) in runs.chunks(RUNS_PER_SUM).zip(values.chunks(RUNS_PER_SUM)) {
                let mut narrow = [vdupq_n_s16(0); 2];
                for (run, values) in runs.iter().zip(values) {
                    // SAFETY: a run has eight times 16 bytes.
                    let bytes = unsafe { vld1q_u8(run.as_ptr().add(16 * part)) };
                    let moved = [bytes, vshrq_n_u8::<2>(bytes), vshrq_n_u8::<4>(bytes), vshrq_n_u8::<6>(bytes)];
                    for (place, bytes) in moved.into_iter().enumerate() {
                        let four = vreinterpretq_s8_s32(vdupq_n_s32(word(values, place)));
                        let levels = vreinterpretq_s8_u8(vandq_u8(bytes, low));
                        narrow[0] = vmlal_s8(narrow[0], vget_low_s8(levels), vget_low_s8(four));
                        narrow[1] = vmlal_high_s8(narrow[1], levels, four);
                    }
                }
                totals = [vpadalq_s16(totals[0], narrow[0]), vpadalq_s16(totals[1], narrow[1])];
            }
            // SAFETY: four sums are 16 bytes.
            unsafe { vst1q_s32(sums.as_mut_ptr(), vpaddq_s32(totals[0], totals[1])) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the expected sums for a group and a query, computed value by value.
    fn expected(levels: &[u8], query: &[i8]) -> [i32; GROUP_VECTORS] {
        std::array::from_fn(|vector| {
            let level = |at: usize| {
                let (run, within) = (at / RUN_VALUES, at % RUN_VALUES);
                let byte = levels[run * GROUP_RUN_BYTES + vector * RUN_BYTES + within % RUN_BYTES];
                i32::from(byte >> (2 * (within / RUN_BYTES)) & 3)
            };
            query.iter().enumerate().map(|(at, value)| level(at) * i32::from(*value)).sum()
        })
    }

    #[test]
    fn all_implementations_give_the_same_sums() {
        let mut seed = 1u64;
        let mut next = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            seed >> 33
        };
        for width in [0, 16, 64, 160, 176, 336, 384, 1024] {
            let levels: Vec<u8> = (0..width / 4 * GROUP_VECTORS).map(|_| next() as u8).collect();
            let query: Vec<i8> = (0..width).map(|_| (next() % 255) as i8).collect();
            for (name, way) in ways() {
                let mut sums = [7; GROUP_VECTORS];
                way(&levels, &query, &mut sums);
                assert_eq!(sums, expected(&levels, &query), "{name} {width}");
            }
        }
    }

    #[test]
    fn the_largest_values_do_not_overflow() {
        for value in [127i8, -128] {
            let (levels, query) = (vec![0xFF; 4096 / 4 * GROUP_VECTORS], vec![value; 4096]);
            for (name, way) in ways() {
                let mut sums = [0; GROUP_VECTORS];
                way(&levels, &query, &mut sums);
                assert_eq!(sums, [3 * 4096 * i32::from(value); GROUP_VECTORS], "{name}");
            }
        }
    }
}
