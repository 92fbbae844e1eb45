//! Ranks candidates: fusion, the credit of neighbours, and scores that are comparable between answers.
//!
//! Pure arithmetic over the numbers from the retrievers. This module reads no text and no database.

mod balance;
mod budget;
mod calibrate;
mod estimate;
mod evidence;
mod excerpt;
mod fuse;
pub mod metrics;

pub use balance::Balance;
pub use budget::{Form, PackCandidate, PackedHit, Span, WHOLE_PASSAGES, pack, share_budget};
pub use calibrate::{Confidence, probability};
pub use evidence::{Evidence, Signals};
pub use excerpt::{Excerpt, join_excerpts};
pub use fuse::{Fused, Fusion, FusionOptions, Parts, Ranked, fuse};

#[cfg(test)]
mod tests;
