//! For the tests of the other crates: hostile input for parsers, a server on loopback, and zip archives.

#![expect(clippy::unwrap_used, reason = "a test that cannot be prepared fails")]
#![expect(clippy::print_stdout, reason = "a test says what it tried")]
#![expect(missing_docs, reason = "only tests use it")]

pub mod fuzz;
pub mod loopback;
pub mod zip;
