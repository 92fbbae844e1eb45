//! The memory's life: what is remembered where, what it stands next to, and what is taken out again.
//!
//! Everything here works on the markdown files of the memory folder as they stand on disk, never on the index, and writes
//! through [`crate::vault::Writer`] alone.

mod bullet;
mod likeness;

pub use bullet::{Bullet, bullets};
pub use likeness::{Like, Relation, near, normal};
