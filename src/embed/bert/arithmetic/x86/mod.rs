//! Arithmetic for x86-64: AVX-512 with its instructions for 8-bit products (VNNI), the same instructions with vectors of 256
//! bits (AVX-VNNI), AVX2 alone, and SSE4.1, which older processors and small ones of today have.

#[cfg(target_arch = "x86_64")]
mod bytes;
#[cfg(target_arch = "x86_64")]
mod floats;
#[cfg(target_arch = "x86_64")]
mod sets;

#[cfg(target_arch = "x86_64")]
pub(super) use sets::detect;

/// Returns what this processor can run, the fastest first: nothing, since it is of another family.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn detect() -> Vec<&'static dyn super::Arithmetic> {
    Vec::new()
}
