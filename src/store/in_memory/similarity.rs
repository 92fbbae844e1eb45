//! Compares vectors, one by one.

use super::read::Snapshot;
use crate::{Candidate, ChunkRef, FileId};
use tars_base::domain::{MemoryType, ModelId, TextHash};

impl Snapshot {
    /// Returns the wanted chunks that have vectors, scored by the similarities of their passages, best first.
    pub(super) fn scored_by_vectors(
        &self,
        vector: &[f32],
        model: &ModelId,
        is_wanted: impl Fn(FileId, ChunkRef) -> bool,
        score: impl Fn(MemoryType, &[f64]) -> (f64, Option<f64>),
    ) -> Vec<Candidate> {
        if !self.state().is_of(model.as_str()) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for (file, sequence, chunk) in self.state().chunks() {
            let near: Vec<f64> =
                chunk.passages.iter().filter_map(|passage| self.similarity(vector, passage.vector)).collect();
            if !near.is_empty() && is_wanted(file.record.id, chunk.row) {
                let (score, next) = score(file.memory_type, &near);
                found.push(Candidate { chunk: chunk.row, file: file.record.id, sequence, score, second_score: next });
            }
        }
        found.sort_by(|left: &Candidate, right: &Candidate| right.score.total_cmp(&left.score));
        found
    }

    /// Returns the cosine similarity to the stored vector of a text; `None` if there is none with the same dimensions.
    pub(super) fn similarity(&self, vector: &[f32], made_of: Option<TextHash>) -> Option<f64> {
        let other = self.state().vectors.get(&made_of?).filter(|other| other.len() == vector.len())?;
        let dot = |left: &[f32], right: &[f32]| -> f64 {
            left.iter().zip(right).map(|(left, right)| f64::from(*left) * f64::from(*right)).sum()
        };
        let lengths = (dot(vector, vector) * dot(other, other)).sqrt();
        Some(if lengths > 0.0 { dot(vector, other) / lengths } else { 0.0 })
    }
}
