//! Attention in bytes, for sets with instructions for 8-bit products.
//!
//! At each place of a head, keys have a scale that all tokens share, and so have values. A key's is multiplied into the queries
//! before these are rounded, each with a scale of its own; a value's is multiplied with what is summed up. Keys and values lie around
//! a centre that the tokens share as well and that is taken away before, so that their bytes are finer. A softmax does not change if
//! all its scores are moved by the same; the values' centre is added again, since weights add up to 1. (Moving keys is from
//! SageAttention, Zhang et al. 2024, which takes their mean; that keys differ most by place is from KIVI, Liu et al. 2024.)
//!
//! The weights of a query begin at 255 for the token it looks at most, so they need neither a search for their range nor a zero of
//! their own; what is divided by in the end is the sum of the bytes.
//!
//! `QUERIES` queries are worked on together. The last ones are filled up with what the space holds: nothing reads what comes of
//! those.

use super::super::plain::{Products, ROUNDING, SUMS, Unit, fixed};
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
    queries: Queries,
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

/// A head's queries.
#[derive(Debug, Default)]
struct Queries {
    /// One a row.
    bytes: Vec<u8>,
    /// What a byte of each is worth.
    scales: Vec<f32>,
}

/// Blocks of `COLUMNS` columns of bytes in the order in which [`Products::tile`] reads them.
#[derive(Debug, Default)]
struct Columns {
    bytes: Vec<i8>,
    /// The sum of a column's bytes.
    sums: Vec<i32>,
    /// Where they are arranged.
    room: Vec<i8>,
}

impl Columns {
    fn resize(&mut self, inputs: usize, columns: usize) {
        self.bytes.resize(inputs * columns, 0);
        self.sums.resize(columns, 0);
    }

    /// Sums the columns up and puts their bytes in the order in which they are read.
    #[inline(always)]
    fn arrange<P: Products, const COLUMNS: usize>(&mut self, room: &mut Vec<u8>) {
        let inputs = self.bytes.len() / self.sums.len();
        if P::arrange_blocks::<COLUMNS>(&self.bytes, inputs, &mut self.room) {
            std::mem::swap(&mut self.bytes, &mut self.room);
        }
        // Rows of ones are the same in any order; a second one stands where rows are read in pairs.
        room.clear();
        room.resize(2 * inputs, P::MIDDLE as u8 + 1);
        let blocks = self.bytes.chunks_exact(inputs * COLUMNS);
        for (block, sums) in blocks.zip(self.sums.as_chunks_mut::<COLUMNS>().0) {
            *sums = [0; COLUMNS];
            P::tile::<1, COLUMNS>(room, block, std::array::from_mut(sums));
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
    let inputs = tokens.next_multiple_of(STEP);
    space.queries.bytes.resize(rows * WIDTH, 0);
    space.queries.scales.resize(rows, 0.0);
    space.keys.resize(WIDTH, keys);
    space.values.resize(inputs, WIDTH);
    space.scores.resize(QUERIES * keys, 0.0);
    space.weights.resize(QUERIES * inputs, 0);
    for start in (0..hidden).step_by(WIDTH) {
        let steps = set_keys::<WIDTH>(heads, start, &mut space.keys);
        set_queries::<U, WIDTH>(heads, start, steps, &mut space.queries);
        let Range { centre, steps, .. } = set_values::<WIDTH>(heads, start, &mut space.values);
        space.keys.arrange::<U::Fine, BLOCK>(&mut space.room);
        space.values.arrange::<U::Fine, WIDTH>(&mut space.room);
        for first in (0..wanted).step_by(QUERIES) {
            score::<U::Fine, QUERIES, WIDTH>(space, first);
            let totals = weigh::<U, QUERIES>(space, tokens);
            let seen = sum_up::<U::Fine, QUERIES, WIDTH>(space);
            for (query, (seen, total)) in seen.iter().zip(totals).enumerate().take(wanted - first) {
                let output = &mut context[(first + query) * hidden + start..][..WIDTH];
                let part = 1.0 / total;
                for place in 0..WIDTH {
                    output[place] = U::mul_add(seen[place] as f32 * part, steps[place], centre[place]);
                }
            }
        }
    }
}

/// Rounds a head's queries, each number being worth a key's step at its place.
#[inline(always)]
fn set_queries<U: Unit, const WIDTH: usize>(
    heads: Heads<'_>,
    start: usize,
    steps: [f32; WIDTH],
    queries: &mut Queries,
) {
    let rows = queries.bytes.as_chunks_mut::<WIDTH>().0.iter_mut().zip(&mut queries.scales);
    for (token, (bytes, scale)) in rows.enumerate().take(heads.queries) {
        let mut query = numbers::<WIDTH>(heads, token, start);
        for place in 0..WIDTH {
            query[place] *= steps[place];
        }
        let inverse = inverse_of_step::<U, WIDTH>(query, scale);
        for place in 0..WIDTH {
            bytes[place] = rounded(query[place] * inverse).wrapping_add(MIDDLE) as u8;
        }
    }
}

/// Rounds a head's keys and lays them out, one a column. Returns what a byte is worth at each place.
#[inline(always)]
fn set_keys<const WIDTH: usize>(heads: Heads<'_>, start: usize, keys: &mut Columns) -> [f32; WIDTH] {
    let place = heads.hidden + start;
    let Range { centre, steps, inverses } = range::<WIDTH>(heads, place);
    for token in 0..heads.tokens {
        let key = numbers::<WIDTH>(heads, token, place);
        let mut bytes = [0i8; WIDTH];
        for place in 0..WIDTH {
            bytes[place] = rounded((key[place] - centre[place]) * inverses[place]) as i8;
        }
        let block = &mut keys.bytes[token / BLOCK * BLOCK * WIDTH..][..BLOCK * WIDTH];
        let column = block.as_chunks_mut::<GROUP>().0.iter_mut().skip(token % BLOCK).step_by(BLOCK);
        for (place, group) in column.zip(bytes.as_chunks::<GROUP>().0) {
            *place = *group;
        }
    }
    steps
}

/// Rounds a head's values and lays them out, one a row. Returns where they lie.
#[inline(always)]
fn set_values<const WIDTH: usize>(heads: Heads<'_>, start: usize, values: &mut Columns) -> Range<WIDTH> {
    let (tokens, place) = (heads.tokens, 2 * heads.hidden + start);
    let range = range::<WIDTH>(heads, place);
    let Range { centre, inverses, .. } = range;
    for (number, group) in values.bytes.chunks_exact_mut(GROUP * WIDTH).enumerate() {
        // The bytes of four tokens, one a byte of these.
        let mut words = [0u32; WIDTH];
        for (shift, token) in (0..).step_by(8).zip(number * GROUP..tokens.min((number + 1) * GROUP)) {
            let value = numbers::<WIDTH>(heads, token, place);
            for place in 0..WIDTH {
                let value = rounded((value[place] - centre[place]) * inverses[place]);
                words[place] |= u32::from(value as u8) << shift;
            }
        }
        for (bytes, word) in group.as_chunks_mut::<GROUP>().0.iter_mut().zip(words) {
            for (byte, value) in bytes.iter_mut().zip(word.to_le_bytes()) {
                *byte = value.cast_signed();
            }
        }
    }
    range
}

/// Returns the numbers of a token from `place` on.
#[inline(always)]
fn numbers<const WIDTH: usize>(heads: Heads<'_>, token: usize, place: usize) -> [f32; WIDTH] {
    fixed(&heads.projected[token * 3 * heads.hidden + place..])
}

/// Where all tokens' numbers lie, place by place.
#[derive(Clone, Copy)]
struct Range<const WIDTH: usize> {
    /// The middle between the least and the greatest.
    centre: [f32; WIDTH],
    /// What a byte is worth that reaches from there to both.
    steps: [f32; WIDTH],
    /// 1 by that.
    inverses: [f32; WIDTH],
}

/// Returns where the tokens' numbers from `place` on lie.
#[inline(always)]
fn range<const WIDTH: usize>(heads: Heads<'_>, place: usize) -> Range<WIDTH> {
    let (mut least, mut greatest) = ([f32::MAX; WIDTH], [f32::MIN; WIDTH]);
    for token in 0..heads.tokens {
        let numbers = numbers::<WIDTH>(heads, token, place);
        for place in 0..WIDTH {
            least[place] = if numbers[place] < least[place] { numbers[place] } else { least[place] };
            greatest[place] = if numbers[place] > greatest[place] { numbers[place] } else { greatest[place] };
        }
    }
    let (mut centre, mut steps, mut inverses) = ([0.0; WIDTH], [0.0; WIDTH], [0.0; WIDTH]);
    for place in 0..WIDTH {
        centre[place] = 0.5 * greatest[place] + 0.5 * least[place];
        steps[place] = ((0.5 * greatest[place] - 0.5 * least[place]) / REACH).max(f32::MIN_POSITIVE);
        inverses[place] = 1.0 / steps[place];
    }
    Range { centre, steps, inverses }
}

/// Sets the step of numbers that are spread over bytes, and returns its inverse.
#[inline(always)]
fn inverse_of_step<U: Unit, const WIDTH: usize>(numbers: [f32; WIDTH], step: &mut f32) -> f32 {
    let mut sizes = [0.0f32; SUMS];
    for part in numbers.as_chunks::<SUMS>().0 {
        for lane in 0..SUMS {
            let size = part[lane].abs();
            sizes[lane] = if size > sizes[lane] { size } else { sizes[lane] };
        }
    }
    *step = (U::largest(sizes) / REACH).max(f32::MIN_POSITIVE);
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
    let Space { queries, keys, scores, room, .. } = space;
    let bytes = &queries.bytes[first * WIDTH..][..QUERIES * WIDTH];
    let bytes = if P::arrange_rows::<QUERIES>(bytes, WIDTH, room) { room } else { bytes };
    let scales: [f32; QUERIES] = fixed(&queries.scales[first..]);
    for begin in (0..keys.sums.len()).step_by(BLOCK) {
        let sums: [i32; BLOCK] = fixed(&keys.sums[begin..]);
        let mut products = [times(sums, P::MIDDLE - MIDDLE); QUERIES];
        P::tile::<QUERIES, BLOCK>(bytes, &keys.bytes[begin * WIDTH..][..BLOCK * WIDTH], &mut products);
        for (query, products) in products.iter().enumerate() {
            let scores = &mut scores[query * keys.sums.len() + begin..][..BLOCK];
            for lane in 0..BLOCK {
                scores[lane] = products[lane] as f32 * scales[query];
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
        let greatest = super::greatest::<U>(scores);
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
    let Space { values, weights, room, .. } = space;
    let arranged = P::arrange_rows::<QUERIES>(weights, weights.len() / QUERIES, room);
    let weights = if arranged { room } else { weights };
    let sums: [i32; WIDTH] = fixed(&values.sums);
    let mut seen = [times(sums, P::MIDDLE); QUERIES];
    P::tile::<QUERIES, WIDTH>(weights, &values.bytes, &mut seen);
    seen
}
