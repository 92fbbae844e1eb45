//! Values of arguments that are more than a word or a number.

use std::time::Duration;

use jiff::civil::date;

use crate::markdown::named_period;

/// A least score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::cli) enum MinScore {
    /// This one.
    At(f64),
    /// The configured gate.
    Gate,
}

impl std::str::FromStr for MinScore {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "gate" => Ok(Self::Gate),
            _ => match word.parse::<f64>() {
                Ok(score) if (0.0..=1.0).contains(&score) => Ok(Self::At(score)),
                _ => Err("a number from 0 to 1, or 'gate'".into()),
            },
        }
    }
}

/// A day or several days by name, as in a query's `after:`.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::cli) struct NamedDays(String);

impl std::str::FromStr for NamedDays {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // What names days on one day does so on another.
        match named_period(text, date(2026, 1, 1)) {
            Some(_) => Ok(Self(text.to_owned())),
            None => Err("a day or more, such as 2026-05-08, 17.11.2026, 2026-05, yesterday or 'last week'".to_owned()),
        }
    }
}

impl NamedDays {
    /// Returns the words.
    pub(in crate::cli) fn as_str(&self) -> &str {
        &self.0
    }
}

pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let span: jiff::SignedDuration = text.parse().map_err(|_| "a duration such as 90s, 30m or 2h".to_owned())?;
    Duration::try_from(span).map_err(|_| "a duration that lies ahead".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_numbers_or_the_gate() {
        assert_eq!("gate".parse(), Ok(MinScore::Gate));
        assert_eq!("0.5".parse(), Ok(MinScore::At(0.5)));
        for wrong in ["", "2", "-1", "NaN", "high"] {
            assert!(wrong.parse::<MinScore>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn words_that_name_no_day_are_refused() {
        assert_eq!("last week".parse::<NamedDays>().unwrap().as_str(), "last week");
        assert!("soon".parse::<NamedDays>().unwrap_err().contains("yesterday"));
    }
}
