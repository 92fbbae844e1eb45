//! Times of a schedule as a cron expression with five fields: minute, hour, day of the month, month, day of the week.
//!
//! The crate `croner` parses the fields and finds matching dates and times on a calendar without a time zone. The module `schedule` maps
//! them to moments in the person's time zone.

use std::fmt;

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// Maximum length of an expression, in bytes.
const MAX_LENGTH: usize = 120;
/// Names of the fields, in order.
const FIELDS: [&str; 5] = ["minute", "hour", "day", "month", "weekday"];

/// A cron expression that matches at least one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CronTimes {
    text: String,
    cron: Box<Cron>,
}

impl CronTimes {
    /// Parses an expression.
    ///
    /// # Errors
    /// The reason as a lower-case fragment.
    pub fn parse(text: &str) -> Result<Self, String> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        if text.len() > MAX_LENGTH {
            return Err(format!("longer than {MAX_LENGTH} bytes"));
        }
        if fields.len() != 5 {
            let found = fields.len();
            return Err(format!("expected five fields (minute hour day month weekday), found {found}"));
        }
        // Nicknames such as @daily would make the other four fields meaningless.
        if text.contains('@') || !text.is_ascii() {
            return Err("only numbers, names of months and days, and * , - / # L W are known".to_owned());
        }
        let cron = read(&fields).map_err(|error| match wrong_field(&fields) {
            Some((name, field, error)) => format!("{name} '{field}': {error}"),
            None => error,
        })?;
        let times = Self { text: fields.join(" "), cron: Box::new(cron) };
        match times.next_after(jiff::civil::date(2024, 1, 1).at(0, 0, 0, 0)) {
            Some(_) => Ok(times),
            None => Err("this date never occurs".to_owned()),
        }
    }

    /// Describes the times in words: `at 18:00, on Friday`.
    pub fn in_words(&self) -> String {
        lower_first(self.cron.describe().trim_end_matches('.'))
    }

    /// Returns the first matching time after `after`; `None` at the end of the calendar.
    pub fn next_after(&self, after: DateTime) -> Option<DateTime> {
        // UTC has no daylight saving time, so it works as a plain calendar.
        let start = after.to_zoned(TimeZone::UTC).ok()?;
        self.cron.find_next_occurrence(&start, false).ok().map(|found| found.datetime())
    }
}

impl fmt::Display for CronTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn read(fields: &[&str]) -> Result<Cron, String> {
    let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
    parser.parse(&fields.join(" ")).map_err(|error| {
        let said = error.to_string();
        let reason = said.split_once(": ").map_or(said.as_str(), |(_, reason)| reason).trim_end_matches('.');
        lower_first(reason)
    })
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

/// Returns the first invalid field with its name and the error, because the crate does not say which field is wrong.
fn wrong_field<'a>(fields: &[&'a str]) -> Option<(&'static str, &'a str, String)> {
    fields.iter().zip(FIELDS).enumerate().find_map(|(place, (field, name))| {
        let mut alone = ["*"; FIELDS.len()];
        alone[place] = field;
        read(&alone).err().map(|error| (name, *field, error))
    })
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    fn wrong(text: &str) -> String {
        CronTimes::parse(text).unwrap_err()
    }

    #[test]
    fn errors_name_the_wrong_field() {
        assert_eq!(wrong("61 * * * *"), "minute '61': number out of bounds");
        assert_eq!(wrong("0 0 * * 8"), "weekday '8': number out of bounds");
        assert!(wrong("0 x * * *").starts_with("hour 'x': "), "{}", wrong("0 x * * *"));
        assert_eq!(wrong("0 0 31 2 *"), "this date never occurs");
        assert!(wrong("@daily").contains("found 1"));
        assert!(wrong("0 0 7 * * *").contains("found 6"));
        assert!(wrong("@ * * * *").contains("only numbers"));
        assert!(wrong("").contains("found 0"));
        assert!(wrong(&"1,".repeat(90)).contains("longer than"));
    }

    #[test]
    fn names_lists_steps_and_last_days_are_read() {
        let start = date(2026, 11, 24).at(10, 0, 0, 0);
        for (text, next) in [
            ("30 7 * * 1-5", "2026-11-25T07:30:00"),
            ("30 7  * * MON-FRI", "2026-11-25T07:30:00"),
            ("*/15 * * * *", "2026-11-24T10:15:00"),
            ("0 9,18 * * *", "2026-11-24T18:00:00"),
            ("0 0 L * *", "2026-11-30T00:00:00"),
            ("0 8 29 2 *", "2028-02-29T08:00:00"),
        ] {
            assert_eq!(CronTimes::parse(text).unwrap().next_after(start).unwrap().to_string(), next, "{text}");
        }
        let spaced = CronTimes::parse(" 0 18  * * 5 ").unwrap();
        assert_eq!((spaced.to_string().as_str(), spaced.in_words().as_str()), ("0 18 * * 5", "at 18:00, on Friday"));
    }

    proptest! {
        #[test]
        fn parsing_never_panics(text in "[ -~]{0,20}|([0-9*,/LW#?-]{1,4} ){4}[0-9*,/LW#?-]{1,4}|\\PC{0,10}") {
            if let Ok(times) = CronTimes::parse(&text) {
                let start = date(2026, 2, 27).at(23, 59, 0, 0);
                prop_assert!(times.next_after(start).is_none_or(|next| next > start));
                prop_assert_eq!(CronTimes::parse(&times.to_string()), Ok(times));
            }
        }
    }
}
