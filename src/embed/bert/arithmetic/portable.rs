//! Arithmetic for any processor.

use super::lanes::Sixteen;
use super::plain::{self, ByteProducts, InstructionSet};
use super::{Arithmetic, AttentionBuffers, GROUP, GatedUnit, Heads, Precision, Rotation, Rows, attention, modern};
use crate::bert::matrix::{Matrix, Norm};

/// Runs everywhere, with the instructions that the program is compiled for.
pub(super) struct Portable;

impl InstructionSet for Portable {
    type Fine = Self;
    type Coarse = Self;

    type Lanes = Sixteen;
}

impl ByteProducts for Portable {
    const GREATEST: u8 = 255;
    const MIDDLE: i32 = 0;

    #[inline(always)]
    fn tile<const R: usize, const COLUMNS: usize>(rows: &[u8], block: &[i8], sums: &mut [[i32; COLUMNS]; R]) {
        let width = block.len() / COLUMNS;
        for (row, sums) in rows.chunks_exact(width).zip(sums) {
            for (bytes, weights) in row.chunks_exact(GROUP).zip(block.chunks_exact(GROUP * COLUMNS)) {
                let mut values = [0i32; GROUP];
                for (value, byte) in values.iter_mut().zip(bytes) {
                    *value = i32::from(*byte);
                }
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

    fn quantize(&self, input: &[f32], width: usize, precision: Precision, output: &mut Rows) {
        plain::quantize::<Self>(input, width, precision, output);
    }

    fn linear(&self, input: &Rows, matrix: &Matrix<'_>, output: &mut [f32]) {
        plain::linear::<Self, 4, false>(input, matrix, output);
    }

    fn linear_gelu(&self, input: &Rows, matrix: &Matrix<'_>, output: &mut [f32]) {
        plain::linear::<Self, 4, true>(input, matrix, output);
    }

    fn attend(&self, heads: Heads<'_>, buffers: &mut AttentionBuffers, context: &mut [f32]) {
        attention::floats::attend::<Self, 4>(heads, buffers, context);
    }

    fn add_and_normalize(&self, values: &mut [f32], added: &[f32], norm: &Norm<'_>) {
        plain::add_and_normalize::<Self>(values, added, norm);
    }

    fn normalize(&self, values: &mut [f32], norm: &Norm<'_>) {
        plain::normalize::<Self>(values, norm);
    }

    fn rotate(&self, projected: &mut [f32], hidden: usize, width: usize, rotation: &Rotation) {
        modern::rotate::<Sixteen>(projected, hidden, width, rotation);
    }

    fn gate(&self, wide: &mut [f32], inner: usize, unit: GatedUnit) {
        modern::gate::<Sixteen>(wide, inner, unit);
    }

    #[cfg(test)]
    fn greatest(&self, precision: Precision) -> u8 {
        plain::greatest::<Self>(precision)
    }

    #[cfg(test)]
    fn attention_error(&self) -> f64 {
        attention::floats::ERROR
    }
}

/// Implements [`Arithmetic`] for a [`InstructionSet`], with every step compiled for the given instructions. `rows` rows are multiplied together and
/// `queries` queries attend together: as many as the registers of the set have room for sums. Attention runs in `bytes` or in `floats`.
///
/// A value of the type may exist only if the processor has the instructions; its module creates one after checking.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! compiled_with {
    ($features:literal, $type:ident, $name:literal, rows $rows:literal, attend in $attention:ident, queries $queries:literal) => {
        #[expect(
            unsafe_code,
            reason = "calls functions that are compiled for instructions which not every processor has"
        )]
        const _: () = {
            use $crate::bert::arithmetic::plain::{self, InstructionSet};
            use $crate::bert::arithmetic::{
                Arithmetic, AttentionBuffers, GatedUnit, Heads, Precision, Rotation, Rows, attention, modern,
            };
            use $crate::bert::matrix::{Matrix, Norm};

            impl Arithmetic for $type {
                fn name(&self) -> &'static str {
                    $name
                }

                fn quantize(&self, input: &[f32], width: usize, precision: Precision, output: &mut Rows) {
                    #[target_feature(enable = $features)]
                    fn compiled(input: &[f32], width: usize, precision: Precision, output: &mut Rows) {
                        plain::quantize::<$type>(input, width, precision, output);
                    }
                    // SAFETY: a value of this type proves that the processor has the instructions.
                    unsafe { compiled(input, width, precision, output) }
                }

                fn linear(&self, input: &Rows, matrix: &Matrix<'_>, output: &mut [f32]) {
                    #[target_feature(enable = $features)]
                    fn compiled(input: &Rows, matrix: &Matrix<'_>, output: &mut [f32]) {
                        plain::linear::<$type, $rows, false>(input, matrix, output);
                    }
                    // SAFETY: as above.
                    unsafe { compiled(input, matrix, output) }
                }

                fn linear_gelu(&self, input: &Rows, matrix: &Matrix<'_>, output: &mut [f32]) {
                    #[target_feature(enable = $features)]
                    fn compiled(input: &Rows, matrix: &Matrix<'_>, output: &mut [f32]) {
                        plain::linear::<$type, $rows, true>(input, matrix, output);
                    }
                    // SAFETY: as above.
                    unsafe { compiled(input, matrix, output) }
                }

                fn attend(&self, heads: Heads<'_>, buffers: &mut AttentionBuffers, context: &mut [f32]) {
                    #[target_feature(enable = $features)]
                    fn compiled(heads: Heads<'_>, buffers: &mut AttentionBuffers, context: &mut [f32]) {
                        attention::$attention::attend::<$type, $queries>(heads, buffers, context);
                    }
                    // SAFETY: as above.
                    unsafe { compiled(heads, buffers, context) }
                }

                fn add_and_normalize(&self, values: &mut [f32], added: &[f32], norm: &Norm<'_>) {
                    #[target_feature(enable = $features)]
                    fn compiled(values: &mut [f32], added: &[f32], norm: &Norm<'_>) {
                        plain::add_and_normalize::<$type>(values, added, norm);
                    }
                    // SAFETY: as above.
                    unsafe { compiled(values, added, norm) }
                }

                fn normalize(&self, values: &mut [f32], norm: &Norm<'_>) {
                    #[target_feature(enable = $features)]
                    fn compiled(values: &mut [f32], norm: &Norm<'_>) {
                        plain::normalize::<$type>(values, norm);
                    }
                    // SAFETY: as above.
                    unsafe { compiled(values, norm) }
                }

                fn rotate(&self, projected: &mut [f32], hidden: usize, width: usize, rotation: &Rotation) {
                    #[target_feature(enable = $features)]
                    fn compiled(projected: &mut [f32], hidden: usize, width: usize, rotation: &Rotation) {
                        modern::rotate::<<$type as InstructionSet>::Lanes>(projected, hidden, width, rotation);
                    }
                    // SAFETY: as above.
                    unsafe { compiled(projected, hidden, width, rotation) }
                }

                fn gate(&self, wide: &mut [f32], inner: usize, unit: GatedUnit) {
                    #[target_feature(enable = $features)]
                    fn compiled(wide: &mut [f32], inner: usize, unit: GatedUnit) {
                        modern::gate::<<$type as InstructionSet>::Lanes>(wide, inner, unit);
                    }
                    // SAFETY: as above.
                    unsafe { compiled(wide, inner, unit) }
                }

                #[cfg(test)]
                fn greatest(&self, precision: Precision) -> u8 {
                    plain::greatest::<$type>(precision)
                }

                #[cfg(test)]
                fn attention_error(&self) -> f64 {
                    attention::$attention::ERROR
                }
            }
        };
    };
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) use compiled_with;
