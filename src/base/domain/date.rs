//! Calendar dates of notes and queries.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// A date of a note and its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoteDate {
    /// The day.
    pub date: Date,
    /// The source.
    pub source: NoteDateSource,
    /// The date's line, or 0 for a file name.
    pub line: usize,
}

/// The source of a note's date, most reliable first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoteDateSource {
    /// A property such as `date`, `created`, `updated`.
    FrontMatter,
    /// The file's name: `YYYY-MM-DD` and its variants. A name may hold several dates.
    FileName,
    /// A heading with a date, which applies only to its section.
    Heading,
}

/// A range of days, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DateRange {
    /// First day.
    pub first: Date,
    /// Last day.
    pub last: Date,
}
