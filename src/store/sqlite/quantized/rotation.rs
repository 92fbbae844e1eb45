//! A fixed rotation that makes the values of any vector about equally large.
//!
//! Models concentrate much of a vector's information in few values. Two bits per value lose least if all values are alike and
//! nearly normally distributed, as they are in a random direction. The rotation flips signs by a fixed pattern and mixes values by
//! a Hadamard transform, four times. That transform works on a power of two of values, so it is applied alternately to the first
//! and to the last that many. Lengths and products of vectors are preserved.

/// Number of sign flips and mixes.
const ROUNDS: usize = 4;

/// The rotation of vectors with one width.
#[derive(Debug)]
pub(super) struct Rotation {
    /// 1 or -1 for each value in each round.
    signs: Vec<f32>,
    width: usize,
}

impl Rotation {
    /// Returns the rotation for vectors of `width` values. It is always the same, because files depend on it.
    pub(super) fn new(width: usize) -> Self {
        // xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled", 2016).
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let sign = || {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            if state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 63 == 0 { 1.0 } else { -1.0 }
        };
        Self { signs: std::iter::repeat_with(sign).take(ROUNDS * width).collect(), width }
    }

    /// Rotates a vector with at most `width` values, padded with zeros.
    pub(super) fn of(&self, vector: &[f32]) -> Vec<f32> {
        let mut values = vector.to_vec();
        values.resize(self.width, 0.0);
        if values.is_empty() {
            return values;
        }
        let part = 1 << self.width.ilog2();
        for (round, signs) in self.signs.chunks_exact(self.width).enumerate() {
            for (value, sign) in values.iter_mut().zip(signs) {
                *value *= sign;
            }
            let start = if round % 2 == 0 { 0 } else { self.width - part };
            hadamard(&mut values[start..start + part]);
        }
        values
    }

    /// Inverts the rotation.
    #[cfg(any(test, feature = "testing"))]
    pub(super) fn back(&self, rotated: &[f32]) -> Vec<f32> {
        let mut values = rotated.to_vec();
        let part = 1 << self.width.ilog2();
        for (round, signs) in self.signs.chunks_exact(self.width).enumerate().rev() {
            let start = if round % 2 == 0 { 0 } else { self.width - part };
            hadamard(&mut values[start..start + part]);
            values.iter_mut().zip(signs).for_each(|(value, sign)| *value *= sign);
        }
        values
    }
}

/// Applies the Hadamard transform to a power of two of values, scaled to preserve lengths.
fn hadamard(values: &mut [f32]) {
    let mut half = 1;
    while half < values.len() {
        for pair in values.chunks_exact_mut(2 * half) {
            let (low, high) = pair.split_at_mut(half);
            for (one, other) in low.iter_mut().zip(high) {
                (*one, *other) = (*one + *other, *one - *other);
            }
        }
        half *= 2;
    }
    let scale = 1.0 / (values.len() as f32).sqrt();
    for value in values {
        *value *= scale;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dot(one: &[f32], other: &[f32]) -> f32 {
        one.iter().zip(other).map(|(one, other)| one * other).sum()
    }

    #[test]
    fn rotation_keeps_products_and_spreads_single_values() {
        for width in [16, 48, 384, 400, 512, 768] {
            let rotation = Rotation::new(width);
            for at in [0, width / 3, width - 1] {
                let mut one = vec![0.0; width];
                one[at] = 1.0;
                let other: Vec<f32> = (0..width).map(|at| (at as f32).sin()).collect();
                let (rotated, further) = (rotation.of(&one), rotation.of(&other));
                assert!((dot(&rotated, &further) - other[at]).abs() < 1e-4, "{width} {at}");
                assert!((dot(&rotated, &rotated) - 1.0).abs() < 1e-5, "{width} {at}");
                let back = rotation.back(&rotated);
                assert!(back.iter().zip(&one).all(|(back, one)| (back - one).abs() < 1e-5), "{width} {at}");
                let largest = rotated.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
                assert!(largest < 5.0 / (width as f32).sqrt(), "{width} {at}: {largest}");
            }
        }
        assert!(Rotation::new(0).of(&[]).is_empty());
    }
}
