//! Sixteen numbers in vectors.

#![expect(unsafe_code, reason = "vectors are loaded and stored by address")]

use std::arch::aarch64::*;

use super::super::lanes::{LANES, Lanes, lanes_of_vectors};

lanes_of_vectors!(
    /// With NEON.
    Lanes128(4 of float32x4_t, 4 numbers each),
    load vld1q_f32, store vst1q_f32, splat vdupq_n_f32,
    add vaddq_f32, subtract vsubq_f32, multiply vmulq_f32, mul_add mul_add, min vminq_f32, max vmaxq_f32,
    integers { load vld1q_s32, store vst1q_s32, splat vdupq_n_s32,
        convert vcvtq_f32_s32, from_bits vreinterpretq_f32_s32, to_bits vreinterpretq_s32_f32,
        add vaddq_s32, multiply vmulq_s32, and vandq_s32, or vorrq_s32, shift vshlq_n_s32 },
    bytes bytes
);

#[target_feature(enable = "neon")]
#[inline]
fn bytes([a, b, c, d]: [int32x4_t; 4], bytes: &mut [u8; LANES]) {
    let low = vcombine_s8(
        vmovn_s16(vcombine_s16(vmovn_s32(a), vmovn_s32(b))),
        vmovn_s16(vcombine_s16(vmovn_s32(c), vmovn_s32(d))),
    );
    // SAFETY: sixteen bytes are written.
    unsafe { vst1q_s8(bytes.as_mut_ptr().cast(), low) };
}

#[target_feature(enable = "neon")]
#[inline]
fn mul_add(one: float32x4_t, factor: float32x4_t, addend: float32x4_t) -> float32x4_t {
    vfmaq_f32(addend, one, factor)
}
