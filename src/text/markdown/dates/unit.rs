//! The calendar units of relative dates.

use jiff::civil::Date;
use jiff::{Span, ToSpan};

pub(super) use crate::languages::DateUnit;
use tars_base::domain::DateRange;

impl DateUnit {
    pub(super) fn span(self, count: i64) -> Span {
        match self {
            Self::Day => count.days(),
            Self::Week => count.weeks(),
            Self::Month => count.months(),
            Self::Year => count.years(),
        }
    }

    /// Returns the calendar day, week, month or year that holds `day`.
    pub(super) fn around(self, day: Date) -> Option<DateRange> {
        match self {
            Self::Day => one_day(day, 0),
            Self::Week => {
                let since_monday = i64::from(day.weekday().to_monday_zero_offset());
                days(day.checked_sub(since_monday.days()).ok()?, 7.days())
            }
            Self::Month => Some(DateRange { first: day.first_of_month(), last: day.last_of_month() }),
            Self::Year => Some(DateRange { first: day.first_of_year(), last: day.last_of_year() }),
        }
    }
}

/// Returns the day `shift` days after `day`.
pub(super) fn one_day(day: Date, shift: i64) -> Option<DateRange> {
    let day = day.checked_add(shift.days()).ok()?;
    Some(DateRange { first: day, last: day })
}

/// Returns the days of a span that begins on `first`.
pub(super) fn days(first: Date, length: Span) -> Option<DateRange> {
    Some(DateRange { first, last: first.checked_add(length).ok()?.yesterday().ok()? })
}
