//! Times, formatted for people.

use jiff::{Timestamp, Zoned};

use tars_base::domain::pluralize;

/// Returns the age of a time: `just now`, `5 min ago`, `3 h ago`, `2 days ago`; after a week its date and time, in the time zone of
/// `now`. A time in the future, after the clock was set back, is `just now`.
pub fn ago(then: Timestamp, now: &Zoned) -> String {
    let seconds = now.timestamp().as_second() - then.as_second();
    match seconds {
        ..60 => "just now".into(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        86_400..604_800 => format!("{} ago", pluralize((seconds / 86_400) as usize, "day")),
        _ => then.to_zoned(now.time_zone().clone()).strftime("%Y-%m-%d %H:%M").to_string(),
    }
}

/// Like [`ago`] for an RFC 3339 time; returns an unparsable text unchanged.
pub fn ago_of(text: &str, now: &Zoned) -> String {
    text.parse().map_or_else(|_| text.to_owned(), |then| ago(then, now))
}

/// Like [`ago`] for a local time without a zone.
pub fn ago_of_local(time: jiff::civil::DateTime, now: &Zoned) -> String {
    let then = time.to_zoned(now.time_zone().clone()).map(|zoned| zoned.timestamp());
    then.map_or_else(|_| time.to_string(), |then| ago(then, now))
}

/// Formats a duration: `40 s`, `5 min`, `2 h 10 min`.
pub fn format_duration(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        _ => format!("{} h {} min", seconds / 3_600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_printed_for_people() {
        let now: Zoned = "2026-11-22T18:00:00+01:00[+01:00]".parse().unwrap();
        let said = |seconds: i64| ago(Timestamp::from_second(now.timestamp().as_second() - seconds).unwrap(), &now);
        for (seconds, expected) in [
            (-90, "just now"),
            (59, "just now"),
            (60, "1 min ago"),
            (3_599, "59 min ago"),
            (3_600, "1 h ago"),
            (86_399, "23 h ago"),
            (86_400, "1 day ago"),
            (604_799, "6 days ago"),
            (604_800, "2026-11-15 18:00"),
        ] {
            assert_eq!(said(seconds), expected);
        }
        assert_eq!(
            (ago_of("never", &now).as_str(), format_duration(75).as_str(), format_duration(7_500).as_str()),
            ("never", "1 min", "2 h 5 min")
        );
    }
}
