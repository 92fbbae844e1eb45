//! The settings of a ModernBERT (Warner et al. 2024).
//!
//! It differs from BERT's in five points: positions turn queries and keys (rotary embeddings, Su et al. 2021) instead of being added;
//! most layers attend only to near tokens; the feed-forward network is gated (Shazeer 2020); normalisations come before each step; and
//! matrices have no bias. A prepared file stores zeros for the missing biases, so the matrices of both are the same.

use super::arithmetic::{GatedUnit, Rotation};

/// The settings of a network beyond the sizes of its matrices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Modern {
    /// Every so many layers, starting with the first, a token attends to all others.
    pub(super) global_every: usize,
    /// In all other layers it attends to so many tokens on each side.
    pub(super) reach: usize,
    pub(super) unit: GatedUnit,
    /// Base of the rotary embedding in layers that attend to all tokens.
    pub(super) global_theta: f32,
    /// Base in all other layers.
    pub(super) local_theta: f32,
}

/// How a layer attends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Attention {
    /// Attends to so many tokens on each side; `None` means all.
    pub(super) reach: Option<usize>,
    /// Base of the rotary embedding.
    pub(super) theta: f32,
}

impl Modern {
    /// Returns how the layer with this index attends.
    pub(super) fn attention(&self, layer: usize) -> Attention {
        match layer.is_multiple_of(self.global_every) {
            true => Attention { reach: None, theta: self.global_theta },
            false => Attention { reach: Some(self.reach), theta: self.local_theta },
        }
    }
}

/// Fills a table of rotations for tokens up to this number, in a head of `width` numbers. Angles are computed as in `transformers`:
/// position times `theta` to the power of `-2i / width`.
pub(super) fn extend_rotation(rotation: &mut Rotation, theta: f32, width: usize, tokens: usize) {
    let half = width / 2;
    for position in rotation.cosines.len() / half..tokens {
        for place in 0..half {
            let angle = position as f64 / f64::from(theta).powf(2.0 * place as f64 / width as f64);
            rotation.cosines.push(angle.cos() as f32);
            rotation.sines.push(angle.sin() as f32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_alternate_and_rotations_grow_by_position() {
        let modern =
            Modern { global_every: 3, reach: 64, unit: GatedUnit::Gelu, global_theta: 160_000.0, local_theta: 1e4 };
        let reaches: Vec<_> = (0..5).map(|layer| modern.attention(layer).reach).collect();
        assert_eq!(reaches, [None, Some(64), Some(64), None, Some(64)]);
        let mut rotation = Rotation::default();
        extend_rotation(&mut rotation, 1e4, 32, 2);
        extend_rotation(&mut rotation, 1e4, 32, 3);
        assert_eq!(rotation.cosines.len(), 3 * 16);
        assert_eq!((rotation.cosines[0], rotation.sines[0]), (1.0, 0.0));
        assert!((rotation.sines[2 * 16] - 2.0f32.sin()).abs() < 1e-6);
        assert!((rotation.sines[16 + 8] - 0.01f32.sin()).abs() < 1e-6);
    }
}
