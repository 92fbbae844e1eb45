//! Text: its languages and words, markdown, chunks, and secrets to take out.
//!
//! It works on strings alone: it opens no file and knows no database.

pub mod abbreviations;
pub mod analysis;
pub mod chunker;
pub mod classifier;
pub mod cleaning;
pub mod formats;
pub mod invisible;
pub mod languages;
pub mod line_diff;
pub mod markdown;
pub mod names;
pub mod question_parts;
pub mod redact;
pub mod sentences;
pub mod units;
