//! An embedding as its row holds it: one signed byte a value, which is also sqlite-vec's form of vectors of bytes.
//!
//! A row says a direction and no length: the vector is the bytes divided by their own length. The largest value becomes
//! 127, the others keep their proportion to it, so that each is off by 1/254 of the largest at most. It is never a
//! question that is rounded, only what is stored: see docs/performance.md for what that costs.

use crate::domain::TextHash;

/// The value that the largest one becomes.
const LARGEST: f32 = 127.0;

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
    vector.iter().map(|value| ((value * scale).round() as i8).cast_unsigned()).collect()
}

/// Returns the unit vector that a row stands for, or zeros.
pub(super) fn to_unit(row: &[u8]) -> Vec<f32> {
    let length = (squares(row) as f32).sqrt().max(f32::MIN_POSITIVE);
    row.iter().map(|byte| f32::from(byte.cast_signed()) / length).collect()
}

/// A question, ready to be compared with rows.
#[derive(Debug)]
pub(super) struct Question<'a> {
    vector: &'a [f32],
    length: f64,
}

impl<'a> Question<'a> {
    /// Takes a vector of any length other than zero.
    pub(super) fn new(vector: &'a [f32]) -> Self {
        let squares: f64 = vector.iter().map(|value| f64::from(*value).powi(2)).sum();
        Self { vector, length: squares.sqrt() }
    }

    /// Returns the cosine similarity with a row, 0 where either is all zeros; `None` for a row of another length.
    pub(super) fn similarity(&self, row: &[u8]) -> Option<f64> {
        if row.len() != self.vector.len() {
            return None;
        }
        // Sums side by side, so that the compiler finds wide instructions.
        let mut sums = [0.0f32; 8];
        let (eights, rest) = self.vector.as_chunks::<8>();
        let (bytes, last) = row.as_chunks::<8>();
        for (values, bytes) in eights.iter().zip(bytes) {
            for lane in 0..8 {
                sums[lane] += values[lane] * f32::from(bytes[lane].cast_signed());
            }
        }
        let tail: f32 = rest.iter().zip(last).map(|(value, byte)| value * f32::from(byte.cast_signed())).sum();
        let lengths = self.length * f64::from(squares(row)).sqrt();
        let product = f64::from(sums.iter().sum::<f32>() + tail);
        Some(if lengths > 0.0 { product / lengths } else { 0.0 })
    }
}

/// Returns the square of a row's length.
fn squares(row: &[u8]) -> u32 {
    row.iter().map(|byte| u32::from(byte.cast_signed().unsigned_abs()).pow(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_keeps_the_direction() {
        for length in [1, 7, 8, 64, 384, 385] {
            let vector: Vec<f32> = (0..length).map(|at| (at as f32 * 0.7).sin() + 0.1).collect();
            let row = to_row(&vector);
            assert_eq!(row.len(), length);
            assert_eq!(row.iter().map(|byte| byte.cast_signed().unsigned_abs()).max(), Some(127));
            assert!(Question::new(&vector).similarity(&row).unwrap() > 0.9999);
            let opposite: Vec<f32> = vector.iter().map(|value| -3.0 * value).collect();
            assert!(Question::new(&opposite).similarity(&row).unwrap() < -0.9999);
            let unit = to_unit(&row);
            assert!((unit.iter().map(|value| value * value).sum::<f32>() - 1.0).abs() < 1e-5);
            assert!((Question::new(&unit).similarity(&row).unwrap() - 1.0).abs() < 1e-6);
            assert_eq!(to_row(&unit), row, "rounding a rounded vector changes nothing");
        }
    }

    #[test]
    fn zeros_and_other_lengths_are_near_to_nothing() {
        assert_eq!(to_row(&[0.0, -0.0]), [0, 0]);
        assert_eq!(to_unit(&[0, 0]), [0.0, 0.0]);
        assert_eq!(Question::new(&[1.0, 0.0]).similarity(&[0, 0]), Some(0.0));
        assert_eq!(Question::new(&[0.0, 0.0]).similarity(&[127, 0]), Some(0.0));
        assert_eq!(Question::new(&[1.0, 0.0]).similarity(&[127]), None);
    }
}
