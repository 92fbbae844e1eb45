//! Argument values that are more than a word or a number.

use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use jiff::civil::date;

use tars_agent::client::{AgentClient, HookEvent, McpClient};
use tars_config::NotesAuthor;
use tars_text::markdown::named_period;

/// A minimum score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum MinScore {
    /// A given score.
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

/// A named day or period, as in a query's `after:`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NamedDays(String);

impl std::str::FromStr for NamedDays {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // Whether a text names a period does not depend on the current date.
        match named_period(text, date(2026, 1, 1)) {
            Some(_) => Ok(Self(text.to_owned())),
            None => Err("a day or more, such as 2026-05-08, 17.11.2026, 2026-05, yesterday or 'last week'".to_owned()),
        }
    }
}

impl NamedDays {
    /// Returns the text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Parses a range of lines.
pub(super) fn lines(text: &str) -> Result<(usize, usize), String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| text.trim().parse().ok().filter(|number| *number > 0);
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok((first, last)),
        _ => Err("lines are counted from 1, such as 10-25".to_owned()),
    }
}

pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let span: jiff::SignedDuration = text.parse().map_err(|_| "a duration such as 90s, 30m or 2h".to_owned())?;
    Duration::try_from(span).map_err(|_| "a duration that lies ahead".to_owned())
}

/// Parses an age in days.
pub(super) fn days(text: &str) -> Result<u32, String> {
    let (number, unit) = text.split_at(text.trim_end_matches(|unit: char| unit.is_ascii_alphabetic()).len());
    let days = match unit {
        "d" => Some(1),
        "w" => Some(7),
        _ => None,
    };
    let age = days.zip(number.parse::<u32>().ok()).and_then(|(days, number)| number.checked_mul(days));
    age.ok_or_else(|| "an age such as 30d or 8w".to_owned())
}

/// Parses the author of notes.
pub(super) fn notes_author(text: &str) -> Result<String, String> {
    let author = NotesAuthor::parse(text).map(|_| text.trim().to_owned());
    author.ok_or_else(|| "the authors are claude, ollama:MODEL and rules".to_owned())
}

/// Parses the name of an MCP client.
/// Returns the parser of an event of a client.
pub(super) fn hook_event() -> impl TypedValueParser<Value = HookEvent> {
    let named = |name: String| HookEvent::ALL.into_iter().find(|event| event.argument() == name).unwrap_or_default();
    PossibleValuesParser::new(HookEvent::ALL.map(HookEvent::argument)).map(named)
}

/// Parses the name of a client that calls hooks.
pub(super) fn agent_client(text: &str) -> Result<AgentClient, String> {
    let names = || AgentClient::ALL.map(AgentClient::name).join(", ");
    AgentClient::named(text).ok_or_else(|| format!("the clients are: {}", names()))
}

pub(super) fn mcp_client(text: &str) -> Result<McpClient, String> {
    let names = || McpClient::ALL.map(McpClient::name).join(", ");
    McpClient::named(text).ok_or_else(|| format!("the clients are: {}", names()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_days_or_weeks() {
        assert_eq!((days("30d"), days("8w"), days("0d")), (Ok(30), Ok(56), Ok(0)));
        for wrong in ["", "d", "30", "-1d", "2h", "1m", "4294967295w", "30 d", "é"] {
            assert!(days(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn scores_are_numbers_or_the_gate() {
        assert_eq!("gate".parse(), Ok(MinScore::Gate));
        assert_eq!("0.5".parse(), Ok(MinScore::At(0.5)));
        for wrong in ["", "2", "-1", "NaN", "high"] {
            assert!(wrong.parse::<MinScore>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn texts_without_a_date_are_refused() {
        assert_eq!("last week".parse::<NamedDays>().unwrap().as_str(), "last week");
        assert!("soon".parse::<NamedDays>().unwrap_err().contains("yesterday"));
    }
}
