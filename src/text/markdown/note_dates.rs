//! The days of a note from its file name, a property or a heading.

use std::ops::Range;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::dates::{DateMention, MAX_VALUE_BYTES, PLAUSIBLE_YEARS, date_alone, dates_in_text};
use super::title::stem;
use tars_base::domain::{DateRange, Heading, NoteDate, NoteDateSource};

/// Returns the days in a file name (without its extension): in any notation with a year, or as eight digits `YYYYMMDD`,
/// optionally followed by a time (`YYYYMMDDHHMM`, `YYYYMMDDHHMMSS`).
pub(super) fn of_file_name(stem: &str) -> impl Iterator<Item = NoteDate> + '_ {
    let days = days_in_text(stem).chain(compact_days(stem)).filter(|day| PLAUSIBLE_YEARS.contains(&day.year()));
    days.map(|date| NoteDate { date, source: NoteDateSource::FileName, line: 0 })
}

/// Returns the newest day in the name of the file at `path`.
pub fn day_of_file_name(path: &str) -> Option<Date> {
    of_file_name(stem(path)).map(|named| named.date).max()
}

/// Returns the days in the value of a property, in the notations of file names, or as the seconds or milliseconds since 1970 that programs
/// write.
pub(super) fn of_value(value: &str) -> impl Iterator<Item = Date> + '_ {
    days_in_text(value).chain(compact_days(value)).chain(day_since_1970(value))
}

/// Returns the days of a property's value: a day, a month or a year in any notation of `of_value`, or a day before its month
/// (`17.11.2026`). `None` if it names no day, or is longer than 256 bytes.
pub fn days_of_value(value: &str) -> Option<DateRange> {
    let value = value.trim();
    if value.len() > MAX_VALUE_BYTES || !value.chars().any(char::is_numeric) {
        return None;
    }
    let mentioned = || dates_in_text(value).into_iter().find_map(DateMention::range);
    let day = || compact_days(value).chain(day_since_1970(value)).next().map(|day| DateRange { first: day, last: day });
    date_alone(value).or_else(mentioned).or_else(day)
}

/// Returns the day of a number of seconds (`1623841239`, perhaps with a fraction) or milliseconds (`1623841239123`) since 1970, in UTC:
/// from 2001 on, since smaller numbers are other things. Ten digits may also be a day and an hour: `2023070915`.
fn day_since_1970(value: &str) -> Option<Date> {
    const PLAUSIBLE: std::ops::RangeInclusive<i64> = 1_000_000_000..=4_102_444_799;
    let value = value.trim();
    let whole = match value.split_once('.') {
        Some((whole, fraction)) if whole.len() == 10 && fraction.bytes().all(|byte| byte.is_ascii_digit()) => whole,
        _ => value,
    };
    let number: i64 = whole.bytes().all(|byte| byte.is_ascii_digit()).then(|| whole.parse().ok())??;
    let seconds = match whole.len() {
        10 => number,
        13 => number / 1_000,
        _ => return None,
    };
    let with_hour = if whole.len() == 10 && whole[8..] < *"24" { compact_day(&whole[..8]) } else { None };
    let day = || Some(Timestamp::from_second(seconds).ok()?.to_zoned(TimeZone::UTC).date());
    with_hour.or_else(|| PLAUSIBLE.contains(&seconds).then(day)?)
}

/// Returns the days with a year in a heading.
pub(super) fn of_heading(heading: &Heading) -> impl Iterator<Item = NoteDate> + '_ {
    days_in_text(&heading.text).map(|date| NoteDate { date, source: NoteDateSource::Heading, line: heading.line })
}

/// Returns the days with a year in a text, in order.
pub fn days_in_text(text: &str) -> impl Iterator<Item = Date> + use<> {
    let mentions = if text.bytes().any(|byte| byte.is_ascii_digit()) { dates_in_text(text) } else { Vec::new() };
    mentions.into_iter().filter_map(|mention| match mention {
        DateMention::Day { .. } => mention.range().map(|range| range.first),
        DateMention::Month { .. } | DateMention::Year(_) => None,
    })
}

fn compact_days(text: &str) -> impl Iterator<Item = Date> + '_ {
    text.split(|character: char| !character.is_ascii_digit()).filter_map(compact_day)
}

fn compact_day(digits: &str) -> Option<Date> {
    let time_is_possible = match digits.len() {
        8 => true,
        12 | 14 => digits[8..10] < *"24" && digits[10..12] < *"60",
        _ => false,
    };
    let number = |range: Range<usize>| digits.get(range)?.parse::<i16>().ok();
    let year = number(0..4).filter(|year| time_is_possible && PLAUSIBLE_YEARS.contains(year))?;
    Date::new(year, number(4..6)?.try_into().ok()?, number(6..8)?.try_into().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(stem: &str) -> Vec<String> {
        of_file_name(stem).map(|date| date.date.to_string()).collect()
    }

    #[test]
    fn days_in_file_names_are_found() {
        assert_eq!(named("2023-07-09-session-17"), ["2023-07-09"]);
        assert_eq!(named("note_2023_07_09"), ["2023-07-09"]);
        assert_eq!(named("20230709 call"), ["2023-07-09"]);
        assert_eq!(named("202307091530"), ["2023-07-09"]);
        assert_eq!(named("Meeting 9 July 2023"), ["2023-07-09"]);
        assert_eq!(named("2023-07-09 to 2023-07-11"), ["2023-07-09", "2023-07-11"]);
    }

    #[test]
    fn other_numbers_are_not_days() {
        for stem in ["2023-13-01", "2023-02-30", "12345678", "20231301", "202307099930", "2023-07", "may", "1066-10-14"]
        {
            assert!(named(stem).is_empty(), "{stem}: {:?}", named(stem));
        }
    }

    #[test]
    fn times_since_1970_are_days() {
        let days = |value: &str| of_value(value).map(|day| day.to_string()).collect::<Vec<_>>();
        for value in ["1623841239", "1623841239123", " 1623841239000 ", "1623841239.25"] {
            assert_eq!(days(value), ["2021-06-16"], "{value}");
        }
        assert_eq!(days("2023070915"), ["2023-07-09"], "a day and its hour");
        for value in [
            "162384123",
            "999999999",
            "16238412391",
            "162384123912345",
            "9999999999999",
            "1623841239x",
            "-1623841239",
            "1.5",
            ".",
        ] {
            assert!(days(value).is_empty(), "{value}: {:?}", days(value));
        }
    }

    #[test]
    fn values_are_days_months_or_years() {
        let days = |value| days_of_value(value).map(|days| format!("{}..{}", days.first, days.last));
        for value in [
            "2026-05-01",
            "2026/05/01",
            "1.5.2026",
            "1 May 2026",
            "May 1, 2026",
            "20260501",
            "2026-05-01T23:30:00+02:00",
            "[[2026-05-01]]",
            "1777593600",
            "1777593600123",
        ] {
            assert_eq!(days(value).as_deref(), Some("2026-05-01..2026-05-01"), "{value}");
        }
        assert_eq!(days("2026-05").as_deref(), Some("2026-05-01..2026-05-31"));
        assert_eq!(days("2026").as_deref(), Some("2026-01-01..2026-12-31"));
        for value in ["", "open", "may", "3", "4.5", "today", "12345678901"] {
            assert_eq!(days(value), None, "{value}");
        }
    }

    #[test]
    fn headings_date_their_section() {
        let heading = |text: &str| Heading { level: 2, text: text.into(), line: 7 };
        let dates =
            |text| of_heading(&heading(text)).map(|date| (date.date.to_string(), date.line)).collect::<Vec<_>>();
        assert_eq!(dates("Log of May 8, 2023"), [("2023-05-08".into(), 7)]);
        assert_eq!(dates("2023-05-08 Monday"), [("2023-05-08".into(), 7)]);
        assert_eq!(dates("2023年5月8日"), [("2023-05-08".into(), 7)]);
        assert!(dates("8 May").is_empty() && dates("May 2023").is_empty() && dates("20230508").is_empty());
    }
}
