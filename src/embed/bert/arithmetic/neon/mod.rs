//! Arithmetic for 64-bit ARM: NEON, and where available the instructions for 8-bit dot products and 8-bit matrix products (i8mm).

#[cfg(target_arch = "aarch64")]
mod bytes;
#[cfg(target_arch = "aarch64")]
mod floats;
#[cfg(target_arch = "aarch64")]
mod lanes;
#[cfg(target_arch = "aarch64")]
mod matrices;
#[cfg(target_arch = "aarch64")]
mod sets;

#[cfg(target_arch = "aarch64")]
pub(super) use sets::detect;

/// Returns the supported instruction sets, fastest first: none on other processor families.
#[cfg(not(target_arch = "aarch64"))]
pub(super) fn detect() -> Vec<&'static dyn super::Arithmetic> {
    Vec::new()
}
