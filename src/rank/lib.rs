//! Ranks candidates: fusion, the credit of neighbours, and scores that are comparable between answers.
//!
//! Pure arithmetic over the numbers from the retrievers. This module reads no text and no database.

mod balance;
mod budget;
mod calibrate;
mod estimate;
mod evidence;
mod fuse;
pub mod metrics;
mod pack;

pub use balance::Balance;
pub use budget::{Offer, Span, Taken, allot, breadth, pack};
pub use calibrate::Confidence;
pub use evidence::{Evidence, Signals};
pub use fuse::{Fused, Fusion, FusionOptions, Parts, Ranked, fuse};
pub use pack::{Excerpt, join};

#[cfg(test)]
mod tests;
