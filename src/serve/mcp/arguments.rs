//! Lenient reading of a call's arguments: models write numbers as text, and lists with commas.

use serde_json::{Map, Value};

use super::failure::Failure;

/// The arguments of a call; each is removed when it is read.
pub(super) struct Arguments {
    fields: Map<String, Value>,
}

impl Arguments {
    pub(super) fn new(fields: Option<Map<String, Value>>) -> Self {
        let mut fields = fields.unwrap_or_default();
        // Null and the empty string count as missing.
        fields.retain(|_, value| !value.is_null() && value.as_str() != Some(""));
        Self { fields }
    }

    /// Removes and returns a text under the first of these names that is present.
    pub(super) fn text(&mut self, names: &[&str]) -> Result<Option<String>, Failure> {
        match self.take(names) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(value @ (Value::Number(_) | Value::Bool(_))) => Ok(Some(value.to_string())),
            Some(_) => Err(wrong(names[0], "a text")),
        }
    }

    /// Removes and returns a number, capped at `most`.
    pub(super) fn number(&mut self, name: &str, most: usize) -> Result<Option<usize>, Failure> {
        let Some(value) = self.take(&[name]) else { return Ok(None) };
        let number = match &value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        match number.filter(|number| *number >= 0.0 && number.fract() == 0.0) {
            // Whole and not negative; the cast saturates.
            Some(number) => Ok(Some((number as usize).min(most))),
            None => Err(wrong(name, "a whole number")),
        }
    }

    /// Removes and returns a flag.
    pub(super) fn flag(&mut self, name: &str) -> Result<bool, Failure> {
        match self.take(&[name]) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(Value::String(text)) if ["true", "yes", "1"].contains(&text.trim().to_lowercase().as_str()) => {
                Ok(true)
            }
            Some(Value::String(text)) if ["false", "no", "0"].contains(&text.trim().to_lowercase().as_str()) => {
                Ok(false)
            }
            Some(_) => Err(wrong(name, "true or false")),
        }
    }

    /// Removes and returns a list of texts under the first of these names that is present; splits each text at `parting`.
    pub(super) fn list(&mut self, names: &[&str], parting: Option<char>) -> Result<Vec<String>, Failure> {
        let all = match self.take(names) {
            None => return Ok(Vec::new()),
            Some(Value::Array(values)) => values,
            Some(value) => vec![value],
        };
        let mut texts = Vec::new();
        for value in all {
            match value {
                Value::String(text) => match parting {
                    Some(parting) => texts.extend(text.split(parting).map(|part| part.trim().to_owned())),
                    None => texts.push(text),
                },
                Value::Number(number) => texts.push(number.to_string()),
                _ => return Err(wrong(names[0], "a list of texts")),
            }
        }
        texts.retain(|text| !text.is_empty());
        Ok(texts)
    }

    /// Removes and returns a range of lines: `10-25`, `10`, `[10, 25]`.
    pub(super) fn lines(&mut self, name: &str) -> Result<Option<(usize, usize)>, Failure> {
        let numbers: Option<Vec<usize>> = match self.take(&[name]) {
            None => return Ok(None),
            Some(Value::String(text)) => {
                text.split(['-', ',', ':', '–']).map(|number| number.trim().parse().ok()).collect()
            }
            Some(Value::Array(values)) => values.iter().map(|value| usize::try_from(value.as_u64()?).ok()).collect(),
            Some(Value::Number(number)) => {
                number.as_u64().and_then(|one| usize::try_from(one).ok()).map(|one| vec![one])
            }
            Some(_) => None,
        };
        match numbers.as_deref() {
            Some([line]) => Ok(Some((*line, *line))),
            Some([first, last]) => Ok(Some((*first, *last))),
            _ => Err(wrong(name, "a range of lines such as 10-25")),
        }
    }

    /// Fails if an argument is left that the tool does not know; `known` are the tool's arguments, for the message.
    pub(super) fn finish(self, known: &[&str]) -> Result<(), Failure> {
        match self.fields.keys().next() {
            None => Ok(()),
            Some(name) => {
                let name: String = name.chars().filter(|letter| !letter.is_control()).take(40).collect();
                Err(Failure::invalid(format!("there is no argument '{name}'; there are: {}", known.join(", "))))
            }
        }
    }

    fn take(&mut self, names: &[&str]) -> Option<Value> {
        names.iter().find_map(|name| self.fields.shift_remove(*name))
    }
}

fn wrong(name: &str, wanted: &str) -> Failure {
    Failure::invalid(format!("'{name}' is not {wanted}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn arguments(value: Value) -> Arguments {
        Arguments::new(value.as_object().cloned())
    }

    #[test]
    fn lenient_forms_are_accepted() {
        let mut given = arguments(json!({
            "q": "boiler", "limit": "3", "tags": "home, heat,", "force": "true", "lines": "10-25", "names": ["a, b.md", 7], "x": null
        }));
        assert_eq!(given.text(&["query", "q"]).unwrap().as_deref(), Some("boiler"));
        assert_eq!(given.number("limit", 50).unwrap(), Some(3));
        assert_eq!(given.list(&["tags"], Some(',')).unwrap(), ["home", "heat"]);
        assert!(given.flag("force").unwrap());
        assert_eq!(given.lines("lines").unwrap(), Some((10, 25)));
        assert_eq!(given.list(&["names"], None).unwrap(), ["a, b.md", "7"]);
        given.finish(&[]).unwrap();
    }

    #[test]
    fn malformed_arguments_are_refused_with_a_reason() {
        for value in [json!({"limit": "many"}), json!({"limit": -1}), json!({"limit": 1.5}), json!({"limit": {}})] {
            assert_eq!(arguments(value).number("limit", 50).unwrap_err().text, "'limit' is not a whole number");
        }
        assert_eq!(arguments(json!({"limit": 1e300})).number("limit", 50).unwrap(), Some(50));
        assert!(arguments(json!({"lines": "a-b"})).lines("lines").is_err());
        assert!(arguments(json!({"query": ["a"]})).text(&["query"]).is_err());
        let unknown = arguments(json!({"limits": 3})).finish(&["query", "limit"]).unwrap_err();
        assert_eq!(unknown.text, "there is no argument 'limits'; there are: query, limit");
    }
}
