//! Quantized vectors of seven bits per value: two bits in blocks, for finding the nearest, and five bits in rows, for exact
//! comparison.
//!
//! A vector is rotated, so that its values are roughly normally distributed, and each value is quantized (`quantizer`). The upper two
//! bits of all values, the *levels*, encode sign and coarse size. They are stored in blocks of 480 vectors (`block`, `slots`),
//! together with three numbers per vector, so that a query reads only a quarter of the vectors' data. From the levels it estimates
//! each similarity and the likely error of the estimate. It keeps all vectors that may be among the nearest according to their
//! estimates (`scan`). The lower five bits, the *rest*, are stored in the vector's row, and are only read for the kept vectors.
//!
//! A row's id determines the slot of its vector. So blocks and rows change in one transaction, and no mapping has to be kept in
//! step. Each vector is quantized independently: exact similarities do not depend on neighbouring vectors or on the order of the
//! notes. Only the estimates use the common part of a block's vectors.

mod block;
mod dot;
#[cfg(test)]
mod fuzz;
mod quantizer;
mod rotation;
mod scan;
mod slots;

#[cfg(any(test, feature = "testing"))]
pub(crate) use quantizer::as_stored;
pub(super) use quantizer::{PreparedQuery, QuantizedVector, Quantizer};
#[cfg(test)]
pub(super) use scan::tests::numbers;
pub(super) use scan::{Bounds, nearest};
pub(super) use slots::{BlockCheck, Levels, clear_all_slots, clear_slots, examine, free_id, write};
