//! Arithmetic for x86-64: AVX-512 with 8-bit products (VNNI), the same instructions on 256-bit vectors (AVX-VNNI), AVX2
//! alone, and SSE4.1 for older and small processors.

#[cfg(target_arch = "x86_64")]
mod bytes;
#[cfg(target_arch = "x86_64")]
mod floats;
#[cfg(target_arch = "x86_64")]
mod lanes;
#[cfg(target_arch = "x86_64")]
mod sets;

#[cfg(target_arch = "x86_64")]
pub(super) use sets::detect;

/// Returns the supported instruction sets, fastest first: none on other processor families.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn detect() -> Vec<&'static dyn super::Arithmetic> {
    Vec::new()
}
