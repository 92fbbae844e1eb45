//! An embedding as its row holds it: nine bits a value.
//!
//! First a signed byte for each value, which is sqlite-vec's form of vectors of bytes (`vec_int8(substr(embedding, 1, 384))`),
//! then a bit for each value, the lowest bit of the first byte first. Twice the byte plus the bit is the value, as a multiple
//! of a 255th of the largest. A row says a direction and no length. The question that it is compared with is not rounded.
//!
//! The bit makes the error half as large. Of the ten nearest among 100,000 made-up vectors (`scripts/bench-scan`) bytes alone
//! keep 0.987, and with the bit 0.993 are kept.

use crate::domain::TextHash;

/// What the largest value becomes.
const LARGEST: f32 = 255.0;

/// Returns by what a row is found again: the first 8 bytes of the hash of its text, little-endian. Of a million texts two
/// agree in them with a chance of three in a hundred million, and then one passage has the vector of the other.
pub(super) fn hash_of_row(text: &TextHash) -> i64 {
    let [first, ..] = text.as_bytes().as_chunks::<8>().0 else { unreachable!("a hash has 16 bytes") };
    i64::from_le_bytes(*first)
}

/// Rounds a vector to a row's bytes. A vector of zeros stays one, which is near to nothing.
pub(super) fn to_row(vector: &[f32]) -> Vec<u8> {
    let largest = vector.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
    let scale = if largest > 0.0 { LARGEST / largest } else { 0.0 };
    let values: Vec<i16> = vector.iter().map(|value| (value * scale).round() as i16).collect();
    let mut row: Vec<u8> = values.iter().map(|value| ((value >> 1) as i8).cast_unsigned()).collect();
    row.extend(
        values
            .chunks(8)
            .map(|eight| eight.iter().enumerate().fold(0, |bits, (at, value)| bits | ((value & 1) as u8) << at)),
    );
    row
}

/// Length of a row of so many values.
pub(super) fn row_len(dimensions: usize) -> usize {
    dimensions + dimensions.div_ceil(8)
}

/// How many values a row of that length has.
pub(super) fn dimensions(row_len: usize) -> usize {
    row_len * 8 / 9
}

/// Values whose bits share a byte.
const EIGHT: usize = 8;

/// Calls `each` with every eight values of a row; zeros stand for those that the last eight lack.
fn for_each_eight(row: &[u8], mut each: impl FnMut(usize, [f32; EIGHT])) {
    let (bytes, bits) = row.split_at(dimensions(row.len()));
    let (eights, rest) = bytes.as_chunks::<EIGHT>();
    let value =
        |byte: u8, bits: u8, at: usize| f32::from(2 * i16::from(byte.cast_signed()) + i16::from(bits >> at & 1));
    for (number, (bytes, bits)) in eights.iter().zip(bits).enumerate() {
        each(number, std::array::from_fn(|at| value(bytes[at], *bits, at)));
    }
    if let (false, Some(bits)) = (rest.is_empty(), bits.last()) {
        each(eights.len(), std::array::from_fn(|at| rest.get(at).map_or(0.0, |byte| value(*byte, *bits, at))));
    }
}

/// Returns the unit vector that a row stands for, or zeros.
pub(super) fn to_unit(row: &[u8]) -> Vec<f32> {
    let mut vector = Vec::with_capacity(row.len());
    for_each_eight(row, |_, values| vector.extend(values));
    vector.truncate(dimensions(row.len()));
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt().max(1.0);
    vector.iter_mut().for_each(|value| *value /= length);
    vector
}

/// A question, ready to be compared with rows.
#[derive(Debug)]
pub(super) struct Question {
    /// Eight values at a time, the last filled up with zeros.
    eights: Vec<[f32; EIGHT]>,
    dimensions: usize,
    length: f64,
}

impl Question {
    /// Takes a vector of any length but that of zeros.
    pub(super) fn new(vector: &[f32]) -> Self {
        let squares: f64 = vector.iter().map(|value| f64::from(*value).powi(2)).sum();
        let eight = |values: &[f32]| std::array::from_fn(|at| values.get(at).copied().unwrap_or_default());
        let eights = vector.chunks(EIGHT).map(eight).collect();
        Self { eights, dimensions: vector.len(), length: squares.sqrt() }
    }

    /// Returns the cosine similarity with a row, 0 where either is all zeros; `None` for a row of another length.
    pub(super) fn similarity(&self, row: &[u8]) -> Option<f64> {
        if row.len() != row_len(self.dimensions) {
            return None;
        }
        // Sums side by side, so that the compiler finds wide instructions.
        let [mut products, mut squares] = [[0.0f32; EIGHT]; 2];
        for_each_eight(row, |number, values| {
            for at in 0..EIGHT {
                products[at] += self.eights[number][at] * values[at];
                squares[at] += values[at] * values[at];
            }
        });
        let [product, squares] = [products, squares].map(|lanes| f64::from(lanes.iter().sum::<f32>()));
        let lengths = self.length * squares.sqrt();
        Some(if lengths > 0.0 { product / lengths } else { 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_keeps_the_direction() {
        for length in [1, 7, 8, 9, 64, 384, 385] {
            let vector: Vec<f32> = (0..length).map(|at| (at as f32 * 0.7).sin() + 0.1).collect();
            let row = to_row(&vector);
            assert_eq!((row.len(), dimensions(row.len())), (row_len(length), length));
            assert!(Question::new(&vector).similarity(&row).unwrap() > 0.99999);
            let opposite: Vec<f32> = vector.iter().map(|value| -3.0 * value).collect();
            assert!(Question::new(&opposite).similarity(&row).unwrap() < -0.99999);
            let unit = to_unit(&row);
            assert!((unit.iter().map(|value| value * value).sum::<f32>() - 1.0).abs() < 1e-5);
            assert!((Question::new(&unit).similarity(&row).unwrap() - 1.0).abs() < 1e-6);
            assert_eq!(to_row(&unit), row, "rounding a rounded vector changes nothing");
            // The bytes alone are a vector of about that direction.
            let bytes: f32 = row.iter().zip(&vector).map(|(byte, value)| f32::from(byte.cast_signed()) * value).sum();
            assert!(bytes > 0.0);
        }
    }

    #[test]
    fn a_row_is_laid_out_as_it_is_described() {
        assert_eq!(to_row(&[1.0, -1.0, 0.0, 3.0 / 255.0]), [127, 0x80, 0, 1, 0b1011]);
        assert_eq!(to_unit(&[0, 0, 4, 0b001]), [1.0 / 65f32.sqrt(), 0.0, 8.0 / 65f32.sqrt()]);
    }

    #[test]
    fn zeros_and_other_lengths_are_near_to_nothing() {
        assert_eq!(to_row(&[0.0, -0.0]), [0, 0, 0]);
        assert_eq!(to_unit(&[0, 0, 0]), [0.0, 0.0]);
        assert_eq!(Question::new(&[1.0, 0.0]).similarity(&[0, 0, 0]), Some(0.0));
        assert_eq!(Question::new(&[0.0, 0.0]).similarity(&[127, 0, 0]), Some(0.0));
        assert_eq!(Question::new(&[1.0, 0.0]).similarity(&[127, 0]), None);
    }
}
