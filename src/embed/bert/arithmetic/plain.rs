//! The steps of a layer in plain Rust, generic over the few things that differ between instruction sets.
//!
//! Everything here is inlined into functions that are compiled for one set, where the loops over fixed numbers of lanes
//! become its instructions.

use super::{BLOCK, Heads, LANES, MIDDLE, Rows, Space};
use crate::embed::bert::matrix::{Matrix, Norm};

/// What an instruction set does in its own way.
pub(super) trait Unit {
    /// What [`Unit::tile`] reads a byte as, above its signed value: 128 where bytes are multiplied unsigned, else 0.
    const OFFSET: i32;

    /// Returns `a * b + c`, rounded once or twice.
    fn mul_add(a: f32, b: f32, c: f32) -> f32;

    /// Adds to `sums` the products of `R` rows of bytes with a block of [`BLOCK`] columns: the sums over all inputs of
    /// `(byte - MIDDLE + OFFSET) * weight`. `rows` holds the rows one after the other; `block` lists, for each group of
    /// [`super::GROUP`] inputs, the group's weights of the first column, of the second, and so on.
    fn tile<const R: usize>(rows: &[u8], block: &[i8], sums: &mut [[i32; BLOCK]; R]);
}

/// Lanes that sums of a row are kept in.
const SUMS: usize = 16;

/// Queries that are worked on together.
const QUERIES: usize = 4;

/// Rows that are multiplied together: their sums fill the registers of AVX-512.
const TILE: usize = 6;

/// Adding and taking away this number rounds to the nearest whole one, ties to even, and leaves it in the low bits:
/// 1.5 * 2^23, from where on neighbouring floats are 1 apart. Faster than conversions, which must mind what does not fit.
const ROUNDING: f32 = 12_582_912.0;

#[inline(always)]
pub(super) fn quantize(input: &[f32], width: usize, output: &mut Rows) {
    let count = input.len() / width;
    output.resize(count, width);
    for (number, row) in input.chunks_exact(width).enumerate() {
        let (least, greatest) = extremes(row);
        // 254 steps from -127 to 127. The range holds 0, so that 0 is a step of its own.
        let step = ((greatest - least) / 254.0).max(f32::MIN_POSITIVE);
        let inverse = 1.0 / step;
        let zero = (-127.0 - least * inverse + ROUNDING) - ROUNDING;
        output.scales[number] = step;
        output.zeros[number] = zero as i32;
        let shift = zero + MIDDLE as f32;
        for (byte, value) in output.bytes[number * width..][..width].iter_mut().zip(row) {
            // In the order that keeps what is rounded within 1 to 255.
            let place = (value * inverse + shift).clamp(1.0, 255.0);
            *byte = (place + ROUNDING).to_bits() as u8;
        }
    }
}

/// Returns the least and the greatest number of a row, and 0 if that is beyond.
#[inline(always)]
fn extremes(row: &[f32]) -> (f32, f32) {
    let (mut least, mut greatest) = ([0.0f32; SUMS], [0.0f32; SUMS]);
    for part in row.chunks_exact(SUMS) {
        for lane in 0..SUMS {
            least[lane] = if part[lane] < least[lane] { part[lane] } else { least[lane] };
            greatest[lane] = if part[lane] > greatest[lane] { part[lane] } else { greatest[lane] };
        }
    }
    (least.into_iter().fold(0.0, f32::min), greatest.into_iter().fold(0.0, f32::max))
}

#[inline(always)]
pub(super) fn linear<U: Unit>(input: &Rows, matrix: &Matrix<'_>, output: &mut [f32]) {
    let count = input.scales.len();
    // The block stays in the cache while all rows pass by.
    for (number, block) in matrix.weights.chunks_exact(BLOCK * matrix.inputs).enumerate() {
        let columns = Columns { matrix, first: number * BLOCK, block };
        let mut row = 0;
        while row + TILE <= count {
            columns.tile::<U, TILE>(input, row, output);
            row += TILE;
        }
        match count - row {
            1 => columns.tile::<U, 1>(input, row, output),
            2 => columns.tile::<U, 2>(input, row, output),
            3 => columns.tile::<U, 3>(input, row, output),
            4 => columns.tile::<U, 4>(input, row, output),
            5 => columns.tile::<U, 5>(input, row, output),
            _ => {}
        }
    }
}

/// A block of a matrix.
struct Columns<'a> {
    matrix: &'a Matrix<'a>,
    first: usize,
    block: &'a [i8],
}

impl Columns<'_> {
    #[inline(always)]
    fn tile<U: Unit, const R: usize>(&self, input: &Rows, row: usize, output: &mut [f32]) {
        let Matrix { inputs, outputs, .. } = *self.matrix;
        let part = |values: &'_ [f32]| -> [f32; BLOCK] { fixed(&values[self.first..]) };
        let (scales, bias) = (part(self.matrix.scales), part(self.matrix.bias));
        let weights: [i32; BLOCK] = fixed(&self.matrix.sums[self.first..]);
        let mut sums = [[0i32; BLOCK]; R];
        for (r, sums) in sums.iter_mut().enumerate() {
            // The sum over (byte - MIDDLE - zero) * weight, split into what the tile adds and what the zero takes away.
            // Sums that a file made up may be beyond all bounds, and give a wrong number rather than a panic.
            let away = input.zeros[row + r].wrapping_add(U::OFFSET);
            for (sum, weights) in sums.iter_mut().zip(&weights) {
                *sum = away.wrapping_neg().wrapping_mul(*weights);
            }
        }
        U::tile(&input.bytes[row * inputs..][..R * inputs], self.block, &mut sums);
        for (r, sums) in sums.iter().enumerate() {
            let scale = input.scales[row + r];
            let output = &mut output[(row + r) * outputs + self.first..][..BLOCK];
            for lane in 0..BLOCK {
                output[lane] = U::mul_add(sums[lane] as f32 * scale, scales[lane], bias[lane]);
            }
        }
    }
}

#[inline(always)]
pub(super) fn attend<U: Unit>(heads: Heads<'_>, space: &mut Space, context: &mut [f32]) {
    match heads.width {
        32 => attend_with::<U, 32>(heads, space, context),
        64 => attend_with::<U, 64>(heads, space, context),
        width => unreachable!("a prepared file has no heads of {width}"),
    }
}

#[inline(always)]
fn attend_with<U: Unit, const WIDTH: usize>(heads: Heads<'_>, space: &mut Space, context: &mut [f32]) {
    let Heads { projected, tokens, hidden, .. } = heads;
    let padded = tokens.next_multiple_of(LANES);
    // What stands behind the last key is masked out below, whatever it is.
    space.keys.resize(WIDTH * padded, 0.0);
    space.weights.resize(QUERIES * padded, 0.0);
    for start in (0..hidden).step_by(WIDTH) {
        for token in 0..tokens {
            let key = &projected[token * 3 * hidden + hidden + start..][..WIDTH];
            for (place, value) in key.iter().enumerate() {
                space.keys[place * padded + token] = *value;
            }
        }
        for first in (0..tokens).step_by(QUERIES) {
            // The last queries are worked on together with ones that are repeated and thrown away.
            let count = QUERIES.min(tokens - first);
            let queries: [[f32; WIDTH]; QUERIES] =
                std::array::from_fn(|query| fixed(&projected[(first + query.min(count - 1)) * 3 * hidden + start..]));
            compare::<U, WIDTH>(&queries, &space.keys, &mut space.weights, padded);
            let mut totals = [0.0f32; QUERIES];
            for (row, total) in space.weights.chunks_exact_mut(padded).zip(&mut totals) {
                *total = exponentiate::<U>(row, tokens);
            }
            let seen = gather::<U, WIDTH>(heads, start, &space.weights, padded);
            for query in 0..count {
                let place = &mut context[(first + query) * hidden + start..][..WIDTH];
                for (place, seen) in place.iter_mut().zip(&seen[query]) {
                    *place = seen / totals[query];
                }
            }
        }
    }
}

/// Writes the products of some queries with all keys into `scores`.
#[inline(always)]
fn compare<U: Unit, const WIDTH: usize>(
    queries: &[[f32; WIDTH]; QUERIES],
    keys: &[f32],
    scores: &mut [f32],
    padded: usize,
) {
    for first in (0..padded).step_by(LANES) {
        let mut sums = [[0.0f32; LANES]; QUERIES];
        for place in 0..WIDTH {
            let keys: [f32; LANES] = fixed(&keys[place * padded + first..]);
            for (query, sums) in queries.iter().zip(&mut sums) {
                let factor = query[place];
                for lane in 0..LANES {
                    sums[lane] = U::mul_add(factor, keys[lane], sums[lane]);
                }
            }
        }
        for (query, sums) in sums.iter().enumerate() {
            scores[query * padded + first..][..LANES].copy_from_slice(sums);
        }
    }
}

/// Replaces a row of scores by their exponentials, those after `tokens` by 0, and returns the sum.
#[inline(always)]
fn exponentiate<U: Unit>(row: &mut [f32], tokens: usize) -> f32 {
    row[tokens..].fill(f32::MIN);
    let mut greatest = [f32::MIN; SUMS];
    for part in row.chunks_exact(SUMS) {
        for lane in 0..SUMS {
            greatest[lane] = if part[lane] > greatest[lane] { part[lane] } else { greatest[lane] };
        }
    }
    let greatest = greatest.into_iter().fold(f32::MIN, f32::max);
    for value in row.iter_mut() {
        *value = exp::<U>(*value - greatest);
    }
    row[tokens..].fill(0.0);
    total(row)
}

/// Returns the values of all tokens, weighed for each query.
#[inline(always)]
fn gather<U: Unit, const WIDTH: usize>(
    heads: Heads<'_>,
    start: usize,
    weights: &[f32],
    padded: usize,
) -> [[f32; WIDTH]; QUERIES] {
    let Heads { projected, tokens, hidden, .. } = heads;
    let mut seen = [[0.0f32; WIDTH]; QUERIES];
    let rows: [&[f32]; QUERIES] = std::array::from_fn(|query| &weights[query * padded..][..tokens]);
    for token in 0..tokens {
        let values: [f32; WIDTH] = fixed(&projected[token * 3 * hidden + 2 * hidden + start..]);
        for (row, seen) in rows.iter().zip(&mut seen) {
            let weight = row[token];
            for lane in 0..WIDTH {
                seen[lane] = U::mul_add(weight, values[lane], seen[lane]);
            }
        }
    }
    seen
}

#[inline(always)]
pub(super) fn add_and_normalize<U: Unit>(values: &mut [f32], added: &[f32], norm: &Norm<'_>) {
    let width = norm.scale.len();
    for (row, added) in values.chunks_exact_mut(width).zip(added.chunks_exact(width)) {
        for (value, added) in row.iter_mut().zip(added) {
            *value += added;
        }
        let mean = total(row) / width as f32;
        let mut squares = [0.0f32; SUMS];
        for part in row.chunks_exact(SUMS) {
            for lane in 0..SUMS {
                let difference = part[lane] - mean;
                squares[lane] = U::mul_add(difference, difference, squares[lane]);
            }
        }
        let variance = squares.iter().sum::<f32>() / width as f32;
        let inverse = 1.0 / (variance + norm.epsilon).sqrt();
        for (value, (scale, shift)) in row.iter_mut().zip(norm.scale.iter().zip(norm.shift)) {
            *value = U::mul_add((*value - mean) * inverse, *scale, *shift);
        }
    }
}

#[inline(always)]
pub(super) fn gelu<U: Unit>(values: &mut [f32]) {
    for value in values {
        *value = 0.5 * *value * (1.0 + erf::<U>(*value * std::f32::consts::FRAC_1_SQRT_2));
    }
}

/// Returns the error function to 1.5e-7: formula 7.1.26 of Abramowitz & Stegun, Handbook of Mathematical Functions.
#[inline(always)]
fn erf<U: Unit>(x: f32) -> f32 {
    const A: [f32; 5] = [1.061_405_4, -1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6];
    let z = x.abs();
    let t = 1.0 / U::mul_add(0.327_591_1, z, 1.0);
    let mut sum = A[0];
    for coefficient in &A[1..] {
        sum = U::mul_add(sum, t, *coefficient);
    }
    (1.0 - sum * t * exp::<U>(-z * z)).copysign(x)
}

/// Returns e to the power of `x`, to about 2e-7 of it: 2^n times a Taylor polynomial of what is left, which is within
/// half of ln 2. Below -87 it is e^-87, next to nothing, and above 87 e^87.
#[inline(always)]
fn exp<U: Unit>(x: f32) -> f32 {
    // ln 2 in two parts: n times the first is exact.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    const INVERSE_FACTORIALS: [f32; 6] = [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0];
    let x = x.clamp(-87.0, 87.0);
    let rounded = U::mul_add(x, std::f32::consts::LOG2_E, ROUNDING);
    let n = rounded - ROUNDING;
    let rest = U::mul_add(n, -LN_2_LOW, U::mul_add(n, -LN_2_HIGH, x));
    let mut sum = INVERSE_FACTORIALS[0];
    for coefficient in &INVERSE_FACTORIALS[1..] {
        sum = U::mul_add(sum, rest, *coefficient);
    }
    let power = U::mul_add(sum, rest, 1.0);
    // n stands in the low bits of `rounded`: adding it to the exponent multiplies by 2^n.
    f32::from_bits(power.to_bits().wrapping_add(rounded.to_bits() << 23))
}

#[inline(always)]
fn total(row: &[f32]) -> f32 {
    let mut sums = [0.0f32; SUMS];
    for part in row.chunks_exact(SUMS) {
        for lane in 0..SUMS {
            sums[lane] += part[lane];
        }
    }
    sums.iter().sum()
}

/// Returns the first `N` values.
#[inline(always)]
fn fixed<T: Copy, const N: usize>(values: &[T]) -> [T; N] {
    *values.first_chunk().expect("slices are cut to whole blocks")
}
