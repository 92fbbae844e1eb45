//! How well an ordered list of results answers a question, and whether one run does better than another.
//!
//! Places in files go in, figures come out. Nothing here asks an index or reads a file.

mod bootstrap;
mod figures;
mod place;
mod random;

pub use bootstrap::{Difference, paired_bootstrap};
pub use figures::{Figures, Metric, measure};
pub use place::{Place, Shown};
pub use random::SplitMix64;
