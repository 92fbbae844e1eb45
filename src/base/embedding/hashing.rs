//! An embedder for tests that hashes words into dimensions. It knows only shared words, not meaning.

use super::{EmbedError, Embedder, TextKind, normalize};
use crate::domain::{ApproximateTokens, ContentHash, CountTokens, ModelId};

/// Embeds text as the sum of one signed unit vector per word (feature hashing, Weinberger et al. 2009), so texts that
/// share words are close. Deterministic on every machine; only test builds contain it.
#[derive(Debug, Clone)]
pub struct HashingEmbedder {
    model: ModelId,
    dimensions: usize,
}

impl HashingEmbedder {
    /// Returns an embedder whose vectors have `dimensions` components, at least one.
    pub fn new(dimensions: usize) -> Self {
        let dimensions = dimensions.max(1);
        Self { model: ModelId::new(format!("hashing:{dimensions}")), dimensions }
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; self.dimensions];
        for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let hash = ContentHash::of(word.as_bytes());
            let bytes = hash.as_bytes();
            let slot = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize % self.dimensions;
            vector[slot] += if bytes[4] & 1 == 0 { 1.0 } else { -1.0 };
        }
        if !normalize(&mut vector) {
            vector[0] = 1.0;
        }
        vector
    }
}

impl Embedder for HashingEmbedder {
    fn model(&self) -> &ModelId {
        &self.model
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn window(&self) -> usize {
        256
    }

    fn tokens(&self) -> &dyn CountTokens {
        &ApproximateTokens
    }

    /// Words of up to four letters count as known.
    fn has_word(&self, word: &str) -> Option<bool> {
        Some(word.chars().count() <= 4)
    }

    fn batch_size(&self) -> usize {
        32
    }

    fn embed(&self, _kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_share_words_are_closer() {
        let embedder = HashingEmbedder::new(256);
        let texts = ["The heating bill", "a bill for the heating", "sourdough starter", ""];
        let vectors = embedder.embed(TextKind::Passage, &texts).unwrap();
        let cosine = |a: usize, b: usize| vectors[a].iter().zip(&vectors[b]).map(|(x, y)| x * y).sum::<f32>();
        assert!(cosine(0, 1) > 0.6);
        assert!(cosine(0, 1) > cosine(0, 2));
        for vector in &vectors {
            assert_eq!(vector.len(), embedder.dimensions());
            assert!((vector.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5);
        }
        assert_eq!(vectors, embedder.embed(TextKind::Query, &texts).unwrap());
    }
}
