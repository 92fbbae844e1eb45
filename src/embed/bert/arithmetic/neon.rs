//! Arithmetic for 64-bit ARM: NEON, with the instruction for 8-bit dot products where the processor has it.

#[cfg(target_arch = "aarch64")]
pub(super) use found::detect;

/// Returns what this processor can run, the fastest first: nothing, since it is of another family.
#[cfg(not(target_arch = "aarch64"))]
pub(super) fn detect() -> Vec<&'static dyn super::Arithmetic> {
    Vec::new()
}

#[cfg(target_arch = "aarch64")]
#[expect(unsafe_code, reason = "vectors are loaded and stored by address, and one instruction has no function yet")]
mod found {
    use std::arch::aarch64::*;
    use std::arch::asm;

    use super::super::plain::{self, Unit};
    use super::super::portable::compiled_with;
    use super::super::{Arithmetic, BLOCK, GROUP, Heads, Rows, Space};
    use crate::embed::bert::matrix::{Matrix, Norm};

    /// Returns what this processor can run, the fastest first.
    pub(in super::super) fn detect() -> Vec<&'static dyn Arithmetic> {
        let mut found: Vec<&'static dyn Arithmetic> = Vec::new();
        if std::arch::is_aarch64_feature_detected!("neon") {
            if std::arch::is_aarch64_feature_detected!("dotprod") {
                found.push(&Dot);
            }
            found.push(&Neon);
        }
        found
    }

    struct Dot;

    compiled_with!("neon,dotprod", Dot, "NEON with dot products");

    impl Unit for Dot {
        const OFFSET: i32 = 0;

        #[inline(always)]
        fn mul_add(a: f32, b: f32, c: f32) -> f32 {
            a.mul_add(b, c)
        }

        #[inline(always)]
        fn tile<const R: usize>(rows: &[u8], block: &[i8], sums: &mut [[i32; BLOCK]; R]) {
            // SAFETY: only the steps of `Dot` call this, and they run where the instructions are.
            unsafe { tile_by_dots(rows, block, sums) }
        }
    }

    struct Neon;

    compiled_with!("neon", Neon, "NEON");

    impl Unit for Neon {
        const OFFSET: i32 = 0;

        #[inline(always)]
        fn mul_add(a: f32, b: f32, c: f32) -> f32 {
            a.mul_add(b, c)
        }

        #[inline(always)]
        fn tile<const R: usize>(rows: &[u8], block: &[i8], sums: &mut [[i32; BLOCK]; R]) {
            // SAFETY: only the steps of `Neon` call this, and they run where the instructions are.
            unsafe { tile_by_pairs(rows, block, sums) }
        }
    }

    /// Adds to four sums the products of four times four signed bytes.
    #[target_feature(enable = "neon,dotprod")]
    #[inline]
    fn dot(mut sums: int32x4_t, bytes: int8x16_t, weights: int8x16_t) -> int32x4_t {
        // SAFETY: reads and writes these registers alone. Its function, `vdotq_s32`, is not stable yet.
        unsafe {
            asm!(
                "sdot {sums:v}.4s, {bytes:v}.16b, {weights:v}.16b",
                sums = inout(vreg) sums,
                bytes = in(vreg) bytes,
                weights = in(vreg) weights,
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        sums
    }

    /// Does the same with the instructions that every processor has. A product is at most 127 * 127 and fits 16 bits.
    #[target_feature(enable = "neon")]
    #[inline]
    fn pairs(sums: int32x4_t, bytes: int8x16_t, weights: int8x16_t) -> int32x4_t {
        let low = vpaddlq_s16(vmull_s8(vget_low_s8(bytes), vget_low_s8(weights)));
        let high = vpaddlq_s16(vmull_high_s8(bytes, weights));
        vaddq_s32(sums, vpaddq_s32(low, high))
    }

    /// Defines the tile that adds products by `$add`, compiled with the instructions that it needs.
    macro_rules! tile {
        ($features:literal, $name:ident, $add:ident) => {
            #[target_feature(enable = $features)]
            #[inline]
            fn $name<const R: usize>(rows: &[u8], block: &[i8], sums: &mut [[i32; BLOCK]; R]) {
                /// Vectors of sums that fit the 32 registers beside what else is needed, for up to six rows.
                const VECTORS: usize = 4;
                let width = rows.len() / R;
                let groups = width / GROUP;
                assert!(rows.len() == R * groups * GROUP && block.len() == groups * GROUP * BLOCK);
                let middle = vdupq_n_s8(-128);
                for part in (0..BLOCK).step_by(4 * VECTORS) {
                    let mut totals = [[vdupq_n_s32(0); VECTORS]; R];
                    for (totals, sums) in totals.iter_mut().zip(sums.iter()) {
                        for (total, sums) in totals.iter_mut().zip(sums[part..].chunks_exact(4)) {
                            // SAFETY: 4 numbers of 4 bytes are the 16 that are read.
                            *total = unsafe { vld1q_s32(sums.as_ptr()) };
                        }
                    }
                    for group in 0..groups {
                        let mut weights = [vdupq_n_s8(0); VECTORS];
                        for (vector, weights) in weights.iter_mut().enumerate() {
                            let column = group * BLOCK + part + vector * 4;
                            // SAFETY: each of `groups` groups has 4 bytes for each of 64 columns, and 4 are left from here.
                            *weights = unsafe { vld1q_s8(block.as_ptr().add(column * GROUP)) };
                        }
                        for (row, totals) in totals.iter_mut().enumerate() {
                            let place = row * width + group * GROUP;
                            // SAFETY: row `row` of R begins at `row * width`, and has `groups` groups of 4 bytes.
                            let bytes = unsafe { rows.as_ptr().add(place).cast::<i32>().read_unaligned() };
                            let bytes = veorq_s8(vreinterpretq_s8_s32(vdupq_n_s32(bytes)), middle);
                            for (total, weights) in totals.iter_mut().zip(weights) {
                                *total = $add(*total, bytes, weights);
                            }
                        }
                    }
                    for (totals, sums) in totals.iter().zip(sums.iter_mut()) {
                        for (total, sums) in totals.iter().zip(sums[part..].chunks_exact_mut(4)) {
                            // SAFETY: as where they were loaded.
                            unsafe { vst1q_s32(sums.as_mut_ptr(), *total) };
                        }
                    }
                }
            }
        };
    }

    tile!("neon,dotprod", tile_by_dots, dot);
    tile!("neon", tile_by_pairs, pairs);
}
