//! Arithmetic for 64-bit ARM: NEON, with the instructions for 8-bit dot products and for 8-bit products of matrices (i8mm) where
//! the processor has them.

#[cfg(target_arch = "aarch64")]
mod bytes;
#[cfg(target_arch = "aarch64")]
mod floats;
#[cfg(target_arch = "aarch64")]
mod matrices;
#[cfg(target_arch = "aarch64")]
mod sets;

#[cfg(target_arch = "aarch64")]
pub(super) use sets::detect;

/// Returns what this processor can run, the fastest first: nothing, since it is of another family.
#[cfg(not(target_arch = "aarch64"))]
pub(super) fn detect() -> Vec<&'static dyn super::Arithmetic> {
    Vec::new()
}
