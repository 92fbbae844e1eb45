//! Arithmetic for any processor.

use super::plain::{self, Unit};
use super::{Arithmetic, BLOCK, GROUP, Heads, MIDDLE, Rows, Space};
use crate::embed::bert::matrix::{Matrix, Norm};

/// Runs everywhere, with whatever instructions the program is compiled for.
pub(super) struct Portable;

impl Unit for Portable {
    const OFFSET: i32 = 0;

    #[inline(always)]
    fn mul_add(a: f32, b: f32, c: f32) -> f32 {
        // Not f32::mul_add, which is a slow call where the processor has no such instruction.
        a * b + c
    }

    #[inline(always)]
    fn tile<const R: usize>(rows: &[u8], block: &[i8], sums: &mut [[i32; BLOCK]; R]) {
        let width = rows.len() / R;
        for (row, sums) in rows.chunks_exact(width).zip(sums) {
            for (bytes, weights) in row.chunks_exact(GROUP).zip(block.chunks_exact(GROUP * BLOCK)) {
                let values: [i32; GROUP] = std::array::from_fn(|index| i32::from(bytes[index]) - MIDDLE);
                for (sum, weights) in sums.iter_mut().zip(weights.chunks_exact(GROUP)) {
                    for index in 0..GROUP {
                        *sum = sum.wrapping_add(values[index] * i32::from(weights[index]));
                    }
                }
            }
        }
    }
}

impl Arithmetic for Portable {
    fn name(&self) -> &'static str {
        "portable"
    }

    fn quantize(&self, input: &[f32], width: usize, output: &mut Rows) {
        plain::quantize(input, width, output);
    }

    fn linear(&self, input: &Rows, matrix: &Matrix<'_>, output: &mut [f32]) {
        plain::linear::<Self>(input, matrix, output);
    }

    fn attend(&self, heads: Heads<'_>, space: &mut Space, context: &mut [f32]) {
        plain::attend::<Self>(heads, space, context);
    }

    fn add_and_normalize(&self, values: &mut [f32], added: &[f32], norm: &Norm<'_>) {
        plain::add_and_normalize::<Self>(values, added, norm);
    }

    fn gelu(&self, values: &mut [f32]) {
        plain::gelu::<Self>(values);
    }
}

/// Implements [`Arithmetic`] for a [`Unit`], every step compiled with the instructions that are named.
///
/// A value of the type must exist only where the processor has them; its module makes one after asking.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! compiled_with {
    ($features:literal, $type:ident, $name:literal) => {
        #[expect(
            unsafe_code,
            reason = "calls functions that are compiled for instructions which not every processor has"
        )]
        impl $crate::embed::bert::arithmetic::Arithmetic for $type {
            fn name(&self) -> &'static str {
                $name
            }

            fn quantize(&self, input: &[f32], width: usize, output: &mut Rows) {
                #[target_feature(enable = $features)]
                fn compiled(input: &[f32], width: usize, output: &mut Rows) {
                    plain::quantize(input, width, output);
                }
                // SAFETY: a value of this type shows that the processor has the instructions.
                unsafe { compiled(input, width, output) }
            }

            fn linear(&self, input: &Rows, matrix: &Matrix<'_>, output: &mut [f32]) {
                #[target_feature(enable = $features)]
                fn compiled(input: &Rows, matrix: &Matrix<'_>, output: &mut [f32]) {
                    plain::linear::<$type>(input, matrix, output);
                }
                // SAFETY: as above.
                unsafe { compiled(input, matrix, output) }
            }

            fn attend(&self, heads: Heads<'_>, space: &mut Space, context: &mut [f32]) {
                #[target_feature(enable = $features)]
                fn compiled(heads: Heads<'_>, space: &mut Space, context: &mut [f32]) {
                    plain::attend::<$type>(heads, space, context);
                }
                // SAFETY: as above.
                unsafe { compiled(heads, space, context) }
            }

            fn add_and_normalize(&self, values: &mut [f32], added: &[f32], norm: &Norm<'_>) {
                #[target_feature(enable = $features)]
                fn compiled(values: &mut [f32], added: &[f32], norm: &Norm<'_>) {
                    plain::add_and_normalize::<$type>(values, added, norm);
                }
                // SAFETY: as above.
                unsafe { compiled(values, added, norm) }
            }

            fn gelu(&self, values: &mut [f32]) {
                #[target_feature(enable = $features)]
                fn compiled(values: &mut [f32]) {
                    plain::gelu::<$type>(values);
                }
                // SAFETY: as above.
                unsafe { compiled(values) }
            }
        }
    };
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) use compiled_with;
