//! Metrics for ranked results, and a significance test between two runs.
//!
//! Maps places in files to figures. This module queries no index and reads no file.

mod bootstrap;
mod figures;
mod place;
mod random;

pub use bootstrap::{Difference, paired_bootstrap};
pub use figures::{Figures, Metric, measure};
pub use place::{Place, RankedResult};
pub use random::SplitMix64;
