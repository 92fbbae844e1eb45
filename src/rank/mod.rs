//! Candidate lists to one list: fusion, the credit of neighbours, and a score that means the same in every answer.
//!
//! Pure arithmetic over numbers that the retrievers brought; this module reads no text and no database.

mod balance;
mod budget;
mod calibrate;
mod estimate;
mod evidence;
mod fuse;
mod pack;
mod scale;

pub use balance::Balance;
pub use budget::{Offer, Span, Taken, allot, breadth, pack};
pub use calibrate::Confidence;
pub use evidence::{Evidence, Signals};
pub use fuse::{Fused, Fusion, FusionOptions, Parts, Ranked, fuse};
pub use pack::{Excerpt, join};
pub use scale::{Calibration, ModelScale};

#[cfg(test)]
mod tests;
