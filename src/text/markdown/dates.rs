//! Finds dates in free text.
//!
//! Notations: `2023-05-08` (also with `/`, `.` or `_`), `2023-05`, `8 May 2023`, `8th of May`, `May 8, 2023`, `May 2023`,
//! `2023年5月8日` and its parts, Korean likewise; `8. Mai 2023`, `8 mai 2023`, `8 de mayo de 2023`, `8 мая 2023`, and their
//! equivalents in the languages of `languages`. A month or a year alone only counts after a word such as `in`: "may" is a
//! verb, and 2023 may be a quantity. Numeric notations that do not start with the year are ambiguous and ignored.

mod day_or_text;
mod named;
mod patterns;
mod periods;
mod relative;
mod tokens;
mod unit;

use jiff::civil::Date;

pub use self::day_or_text::{DayOrText, begins_with_day, day_or_text};
pub use self::named::named_period;
pub(super) use self::named::{MAX_VALUE_BYTES, date_alone};
pub(super) use self::patterns::PLAUSIBLE_YEARS;
use self::patterns::Reader;
pub use self::periods::{Period, periods_in_text, periods_with_ranges};
use self::tokens::tokens;
use tars_base::domain::DateRange;

/// A date in a text, as precise as the text is. Its days exist in the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateMention {
    /// A day, with or without a year.
    Day {
        /// The year, if given.
        year: Option<i16>,
        /// 1 to 12.
        month: u8,
        /// 1 to 31.
        day: u8,
    },
    /// A month, with or without a year.
    Month {
        /// The year, if given.
        year: Option<i16>,
        /// 1 to 12.
        month: u8,
    },
    /// A whole year.
    Year(i16),
}

impl DateMention {
    /// Returns the days it covers; `None` without a year.
    pub fn range(self) -> Option<DateRange> {
        let date = |year, month: u8, day: u8| Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok();
        match self {
            Self::Day { year, month, day } => date(year?, month, day).map(|day| DateRange { first: day, last: day }),
            Self::Month { year, month } => {
                date(year?, month, 1).map(|first| DateRange { first, last: first.last_of_month() })
            }
            Self::Year(year) => Some(DateRange { first: date(year, 1, 1)?, last: date(year, 12, 31)? }),
        }
    }

    /// Returns the same mention, with `year` as its year if it has none.
    pub fn with_default_year(self, year: i16) -> Self {
        match self {
            Self::Day { year: None, month, day } => Self::Day { year: Some(year), month, day },
            Self::Month { year: None, month } => Self::Month { year: Some(year), month },
            said => said,
        }
    }

    fn exists(self) -> bool {
        // Without a year, 29 February is possible.
        self.with_default_year(2000).range().is_some()
    }
}

/// Returns the dates in `text`, in order, without days that do not exist.
pub fn dates_in_text(text: &str) -> Vec<DateMention> {
    let tokens = tokens(text);
    let reader = Reader::new(&tokens);
    let mut mentions = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match reader.mention(at) {
            Some((mention, end)) => {
                mentions.extend(Some(mention).filter(|mention| mention.exists()));
                at = end;
            }
            None => at += 1,
        }
    }
    mentions
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::DateMention::{Day, Month, Year};
    use super::*;

    fn day(year: impl Into<Option<i16>>, month: u8, day: u8) -> DateMention {
        Day { year: year.into(), month, day }
    }

    fn month(year: impl Into<Option<i16>>, month: u8) -> DateMention {
        Month { year: year.into(), month }
    }

    #[track_caller]
    fn check(cases: &[(&str, &[DateMention])]) {
        for (text, expected) in cases {
            assert_eq!(&dates_in_text(text), expected, "{text}");
        }
    }

    #[test]
    fn numeric_dates_start_with_the_year() {
        let may_8 = [day(2023, 5, 8)];
        check(&[
            ("on 2023-05-08, then", &may_8),
            ("2023/05/08", &may_8),
            ("2023/5/8", &may_8),
            ("x_2023_05_08_y", &may_8),
            ("2023.05.08", &may_8),
            ("2023-05-08T10:00:00Z", &may_8),
            ("(2023-05-08)", &may_8),
            ("2023-05-08..2023-05-09", &[day(2023, 5, 8), day(2023, 5, 9)]),
            ("2023-05", &[month(2023, 5)]),
            ("08/05/2023", &[]),
            ("2023-05/08", &[]),
            ("v2023-05-08", &[]),
            ("2019-20", &[]),
            ("1.2.3", &[]),
            ("0555-12-34", &[]),
        ]);
    }

    #[test]
    fn written_dates_put_day_or_month_first() {
        let may_8 = [day(2023, 5, 8)];
        check(&[
            ("8 May 2023", &may_8),
            ("8 May, 2023", &may_8),
            ("the 8th of May 2023?", &may_8),
            ("8-May-2023", &may_8),
            ("May 8, 2023", &may_8),
            ("may 8th 2023.", &may_8),
            ("MAY 8TH, 2023", &may_8),
            ("Monday, May 8, 2023, 1:25 PM", &may_8),
            ("Sept. 3, 2023", &[day(2023, 9, 3)]),
            ("3 Sep", &[day(None, 9, 3)]),
            ("8May", &[day(None, 5, 8)]),
            ("what about May 8th", &[day(None, 5, 8)]),
            ("May the 8th", &[day(None, 5, 8)]),
            ("8 May", &[day(None, 5, 8)]),
            ("from 8 May to June 9", &[day(None, 5, 8), day(None, 6, 9)]),
            ("May 8-10, 2023", &may_8),
            ("29 February", &[day(None, 2, 29)]),
        ]);
    }

    #[test]
    fn months_and_years_need_a_word_before_them() {
        check(&[
            ("May 2023", &[month(2023, 5)]),
            ("in March of 2023", &[month(2023, 3)]),
            ("in May?", &[month(None, 5)]),
            ("since early june we", &[month(None, 6)]),
            ("in may or June 2023", &[month(None, 5), month(2023, 6)]),
            ("may I ask", &[]),
            ("they march on", &[]),
            ("in 2023", &[Year(2023)]),
            ("since 1999, I", &[Year(1999)]),
            ("during the year 2022", &[Year(2022)]),
            ("2023", &[]),
            ("2023 words", &[]),
            ("in 1200 words", &[]),
            ("in 1990s", &[]),
            ("in 2023.5", &[]),
            ("of 2023%", &[]),
        ]);
    }

    #[test]
    fn german_french_and_spanish_dates_are_understood() {
        let march_11 = [day(2026, 3, 11)];
        check(&[
            ("Was haben wir am 11. März 2026 entschieden?", &march_11),
            ("am 11.März 2026", &march_11),
            ("qu'avons-nous décidé le 11 mars 2026 ?", &march_11),
            ("¿qué decidimos el 11 de marzo de 2026?", &march_11),
            ("el 11 de marzo del 2026", &march_11),
            ("am 11. März", &[day(None, 3, 11)]),
            ("am 3. August", &[day(None, 8, 3)]),
            ("le 1er août", &[day(None, 8, 1)]),
            ("el 11 de marzo", &[day(None, 3, 11)]),
            ("im März", &[month(None, 3)]),
            ("Dezember 2025", &[month(2025, 12)]),
            ("en marzo de 2026", &[month(2026, 3)]),
            ("en mars 2026", &[month(2026, 3)]),
            ("the Mars 2020 rover and the mayo", &[]),
            ("we had 8. May I go, or march on", &[]),
        ]);
    }

    #[test]
    fn chinese_japanese_and_korean_dates() {
        check(&[
            ("在2023年5月8日去", &[day(2023, 5, 8)]),
            ("2023 年 5 月 8 号", &[day(2023, 5, 8)]),
            ("2023年5月", &[month(2023, 5)]),
            ("2023年", &[Year(2023)]),
            ("5月8日に", &[day(None, 5, 8)]),
            ("5月", &[month(None, 5)]),
            ("5个月", &[]),
            ("2023년 5월 8일", &[day(2023, 5, 8)]),
        ]);
    }

    #[test]
    fn impossible_days_are_left_out() {
        check(&[
            ("2023-02-29", &[]),
            ("2023-13-01", &[]),
            ("in 2023-02-30", &[]),
            ("31 April 2023", &[]),
            ("May 32", &[]),
            ("2月30日", &[]),
            ("13月", &[]),
            ("0 May", &[]),
            ("2024-02-29", &[day(2024, 2, 29)]),
        ]);
    }

    #[test]
    fn quantities_are_not_days() {
        check(&[("May 8:30", &[]), ("may 8% of it", &[]), ("May 8.5", &[]), ("may 8am", &[]), ("3.5 May", &[])]);
    }

    #[test]
    fn mentions_cover_days() {
        let range = |mention: DateMention| mention.range().map(|range| format!("{} {}", range.first, range.last));
        assert_eq!(range(month(2024, 2)).as_deref(), Some("2024-02-01 2024-02-29"));
        assert_eq!(range(Year(2023)).as_deref(), Some("2023-01-01 2023-12-31"));
        assert_eq!(range(day(None, 5, 8)), None);
        assert_eq!(range(day(None, 5, 8).with_default_year(2023)).as_deref(), Some("2023-05-08 2023-05-08"));
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(text in "(?s)(in |[0-9]{1,4}|[-/., :年月日]|May|th|of |.){0,20}") {
            prop_assert!(dates_in_text(&text).into_iter().all(DateMention::exists));
        }
    }
}
