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

use super::super::plain::{ByteProducts, InstructionSet, ROUNDING, SUMS, fixed};
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
        let steps = set_keys::<WIDTH>(heads, start, &mut buffers.keys);
        set_queries::<U, WIDTH>(heads, start, steps, &mut buffers.queries);
        let Range { centre, steps, .. } = set_values::<WIDTH>(heads, start, &mut buffers.values);
        buffers.keys.arrange::<U::Fine, BLOCK>(&mut buffers.scratch);
        buffers.values.arrange::<U::Fine, WIDTH>(&mut buffers.scratch);
        for first in (0..wanted).step_by(QUERIES) {
            score::<U::Fine, QUERIES, WIDTH>(buffers, first);
            let totals = softmax_weights::<U, QUERIES>(buffers, tokens);
            let seen = weighted_values::<U::Fine, QUERIES, WIDTH>(buffers);
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

/// Rounds the queries of a head, after multiplying each dimension by the key scale.
#[inline(always)]
fn set_queries<U: InstructionSet, const WIDTH: usize>(
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

/// Rounds the keys of a head and stores each in a column. Returns the scale of each dimension.
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

/// Rounds the values of a head and stores each in a row. Returns their range.
#[inline(always)]
fn set_values<const WIDTH: usize>(heads: Heads<'_>, start: usize, values: &mut Columns) -> Range<WIDTH> {
    let (tokens, place) = (heads.tokens, 2 * heads.hidden + start);
    let range = range::<WIDTH>(heads, place);
    let Range { centre, inverses, .. } = range;
    for (number, group) in values.bytes.chunks_exact_mut(GROUP * WIDTH).enumerate() {
        // Each word holds the bytes of four tokens.
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

/// Returns a token's numbers, starting at `place`.
#[inline(always)]
fn numbers<const WIDTH: usize>(heads: Heads<'_>, token: usize, place: usize) -> [f32; WIDTH] {
    fixed(&heads.projected[token * 3 * heads.hidden + place..])
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

/// Returns the range of the tokens' numbers, starting at `place`.
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
        steps[place] = ((0.5 * greatest[place] - 0.5 * least[place]) / MAX_DISTANCE).max(f32::MIN_POSITIVE);
        inverses[place] = 1.0 / steps[place];
    }
    Range { centre, steps, inverses }
}

/// Sets the step between two bytes that span these numbers, and returns its inverse.
#[inline(always)]
fn inverse_of_step<U: InstructionSet, const WIDTH: usize>(numbers: [f32; WIDTH], step: &mut f32) -> f32 {
    let mut sizes = [0.0f32; SUMS];
    for part in numbers.as_chunks::<SUMS>().0 {
        for lane in 0..SUMS {
            let size = part[lane].abs();
            sizes[lane] = if size > sizes[lane] { size } else { sizes[lane] };
        }
    }
    *step = (U::largest(sizes) / MAX_DISTANCE).max(f32::MIN_POSITIVE);
    1.0 / *step
}

/// Rounds a number in -127 to 127.
#[inline(always)]
fn rounded(value: f32) -> i32 {
    // A number outside the range, which only a damaged file produces, becomes an arbitrary one.
    ((value + ROUNDING).to_bits() as u8).cast_signed().into()
}

/// Returns each number multiplied by `factor`.
#[inline(always)]
fn times<const N: usize>(mut numbers: [i32; N], factor: i32) -> [i32; N] {
    for number in &mut numbers {
        *number *= factor;
    }
    numbers
}

/// Multiplies the queries starting at `first` with all keys.
#[inline(always)]
fn score<P: ByteProducts, const QUERIES: usize, const WIDTH: usize>(buffers: &mut AttentionBuffers, first: usize) {
    let AttentionBuffers { queries, keys, scores, scratch, .. } = buffers;
    let bytes = &queries.bytes[first * WIDTH..][..QUERIES * WIDTH];
    let bytes = if P::arrange_rows::<QUERIES>(bytes, WIDTH, scratch) { scratch } else { bytes };
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

/// Turns scores into weights, and returns the sum of each query's weights.
#[inline(always)]
fn softmax_weights<U: InstructionSet, const QUERIES: usize>(
    buffers: &mut AttentionBuffers,
    tokens: usize,
) -> [f32; QUERIES] {
    let (keys, padded) = (tokens.next_multiple_of(BLOCK), tokens.next_multiple_of(STEP));
    let mut totals = [0.0; QUERIES];
    let rows = buffers.scores.chunks_exact_mut(keys).zip(buffers.weights.chunks_exact_mut(padded));
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
        // A separate loop keeps the sum in a register.
        let mut sum = 0u32;
        for weight in weights.iter() {
            sum += u32::from(*weight);
        }
        *total = sum as f32;
    }
    totals
}

/// Multiplies the weights with the values.
#[inline(always)]
fn weighted_values<P: ByteProducts, const QUERIES: usize, const WIDTH: usize>(
    buffers: &mut AttentionBuffers,
) -> [[i32; WIDTH]; QUERIES] {
    let AttentionBuffers { values, weights, scratch, .. } = buffers;
    let arranged = P::arrange_rows::<QUERIES>(weights, weights.len() / QUERIES, scratch);
    let weights = if arranged { scratch } else { weights };
    let sums: [i32; WIDTH] = fixed(&values.sums);
    let mut seen = [times(sums, P::MIDDLE); QUERIES];
    P::tile::<QUERIES, WIDTH>(weights, &values.bytes, &mut seen);
    seen
}
