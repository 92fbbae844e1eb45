//! Reads the sections of a prepared file one by one.

use bytemuck::Pod;

use super::ALIGNMENT;
use crate::bert::matrix::{Matrix, Norm};

/// A reader over the sections of a file.
pub(super) struct Sections<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Sections<'a> {
    /// Returns the next section; `None` if the file is too short.
    pub(super) fn take<T: Pod>(&mut self, count: usize) -> Option<&'a [T]> {
        let start = self.at.next_multiple_of(ALIGNMENT);
        let end = start.checked_add(count.checked_mul(size_of::<T>())?)?;
        self.at = end;
        bytemuck::try_cast_slice(self.bytes.get(start..end)?).ok()
    }

    pub(super) fn norm(&mut self, width: usize, epsilon: f32) -> Option<Norm<'a>> {
        Some(Norm { scale: self.take(width)?, shift: self.take(width)?, epsilon })
    }

    pub(super) fn matrix(&mut self, inputs: usize, outputs: usize) -> Option<Matrix<'a>> {
        Some(Matrix {
            inputs,
            outputs,
            weights: self.take(inputs.checked_mul(outputs)?)?,
            scales: self.take(outputs)?,
            sums: self.take(outputs)?,
            bias: self.take(outputs)?,
        })
    }
}
