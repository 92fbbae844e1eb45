//! The layout of a block of vectors. All numbers are little-endian.
//!
//! First comes the block's centre, the common part of its vectors, rotated: one signed byte per value, times a number stored before
//! them as the upper half of an f32. Then come 15 groups of 32 vectors. For each 16 values, a group holds 4 bytes of the levels of
//! each of its vectors in turn, so that one machine instruction advances the sums of 16 vectors. After that it holds three numbers
//! per vector: *offset* and *factor*, the upper halves of f32, and *spread*, a byte. A slot with the offset NaN holds no vector.
//!
//! Let μ be the centre, v a unit vector, c its levels as -3, -1, 1 and 3, and q a query. The product ⟨q, v⟩ is ⟨μ, v⟩ + ⟨q − μ, v⟩.
//! The second term is estimated by ⟨q − μ, c⟩ times the factor 1 / ⟨v, c⟩. This is exact in the direction of v; in all other
//! directions the error is a sum of many small ones, and behaves like a normal variable with the deviation |q − μ| times the spread
//! tan θ / √width, where θ is the angle between c and v. The part that does not depend on the query, ⟨μ, v⟩ − factor · ⟨μ, c⟩, is
//! the offset. The estimator is that of Gao and Long, "RaBitQ: quantizing high-dimensional vectors with a theoretical error bound
//! for approximate nearest neighbor search" (SIGMOD 2024), with two bits instead of one.
//!
//! The centre matters, because all vectors of a model lie in a cone. |q − μ| is about 0.7 for the shipped model and 0.45 for E5,
//! and estimates are better than those around zero by the same factor.

pub(super) use super::dot::GROUP_VECTORS;
use super::dot::RUN_BYTES;
use super::quantizer::{QuantizedVector, dot, rest_len};

/// Groups per block.
pub(super) const GROUPS: usize = 15;
/// Vectors per block.
pub(super) const BLOCK_VECTORS: usize = GROUPS * GROUP_VECTORS;
/// Bytes of a vector's numbers in a group.
const NUMBER_BYTES: usize = 5;
/// The byte for a tangent of 1; 255 stands for all larger ones.
const TANGENT_SCALE: f32 = 128.0;
/// The offset of a vacant slot: NaN.
const VACANT: u16 = 0x7FC0;

/// The layout of blocks of vectors with one width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    width: usize,
}

/// The numbers of a group's vectors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbers<'a> {
    pub(super) offsets: &'a [[u8; 2]; GROUP_VECTORS],
    pub(super) factors: &'a [[u8; 2]; GROUP_VECTORS],
    pub(super) spreads: &'a [u8; GROUP_VECTORS],
}

/// Stored form of a vector's offset, factor and spread.
type Stored = ([u8; 2], [u8; 2], u8);

impl Numbers<'_> {
    fn of(self, place: usize) -> Stored {
        (self.offsets[place], self.factors[place], self.spreads[place])
    }
}

impl Layout {
    pub(super) fn new(width: usize) -> Self {
        Self { width }
    }

    /// Returns the number of values of a vector.
    pub(super) fn width(self) -> usize {
        self.width
    }

    /// Returns the length of the centre in bytes.
    pub(super) fn centre_len(self) -> usize {
        2 + self.width
    }

    fn levels_len(self) -> usize {
        self.width / 4 * GROUP_VECTORS
    }

    /// Returns the length of a group in bytes.
    pub(super) fn group_len(self) -> usize {
        self.levels_len() + NUMBER_BYTES * GROUP_VECTORS
    }

    /// Returns the offset of a group.
    pub(super) fn group_at(self, group: usize) -> usize {
        self.centre_len() + group * self.group_len()
    }

    /// Returns the length of a block in bytes.
    pub(super) fn len(self) -> usize {
        self.group_at(GROUPS)
    }

    /// Returns a block without vectors.
    pub(super) fn empty(self, centre: &[f32]) -> Vec<u8> {
        let largest = centre.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
        let step = upper_half(largest / 127.0).to_le_bytes();
        let scale = from_upper_half(step).max(f32::MIN_POSITIVE).recip();
        let mut bytes = step.to_vec();
        bytes.extend(centre.iter().map(|value| ((value * scale).round() as i8).cast_unsigned()));
        bytes.resize(self.len(), 0);
        for group in bytes[self.centre_len()..].chunks_exact_mut(self.group_len()) {
            for offset in group[self.levels_len()..].as_chunks_mut().0.iter_mut().take(GROUP_VECTORS) {
                *offset = VACANT.to_le_bytes();
            }
        }
        bytes
    }

    /// Reads the centre from the beginning of a block.
    pub(super) fn centre(self, bytes: &[u8]) -> Vec<f32> {
        let step = from_upper_half([bytes[0], bytes[1]]);
        bytes[2..self.centre_len()].iter().map(|value| step * f32::from(value.cast_signed())).collect()
    }

    /// Returns the levels and the numbers of a group.
    pub(super) fn parts(self, group: &[u8]) -> (&[u8], Numbers<'_>) {
        let (levels, numbers) = group[..self.group_len()].split_at(self.levels_len());
        let (pairs, spreads) = numbers.split_at(4 * GROUP_VECTORS);
        let (Some([offsets, factors]), Some(spreads)) =
            (pairs.as_chunks().0.as_chunks().0.first_chunk(), spreads.first_chunk())
        else {
            unreachable!("a group ends with its numbers")
        };
        (levels, Numbers { offsets, factors, spreads })
    }

    /// Decodes a spread.
    #[inline]
    pub(super) fn spread(self, byte: u8) -> f32 {
        f32::from(byte) / (TANGENT_SCALE * (self.width as f32).sqrt())
    }

    /// Returns the levels of the vector in one slot of a group.
    pub(super) fn levels(self, group: &[u8], place: usize) -> Vec<u8> {
        let mut levels = Vec::with_capacity(self.width / 4);
        for pieces in group[..self.levels_len()].as_chunks::<RUN_BYTES>().0.as_chunks::<GROUP_VECTORS>().0 {
            levels.extend_from_slice(&pieces[place]);
        }
        levels
    }

    /// Writes a vector to a slot of a group, in a block with this centre.
    pub(super) fn put(self, group: &mut [u8], place: usize, vector: &QuantizedVector, centre: &[f32]) {
        self.set(group, place, &vector.levels, numbers(vector, centre));
    }

    /// Clears a slot of a group.
    pub(super) fn clear_slot(self, group: &mut [u8], place: usize) {
        self.set(group, place, &vec![0; self.width / 4], (VACANT.to_le_bytes(), [0; 2], 0));
    }

    fn set(self, group: &mut [u8], place: usize, levels: &[u8], (offset, factor, spread): Stored) {
        let (pieces, numbers) = group.split_at_mut(self.levels_len());
        let pieces = pieces.as_chunks_mut::<RUN_BYTES>().0.iter_mut().skip(place).step_by(GROUP_VECTORS);
        for (piece, levels) in pieces.zip(levels.as_chunks().0) {
            *piece = *levels;
        }
        let (pairs, spreads) = numbers.split_at_mut(4 * GROUP_VECTORS);
        let pairs = pairs.as_chunks_mut().0;
        (pairs[place], pairs[GROUP_VECTORS + place], spreads[place]) = (offset, factor, spread);
    }

    /// Whether two groups have equal content in one slot.
    pub(super) fn is_same(self, one: &[u8], other: &[u8], place: usize) -> bool {
        let of = |group| (self.levels(group, place), self.parts(group).1.of(place));
        of(one) == of(other)
    }

    /// Returns the length of the part of a vector that its row holds, in bytes.
    pub(super) fn rest_len(self) -> usize {
        rest_len(self.width)
    }

    /// Returns the sum of a block's vectors as approximated by their levels, and their number.
    pub(super) fn sum(self, block: &[u8]) -> (Vec<f32>, usize) {
        let (mut sum, mut count) = (vec![0.0; self.width], 0);
        for group in block[self.centre_len()..].chunks_exact(self.group_len()) {
            let Numbers { offsets, factors, .. } = self.parts(group).1;
            for place in (0..GROUP_VECTORS).filter(|place| is_occupied(offsets[*place])) {
                let factor = from_upper_half(factors[place]);
                let levels = self.levels(group, place);
                sum.iter_mut().zip(signed(&levels)).for_each(|(sum, level)| *sum += factor * level);
                count += 1;
            }
        }
        (sum, count)
    }
}

/// Whether a slot with this offset holds a vector.
pub(super) fn is_occupied(offset: [u8; 2]) -> bool {
    !from_upper_half(offset).is_nan()
}

/// Decodes levels to -3, -1, 1 and 3, in the order of the values.
fn signed(levels: &[u8]) -> impl Iterator<Item = f32> {
    let groups = levels.as_chunks::<RUN_BYTES>().0.iter();
    groups.flat_map(|piece| {
        (0..4 * RUN_BYTES).map(|at| f32::from(2 * (piece[at % RUN_BYTES] >> (2 * (at / RUN_BYTES)) & 3)) - 3.0)
    })
}

/// Returns offset, factor and spread of a vector in a block with this centre.
fn numbers(vector: &QuantizedVector, centre: &[f32]) -> Stored {
    let (unit, levels) = (vector.to_unit(), signed(&vector.levels).collect::<Vec<f32>>());
    let product = dot(&unit, &levels);
    if product <= 0.0 {
        return Stored::default();
    }
    let cosine = (product / dot(&levels, &levels).sqrt()).min(1.0);
    let tangent = (1.0 - cosine * cosine).sqrt() / cosine;
    // Compute the offset with the factor as stored, because estimates use that one.
    let factor = upper_half(product.recip()).to_le_bytes();
    let offset = dot(centre, &unit) - from_upper_half(factor) * dot(centre, &levels);
    (upper_half(offset).to_le_bytes(), factor, (TANGENT_SCALE * tangent).ceil() as u8)
}

/// Returns the upper half of a number, rounded: eight significant bits, whose error is far below that of the levels.
fn upper_half(number: f32) -> u16 {
    (number.to_bits().saturating_add(0x8000) >> 16) as u16
}

/// Decodes the upper half of a number.
#[inline]
pub(super) fn from_upper_half(half: [u8; 2]) -> f32 {
    f32::from_bits(u32::from(u16::from_le_bytes(half)) << 16)
}
