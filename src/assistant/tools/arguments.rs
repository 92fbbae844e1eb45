//! The arguments of a tool call.

use serde_json::{Map, Value};
use tars_service::{Result, bail, tool_arguments};

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
        match value.and_then(|value| tool_arguments::object(Some(value))) {
            Some(fields) => Ok(Self(fields)),
            None => bail!("the arguments are no JSON object"),
        }
    }

    /// Returns all arguments.
    pub(crate) fn object(&self) -> &Map<String, Value> {
        &self.0
    }

    /// Fails if an argument is unknown, or one of the first `required` is missing.
    pub(super) fn check(&self, known: impl Iterator<Item = &'static str> + Clone, required: usize) -> Result<()> {
        let is_wrong = |name: &&String| {
            !known.clone().any(|known| known == name.as_str())
                && !tool_arguments::is_added_by_client(name, known.clone())
        };
        if let Some(wrong) = self.0.keys().find(is_wrong) {
            let known: Vec<&str> = known.collect();
            bail!("there is no argument '{}': the arguments are {}", sanitize_line(wrong), known.join(", "));
        }
        match known.take(required).find(|name| self.0.get(*name).is_none_or(Value::is_null)) {
            Some(missing) => bail!("'{missing}' is missing"),
            None => Ok(()),
        }
    }

    /// Returns a text; blank text and a word for nothing count as missing.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>> {
        match self.given(name) {
            None => Ok(None),
            Some(value) => match tool_arguments::text(value) {
                Some(text) => Ok(Some(text)),
                None => bail!("'{name}' is a text"),
            },
        }
    }

    /// Returns a required text as it is: somebody may search for the word "null".
    pub(super) fn required(&self, name: &str) -> Result<String> {
        match self.0.get(name) {
            Some(Value::String(text)) if !text.trim().is_empty() => Ok(text.clone()),
            _ => self.text(name)?.ok_or_else(|| tars_service::failure!("'{name}' is missing")),
        }
    }

    /// Returns a number, capped at `most`.
    pub(super) fn number(&self, name: &str, most: usize) -> Result<Option<usize>> {
        let Some(value) = self.given(name) else { return Ok(None) };
        match tool_arguments::number(value) {
            Some(number) if number >= 1 => Ok(Some(number.min(most))),
            _ => bail!("'{name}' is a whole number from 1 to {most}"),
        }
    }

    fn given(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !tool_arguments::is_missing(value))
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_read_as_they_are_meant() {
        let written = Value::String(
            json!({"query": "null", "limit": "3", "since": "null", "sessionId": "x", "random_string": ""}).to_string(),
        );
        let given = Arguments::of(Some(&written)).unwrap();
        given.check(["query", "limit", "since"].into_iter(), 1).unwrap();
        assert_eq!(given.required("query").unwrap(), "null", "it is a word too");
        assert_eq!((given.number("limit", 30).unwrap(), given.text("since").unwrap()), (Some(3), None));
        let wrong = Arguments::of(Some(&json!({"query": "boiler", "limits": 3}))).unwrap();
        let error = wrong.check(["query", "limit"].into_iter(), 1).unwrap_err();
        assert_eq!(error.to_string(), "there is no argument 'limits': the arguments are query, limit");
        assert!(Arguments::of(Some(&json!("boiler"))).is_err() && Arguments::of(None).is_err());
    }
}
