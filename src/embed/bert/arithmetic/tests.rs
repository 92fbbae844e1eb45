//! Every instruction set against plain arithmetic in wider numbers.

use super::*;

/// A matrix whose weights are where the kernel wants them.
struct Owned {
    inputs: usize,
    outputs: usize,
    weights: Vec<i8>,
    sums: Vec<i32>,
    ones: Vec<f32>,
    zeros: Vec<f32>,
}

impl Owned {
    /// Places `weight(input, output)`. Scales are 1 and there is no bias, so that the outputs are the sums.
    fn new(inputs: usize, outputs: usize, weight: impl Fn(usize, usize) -> i8) -> Self {
        let mut weights = Vec::new();
        for first in (0..outputs).step_by(BLOCK) {
            for group in (0..inputs).step_by(GROUP) {
                for output in first..first + BLOCK {
                    weights.extend((group..group + GROUP).map(|input| weight(input, output)));
                }
            }
        }
        let sum = |output| (0..inputs).map(|input| i32::from(weight(input, output))).sum();
        let sums = (0..outputs).map(sum).collect();
        Self { inputs, outputs, weights, sums, ones: vec![1.0; outputs], zeros: vec![0.0; outputs] }
    }

    fn matrix(&self) -> Matrix<'_> {
        let Self { inputs, outputs, weights, sums, ones, zeros } = self;
        Matrix { inputs: *inputs, outputs: *outputs, weights, scales: ones, sums, bias: zeros }
    }
}

/// Whole numbers that look random and are the same each time.
fn noise(seed: u64) -> impl FnMut() -> u32 {
    let mut state = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32
    }
}

/// Numbers between -2 and 2.
fn floats(seed: u64, count: usize) -> Vec<f32> {
    let mut next = noise(seed);
    (0..count).map(|_| (f64::from(next()) / f64::from(u32::MAX) * 4.0 - 2.0) as f32).collect()
}

fn assert_close(left: &[f32], right: &[f64], bound: f64, what: &str) {
    assert_eq!(left.len(), right.len());
    for (place, (left, right)) in left.iter().zip(right).enumerate() {
        assert!((f64::from(*left) - right).abs() <= bound, "{what}: {left} is not {right} at {place}");
    }
}

/// Multiplies with every instruction set and compares with sums of wide integers, which must be the same.
fn assert_products(
    count: usize,
    inputs: usize,
    byte: impl Fn(usize, usize) -> u8,
    weight: impl Fn(usize, usize) -> i8,
) {
    let outputs = 2 * BLOCK;
    let owned = Owned::new(inputs, outputs, &weight);
    let zero = |row: usize| (row as i32 * 37) % 255 - 127;
    let rows = Rows {
        bytes: (0..count * inputs).map(|at| byte(at / inputs, at % inputs)).collect(),
        scales: vec![1.0; count],
        zeros: (0..count).map(zero).collect(),
    };
    let exact = |row: usize, output: usize| -> i64 {
        let value = |input| i64::from(byte(row, input)) - i64::from(MIDDLE) - i64::from(zero(row));
        (0..inputs).map(|input| value(input) * i64::from(weight(input, output))).sum()
    };
    let expected: Vec<f32> = (0..count * outputs).map(|at| exact(at / outputs, at % outputs) as f32).collect();
    for arithmetic in all() {
        let mut output = vec![f32::NAN; count * outputs];
        arithmetic.linear(&rows, &owned.matrix(), &mut output);
        assert_eq!(output, expected, "{} with {count} rows of {inputs}", arithmetic.name());
    }
}

#[test]
fn every_instruction_set_gives_the_same_products() {
    let mut next = noise(1);
    let random: Vec<u32> = (0..65_536).map(|_| next()).collect();
    let at = |left: usize, right: usize| random[(left * 1_543 + right) % random.len()];
    for count in 1..=13 {
        for inputs in [4, 64, 384, 1536] {
            let byte = |row, input| (at(row, input) % 255 + 1) as u8;
            assert_products(count, inputs, byte, |input, output| ((at(output + 77, input) % 255) as i32 - 127) as i8);
        }
    }
}

#[test]
fn the_greatest_products_are_not_cut_off() {
    for (byte, weight) in [(255, 127), (255, -127), (1, 127), (1, -127)] {
        assert_products(7, 1536, |_, _| byte, |_, _| weight);
        // Pairs whose sum is greatest while their neighbours cancel it.
        assert_products(7, 1536, |_, _| byte, |input, _| if input % 4 < 2 { weight } else { -weight });
    }
}

#[test]
fn bytes_stand_for_numbers_to_half_a_step() {
    for (seed, shift) in [(1, 0.0), (2, 1.9), (3, -1.9), (4, 500.0), (5, -500.0)] {
        let mut values: Vec<f32> = floats(seed, 6 * 64).into_iter().map(|value| value + shift).collect();
        values[64..128].fill(0.0);
        values[128..192].fill(3.0);
        let mut expected = Rows::default();
        all()[0].quantize(&values, 64, &mut expected);
        for (row, numbers) in values.chunks_exact(64).enumerate() {
            let (scale, zero) = (expected.scales[row], expected.zeros[row]);
            for (value, byte) in numbers.iter().zip(&expected.bytes[row * 64..]) {
                assert!(*byte > 0);
                let meant = (i32::from(*byte) - MIDDLE - zero) as f32 * scale;
                // The zero is rounded too, so the ends of the range may lie one step off.
                assert!((meant - value).abs() <= scale * 1.01, "{value} became {meant}, a step being {scale}");
            }
            let error: f32 = numbers
                .iter()
                .zip(&expected.bytes[row * 64..])
                .map(|(value, byte)| ((i32::from(*byte) - MIDDLE - zero) as f32 * scale - value).abs())
                .sum();
            assert!(error / 64.0 <= scale * 0.5, "row {row}");
        }
        for arithmetic in all() {
            let mut rows = Rows::default();
            arithmetic.quantize(&values, 64, &mut rows);
            assert_eq!((&rows.bytes, &rows.scales, &rows.zeros), (&expected.bytes, &expected.scales, &expected.zeros));
        }
    }
}

#[test]
fn attention_is_a_softmax_over_the_tokens_that_are_there() {
    let mut space = Space::default();
    for (width, tokens) in [(32, 70), (32, 1), (32, 3), (32, 32), (64, 33), (64, 31), (32, 5)] {
        let hidden = 2 * width;
        let projected: Vec<f32> = floats(tokens as u64, tokens * 3 * hidden);
        let at = |token: usize, part: usize, place: usize| f64::from(projected[(token * 3 + part) * hidden + place]);
        let seen = |token: usize, place: usize| -> f64 {
            let head = place / width * width;
            let score =
                |other| (head..head + width).map(|place| at(token, 0, place) * at(other, 1, place)).sum::<f64>();
            let weights: Vec<f64> = (0..tokens).map(|other| score(other).exp()).collect();
            let values = (0..tokens).map(|other| weights[other] * at(other, 2, place)).sum::<f64>();
            values / weights.iter().sum::<f64>()
        };
        let expected: Vec<f64> = (0..tokens * hidden).map(|index| seen(index / hidden, index % hidden)).collect();
        for arithmetic in all() {
            let mut context = vec![f32::NAN; tokens * hidden];
            let heads = Heads { projected: &projected, tokens, hidden, width };
            arithmetic.attend(heads, &mut space, &mut context);
            assert_close(&context, &expected, 2e-5, arithmetic.name());
        }
    }
}

#[test]
fn scores_far_apart_neither_overflow_nor_vanish() {
    let (width, tokens) = (32, 2);
    let mut projected = vec![0.0; tokens * 3 * width];
    // The first token's query meets its own key with 32 * 1000, the other's with -32 * 1000.
    projected[..2 * width].fill(1.0);
    projected[width..2 * width].fill(1000.0);
    projected[4 * width..5 * width].fill(-1000.0);
    projected[2 * width..3 * width].fill(7.0);
    for arithmetic in all() {
        let mut context = vec![f32::NAN; tokens * width];
        let heads = Heads { projected: &projected, tokens, hidden: width, width };
        arithmetic.attend(heads, &mut Space::default(), &mut context);
        assert_close(&context[..width], &vec![7.0; width], 1e-5, arithmetic.name());
        assert_close(&context[width..], &vec![3.5; width], 1e-5, arithmetic.name());
    }
}

#[test]
fn rows_are_normalised() {
    let (values, added) = (floats(1, 5 * 384), floats(2, 5 * 384));
    let (scale, shift) = (floats(3, 384), floats(4, 384));
    let norm = Norm { scale: &scale, shift: &shift, epsilon: 1e-12 };
    let sums: Vec<f64> = values.iter().zip(&added).map(|(left, right)| f64::from(*left) + f64::from(*right)).collect();
    let mut expected = Vec::new();
    for row in sums.chunks_exact(384) {
        let mean = row.iter().sum::<f64>() / 384.0;
        let variance = row.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 384.0;
        let normal = row.iter().map(|value| (value - mean) / variance.sqrt());
        expected.extend(
            normal.zip(&scale).zip(&shift).map(|((value, scale), shift)| value * f64::from(*scale) + f64::from(*shift)),
        );
    }
    for arithmetic in all() {
        let mut values = values.clone();
        arithmetic.add_and_normalize(&mut values, &added, &norm);
        assert_close(&values, &expected, 1e-5, arithmetic.name());
    }
}

#[test]
fn gelu_is_the_exact_one() {
    // x * (1 + erf(x / sqrt 2)) / 2, from a table of the normal distribution.
    let known = [
        (0.0, 0.0),
        (0.5, 0.345_731_230_6),
        (1.0, 0.841_344_746_1),
        (-1.0, -0.158_655_253_9),
        (2.0, 1.954_499_736_1),
        (-2.0, -0.045_500_263_9),
        (3.0, 2.995_950_305_1),
        (-3.0, -0.004_049_694_9),
        (40.0, 40.0),
        (-40.0, 0.0),
    ];
    for arithmetic in all() {
        let mut values: Vec<f32> = known.iter().map(|(x, _)| *x).cycle().take(70).collect();
        arithmetic.gelu(&mut values);
        let expected: Vec<f64> = known.iter().map(|(_, y)| *y).cycle().take(70).collect();
        assert_close(&values, &expected, 1e-6, arithmetic.name());
    }
}
