//! Compares every instruction set with plain arithmetic in wider numbers.

use super::*;

/// A matrix that owns its weights, in the kernel's order.
struct Owned {
    inputs: usize,
    outputs: usize,
    weights: Vec<i8>,
    sums: Vec<i32>,
    ones: Vec<f32>,
    /// Added to the outputs.
    bias: Vec<f32>,
}

impl Owned {
    /// Stores `weight(input, output)`. Scales are 1 and the bias is 0, so the outputs are the sums.
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
        Self { inputs, outputs, weights, sums, ones: vec![1.0; outputs], bias: vec![0.0; outputs] }
    }

    fn matrix(&self) -> Matrix<'_> {
        let Self { inputs, outputs, weights, sums, ones, bias } = self;
        Matrix { inputs: *inputs, outputs: *outputs, weights, scales: ones, sums, bias }
    }
}

/// Returns a generator of reproducible pseudo-random numbers.
fn noise(seed: u64) -> impl FnMut() -> u32 {
    let mut state = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32
    }
}

/// Returns numbers between -2 and 2.
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

const PRECISIONS: [Precision; 2] = [Precision::Fine, Precision::Coarse];

/// Returns the maximum weight whose products with bytes up to `greatest` never overflow.
fn greatest_weight(greatest: u8) -> i32 {
    if greatest == 255 { 127 } else { i32::from(i16::MAX) / (4 * i32::from(greatest)) }
}

/// Returns rows of the bytes `byte(row, input)` with different zeros.
fn rows(count: usize, inputs: usize, precision: Precision, byte: impl Fn(usize, usize) -> u8) -> Rows {
    Rows {
        bytes: (0..count * inputs).map(|at| byte(at / inputs, at % inputs)).collect(),
        scales: vec![1.0; count],
        zeros: (0..count).map(|row| (row as i32 * 37) % 256).collect(),
        precision,
    }
}

/// Returns the products of rows with a matrix, computed in 64-bit integers.
fn exact(rows: &Rows, matrix: &Owned, weight: impl Fn(usize, usize) -> i8) -> Vec<f32> {
    let sum = |row: usize, output: usize| -> i64 {
        let value = |input| i64::from(rows.bytes[row * matrix.inputs + input]) - i64::from(rows.zeros[row]);
        (0..matrix.inputs).map(|input| value(input) * i64::from(weight(input, output))).sum()
    };
    (0..rows.scales.len() * matrix.outputs).map(|at| sum(at / matrix.outputs, at % matrix.outputs) as f32).collect()
}

/// Multiplies with every instruction set and requires the exact sums of 64-bit integers. `byte` and `weight` receive their maximum value.
fn assert_products(
    count: usize,
    inputs: usize,
    byte: impl Fn(usize, usize, u32) -> u8,
    weight: impl Fn(usize, usize, i32) -> i8,
) {
    let outputs = 2 * BLOCK;
    for (arithmetic, precision) in all().into_iter().flat_map(|arithmetic| PRECISIONS.map(|each| (arithmetic, each))) {
        let greatest = arithmetic.greatest(precision);
        let weight = |input: usize, output: usize| weight(input, output, greatest_weight(greatest));
        let matrix = Owned::new(inputs, outputs, weight);
        let rows = rows(count, inputs, precision, |row, input| byte(row, input, u32::from(greatest)));
        let mut output = vec![f32::NAN; count * outputs];
        arithmetic.linear(&rows, &matrix.matrix(), &mut output);
        let what = format!("{} with {count} rows of {inputs}, {precision:?}", arithmetic.name());
        assert_eq!(output, exact(&rows, &matrix, weight), "{what}");
    }
}

#[test]
fn every_instruction_set_gives_the_same_products() {
    let mut next = noise(1);
    let random: Vec<u32> = (0..65_536).map(|_| next()).collect();
    let at = |left: usize, right: usize| random[(left * 1_543 + right) % random.len()];
    for count in 1..=13 {
        for inputs in [16, 64, 384, 1040] {
            let byte = |row: usize, input: usize, greatest: u32| (at(row, input) % (greatest + 1)) as u8;
            let weight = |input: usize, output: usize, greatest: i32| {
                ((at(output + 77, input) % (2 * greatest as u32 + 1)) as i32 - greatest) as i8
            };
            assert_products(count, inputs, byte, weight);
        }
    }
}

#[test]
fn maximum_products_do_not_saturate() {
    for sign in [1, -1] {
        for full in [true, false] {
            let byte = |_: usize, _: usize, greatest: u32| if full { greatest as u8 } else { 0 };
            assert_products(7, 1536, byte, |_, _, greatest| (sign * greatest) as i8);
            // Pairs with the maximum sum, whose neighbours cancel it.
            let weight = |input: usize, greatest: i32| if input % 4 < 2 { sign * greatest } else { -sign * greatest };
            assert_products(7, 1536, byte, |input, _, greatest| weight(input, greatest) as i8);
        }
    }
}

#[test]
fn sums_that_overflow_saturate_and_keep_their_sign() {
    for (arithmetic, precision) in all().into_iter().flat_map(|arithmetic| PRECISIONS.map(|each| (arithmetic, each))) {
        for weight in [127, -127] {
            let matrix = Owned::new(64, BLOCK, |_, _| weight);
            let mut rows = rows(7, 64, precision, |_, _| arithmetic.greatest(precision));
            rows.zeros.fill(0);
            let mut output = vec![f32::NAN; 7 * BLOCK];
            arithmetic.linear(&rows, &matrix.matrix(), &mut output);
            for (found, exact) in output.iter().zip(exact(&rows, &matrix, |_, _| weight)) {
                let part = found / exact;
                assert!((0.35..=1.0).contains(&part), "{} {precision:?}: {found} of {exact}", arithmetic.name());
            }
        }
    }
}

#[test]
fn quantization_is_exact_to_half_a_step_on_average() {
    for (seed, shift) in [(1, 0.0), (2, 1.9), (3, -1.9), (4, 500.0), (5, -500.0)] {
        let mut values: Vec<f32> = floats(seed, 6 * 64).into_iter().map(|value| value + shift).collect();
        values[64..128].fill(0.0);
        values[128..192].fill(3.0);
        for (arithmetic, precision) in all().into_iter().flat_map(|found| PRECISIONS.map(|each| (found, each))) {
            let mut rows = Rows::default();
            arithmetic.quantize(&values, 64, precision, &mut rows);
            for (row, numbers) in values.chunks_exact(64).enumerate() {
                let (scale, zero) = (rows.scales[row], rows.zeros[row]);
                let mut total = 0.0;
                for (value, byte) in numbers.iter().zip(&rows.bytes[row * 64..]) {
                    assert!(*byte <= arithmetic.greatest(precision), "{} {precision:?}: {byte}", arithmetic.name());
                    let error = ((i32::from(*byte) - zero) as f32 * scale - value).abs();
                    // The zero is rounded too, so the ends of the range may be off by one step.
                    assert!(
                        error <= scale.abs() * 1.01,
                        "{}: {value} is {error} off, a step being {scale}",
                        arithmetic.name()
                    );
                    total += error;
                }
                assert!(total / 64.0 <= scale.abs() * 0.5, "{}, row {row}", arithmetic.name());
            }
        }
    }
}

#[test]
fn attention_is_a_softmax_over_all_tokens() {
    let mut buffers = AttentionBuffers::default();
    for (width, tokens) in [(32, 70), (32, 1), (32, 3), (32, 32), (64, 33), (64, 31), (32, 5), (64, 129)] {
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
            let heads = Heads { projected: &projected, tokens, queries: tokens, hidden, width, reach: None };
            arithmetic.attend(heads, &mut buffers, &mut context);
            assert_close(&context, &expected, arithmetic.attention_error(), arithmetic.name());
            // Such a large error occurs only between two nearly equal scores that are far above the others.
            let errors = context.iter().zip(&expected).map(|(found, expected)| (f64::from(*found) - expected).abs());
            let mean = errors.sum::<f64>() / context.len() as f64;
            assert!(mean <= arithmetic.attention_error() / 8.0, "{}: {mean}", arithmetic.name());
            // A reach of all tokens changes nothing, and one of none leaves each token its own value.
            let all_in_reach = Heads { reach: Some(tokens), ..heads };
            arithmetic.attend(all_in_reach, &mut buffers, &mut context);
            assert_close(&context, &expected, arithmetic.attention_error(), arithmetic.name());
            arithmetic.attend(Heads { reach: Some(0), ..heads }, &mut buffers, &mut context);
            let own: Vec<f64> = (0..tokens * hidden).map(|index| at(index / hidden, 2, index % hidden)).collect();
            assert_close(&context, &own, arithmetic.attention_error(), arithmetic.name());
            // Leaving out queries does not change the results of the others.
            let mut of_first = vec![f32::NAN; hidden];
            arithmetic.attend(Heads { queries: 1, ..heads }, &mut buffers, &mut of_first);
            assert_close(&of_first, &expected[..hidden], arithmetic.attention_error(), arithmetic.name());
        }
    }
}

#[test]
fn scores_far_apart_neither_overflow_nor_vanish() {
    let (width, tokens) = (32, 2);
    let mut projected = vec![0.0; tokens * 3 * width];
    // The score of the first token's query is 32 * 1000 for its own key and -32 * 1000 for the other.
    projected[..2 * width].fill(1.0);
    projected[width..2 * width].fill(1000.0);
    projected[4 * width..5 * width].fill(-1000.0);
    projected[2 * width..3 * width].fill(7.0);
    for arithmetic in all() {
        let mut context = vec![f32::NAN; tokens * width];
        let heads = Heads { projected: &projected, tokens, queries: tokens, hidden: width, width, reach: None };
        arithmetic.attend(heads, &mut AttentionBuffers::default(), &mut context);
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
fn gelu_is_the_exact_one_to_a_ten_thousandth() {
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
        (4.0, 3.999_873_315_0),
        (-4.0, -0.000_126_685_0),
        (40.0, 40.0),
        (-40.0, 0.0),
    ];
    // A matrix of zeros outputs only its bias.
    let mut matrix = Owned::new(16, BLOCK, |_, _| 0);
    matrix.bias = known.iter().map(|(x, _)| *x).cycle().take(BLOCK).collect();
    let expected: Vec<f64> = known.iter().map(|(_, y)| *y).cycle().take(BLOCK).collect();
    for (arithmetic, precision) in all().into_iter().flat_map(|arithmetic| PRECISIONS.map(|each| (arithmetic, each))) {
        let rows = rows(3, 16, precision, |_, _| 9);
        let mut output = vec![f32::NAN; 3 * BLOCK];
        arithmetic.linear_gelu(&rows, &matrix.matrix(), &mut output);
        output.chunks_exact(BLOCK).for_each(|row| assert_close(row, &expected, 1e-4, arithmetic.name()));
    }
}

#[test]
fn gated_units_are_close_to_their_definition() {
    let inner = 64;
    let numbers: Vec<f32> = (0..4 * inner).map(|at| (at as f32 * 0.37).sin() * 9.0).collect();
    for arithmetic in all() {
        for unit in [GatedUnit::Gelu, GatedUnit::Silu] {
            let mut wide = numbers.clone();
            arithmetic.gate(&mut wide, inner, unit);
            for (at, found) in wide[..2 * inner].iter().enumerate() {
                let start = at / inner * 2 * inner + at % inner;
                let (input, gate) = (f64::from(numbers[start]), f64::from(numbers[start + inner]));
                let share = match unit {
                    // The logistic function is within 0.01 of the normal distribution at 1.702 times its argument.
                    GatedUnit::Gelu => 1.0 / (1.0 + (-1.702 * input).exp()),
                    GatedUnit::Silu => 1.0 / (1.0 + (-input).exp()),
                };
                let close = if unit == GatedUnit::Gelu { 0.25 } else { 2e-3 };
                let error = (f64::from(*found) - input * share * gate).abs();
                assert!(error < close, "{} {unit:?} {input} {gate}: {found}", arithmetic.name());
            }
        }
    }
}

#[test]
fn rotations_turn_queries_and_keys_and_leave_values() {
    let (hidden, width) = (128, 64);
    let rotation = Rotation { cosines: [[1.0; 32], [0.0; 32]].concat(), sines: [[0.0; 32], [1.0; 32]].concat() };
    let before: Vec<f32> = (0..2 * 3 * hidden).map(|at| at as f32).collect();
    for arithmetic in all() {
        let mut turned = before.clone();
        arithmetic.rotate(&mut turned, hidden, width, &rotation);
        assert_eq!(turned[..3 * hidden], before[..3 * hidden]);
        let (second, unturned) = (&turned[3 * hidden..], &before[3 * hidden..]);
        assert_eq!(second[2 * hidden..], unturned[2 * hidden..]);
        // A quarter of a turn: the first half becomes the second one with the opposite sign.
        assert_eq!((second[0], second[32]), (-unturned[32], unturned[0]));
        assert_eq!((second[hidden + 65], second[hidden + 97]), (-unturned[hidden + 97], unturned[hidden + 65]));
    }
}

/// `array::map` and `array::from_fn` may remain separate functions without the set's instructions; see `plain`.
#[test]
fn no_step_uses_functions_compiled_without_the_instructions() {
    for (file, text) in [
        ("plain.rs", include_str!("plain.rs")),
        ("lanes.rs", include_str!("lanes.rs")),
        ("modern.rs", include_str!("modern.rs")),
        ("portable.rs", include_str!("portable.rs")),
        ("x86/sets.rs", include_str!("x86/sets.rs")),
        ("x86/bytes.rs", include_str!("x86/bytes.rs")),
        ("x86/lanes.rs", include_str!("x86/lanes.rs")),
        ("x86/floats.rs", include_str!("x86/floats.rs")),
        ("neon/sets.rs", include_str!("neon/sets.rs")),
        ("neon/bytes.rs", include_str!("neon/bytes.rs")),
        ("neon/matrices.rs", include_str!("neon/matrices.rs")),
        ("neon/lanes.rs", include_str!("neon/lanes.rs")),
        ("neon/floats.rs", include_str!("neon/floats.rs")),
        ("attention/mod.rs", include_str!("attention/mod.rs")),
        ("attention/bytes.rs", include_str!("attention/bytes.rs")),
        ("attention/floats.rs", include_str!("attention/floats.rs")),
    ] {
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            assert!(!line.contains(".map(") && !line.contains("from_fn("), "{file}:{}: {line}", number + 1);
        }
    }
}
