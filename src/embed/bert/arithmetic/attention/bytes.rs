//! Attention in bytes, for instruction sets with 8-bit products.
//!
//! For each dimension of a head, all tokens' keys share one scale, and all values share another. The key scales are multiplied into the
//! queries, which are then rounded with one scale per query. The value scales are applied to the weighted sums. Before rounding, keys and
//! values are shifted by a centre that all tokens share, so that their bytes have finer steps. A softmax does not change if all its scores
//! shift equally; the centre of the values is added back afterwards, because the weights add up to 1. (Shifting keys is from SageAttention,
//! Zhang et al. 2024, which subtracts their mean; that keys differ most between dimensions is from KIVI, Liu et al. 2024.)
//!
//! The largest weight of a query is always 255, so weights need neither a search for their range nor a zero point. The
//! final divisor is the sum of the bytes.
//!
//! `QUERIES` queries are processed together. The last batch is padded with leftovers in the buffers; nothing reads their results.

use super::super::lanes::{LANES, Lanes, lanes, maximum, sum};
use super::super::plain::{ByteProducts, InstructionSet, ROUNDING, fixed, fixed_mut, multiply_integers};
use super::super::{BLOCK, GROUP, Heads};

/// The number of tokens is padded to a multiple of this where weights meet values: four groups, the width that the instruction sets read.
const STEP: usize = 4 * GROUP;

/// The byte that stands for a query's 0, and the maximum distance from it.
const MIDDLE: i32 = 128;
const MAX_DISTANCE: f32 = 127.0;

/// Polynomial for powers of 2, with a relative error of at most 8e-5, a fiftieth of a step of the resulting bytes. It
/// is the minimax polynomial of its degree for the relative error.
const EXP: [f32; 4] = [0.055_171_67, 0.242_611_13, 0.693_260_97, 0.999_928_06];

/// Buffers that are reused from text to text.
#[derive(Debug, Default)]
pub(super) struct AttentionBuffers {
    queries: Queries,
    /// A head's keys, one per column.
    keys: Columns,
    /// A head's values: each column is a dimension, each group four tokens.
    values: Columns,
    /// Scores of one batch of queries, one row each; then the same as bytes, the weight of each token.
    scores: Vec<f32>,
    weights: Vec<u8>,
    /// Buffer for rearranged rows.
    scratch: Vec<u8>,
}

/// The queries of a head.
#[derive(Debug, Default)]
struct Queries {
    /// One per row.
    bytes: Vec<u8>,
    /// Scale of each row.
    scales: Vec<f32>,
}

/// Blocks of `COLUMNS` columns of bytes, in the order that [`ByteProducts::tile`] reads.
#[derive(Debug, Default)]
struct Columns {
    bytes: Vec<i8>,
    /// Sum of the bytes of each column.
    sums: Vec<i32>,
    /// Buffer for rearranging.
    scratch: Vec<i8>,
}

impl Columns {
    fn resize(&mut self, inputs: usize, columns: usize) {
        self.bytes.resize(inputs * columns, 0);
        self.sums.resize(columns, 0);
    }

    /// Computes the column sums and puts the bytes into the order that the tiles read.
    #[inline(always)]
    fn arrange<P: ByteProducts, const COLUMNS: usize>(&mut self, scratch: &mut Vec<u8>) {
        let inputs = self.bytes.len() / self.sums.len();
        if P::arrange_blocks::<COLUMNS>(&self.bytes, inputs, &mut self.scratch) {
            std::mem::swap(&mut self.bytes, &mut self.scratch);
        }
        // Rows of ones are the same in any order. The second row is there for sets that read rows in pairs.
        scratch.clear();
        scratch.resize(2 * inputs, P::MIDDLE as u8 + 1);
        let blocks = self.bytes.chunks_exact(inputs * COLUMNS);
        for (block, sums) in blocks.zip(self.sums.as_chunks_mut::<COLUMNS>().0) {
            *sums = [0; COLUMNS];
            P::tile::<1, COLUMNS>(scratch, block, std::array::from_mut(sums));
        }
    }
}

/// See `Arithmetic::attention_error`.
#[cfg(test)]
pub(in super::super) const ERROR: f64 = 0.25;

#[inline(always)]
pub(in super::super) fn attend<U: InstructionSet, const QUERIES: usize>(
    heads: Heads<'_>,
    buffers: &mut super::AttentionBuffers,
    context: &mut [f32],
) {
    match heads.width {
        32 => attend_with::<U, QUERIES, 32>(heads, &mut buffers.bytes, context),
        _ => attend_with::<U, QUERIES, 64>(heads, &mut buffers.bytes, context),
    }
}

/// Attention for heads of `WIDTH` dimensions.
#[inline(always)]
fn attend_with<U: InstructionSet, const QUERIES: usize, const WIDTH: usize>(
    heads: Heads<'_>,
    buffers: &mut AttentionBuffers,
    context: &mut [f32],
) {
    let Heads { tokens, queries: wanted, hidden, .. } = heads;
    let rows = wanted.next_multiple_of(QUERIES);
    let keys = tokens.next_multiple_of(BLOCK);
    let inputs = tokens.next_multiple_of(STEP);
    buffers.queries.bytes.resize(rows * WIDTH, 0);
    buffers.queries.scales.resize(rows, 0.0);
    buffers.keys.resize(WIDTH, keys);
    buffers.values.resize(inputs, WIDTH);
    buffers.scores.resize(QUERIES * keys, 0.0);
    buffers.weights.resize(QUERIES * inputs, 0);
    for start in (0..hidden).step_by(WIDTH) {
        let steps = set_keys::<U::Lanes, WIDTH>(heads, start, &mut buffers.keys);
        set_queries::<U::Lanes, WIDTH>(heads, start, steps, &mut buffers.queries);
        let Range { centre, steps, .. } = set_values::<U::Lanes, WIDTH>(heads, start, &mut buffers.values);
        buffers.keys.arrange::<U::Fine, BLOCK>(&mut buffers.scratch);
        buffers.values.arrange::<U::Fine, WIDTH>(&mut buffers.scratch);
        for first in (0..wanted).step_by(QUERIES) {
            score::<U, QUERIES, WIDTH>(buffers, first);
            let totals = softmax_weights::<U::Lanes, QUERIES>(buffers, heads, first);
            let seen = weighted_values::<U, QUERIES, WIDTH>(buffers);
            for (query, (seen, total)) in seen.iter().zip(totals).enumerate().take(wanted - first) {
                let output = context[(first + query) * hidden + start..][..WIDTH].as_chunks_mut::<LANES>().0;
                let part = U::Lanes::splat(1.0 / total);
                let ranges = lanes::<U::Lanes>(&steps).zip(lanes::<U::Lanes>(&centre));
                for ((output, seen), (steps, centre)) in output.iter_mut().zip(seen.as_chunks().0).zip(ranges) {
                    U::Lanes::from_integers(seen).times(part).mul_add(steps, centre).store(output);
                }
            }
        }
    }
}

/// Rounds the queries of a head, after multiplying each dimension by the key scale.
#[inline(always)]
fn set_queries<L: Lanes, const WIDTH: usize>(
    heads: Heads<'_>,
    start: usize,
    steps: [f32; WIDTH],
    queries: &mut Queries,
) {
    let middle = L::splat(ROUNDING + MIDDLE as f32);
    let rows = queries.bytes.as_chunks_mut::<WIDTH>().0.iter_mut().zip(&mut queries.scales);
    for (token, (bytes, scale)) in rows.enumerate().take(heads.queries) {
        let mut query = numbers::<WIDTH>(heads, token, start);
        let mut sizes = L::splat(0.0);
        for (numbers, steps) in query.as_chunks_mut::<LANES>().0.iter_mut().zip(lanes::<L>(&steps)) {
            let scaled = L::load(numbers).times(steps);
            scaled.store(numbers);
            sizes = scaled.greatest(L::splat(0.0).minus(scaled)).greatest(sizes);
        }
        *scale = (maximum(sizes) / MAX_DISTANCE).max(f32::MIN_POSITIVE);
        let inverse = L::splat(1.0 / *scale);
        for (bytes, numbers) in bytes.as_chunks_mut().0.iter_mut().zip(lanes::<L>(&query)) {
            numbers.times(inverse).plus(middle).store_bytes(bytes);
        }
    }
}

/// Rounds the keys of a head and stores each in a column. Returns the scale of each dimension.
#[inline(always)]
fn set_keys<L: Lanes, const WIDTH: usize>(heads: Heads<'_>, start: usize, keys: &mut Columns) -> [f32; WIDTH] {
    let place = heads.hidden + start;
    let range = range::<L, WIDTH>(heads, place);
    for token in 0..heads.tokens {
        let mut bytes = [0u8; WIDTH];
        let key = numbers::<WIDTH>(heads, token, place);
        for (part, bytes) in bytes.as_chunks_mut().0.iter_mut().enumerate() {
            range.rounded::<L>(&key, part).store_bytes(bytes);
        }
        let block = &mut keys.bytes[token / BLOCK * BLOCK * WIDTH..][..BLOCK * WIDTH];
        let column = block.as_chunks_mut::<GROUP>().0.iter_mut().skip(token % BLOCK).step_by(BLOCK);
        for (place, [a, b, c, d]) in column.zip(bytes.as_chunks::<GROUP>().0) {
            *place = [a.cast_signed(), b.cast_signed(), c.cast_signed(), d.cast_signed()];
        }
    }
    range.steps
}

/// Rounds the values of a head and stores each in a row. Returns their range.
#[inline(always)]
fn set_values<L: Lanes, const WIDTH: usize>(heads: Heads<'_>, start: usize, values: &mut Columns) -> Range<WIDTH> {
    let (tokens, place) = (heads.tokens, 2 * heads.hidden + start);
    let range = range::<L, WIDTH>(heads, place);
    for (number, group) in values.bytes.chunks_exact_mut(GROUP * WIDTH).enumerate() {
        let mut four = [[0.0; WIDTH]; GROUP];
        let present = tokens.saturating_sub(number * GROUP).min(GROUP);
        for (next, value) in four.iter_mut().enumerate().take(present) {
            *value = numbers::<WIDTH>(heads, number * GROUP + next, place);
        }
        for (part, group) in group.as_chunks_mut::<{ GROUP * LANES }>().0.iter_mut().enumerate() {
            // The bytes of tokens after the last are 0.
            let mut rounded = [L::splat(0.0); GROUP];
            for (rounded, value) in rounded.iter_mut().zip(&four).take(present) {
                *rounded = range.rounded::<L>(value, part);
            }
            // Each word holds the bytes of four tokens.
            let mut words = [0u32; LANES];
            L::store_words(rounded, &mut words);
            for (bytes, word) in group.as_chunks_mut::<GROUP>().0.iter_mut().zip(words) {
                let [a, b, c, d] = word.to_le_bytes();
                *bytes = [a.cast_signed(), b.cast_signed(), c.cast_signed(), d.cast_signed()];
            }
        }
    }
    range
}

/// Returns a token's numbers, starting at `place`.
#[inline(always)]
fn numbers<const WIDTH: usize>(heads: Heads<'_>, token: usize, place: usize) -> [f32; WIDTH] {
    *fixed(&heads.projected[token * 3 * heads.hidden + place..])
}

/// Range of all tokens' numbers, per dimension.
#[derive(Clone, Copy)]
struct Range<const WIDTH: usize> {
    /// The midpoint of minimum and maximum.
    centre: [f32; WIDTH],
    /// The step between two bytes if they span the range.
    steps: [f32; WIDTH],
    /// The inverse of the step.
    inverses: [f32; WIDTH],
}

impl<const WIDTH: usize> Range<WIDTH> {
    /// Returns the numbers of `part` in steps from the centre, so that the lowest byte of each is the nearest step, -127 to 127. A number
    /// outside the range, which only a damaged file produces, becomes an arbitrary one.
    #[inline(always)]
    fn rounded<L: Lanes>(&self, numbers: &[f32; WIDTH], part: usize) -> L {
        let at = |numbers: &[f32; WIDTH]| L::load(&numbers.as_chunks().0[part]);
        at(numbers).minus(at(&self.centre)).times(at(&self.inverses)).plus(L::splat(ROUNDING))
    }
}

/// Returns the range of the tokens' numbers, starting at `place`.
#[inline(always)]
fn range<L: Lanes, const WIDTH: usize>(heads: Heads<'_>, place: usize) -> Range<WIDTH> {
    let mut range = Range { centre: [0.0; WIDTH], steps: [0.0; WIDTH], inverses: [0.0; WIDTH] };
    for part in 0..WIDTH / LANES {
        let (mut least, mut greatest) = (L::splat(f32::MAX), L::splat(f32::MIN));
        for token in 0..heads.tokens {
            let numbers: [f32; LANES] = numbers(heads, token, place + part * LANES);
            let numbers = L::load(&numbers);
            least = numbers.least(least);
            greatest = numbers.greatest(greatest);
        }
        let half = L::splat(0.5);
        let (least, greatest) = (least.times(half), greatest.times(half));
        let part = part * LANES..(part + 1) * LANES;
        greatest.plus(least).store(fixed_mut(&mut range.centre[part.clone()]));
        greatest.minus(least).store(fixed_mut(&mut range.steps[part]));
    }
    for (step, inverse) in range.steps.iter_mut().zip(&mut range.inverses) {
        *step = (*step / MAX_DISTANCE).max(f32::MIN_POSITIVE);
        *inverse = 1.0 / *step;
    }
    range
}

/// Multiplies the queries starting at `first` with all keys.
#[inline(always)]
fn score<U: InstructionSet, const QUERIES: usize, const WIDTH: usize>(buffers: &mut AttentionBuffers, first: usize) {
    let AttentionBuffers { queries, keys, scores, scratch, .. } = buffers;
    let bytes = &queries.bytes[first * WIDTH..][..QUERIES * WIDTH];
    let bytes = if U::Fine::arrange_rows::<QUERIES>(bytes, WIDTH, scratch) { scratch } else { bytes };
    let scales: &[f32; QUERIES] = fixed(&queries.scales[first..]);
    for begin in (0..keys.sums.len()).step_by(BLOCK) {
        let mut offsets = [0; BLOCK];
        multiply_integers::<U::Lanes>(&keys.sums[begin..][..BLOCK], U::Fine::MIDDLE - MIDDLE, &mut offsets);
        let mut products = [offsets; QUERIES];
        U::Fine::tile::<QUERIES, BLOCK>(bytes, &keys.bytes[begin * WIDTH..][..BLOCK * WIDTH], &mut products);
        for (query, products) in products.iter().enumerate() {
            let scores = scores[query * keys.sums.len() + begin..][..BLOCK].as_chunks_mut().0;
            for (scores, products) in scores.iter_mut().zip(products.as_chunks().0) {
                U::Lanes::from_integers(products).times(U::Lanes::splat(scales[query])).store(scores);
            }
        }
    }
}

/// Turns the scores of the queries starting at `first` into weights, and returns the sum of each query's weights.
#[inline(always)]
fn softmax_weights<L: Lanes, const QUERIES: usize>(
    buffers: &mut AttentionBuffers,
    heads: Heads<'_>,
    first: usize,
) -> [f32; QUERIES] {
    let tokens = heads.tokens;
    let (keys, padded) = (tokens.next_multiple_of(BLOCK), tokens.next_multiple_of(STEP));
    let mut totals = [0.0; QUERIES];
    let rows = buffers.scores.chunks_exact_mut(keys).zip(buffers.weights.chunks_exact_mut(padded));
    for (query, ((scores, weights), total)) in rows.zip(&mut totals).enumerate() {
        let scores = &mut scores[..padded];
        scores[tokens..].fill(f32::MIN);
        heads.mask(first + query, scores);
        let greatest = L::splat(super::greatest::<L>(scores));
        let mut sums = L::splat(0.0);
        for (scores, weights) in lanes::<L>(scores).zip(weights.as_chunks_mut::<LANES>().0) {
            let found = super::exp(scores.minus(greatest), EXP).mul_add(L::splat(255.0), L::splat(ROUNDING));
            found.store_bytes(weights);
            // These sums of integers are exact.
            sums = sums.plus(found.minus(L::splat(ROUNDING)));
        }
        *total = sum(sums);
    }
    totals
}

/// Multiplies the weights with the values.
#[inline(always)]
fn weighted_values<U: InstructionSet, const QUERIES: usize, const WIDTH: usize>(
    buffers: &mut AttentionBuffers,
) -> [[i32; WIDTH]; QUERIES] {
    let AttentionBuffers { values, weights, scratch, .. } = buffers;
    let arranged = U::Fine::arrange_rows::<QUERIES>(weights, weights.len() / QUERIES, scratch);
    let weights = if arranged { scratch } else { weights };
    let mut offsets = [0; WIDTH];
    multiply_integers::<U::Lanes>(&values.sums, U::Fine::MIDDLE, &mut offsets);
    let mut seen = [offsets; QUERIES];
    U::Fine::tile::<QUERIES, WIDTH>(weights, &values.bytes, &mut seen);
    seen
}
