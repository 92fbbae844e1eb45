//! Attention in bytes, for sets with instructions for 8-bit products.
//!
//! A query's part of a head has a scale of its own, and so has a key's; a value's scale is that of its place in all tokens, since
//! what is summed up must be worth the same. Keys and values lie around a centre that the tokens share and that is taken away
//! before, so that their bytes are finer. A softmax does not change if all its scores are moved by the same; the values' centre is
//! added again, since weights add up to 1. (Moving keys is from SageAttention, Zhang et al. 2024, which takes their mean.)
//!
//! The weights of a query begin at 255 for the token it looks at most, so they need neither a search for their range nor a zero of
//! their own; what is divided by in the end is the sum of the bytes.
//!
//! `QUERIES` queries are worked on together. The last ones are filled up with what the space holds: nothing reads what comes of
//! those.

use super::super::plain::{Products, ROUNDING, SUMS, Unit, fixed, largest};
use super::super::{BLOCK, GROUP, Heads};

/// Tokens are filled up to a multiple of so many where weights meet values: four groups, as wide as the sets read.
const STEP: usize = 4 * GROUP;

/// The byte that stands for a query's 0, and how far the others reach.
const MIDDLE: i32 = 128;
const REACH: f32 = 127.0;

/// Powers of 2 to 8e-5 of them, a fiftieth of a step of the bytes that they become: of all polynomials of this degree the one
/// with the least greatest relative error.
const EXP: [f32; 4] = [0.055_171_67, 0.242_611_13, 0.693_260_97, 0.999_928_06];

/// Room that is kept from text to text.
#[derive(Debug, Default)]
pub(super) struct Space {
    /// A head's queries, one a row, and what a byte of each is worth.
    queries: (Vec<u8>, Vec<f32>),
    /// A head's keys, one a column.
    keys: Columns,
    /// A head's values: a column is a place, a group are four tokens.
    values: Columns,
    /// What some queries make of the keys, one a row; then the same as bytes, each token's weight.
    scores: Vec<f32>,
    weights: Vec<u8>,
    /// Where rows are arranged.
    room: Vec<u8>,
}

/// Bytes in the order in which [`Products::tile`] reads them.
#[derive(Debug, Default)]
struct Columns {
    bytes: Vec<i8>,
    /// Where they are arranged.
    room: Vec<i8>,
    /// What a byte of a column is worth.
    scales: Vec<f32>,
    /// The sum of a column's bytes.
    sums: Vec<i32>,
}

impl Columns {
    fn resize(&mut self, inputs: usize, columns: usize) {
        self.bytes.resize(inputs * columns, 0);
        self.scales.resize(columns, 0.0);
        self.sums.resize(columns, 0);
    }

    /// Puts blocks of `inputs` times `COLUMNS` bytes in the order in which they are read.
    #[inline(always)]
    fn arrange<P: Products, const COLUMNS: usize>(&mut self, inputs: usize) {
        if P::arrange_blocks::<COLUMNS>(&self.bytes, inputs, &mut self.room) {
            std::mem::swap(&mut self.bytes, &mut self.room);
        }
    }
}

/// See `Arithmetic::attention_error`.
#[cfg(test)]
pub(in super::super) const ERROR: f64 = 0.25;

#[inline(always)]
pub(in super::super) fn attend<U: Unit, const QUERIES: usize>(
    heads: Heads<'_>,
    space: &mut super::Space,
    context: &mut [f32],
) {
    match heads.width {
        32 => attend_with::<U, QUERIES, 32>(heads, &mut space.bytes, context),
        _ => attend_with::<U, QUERIES, 64>(heads, &mut space.bytes, context),
    }
}

/// Attention of heads that are `WIDTH` numbers wide.
#[inline(always)]
fn attend_with<U: Unit, const QUERIES: usize, const WIDTH: usize>(
    heads: Heads<'_>,
    space: &mut Space,
    context: &mut [f32],
) {
    let Heads { tokens, queries: wanted, hidden, .. } = heads;
    let rows = wanted.next_multiple_of(QUERIES);
    let keys = tokens.next_multiple_of(BLOCK);
    space.queries.0.resize(rows * WIDTH, 0);
    space.queries.1.resize(rows, 0.0);
    space.keys.resize(WIDTH, keys);
    space.values.resize(tokens.next_multiple_of(STEP), WIDTH);
    space.scores.resize(QUERIES * keys, 0.0);
    space.weights.resize(QUERIES * tokens.next_multiple_of(STEP), 0);
    for start in (0..hidden).step_by(WIDTH) {
        set_queries::<WIDTH>(heads, start, &mut space.queries);
        set_keys::<WIDTH>(heads, start, &mut space.keys);
        let centre = set_values::<WIDTH>(heads, start, &mut space.values);
        space.keys.arrange::<U::Fine, BLOCK>(WIDTH);
        space.values.arrange::<U::Fine, WIDTH>(tokens.next_multiple_of(STEP));
        let scales: [f32; WIDTH] = fixed(&space.values.scales);
        for first in (0..wanted).step_by(QUERIES) {
            score::<U::Fine, QUERIES, WIDTH>(space, first);
            let totals = weigh::<U, QUERIES>(space, tokens);
            let seen = sum_up::<U::Fine, QUERIES, WIDTH>(space);
            for (query, (seen, total)) in seen.iter().zip(totals).enumerate().take(wanted - first) {
                let output = &mut context[(first + query) * hidden + start..][..WIDTH];
                let part = 1.0 / total;
                for place in 0..WIDTH {
                    output[place] = U::mul_add(seen[place] as f32 * part, scales[place], centre[place]);
                }
            }
        }
    }
}

/// Rounds a head's queries.
#[inline(always)]
fn set_queries<const WIDTH: usize>(heads: Heads<'_>, start: usize, (bytes, scales): &mut (Vec<u8>, Vec<f32>)) {
    for (token, (bytes, scale)) in bytes.chunks_exact_mut(WIDTH).zip(scales).enumerate().take(heads.queries) {
        let query = numbers::<WIDTH>(heads, token, start);
        let inverse = inverse_of_step(query, scale);
        for place in 0..WIDTH {
            bytes[place] = rounded(query[place] * inverse).wrapping_add(MIDDLE) as u8;
        }
    }
}

/// Rounds a head's keys and lays them out, one a column.
#[inline(always)]
fn set_keys<const WIDTH: usize>(heads: Heads<'_>, start: usize, keys: &mut Columns) {
    let place = heads.hidden + start;
    let (centre, _) = range::<WIDTH>(heads, place);
    for token in 0..heads.tokens {
        let mut key = numbers::<WIDTH>(heads, token, place);
        for place in 0..WIDTH {
            key[place] -= centre[place];
        }
        let inverse = inverse_of_step(key, &mut keys.scales[token]);
        let mut bytes = [0i8; WIDTH];
        let mut sum = 0;
        for place in 0..WIDTH {
            let value = rounded(key[place] * inverse);
            sum += value;
            bytes[place] = value as i8;
        }
        keys.sums[token] = sum;
        let block = &mut keys.bytes[token / BLOCK * BLOCK * WIDTH..][..BLOCK * WIDTH];
        let column = block.as_chunks_mut::<GROUP>().0.iter_mut().skip(token % BLOCK).step_by(BLOCK);
        for (place, group) in column.zip(bytes.as_chunks::<GROUP>().0) {
            *place = *group;
        }
    }
}

/// Rounds a head's values and lays them out, one a row. Returns their centre.
#[inline(always)]
fn set_values<const WIDTH: usize>(heads: Heads<'_>, start: usize, values: &mut Columns) -> [f32; WIDTH] {
    let (tokens, place) = (heads.tokens, 2 * heads.hidden + start);
    let (centre, reach) = range::<WIDTH>(heads, place);
    let (mut steps, mut inverses) = ([0.0; WIDTH], [0.0; WIDTH]);
    for place in 0..WIDTH {
        steps[place] = (reach[place] / REACH).max(f32::MIN_POSITIVE);
        inverses[place] = 1.0 / steps[place];
    }
    values.scales[..WIDTH].copy_from_slice(&steps);
    let mut sums = [0; WIDTH];
    for (number, group) in values.bytes.chunks_exact_mut(GROUP * WIDTH).enumerate() {
        // The bytes of four tokens, one a byte of these.
        let mut words = [0u32; WIDTH];
        for (shift, token) in (0..).step_by(8).zip(number * GROUP..tokens.min((number + 1) * GROUP)) {
            let value = numbers::<WIDTH>(heads, token, place);
            for place in 0..WIDTH {
                let value = rounded((value[place] - centre[place]) * inverses[place]);
                sums[place] += value;
                words[place] |= u32::from(value as u8) << shift;
            }
        }
        for (bytes, word) in group.as_chunks_mut::<GROUP>().0.iter_mut().zip(words) {
            for (byte, value) in bytes.iter_mut().zip(word.to_le_bytes()) {
                *byte = value.cast_signed();
            }
        }
    }
    values.sums[..WIDTH].copy_from_slice(&sums);
    centre
}

/// Returns the numbers of a token from `place` on.
#[inline(always)]
fn numbers<const WIDTH: usize>(heads: Heads<'_>, token: usize, place: usize) -> [f32; WIDTH] {
    fixed(&heads.projected[token * 3 * heads.hidden + place..])
}

/// Returns the middle between the least and the greatest of all tokens' numbers at each place from `place` on, and how far these
/// are from it.
#[inline(always)]
fn range<const WIDTH: usize>(heads: Heads<'_>, place: usize) -> ([f32; WIDTH], [f32; WIDTH]) {
    let (mut least, mut greatest) = ([f32::MAX; WIDTH], [f32::MIN; WIDTH]);
    for token in 0..heads.tokens {
        let numbers = numbers::<WIDTH>(heads, token, place);
        for place in 0..WIDTH {
            least[place] = if numbers[place] < least[place] { numbers[place] } else { least[place] };
            greatest[place] = if numbers[place] > greatest[place] { numbers[place] } else { greatest[place] };
        }
    }
    let (mut middle, mut reach) = ([0.0; WIDTH], [0.0; WIDTH]);
    for place in 0..WIDTH {
        middle[place] = 0.5 * greatest[place] + 0.5 * least[place];
        reach[place] = 0.5 * greatest[place] - 0.5 * least[place];
    }
    (middle, reach)
}

/// Sets the step of numbers that are spread over bytes, and returns its inverse.
#[inline(always)]
fn inverse_of_step<const WIDTH: usize>(numbers: [f32; WIDTH], step: &mut f32) -> f32 {
    let mut sizes = numbers;
    for number in &mut sizes {
        *number = number.abs();
    }
    *step = (largest(sizes) / REACH).max(f32::MIN_POSITIVE);
    1.0 / *step
}

/// Rounds a number within 127 of 0.
#[inline(always)]
fn rounded(value: f32) -> i32 {
    // A number beyond, which only a damaged file makes, becomes some other.
    ((value + ROUNDING).to_bits() as u8).cast_signed().into()
}

/// Returns each number times `factor`.
#[inline(always)]
fn times<const N: usize>(mut numbers: [i32; N], factor: i32) -> [i32; N] {
    for number in &mut numbers {
        *number *= factor;
    }
    numbers
}

/// Multiplies queries from the `first` on with all keys.
#[inline(always)]
fn score<P: Products, const QUERIES: usize, const WIDTH: usize>(space: &mut Space, first: usize) {
    let (bytes, scales) = &space.queries;
    let bytes = &bytes[first * WIDTH..][..QUERIES * WIDTH];
    let arranged = P::arrange_rows::<QUERIES>(bytes, WIDTH, &mut space.room);
    let bytes = if arranged { &space.room } else { bytes };
    let scales: [f32; QUERIES] = fixed(&scales[first..]);
    let keys = space.keys.scales.len();
    for begin in (0..keys).step_by(BLOCK) {
        let sums: [i32; BLOCK] = fixed(&space.keys.sums[begin..]);
        let worth: [f32; BLOCK] = fixed(&space.keys.scales[begin..]);
        let mut products = [times(sums, P::MIDDLE - MIDDLE); QUERIES];
        P::tile::<QUERIES, BLOCK>(bytes, &space.keys.bytes[begin * WIDTH..][..BLOCK * WIDTH], &mut products);
        for (query, products) in products.iter().enumerate() {
            let scores = &mut space.scores[query * keys + begin..][..BLOCK];
            for lane in 0..BLOCK {
                scores[lane] = products[lane] as f32 * (worth[lane] * scales[query]);
            }
        }
    }
}

/// Turns scores into weights, and returns each query's sum of them.
#[inline(always)]
fn weigh<U: Unit, const QUERIES: usize>(space: &mut Space, tokens: usize) -> [f32; QUERIES] {
    let (keys, padded) = (tokens.next_multiple_of(BLOCK), tokens.next_multiple_of(STEP));
    let mut totals = [0.0; QUERIES];
    let rows = space.scores.chunks_exact_mut(keys).zip(space.weights.chunks_exact_mut(padded));
    for ((scores, weights), total) in rows.zip(&mut totals) {
        let scores = &mut scores[..padded];
        scores[tokens..].fill(f32::MIN);
        let greatest = super::greatest(scores);
        for (scores, weights) in scores.as_chunks::<SUMS>().0.iter().zip(weights.as_chunks_mut::<SUMS>().0) {
            for lane in 0..SUMS {
                let found = U::mul_add(super::exp::<U, 4>(scores[lane] - greatest, EXP), 255.0, ROUNDING);
                weights[lane] = found.to_bits() as u8;
            }
        }
        // In a loop of its own, whose sum stays in a register.
        let mut sum = 0u32;
        for weight in weights.iter() {
            sum += u32::from(*weight);
        }
        *total = sum as f32;
    }
    totals
}

/// Multiplies weights with values.
#[inline(always)]
fn sum_up<P: Products, const QUERIES: usize, const WIDTH: usize>(space: &mut Space) -> [[i32; WIDTH]; QUERIES] {
    let Space { weights, room, .. } = space;
    let arranged = P::arrange_rows::<QUERIES>(weights, weights.len() / QUERIES, room);
    let weights = if arranged { room } else { weights };
    let sums: [i32; WIDTH] = fixed(&space.values.sums);
    let mut seen = [times(sums, P::MIDDLE); QUERIES];
    P::tile::<QUERIES, WIDTH>(weights, &space.values.bytes, &mut seen);
    seen
}
