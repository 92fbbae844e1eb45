//! Vectors to codes: two bits a value, and what else it takes to estimate a product from them.
//!
//! Let μ be the centre of all vectors, v a unit vector, r = v − μ, and c the code of r: after the rotation, each value is -3,
//! -1, 1 or 3. For a question q the product ⟨q, v⟩ is ⟨q, μ⟩ + ⟨μ, r⟩ + ⟨q − μ, r⟩. The first term is the same for all
//! vectors and left out; the second is the code's *offset*. The third is estimated by ⟨q − μ, c⟩ times the *factor*
//! |r|² / ⟨r, c⟩: exact in the direction of r, and in all others the error is a sum of many small ones. Across them it
//! behaves like a normal variable of deviation |q − μ| times the *spread* |r| tan θ / √width, θ being the angle between c
//! and r; measured deviations of real and of made-up vectors are 0.97 to 1.04 of it. The estimator is that of Gao and Long,
//! "RaBitQ: quantizing high-dimensional vectors with a theoretical error bound for approximate nearest neighbor search"
//! (SIGMOD 2024), with two bits in place of their one.
//!
//! The centre matters: notes of one person, and all that one model says, lie in a narrow cone. For vectors of the shipped
//! model |r| is 0.66 to 0.8, and of a passage as a question |q − μ| as well.

use super::format::{GROUP, NUMBERS, PIECE, width};
use super::rotation::Rotation;

/// A vector as codes.
#[derive(Debug)]
pub(super) struct Code {
    /// Four bytes for each group of 16 values.
    pub(super) levels: Vec<u8>,
    /// Offset, factor and spread, each the upper half of an f32.
    pub(super) numbers: [u16; NUMBERS],
}

/// What all codes of a file share.
#[derive(Debug)]
pub(super) struct Coder {
    rotation: Rotation,
    /// The centre, rotated.
    centre: Vec<f32>,
}

impl Coder {
    /// A coder with a centre that is not rotated yet.
    pub(super) fn around(centre: &[f32]) -> Self {
        let rotation = Rotation::new(width(centre.len()));
        Self { centre: rotation.of(centre), rotation }
    }

    /// A coder with a rotated centre, as a file holds it.
    pub(super) fn with_centre(centre: Vec<f32>) -> Self {
        Self { rotation: Rotation::new(centre.len()), centre }
    }

    /// The centre, rotated.
    pub(super) fn centre(&self) -> &[f32] {
        &self.centre
    }

    /// Rotates a vector and takes the centre away.
    pub(super) fn rest(&self, vector: &[f32]) -> Vec<f32> {
        let mut rest = self.rotation.of(vector);
        for (value, centre) in rest.iter_mut().zip(&self.centre) {
            *value -= centre;
        }
        rest
    }

    /// Returns the code of a unit vector.
    pub(super) fn code(&self, vector: &[f32]) -> Code {
        let rest = self.rest(vector);
        let length = dot(&rest, &rest).sqrt();
        let threshold = threshold(&rest, length);
        let [product, squares] = against(&rest, threshold);
        let (factor, spread) = if product > 0.0 {
            let cosine = (product / (length * squares.sqrt())).min(1.0);
            let tangent = (1.0 - cosine * cosine).sqrt() / cosine;
            (length * length / product, length * tangent / (rest.len() as f32).sqrt())
        } else {
            (0.0, 0.0)
        };
        Code { levels: levels(&rest, threshold), numbers: [dot(&self.centre, &rest), factor, spread].map(upper_half) }
    }
}

/// Finds from where on a value counts three times: between the two levels, where those are such that the error is least
/// (Lloyd's algorithm, from the best threshold for normally distributed values).
fn threshold(rest: &[f32], length: f32) -> f32 {
    let mut threshold = length / (rest.len() as f32).sqrt();
    for _ in 0..3 {
        let [product, squares] = against(rest, threshold);
        threshold = 2.0 * product / squares.max(f32::MIN_POSITIVE);
    }
    threshold
}

/// Returns the product of a vector with its code, and the code's with itself.
fn against(rest: &[f32], threshold: f32) -> [f32; 2] {
    let (mut small, mut large, mut count) = ([0.0; GROUP], [0.0; GROUP], [0.0; GROUP]);
    for group in rest.as_chunks::<GROUP>().0 {
        for lane in 0..GROUP {
            let size = group[lane].abs();
            let beyond = if size > threshold { 1.0 } else { 0.0 };
            small[lane] += size;
            large[lane] += size * beyond;
            count[lane] += beyond;
        }
    }
    let [small, large, count] = [small, large, count].map(|lanes| lanes.iter().sum::<f32>());
    [small + 2.0 * large, rest.len() as f32 + 8.0 * count]
}

fn levels(rest: &[f32], threshold: f32) -> Vec<u8> {
    let level = |value: f32| u8::from(value > -threshold) + u8::from(value >= 0.0) + u8::from(value > threshold);
    let mut levels = Vec::with_capacity(rest.len() / 4);
    for group in rest.as_chunks::<GROUP>().0 {
        let group = group.map(level);
        levels.extend(
            (0..PIECE).map(|byte| (0..4).fold(0, |bits, place| bits | group[PIECE * place + byte] << (2 * place))),
        );
    }
    levels
}

/// The product of two vectors whose length is a multiple of a group's; sums side by side, for wide instructions.
fn dot(one: &[f32], other: &[f32]) -> f32 {
    let mut sums = [0.0; GROUP];
    for (one, other) in one.as_chunks::<GROUP>().0.iter().zip(other.as_chunks::<GROUP>().0) {
        for lane in 0..GROUP {
            sums[lane] += one[lane] * other[lane];
        }
    }
    sums.iter().sum()
}

/// The upper half of a number, rounded: eight bits of its value, which is far below what codes leave open.
fn upper_half(number: f32) -> u16 {
    (number.to_bits().saturating_add(0x8000) >> 16) as u16
}

/// The number of which this is the upper half.
#[inline]
pub(super) fn from_upper_half(half: [u8; 2]) -> f32 {
    f32::from_bits(u32::from(u16::from_le_bytes(half)) << 16)
}
