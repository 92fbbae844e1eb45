//! Parses a value that is only a date: `tars daily DATE`, `--since DATE`, `after:DATE`.

use jiff::civil::Date;

use super::periods_in_text;
use tars_base::domain::DateRange;

/// Longest value that may name a day, in bytes: no notation comes near it, and a longer one would only cost time.
pub(in crate::markdown) const MAX_VALUE_BYTES: usize = 256;

/// Returns the days of a value: a date, a month, a year, a range, or words relative to `today`.
///
/// Besides the notations of [`periods_in_text`], it accepts two that would be numbers or versions in running text: a year
/// alone, and `17.11.2026` with the day first. Returns `None` if the value names no day, or is longer than 256 bytes.
pub fn named_period(value: &str, today: Date) -> Option<DateRange> {
    let value = value.trim();
    if value.len() > MAX_VALUE_BYTES {
        return None;
    }
    let found = || periods_in_text(value, today).into_iter().find_map(|period| period.range());
    date_alone(value).or_else(found)
}

/// Returns the days of a value in one of the notations that count only where nothing but a date may stand.
pub(in crate::markdown) fn date_alone(value: &str) -> Option<DateRange> {
    day_first(value).or_else(|| year(value))
}

/// `17.11.2026`, `1. 2. 2026`.
fn day_first(value: &str) -> Option<DateRange> {
    let numbers: Vec<&str> = value.split('.').map(str::trim).collect();
    let [day, month, year] = numbers.as_slice() else { return None };
    let plain = |text: &str, most: usize| text.len() <= most && text.bytes().all(|byte| byte.is_ascii_digit());
    if !plain(day, 2) || !plain(month, 2) || year.len() != 4 || !plain(year, 4) {
        return None;
    }
    let day = Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()?;
    Some(DateRange { first: day, last: day })
}

fn year(value: &str) -> Option<DateRange> {
    let year: i16 = value.parse().ok().filter(|year| (1000..=9999).contains(year))?;
    Some(DateRange { first: Date::new(year, 1, 1).ok()?, last: Date::new(year, 12, 31).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Wednesday.
    const TODAY: Date = Date::constant(2023, 5, 10);

    fn named(value: &str) -> Option<String> {
        named_period(value, TODAY).map(|days| format!("{}..{}", days.first, days.last))
    }

    #[track_caller]
    fn check(cases: &[(&str, &str)]) {
        for (value, expected) in cases {
            assert_eq!(named(value).as_deref(), Some(*expected), "{value}");
        }
    }

    #[test]
    fn dates_with_dots_and_the_day_first_are_understood() {
        check(&[
            ("17.11.2026", "2026-11-17..2026-11-17"),
            ("1.2.2026", "2026-02-01..2026-02-01"),
            (" 01. 02. 2026 ", "2026-02-01..2026-02-01"),
            ("2026.02.01", "2026-02-01..2026-02-01"),
        ]);
        for wrong in ["31.4.2026", "11.17.2026", "1.2.26", "1.2.3", "1..2026", "+1.2.2026", "08/05/2023", "", "soon"] {
            assert_eq!(named(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_value_of_900_kilobytes_names_no_day_at_once() {
        assert_eq!(named(&format!("yesterday{}", " ".repeat(MAX_VALUE_BYTES))), Some("2023-05-09..2023-05-09".into()));
        for value in ["1 week ago ", "2023-05-08 ", "1.", "x"].map(|word| word.repeat(900_000 / word.len())) {
            assert_eq!(named(&value), None);
        }
    }

    #[test]
    fn german_relative_dates_are_understood() {
        check(&[
            ("vor 3 Tagen", "2023-05-07..2023-05-07"),
            ("vor einer Woche", "2023-05-01..2023-05-07"),
            ("vor zwei Monaten", "2023-03-01..2023-03-31"),
            ("vorige Woche", "2023-05-01..2023-05-07"),
            ("letzten Mittwoch", "2023-05-03..2023-05-03"),
        ]);
        assert_eq!(named("vor 3 Katzen"), None);
    }

    #[test]
    fn other_notations_are_understood() {
        check(&[
            ("2023", "2023-01-01..2023-12-31"),
            ("2023-05", "2023-05-01..2023-05-31"),
            ("gestern", "2023-05-09..2023-05-09"),
            ("vorgestern", "2023-05-08..2023-05-08"),
            ("heute", "2023-05-10..2023-05-10"),
            ("3 days ago", "2023-05-07..2023-05-07"),
            ("last week", "2023-05-01..2023-05-07"),
            ("letzte Woche", "2023-05-01..2023-05-07"),
        ]);
    }
}
