//! A calendar month.

use std::fmt;
use std::str::FromStr;

use jiff::civil::{Date, date};

/// A month: `2026-03`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month {
    year: i16,
    month: i8,
}

impl Month {
    /// Returns the month of a day.
    pub fn of(day: Date) -> Self {
        Self { year: day.year(), month: day.month() }
    }

    /// Returns its last day.
    pub fn last(self) -> Date {
        date(self.year, self.month, 1).last_of_month()
    }

    /// Returns the day with this number; `None` if the month has no such day.
    pub fn day(self, number: i8) -> Option<Date> {
        Date::new(self.year, self.month, number).ok()
    }

    /// Returns the file name of its summary within the memory folder.
    pub fn file(self) -> String {
        format!("{}/{self}.md", crate::ARCHIVE)
    }

    /// Returns its English name: `March 2026`.
    pub fn name(self) -> String {
        date(self.year, self.month, 1).strftime("%B %Y").to_string()
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

impl FromStr for Month {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let day = format!("{text}-01").parse::<Date>().ok().filter(|_| text.len() == "YYYY-MM".len());
        day.map(Self::of).ok_or_else(|| "a month such as 2026-03".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_round_trip() {
        let month: Month = "2026-02".parse().unwrap();
        assert_eq!(
            (month.to_string(), month.name(), month.file()),
            ("2026-02".into(), "February 2026".into(), "archive/2026-02.md".into())
        );
        assert_eq!(month.last().to_string(), "2026-02-28");
        assert_eq!((month.day(28).is_some(), month.day(29), month.day(0)), (true, None, None));
        for wrong in ["", "2026", "2026-13", "2026-3", "2026-03-01", "../2026-03"] {
            assert!(wrong.parse::<Month>().is_err(), "{wrong}");
        }
    }
}
