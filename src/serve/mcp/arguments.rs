//! Lenient reading of a call's arguments: models write numbers as text and lists with commas, and clients add fields of their own.

use serde_json::{Map, Value};

use super::failure::Failure;
use tars_service::tool_arguments::{self, is_missing};

/// The arguments of a call; each is removed when it is read.
pub(super) struct Arguments {
    fields: Map<String, Value>,
}

impl Arguments {
    pub(super) fn new(fields: Option<Map<String, Value>>) -> Self {
        Self { fields: fields.unwrap_or_default() }
    }

    /// Removes and returns a text under the first of these names that is present. A word for nothing counts as missing.
    pub(super) fn text(&mut self, names: &[&str]) -> Result<Option<String>, Failure> {
        self.read(names, "a text", tool_arguments::text)
    }

    /// Removes and returns a text that must be there, and that is taken as it is: somebody may search for the word "null".
    pub(super) fn required(&mut self, names: &[&str]) -> Result<String, Failure> {
        let is_given = |value: &Value| match value {
            Value::String(text) => !text.trim().is_empty(),
            value => !is_missing(value),
        };
        match names.iter().find_map(|name| self.fields.shift_remove(*name).filter(is_given)) {
            Some(value) => tool_arguments::text(&value).ok_or_else(|| wrong(names[0], "a text")),
            None => Err(Failure::invalid(format!("'{}' is missing", names[0]))),
        }
    }

    /// Removes and returns a number, capped at `most`.
    pub(super) fn number(&mut self, name: &str, most: usize) -> Result<Option<usize>, Failure> {
        let number = self.read(&[name], "a whole number", tool_arguments::number)?;
        Ok(number.map(|number| number.min(most)))
    }

    /// Removes and returns a flag.
    pub(super) fn flag(&mut self, name: &str) -> Result<bool, Failure> {
        Ok(self.read(&[name], "true or false", tool_arguments::flag)?.unwrap_or_default())
    }

    /// Removes and returns a list of texts under the first of these names that is present; splits each text at `parting`.
    pub(super) fn list(&mut self, names: &[&str], parting: Option<char>) -> Result<Vec<String>, Failure> {
        let read = |value: &Value| tool_arguments::texts(value.clone(), parting);
        Ok(self.read(names, "a list of texts", read)?.unwrap_or_default())
    }

    /// Removes and returns a range of lines: `10-25`, `10`, `[10, 25]`.
    pub(super) fn lines(&mut self, name: &str) -> Result<Option<(usize, usize)>, Failure> {
        self.read(&[name], "a range of lines such as 10-25", tool_arguments::range)
    }

    /// Fails if an argument is left that neither the tool knows nor a client adds; `known` are the tool's arguments.
    pub(super) fn finish(self, known: &[&str]) -> Result<(), Failure> {
        let is_unknown = |name: &&String| !tool_arguments::is_added_by_client(name, known.iter().copied());
        // A value of nothing under a wrong name loses nothing.
        let left = self.fields.iter().filter(|(_, value)| !is_missing(value)).map(|(name, _)| name);
        match left.into_iter().find(is_unknown) {
            None => Ok(()),
            Some(name) => {
                let name: String = name.chars().filter(|letter| !letter.is_control()).take(40).collect();
                Err(Failure::invalid(format!("there is no argument '{name}'; there are: {}", known.join(", "))))
            }
        }
    }

    /// Removes the value under the first of these names that is there, and reads it.
    fn read<T>(
        &mut self,
        names: &[&str],
        wanted: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<Option<T>, Failure> {
        let given = names.iter().find_map(|name| self.fields.shift_remove(*name).filter(|value| !is_missing(value)));
        given.map(|value| read(&value).ok_or_else(|| wrong(names[0], wanted))).transpose()
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
    fn lists_and_ranges_as_json_text_are_read() {
        let mut given = arguments(json!({
            "tags": "[\"home\"]", "paths": "[]", "collections": "null", "since": "null", "limit": "null", "lines": "[1, 4]"
        }));
        assert_eq!(given.list(&["tags"], Some(',')).unwrap(), ["home"]);
        assert!(given.list(&["paths"], Some(',')).unwrap().is_empty());
        assert!(given.list(&["collections"], Some(',')).unwrap().is_empty());
        assert_eq!((given.text(&["since"]).unwrap(), given.number("limit", 50).unwrap()), (None, None));
        assert_eq!(given.lines("lines").unwrap(), Some((1, 4)));
        given.finish(&[]).unwrap();
        assert_eq!(arguments(json!({"query": "null"})).required(&["query"]).unwrap(), "null", "it is a word too");
        for blank in [json!({}), json!({"query": " "}), json!({"query": null}), json!({"query": []})] {
            assert_eq!(arguments(blank).required(&["query"]).unwrap_err().text, "'query' is missing");
        }
    }

    #[test]
    fn fields_that_clients_add_are_passed_over() {
        let added = json!({"toolCallId": "a", "sessionId": "b", "_sessionID": "c", "random_string": "d", "tagz": null});
        arguments(added).finish(&["query", "limit"]).unwrap();
    }

    #[test]
    fn malformed_arguments_are_refused_with_a_reason() {
        for value in [json!({"limit": "many"}), json!({"limit": -1}), json!({"limit": 1.5}), json!({"limit": {"a": 1}})]
        {
            assert_eq!(arguments(value).number("limit", 50).unwrap_err().text, "'limit' is not a whole number");
        }
        assert_eq!(arguments(json!({"limit": 1e300})).number("limit", 50).unwrap(), Some(50));
        assert!(arguments(json!({"lines": "a-b"})).lines("lines").is_err());
        assert!(arguments(json!({"query": ["a"]})).text(&["query"]).is_err());
        let unknown = arguments(json!({"limits": 3})).finish(&["query", "limit"]).unwrap_err();
        assert_eq!(unknown.text, "there is no argument 'limits'; there are: query, limit");
    }
}
