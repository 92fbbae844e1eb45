//! An embedding as its row holds it: nine bits a value.
//!
//! First a signed byte for each value, which is sqlite-vec's form of vectors of bytes (`vec_int8(substr(embedding, 1, 384))`),
//! then a bit for each value: of the first eighth of the values (rounded up) the lowest bit of a byte each, of the second eighth
//! the next, and so on. Twice the byte plus the bit is the value, as a multiple of a 255th of the largest. A row says a
//! direction and no length. The question that it is compared with is not rounded.
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
    row.resize(row_len(vector.len()), 0);
    let bits = &mut row[vector.len()..];
    for (place, eighth) in values.chunks(bits.len().max(1)).enumerate() {
        for (bits, value) in bits.iter_mut().zip(eighth) {
            *bits |= ((value & 1) as u8) << place;
        }
    }
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

/// Reads the values of a row.
fn read(row: &[u8], values: &mut Vec<f32>) {
    let (bytes, bits) = row.split_at(dimensions(row.len()));
    values.clear();
    for (place, eighth) in bytes.chunks(bits.len().max(1)).enumerate() {
        let value = |(byte, bits): (&u8, &u8)| 2 * i16::from(byte.cast_signed()) + i16::from(bits >> place & 1);
        values.extend(eighth.iter().zip(bits).map(value).map(f32::from));
    }
}

/// Returns the unit vector that a row stands for, or zeros.
pub(super) fn to_unit(row: &[u8]) -> Vec<f32> {
    let mut values = Vec::new();
    read(row, &mut values);
    let length = dot(&values, &values).sqrt().max(1.0);
    values.iter_mut().for_each(|value| *value /= length);
    values
}

/// The product of two vectors; sums side by side, so that the compiler finds wide instructions.
fn dot(one: &[f32], other: &[f32]) -> f32 {
    let (ones, rest) = one.as_chunks::<8>();
    let (others, last) = other.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (one, other) in ones.iter().zip(others) {
        for lane in 0..8 {
            sums[lane] += one[lane] * other[lane];
        }
    }
    let tail: f32 = rest.iter().zip(last).map(|(one, other)| one * other).sum();
    sums.iter().sum::<f32>() + tail
}

/// A question, ready to be compared with rows.
#[derive(Debug)]
pub(super) struct Question<'a> {
    vector: &'a [f32],
    length: f64,
    /// The row that is compared.
    values: Vec<f32>,
}

impl<'a> Question<'a> {
    /// Takes a vector of any length.
    pub(super) fn new(vector: &'a [f32]) -> Self {
        Self { vector, length: f64::from(dot(vector, vector)).sqrt(), values: Vec::with_capacity(vector.len()) }
    }

    /// Returns the cosine similarity with a row, 0 where either is all zeros; `None` for a row of other dimensions.
    pub(super) fn similarity(&mut self, row: &[u8]) -> Option<f64> {
        if row.len() != row_len(self.vector.len()) {
            return None;
        }
        read(row, &mut self.values);
        let lengths = self.length * f64::from(dot(&self.values, &self.values)).sqrt();
        let product = f64::from(dot(self.vector, &self.values));
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
        let ten: Vec<f32> = (0..10u8).map(|at| if at % 3 == 0 { 255.0 } else { 0.0 }).collect();
        assert_eq!(to_row(&ten), [127, 0, 0, 127, 0, 0, 127, 0, 0, 127, 0b0_1001, 0b1_0010]);
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
