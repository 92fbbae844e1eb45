//! The arguments of a tool call.

use serde_json::{Map, Value};
use tars_service::{Result, bail};

use tars_base::domain::{one_line, sanitize, sanitize_line};
use tars_text::redact::redact;

/// Maximum number of characters in a one-line summary of the arguments.
const SHOWN: usize = 100;
/// Maximum number of characters shown to a person who decides on a call.
const LONGEST_SHOWN: usize = 8_000;

/// The arguments of a call.
#[derive(Debug, Clone, Default)]
pub(crate) struct Arguments(Map<String, Value>);

impl Arguments {
    /// Returns the arguments of a call, or an error for the model if they are not an object.
    pub(crate) fn of(value: Option<&Value>) -> Result<Self> {
        match value {
            Some(Value::Object(map)) => Ok(Self(map.clone())),
            _ => bail!("the arguments are no JSON object"),
        }
    }

    /// Returns all arguments.
    pub(crate) fn object(&self) -> &Map<String, Value> {
        &self.0
    }

    /// Fails if an argument is unknown, or one of the first `required` is missing.
    pub(super) fn check(&self, known: impl Iterator<Item = &'static str> + Clone, required: usize) -> Result<()> {
        if let Some(wrong) = self.0.keys().find(|name| !known.clone().any(|known| known == name.as_str())) {
            let known: Vec<&str> = known.collect();
            bail!("there is no argument '{}': the arguments are {}", sanitize_line(wrong), known.join(", "));
        }
        match known.take(required).find(|name| self.0.get(*name).is_none_or(Value::is_null)) {
            Some(missing) => bail!("'{missing}' is missing"),
            None => Ok(()),
        }
    }

    /// Returns a text; blank text counts as missing.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone()).filter(|text| !text.trim().is_empty())),
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            Some(_) => bail!("'{name}' is a text"),
        }
    }

    /// Returns a required text.
    pub(super) fn required(&self, name: &str) -> Result<String> {
        self.text(name)?.ok_or_else(|| tars_service::failure!("'{name}' is missing"))
    }

    /// Returns a number, capped at `most`.
    pub(super) fn number(&self, name: &str, most: usize) -> Result<Option<usize>> {
        let number = match self.0.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text.trim().parse::<usize>().ok(),
            Some(value) => value.as_u64().and_then(|number| usize::try_from(number).ok()),
        };
        match number {
            Some(number) if number >= 1 => Ok(Some(number.min(most))),
            _ => bail!("'{name}' is a whole number from 1 to {most}"),
        }
    }

    /// Returns a one-line summary of the arguments for a person.
    pub(crate) fn summary(&self) -> String {
        let of = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let said: Vec<String> = match self.0.len() {
            1 => self.0.values().map(of).collect(),
            _ => self.0.iter().map(|(name, value)| format!("{name}: {}", of(value))).collect(),
        };
        one_line(&said.join(", "), SHOWN)
    }

    /// Returns all arguments for a person who decides on the call: one line each, with further lines indented. Nothing is
    /// left out up to [`LONGEST_SHOWN`] characters, which nobody would read to the end.
    pub(crate) fn full_text(&self) -> String {
        let mut said = String::new();
        for (name, value) in &self.0 {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            said.push_str(&format!("\n  {name}: {}", sanitize(&redact(&text).text).trim().replace('\n', "\n    ")));
        }
        let count = said.chars().count();
        match count > LONGEST_SHOWN {
            true => {
                let begin: String = said.chars().take(LONGEST_SHOWN).collect();
                format!("{begin}\n  … and {} characters more", count - LONGEST_SHOWN)
            }
            false => said,
        }
    }
}
