//! Attention in floating point.
//!
//! A head's keys are stored one per column, so that one vector register holds the scores of several keys. Up to `QUERIES`
//! queries are processed together, each with `COLUMNS` keys or values at a time: as many as the registers of the instruction
//! set can sum up. [`InstructionSet::multiply`] computes both products, queries with keys and weights with values.

use super::super::Heads;
use super::super::lanes::{LANES, Lanes, sum};
use super::super::plain::{InstructionSet, Product};

/// Buffers that are reused from text to text.
#[derive(Debug, Default)]
pub(super) struct AttentionBuffers {
    /// A head's keys, one per column.
    keys: Vec<f32>,
    /// Weights of one batch of queries, one row each.
    weights: Vec<f32>,
}

/// See `Arithmetic::attention_error`.
#[cfg(test)]
pub(in super::super) const ERROR: f64 = 5e-5;

#[inline(always)]
pub(in super::super) fn attend<U: InstructionSet, const QUERIES: usize>(
    heads: Heads<'_>,
    buffers: &mut super::AttentionBuffers,
    context: &mut [f32],
) {
    let buffers = &mut buffers.floats;
    let Heads { tokens, queries: wanted, hidden, width, .. } = heads;
    let padded = tokens.next_multiple_of(U::COLUMNS);
    // The buffers hold leftovers after the last key, which are masked below.
    buffers.keys.resize(width * padded, 0.0);
    buffers.weights.resize(QUERIES * padded, 0.0);
    for start in (0..hidden).step_by(width) {
        transpose::<U>(heads, start, &mut buffers.keys, padded);
        let mut first = 0;
        while first < wanted {
            first += match wanted - first {
                1 => attend_queries::<U, 1>(heads, start, first, buffers, context),
                2 => attend_queries::<U, 2>(heads, start, first, buffers, context),
                3 => attend_queries::<U, 3>(heads, start, first, buffers, context),
                4..=5 => attend_queries::<U, 4>(heads, start, first, buffers, context),
                6..=7 if QUERIES > 5 => attend_queries::<U, 6>(heads, start, first, buffers, context),
                _ => attend_queries::<U, QUERIES>(heads, start, first, buffers, context),
            };
        }
    }
}

/// Computes the attention of `R` queries for the head that starts at `start`, and returns `R`.
#[inline(always)]
fn attend_queries<U: InstructionSet, const R: usize>(
    heads: Heads<'_>,
    start: usize,
    first: usize,
    buffers: &mut AttentionBuffers,
    context: &mut [f32],
) -> usize {
    let Heads { projected, tokens, hidden, width, .. } = heads;
    let padded = tokens.next_multiple_of(U::COLUMNS);
    let queries = &projected[first * 3 * hidden + start..];
    for key in (0..padded).step_by(U::COLUMNS) {
        let product = Product {
            left: queries,
            left_row: 3 * hidden,
            right: &buffers.keys[key..],
            right_row: padded,
            depth: width,
        };
        U::multiply::<R>(product, &mut buffers.weights[key..], padded);
    }
    let mut inverses = [0.0f32; R];
    for (query, (row, inverse)) in buffers.weights.chunks_exact_mut(padded).zip(&mut inverses).enumerate() {
        heads.mask(first + query, row);
        *inverse = 1.0 / exponentiate::<U>(row, tokens);
    }
    for part in (start..start + width).step_by(U::COLUMNS) {
        let values = &projected[2 * hidden + part..];
        let product =
            Product { left: &buffers.weights, left_row: padded, right: values, right_row: 3 * hidden, depth: tokens };
        U::multiply::<R>(product, &mut context[first * hidden + part..], hidden);
    }
    for (query, inverse) in inverses.iter().enumerate() {
        let inverse = U::Lanes::splat(*inverse);
        for values in context[(first + query) * hidden + start..][..width].as_chunks_mut::<LANES>().0 {
            U::Lanes::load(values).times(inverse).store(values);
        }
    }
    R
}

/// Stores the keys of a head, one per column.
#[inline(always)]
fn transpose<U: InstructionSet>(heads: Heads<'_>, start: usize, keys: &mut [f32], padded: usize) {
    /// Size of the square of keys and dimensions that is transposed at once.
    const SIDE: usize = 8;
    let Heads { projected, tokens, hidden, width, .. } = heads;
    let key = |token: usize| &projected[token * 3 * hidden + hidden + start..][..width];
    let whole = tokens - tokens % SIDE;
    for token in (0..whole).step_by(SIDE) {
        for place in (0..width).step_by(SIDE) {
            let mut square = [&[0.0; SIDE]; SIDE];
            for (next, row) in square.iter_mut().enumerate() {
                *row = key(token + next)[place..].first_chunk().expect("a head is a multiple of eight numbers wide");
            }
            U::transpose(square, &mut keys[place * padded + token..], padded);
        }
    }
    for token in whole..tokens {
        for (place, value) in key(token).iter().enumerate() {
            keys[place * padded + token] = *value;
        }
    }
}

/// Replaces the scores in a row by their exponentials, and those after `tokens` by 0. Returns the sum.
#[inline(always)]
fn exponentiate<U: InstructionSet>(row: &mut [f32], tokens: usize) -> f32 {
    row[tokens..].fill(f32::MIN);
    let greatest = U::Lanes::splat(super::greatest::<U::Lanes>(row));
    for scores in row.as_chunks_mut::<LANES>().0 {
        super::exp(U::Lanes::load(scores).minus(greatest), super::EXP).store(scores);
    }
    row[tokens..].fill(0.0);
    let mut total = U::Lanes::splat(0.0);
    for weights in row.as_chunks::<LANES>().0 {
        total = total.plus(U::Lanes::load(weights));
    }
    sum(total)
}
