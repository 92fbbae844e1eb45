//! The engine: makes the index equal to the notes, and answers questions from it.

pub mod index;
pub mod search;
