//! Vectors of seven bits a value: two bits in blocks, from which the nearest are found, and five bits in rows, with which they
//! are compared.
//!
//! A vector is rotated, so that its values are about normally distributed, and each value is rounded (`rounded`). The two upper
//! bits of all values, the *levels*, tell which values are large and which sign they have. They lie in blocks of 480 vectors
//! (`block`, `places`), together with three numbers a vector, so that a question reads a quarter of what the vectors take: from
//! levels the similarity with a question is estimated, and how far the estimate is likely to be off. All vectors are kept
//! whose estimate leaves open that they are among the nearest (`scan`). The five lower bits, the *rest*, lie in the vector's
//! row, and are read only for the vectors that are kept.
//!
//! Which place a vector has is told by its row's id, so blocks and rows change in one transaction and nothing has to be kept in
//! step. A vector is rounded by itself alone: what is compared does not depend on what lies beside it, or on the order in
//! which notes came. Only the estimate uses what a block's vectors have in common.

mod block;
mod dot;
#[cfg(test)]
mod fuzz;
mod places;
mod rotation;
mod rounded;
mod scan;

pub(super) use places::{Examined, Levels, examine, free_id, vacate, vacate_all, write};
#[cfg(test)]
pub(crate) use rounded::as_stored;
pub(super) use rounded::{Quantizer, Question, Rounded};
#[cfg(test)]
pub(super) use scan::tests::numbers;
pub(super) use scan::{Bounds, nearest};
