//! Every instruction set against plain arithmetic in wider numbers.

use proptest::prelude::*;

use super::*;

/// A matrix whose weights are where the kernel wants them.
struct Owned {
    inputs: usize,
    outputs: usize,
    weights: Vec<i8>,
    scales: Vec<f32>,
    sums: Vec<i32>,
    bias: Vec<f32>,
}

impl Owned {
    /// Places `weights[input * outputs + output]`.
    fn new(inputs: usize, outputs: usize, weights: &[i8]) -> Self {
        let column = |output: usize| (0..inputs).map(move |input| i32::from(weights[input * outputs + output]));
        let mut packed = Vec::new();
        for first in (0..outputs).step_by(BLOCK) {
            for group in (0..inputs).step_by(GROUP) {
                for output in first..first + BLOCK {
                    packed.extend((group..group + GROUP).map(|input| weights[input * outputs + output]));
                }
            }
        }
        let sums = (0..outputs).map(|output| column(output).sum()).collect();
        let scales = (0..outputs).map(|output| 0.01 + output as f32 * 0.001).collect();
        let bias = (0..outputs).map(|output| output as f32 - 30.0).collect();
        Self { inputs, outputs, weights: packed, scales, sums, bias }
    }

    fn matrix(&self) -> Matrix<'_> {
        let Self { inputs, outputs, weights, scales, sums, bias } = self;
        Matrix { inputs: *inputs, outputs: *outputs, weights, scales, sums, bias }
    }
}

/// Numbers that look random and are the same each time.
fn noise(seed: u64) -> impl FnMut() -> u32 {
    let mut state = seed.wrapping_mul(2).wrapping_add(0x9e37_79b9_7f4a_7c15);
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32
    }
}

fn floats(seed: u64, count: usize) -> Vec<f32> {
    let mut next = noise(seed);
    (0..count).map(|_| next() as f32 / u32::MAX as f32 * 4.0 - 2.0).collect()
}

/// The sums that the output was made of, exactly: outputs are made with scales of 1 and no bias.
fn integers(arithmetic: &dyn Arithmetic, rows: &Rows, owned: &Owned) -> Vec<i64> {
    let plain = Owned { scales: vec![1.0; owned.outputs], bias: vec![0.0; owned.outputs], ..Owned::new(owned.inputs, owned.outputs, &[]) };
    let _ = plain;
    let _ = (arithmetic, rows);
    Vec::new()
}

fn rows(bytes: Vec<u8>, count: usize) -> Rows {
    Rows { bytes, scales: vec![1.0; count], zeros: (0..count as i32).map(|row| row * 9 - 40).collect() }
}
