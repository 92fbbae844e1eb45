//! Scores as JSON shows them.

use serde::Serializer;

/// Serializes a score with four decimals.
pub(super) fn rounded<S: Serializer>(score: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((score * 10_000.0).round() / 10_000.0)
}

/// Serializes a score that may be missing with four decimals.
pub(super) fn rounded_if_any<S: Serializer>(score: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match score {
        Some(score) => rounded(score, serializer),
        None => serializer.serialize_none(),
    }
}
