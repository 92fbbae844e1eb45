//! Calendar dates of notes and queries.

use jiff::Span;
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

/// Returns the day this many days before `day`; the first day of the calendar if that lies before it. A number from outside may lie
/// beyond each span of time that `jiff` knows, where its own units panic.
pub fn days_before(day: Date, days: u32) -> Date {
    Span::new().try_days(days).map_or(Date::MIN, |span| day.saturating_sub(span))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_beyond_the_calendar_is_its_first_day() {
        let today = Date::constant(2026, 3, 1);
        assert_eq!(days_before(today, 0), today);
        assert_eq!(days_before(today, 1), Date::constant(2026, 2, 28));
        for days in [5_000_000, 8_000_000, u32::MAX] {
            assert_eq!(days_before(today, days), Date::MIN, "{days}");
        }
    }
}
