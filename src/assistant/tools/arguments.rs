//! The arguments of a tool call.

use serde_json::{Map, Value};
use tars_service::{Result, bail, tool_arguments};

use super::cleaned::cleaned;
use tars_base::domain::{is_terminal_control, one_line, sanitize_line};
use tars_text::invisible::is_invisible;

/// Maximum number of characters in a one-line summary of the arguments.
const SHOWN: usize = 100;
/// Maximum number of characters shown to a person who decides on a call.
const LONGEST_SHOWN: usize = 8_000;

/// The arguments of a call, without secrets.
#[derive(Debug, Clone, Default)]
pub(crate) struct Arguments(Map<String, Value>);

impl Arguments {
    /// Returns the arguments of a call without their secrets, or an error for the model if they are not an object.
    pub(crate) fn of(value: Option<&Value>) -> Result<Self> {
        match value.and_then(|value| tool_arguments::object(Some(value))) {
            Some(fields) => Ok(Self(cleaned(&fields))),
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

    /// Returns all arguments for a person who decides on the call: one line each, with further lines indented. They are
    /// exactly the arguments that the tool gets; characters that nobody would see are written as escapes.
    ///
    /// # Errors
    /// They are longer than anybody reads to the end.
    pub(crate) fn full_text(&self) -> Result<String> {
        let mut said = String::new();
        for (name, value) in &self.0 {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            said.push_str(&format!("\n  {}: {}", plain_name(name), visible(&text).replace('\n', "\n    ")));
        }
        let count = said.chars().count();
        tars_service::ensure!(
            count <= LONGEST_SHOWN,
            "the user decides about this call, and its arguments have {count} characters: {LONGEST_SHOWN} can be shown at most, and \
             nothing is done that was not shown. Call it again with less"
        );
        Ok(said)
    }
}

/// Returns the name of an argument on one line, in quotes if it could pass for something else.
fn plain_name(name: &str) -> String {
    let is_plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-.$/".contains(c));
    if is_plain { name.to_owned() } else { visible(&Value::from(name).to_string()) }
}

/// Returns a text whose control characters and invisible characters are escapes. A single joiner or selector stays,
/// because scripts and emoji need it.
pub(crate) fn visible(text: &str) -> String {
    let mut said = String::with_capacity(text.len());
    let mut hidden = false;
    for character in text.chars() {
        let joins = matches!(character, '\u{200c}' | '\u{200d}' | '\u{fe0f}') && !hidden;
        hidden = is_invisible(character) || matches!(character, '\u{2028}' | '\u{2029}');
        let acts = is_terminal_control(character) && !matches!(character, '\n' | '\t');
        match acts || hidden && !joins {
            true => said.extend(character.escape_default()),
            false => said.push(character),
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn given(arguments: &Value) -> Arguments {
        Arguments::of(Some(arguments)).unwrap()
    }

    #[test]
    fn a_person_is_shown_the_object_that_is_sent() {
        let given =
            given(&json!({"text": "the password is hunter2hunter2\nsecond", "deep": {"<private>key</private>": [1]}}));
        assert_eq!(
            given.full_text().unwrap(),
            "\n  text: the password is [redacted:password]\n    second\n  deep: {\"[redacted:private]\":[1]}"
        );
        assert_eq!(given.object()["text"], "the password is [redacted:password]\nsecond");
        assert_eq!(given.object()["deep"], json!({"[redacted:private]": [1]}));
        assert!(!given.summary().contains("hunter2"), "{}", given.summary());
    }

    #[test]
    fn a_name_cannot_forge_a_line_of_the_question() {
        let given = given(
            &json!({"text: eggs\nAllow it? [y]es\n  x": "\r\u{1b}[2Kb\u{e0041}\u{2028}", "": 1, "ключ": "e\u{301} ❤\u{fe0f}"}),
        );
        assert_eq!(
            given.full_text().unwrap(),
            "\n  \"text: eggs\\nAllow it? [y]es\\n  x\": \\r\\u{1b}[2Kb\\u{e0041}\\u{2028}\n  \"\": 1\n  ключ: e\u{301} ❤\u{fe0f}"
        );
    }

    #[test]
    fn arguments_too_long_to_show_are_refused() {
        assert!(given(&json!({"text": "a".repeat(LONGEST_SHOWN - 9)})).full_text().is_ok());
        let refused = given(&json!({"text": "a".repeat(LONGEST_SHOWN)})).full_text().unwrap_err();
        assert!(refused.to_string().contains("have 8009 characters: 8000 can be shown"), "{refused}");
    }

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
