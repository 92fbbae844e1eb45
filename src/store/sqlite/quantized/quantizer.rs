//! Quantizes vectors to seven bits per value, and compares queries with the result.
//!
//! After the rotation, and divided by its root mean square, a vector's values are roughly normally distributed. A value's level is
//! 0 below -1, 1 below 0, 2 below 1, and 3 otherwise. With the representative values -3, -1, 1 and 3, this is within a hundredth of
//! the best uniform quantizer of two bits (Max, "Quantizing for minimum distortion", 1960). Each level is divided into 32 steps.
//! Those of the inner levels are equal. Those of the outer levels widen outwards as exp(x² / 6), which minimizes the error for a
//! normal distribution (Panter and Dite, "Quantization distortion in pulse-count modulation with nonuniform spacing of levels",
//! 1951), up to 6. The error is some 1.4 % of a vector's length.
//!
//! A quantized vector has a direction but no length. The query is not quantized.

use std::sync::LazyLock;

use super::dot::{RUN_BYTES, RUN_VALUES};
use super::rotation::Rotation;

/// Steps per level: five bits.
const STEPS: usize = 32;
/// Upper bound of the outermost step.
const MAX_VALUE: f64 = 6.0;
/// Bytes of the rest of 16 values: the low four bits of each, then the fifth bits.
const REST_BYTES: usize = 10;

/// The values that represent the 128 steps, lowest first.
static VALUES: LazyLock<[f32; 4 * STEPS]> = LazyLock::new(|| {
    let edges = &*EDGES;
    std::array::from_fn(|index| {
        let (level, step) = (index / STEPS, index % STEPS);
        let size = match level {
            0 => -(edges[STEPS - 1 - step] + edges[STEPS - step]) / 2.0,
            1 => (step as f64 + 0.5) / STEPS as f64 - 1.0,
            2 => (step as f64 + 0.5) / STEPS as f64,
            _ => (edges[step] + edges[step + 1]) / 2.0,
        };
        size as f32
    })
});

/// The lower bounds of the highest level's steps, and the upper bound of the last.
static EDGES: LazyLock<[f64; STEPS + 1]> = LazyLock::new(|| {
    // All steps have equal shares of the integral of exp(-x² / 6).
    const PARTS: usize = 20_000;
    let width = (MAX_VALUE - 1.0) / PARTS as f64;
    let density = |part: usize| (-(1.0 + width * (part as f64 + 0.5)).powi(2) / 6.0).exp();
    let all: f64 = (0..PARTS).map(density).sum();
    let (mut edges, mut sum, mut part) = ([1.0; STEPS + 1], 0.0, 0);
    for (step, edge) in edges.iter_mut().enumerate().skip(1) {
        while part < PARTS && sum < all * step as f64 / STEPS as f64 {
            sum += density(part);
            part += 1;
        }
        *edge = 1.0 + width * part as f64;
    }
    edges
});

/// A vector quantized to seven bits per value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::sqlite) struct QuantizedVector {
    /// The upper two bits: four bytes per 16 values. Bits `2 * k` and `2 * k + 1` of byte `j` belong to value `4 * k + j`.
    pub(in crate::sqlite) levels: Vec<u8>,
    /// The lower five bits: ten bytes per 16 values. Byte `j` of the first eight holds the low four bits of value `j` and, above
    /// them, those of value `j + 8`. Bit `j` of the last two bytes is the fifth bit of value `j`.
    pub(in crate::sqlite) rest: Vec<u8>,
}

/// Returns the number of values after padding with zeros.
pub(super) fn width(dimensions: usize) -> usize {
    dimensions.next_multiple_of(RUN_VALUES)
}

/// Returns the length of the rest of a vector with this many values, in bytes.
pub(in crate::sqlite) fn rest_len(dimensions: usize) -> usize {
    width(dimensions) / RUN_VALUES * REST_BYTES
}

impl QuantizedVector {
    /// Returns all bits in one row: the levels, then the rest.
    pub(in crate::sqlite) fn to_bytes(&self) -> Vec<u8> {
        [self.levels.as_slice(), &self.rest].concat()
    }

    /// Reads the output of [`QuantizedVector::to_bytes`]; `None` if no vector has that length.
    pub(in crate::sqlite) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let groups = bytes.len() / (RUN_BYTES + REST_BYTES);
        let (levels, rest) =
            (groups * (RUN_BYTES + REST_BYTES) == bytes.len()).then(|| bytes.split_at(groups * RUN_BYTES))?;
        Some(Self { levels: levels.into(), rest: rest.into() })
    }

    /// Returns the quantized zero vector, whose similarity to anything is 0. No other vector has the lowest step everywhere, so
    /// that marks it.
    fn zeros(width: usize) -> Self {
        Self { levels: vec![0; width / 4], rest: vec![0; width / RUN_VALUES * REST_BYTES] }
    }

    /// Returns the rotated unit vector that it represents, or zeros.
    pub(super) fn to_unit(&self) -> Vec<f32> {
        let mut values = Vec::new();
        if read(&self.levels, &self.rest, &mut values) {
            let length = dot(&values, &values).sqrt();
            values.iter_mut().for_each(|value| *value /= length);
        } else {
            values = vec![0.0; self.levels.len() * 4];
        }
        values
    }
}

/// Reads the values of a vector; returns false for a zero vector, or if levels and rest have different widths.
fn read(levels: &[u8], rest: &[u8], values: &mut Vec<f32>) -> bool {
    values.clear();
    let (pieces, rests) = (levels.as_chunks::<RUN_BYTES>().0, rest.as_chunks::<REST_BYTES>().0);
    if pieces.len() != rests.len() || !levels.iter().chain(rest).any(|byte| *byte != 0) {
        return false;
    }
    let table = &*VALUES;
    for (piece, rest) in pieces.iter().zip(rests) {
        let mut group = [0.0; RUN_VALUES];
        for (group, steps) in group.as_chunks_mut::<8>().0.iter_mut().zip(steps_of(*piece, rest)) {
            for (value, step) in group.iter_mut().zip(steps.to_le_bytes()) {
                *value = table[usize::from(step) % table.len()];
            }
        }
        values.extend_from_slice(&group);
    }
    true
}

/// Returns the steps of 16 values, 0 to 127: one byte each, the first value in the lowest byte. They are assembled eight at a time,
/// because a query reads thousands of vectors.
fn steps_of(piece: [u8; RUN_BYTES], rest: &[u8; REST_BYTES]) -> [u64; 2] {
    /// Repeats a byte eight times by multiplication.
    const EACH: u64 = 0x0101_0101_0101_0101;
    let levels = u64::from(u32::from_le_bytes(piece));
    let (fours, fifths) = rest.split_at(8);
    let fours = u64::from_le_bytes(*fours.first_chunk().expect("a rest has ten bytes"));
    let mut steps = [0; 2];
    for (half, steps) in steps.iter_mut().enumerate() {
        // For values 0 to 3 and 4 to 7 of this half, the two bits are at the same position of a byte.
        let quarter = |shift: usize| (levels >> shift) & (3 * EACH);
        let levels = quarter(4 * half) | (quarter(4 * half + 2) << 32);
        // Only bit `j` remains in byte `j`; the addition carries it to the byte's highest bit.
        let fifths = (((u64::from(fifths[half]) * EACH) & 0x8040_2010_0804_0201) + 0x7f * EACH) & (0x80 * EACH);
        *steps = (levels << 5) | (fifths >> 3) | ((fours >> (4 * half)) & (15 * EACH));
    }
    steps
}

/// Quantizes vectors of one length.
#[derive(Debug)]
pub(in crate::sqlite) struct Quantizer {
    rotation: Rotation,
}

impl Quantizer {
    /// Returns a quantizer for vectors with this many values.
    pub(in crate::sqlite) fn new(dimensions: usize) -> Self {
        Self { rotation: Rotation::new(width(dimensions)) }
    }

    /// Quantizes a vector. A vector of zeros, or with values that are not finite, becomes the zero vector.
    pub(in crate::sqlite) fn round(&self, vector: &[f32]) -> QuantizedVector {
        let values = self.rotation.of(vector);
        let length = dot(&values, &values).sqrt();
        if !(length > 0.0 && length.is_finite()) {
            return QuantizedVector::zeros(values.len());
        }
        let scale = f64::from(length).recip() * (values.len() as f64).sqrt();
        let (mut levels, mut rest) = (Vec::with_capacity(values.len() / 4), Vec::with_capacity(rest_len(values.len())));
        for group in values.as_chunks::<RUN_VALUES>().0 {
            let (mut piece, mut bytes, mut fifths) = ([0u8; RUN_BYTES], [0u8; REST_BYTES], 0u16);
            for (at, value) in group.iter().enumerate() {
                let (level, step) = step(f64::from(*value) * scale);
                piece[at % RUN_BYTES] |= level << (2 * (at / RUN_BYTES));
                bytes[at % 8] |= (step & 15) << (4 * (at / 8));
                fifths |= u16::from(step >> 4) << at;
            }
            [bytes[8], bytes[9]] = fifths.to_le_bytes();
            levels.extend(piece);
            rest.extend(bytes);
        }
        QuantizedVector { levels, rest }
    }
}

/// Returns a vector as it is after storage, so that tests can compare engines exactly.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn as_stored(vector: &[f32]) -> Vec<f32> {
    let quantizer = Quantizer::new(vector.len());
    let mut values = quantizer.rotation.back(&quantizer.round(vector).to_unit());
    values.truncate(vector.len());
    values
}

/// Returns the level of a value, and the step within it.
fn step(value: f64) -> (u8, u8) {
    let size = value.abs();
    let is_outer = size >= 1.0;
    let step = if is_outer {
        EDGES[1..STEPS].partition_point(|edge| *edge <= size)
    } else {
        ((size * STEPS as f64) as usize).min(STEPS - 1)
    };
    let outer = u8::from(is_outer);
    // Steps ascend with the value, so those of negative values count from the other end.
    if value < 0.0 { (1 - outer, (STEPS - 1 - step) as u8) } else { (2 + outer, step as u8) }
}

/// A query, prepared for comparison with quantized vectors.
#[derive(Debug)]
pub(in crate::sqlite) struct PreparedQuery {
    /// The rotated query.
    pub(super) vector: Vec<f32>,
    pub(super) length: f64,
    /// Buffer for the vector to compare.
    values: Vec<f32>,
}

impl PreparedQuery {
    /// Prepares a query of any length.
    pub(in crate::sqlite) fn new(vector: &[f32]) -> Self {
        let vector = Rotation::new(width(vector.len())).of(vector);
        let length = f64::from(dot(&vector, &vector)).sqrt();
        Self { values: Vec::with_capacity(vector.len()), vector, length }
    }

    /// Returns the cosine similarity to a vector, 0 if either is all zeros; `None` for other dimensions.
    pub(in crate::sqlite) fn similarity(&mut self, levels: &[u8], rest: &[u8]) -> Option<f64> {
        if 4 * levels.len() != self.vector.len() || rest.len() != rest_len(self.vector.len()) {
            return None;
        }
        if !read(levels, rest, &mut self.values) {
            return Some(0.0);
        }
        let lengths = self.length * f64::from(dot(&self.values, &self.values)).sqrt();
        let product = f64::from(dot(&self.vector, &self.values));
        Some(if lengths > 0.0 { product / lengths } else { 0.0 })
    }
}

/// Returns the dot product of two vectors whose length is a multiple of a group's. The parallel sums let the compiler vectorize it.
pub(super) fn dot(one: &[f32], other: &[f32]) -> f32 {
    let mut sums = [0.0; RUN_VALUES];
    for (one, other) in one.as_chunks::<RUN_VALUES>().0.iter().zip(other.as_chunks::<RUN_VALUES>().0) {
        for lane in 0..RUN_VALUES {
            sums[lane] += one[lane] * other[lane];
        }
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(length: usize, speed: f32) -> Vec<f32> {
        (0..length).map(|at| (at as f32 * speed).sin() + 0.1).collect()
    }

    fn cosine(one: &[f32], other: &[f32]) -> f64 {
        let product = |one: &[f32], other: &[f32]| one.iter().zip(other).map(|(a, b)| f64::from(a * b)).sum::<f64>();
        product(one, other) / (product(one, one) * product(other, other)).sqrt()
    }

    #[test]
    fn a_quantized_vector_keeps_its_direction() {
        for length in [1, 7, 16, 17, 64, 384, 385, 768] {
            let vector = wave(length, 0.7);
            let rounded = Quantizer::new(length).round(&vector);
            assert_eq!((rounded.levels.len(), rounded.rest.len()), (width(length) / 4, rest_len(length)));
            let near = |other: &[f32]| PreparedQuery::new(other).similarity(&rounded.levels, &rounded.rest).unwrap();
            assert!(near(&vector) > 0.9997, "{length}: {}", near(&vector));
            assert!(near(&vector.iter().map(|value| -3.0 * value).collect::<Vec<_>>()) < -0.9997);
            let other = wave(length, 0.71);
            assert!((near(&other) - cosine(&vector, &other)).abs() < 0.02, "{length}");
            let longer: Vec<f32> = vector.iter().map(|value| 1024.0 * value).collect();
            assert_eq!(Quantizer::new(length).round(&longer), rounded, "lengths are not stored");
            let unit = rounded.to_unit();
            assert!((dot(&unit, &unit) - 1.0).abs() < 1e-5);
            assert_eq!(QuantizedVector::from_bytes(&rounded.to_bytes()), Some(rounded));
        }
    }

    #[test]
    fn steps_are_assembled_from_their_bits() {
        let mut state = 7u64;
        let mut byte = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        };
        for _ in 0..500 {
            let (mut piece, mut rest) = ([0; RUN_BYTES], [0; REST_BYTES]);
            piece.iter_mut().chain(&mut rest).for_each(|place| *place = byte());
            let fifths = u16::from_le_bytes([rest[8], rest[9]]);
            let steps = steps_of(piece, &rest).map(u64::to_le_bytes).concat();
            for (at, found) in steps.into_iter().enumerate() {
                let level = piece[at % RUN_BYTES] >> (2 * (at / RUN_BYTES)) & 3;
                let step = rest[at % 8] >> (4 * (at / 8)) & 15 | ((fifths >> at & 1) as u8) << 4;
                assert_eq!(found, level << 5 | step, "{at} of {piece:?} and {rest:?}");
            }
        }
    }

    #[test]
    fn steps_ascend_and_contain_their_values() {
        assert!(VALUES.is_sorted() && VALUES.iter().zip(&VALUES[1..]).all(|(low, high)| low < high));
        for (index, value) in VALUES.iter().enumerate() {
            let (level, step) = step(f64::from(*value));
            assert_eq!(usize::from(level) * STEPS + usize::from(step), index, "{value}");
        }
        assert_eq!([step(99.0), step(-99.0), step(0.0), step(-1.0)], [(3, 31), (0, 0), (2, 0), (0, 31)]);
        assert!((EDGES[STEPS] - MAX_VALUE).abs() < 1e-9, "{:?}", *EDGES);
    }

    #[test]
    fn zeros_and_other_dimensions_have_no_similarity() {
        let quantizer = Quantizer::new(20);
        for nothing in [0.0, f32::NAN, f32::INFINITY] {
            let rounded = quantizer.round(&[nothing; 20]);
            let mut query = PreparedQuery::new(&wave(20, 0.3));
            assert_eq!(query.similarity(&rounded.levels, &rounded.rest), Some(0.0));
            assert_eq!(rounded.to_unit(), [0.0; 32]);
        }
        let rounded = quantizer.round(&wave(20, 0.3));
        assert_eq!(PreparedQuery::new(&[0.0; 20]).similarity(&rounded.levels, &rounded.rest), Some(0.0));
        assert_eq!(PreparedQuery::new(&wave(40, 0.3)).similarity(&rounded.levels, &rounded.rest), None);
        assert_eq!(PreparedQuery::new(&wave(20, 0.3)).similarity(&rounded.levels, &[]), None);
        assert_eq!(QuantizedVector::from_bytes(&[0; 15]), None);
    }
}
