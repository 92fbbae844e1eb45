//! JSON with secrets redacted in all its strings. Names of fields stay.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter, Serializer};

use tars_text::redact::redact;

/// Returns `value` as compact JSON, redacted.
///
/// # Errors
/// The value cannot be expressed in JSON.
pub(crate) fn redacted_json(value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut json = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut json, Redacting::default()))?;
    Ok(json)
}

/// Collects the parts of each string, and writes the string redacted at its end.
#[derive(Default)]
struct Redacting {
    is_name: bool,
    text: String,
}

impl Formatter for Redacting {
    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.is_name = true;
        CompactFormatter.begin_object_key(writer, first)
    }

    fn end_object_key<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.is_name = false;
        Ok(())
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, _: &mut W, fragment: &str) -> io::Result<()> {
        self.text.push_str(fragment);
        Ok(())
    }

    fn write_char_escape<W: ?Sized + Write>(&mut self, _: &mut W, escape: CharEscape) -> io::Result<()> {
        self.text.push(match escape {
            CharEscape::Quote => '"',
            CharEscape::ReverseSolidus => '\\',
            CharEscape::Solidus => '/',
            CharEscape::Backspace => '\u{8}',
            CharEscape::FormFeed => '\u{c}',
            CharEscape::LineFeed => '\n',
            CharEscape::CarriageReturn => '\r',
            CharEscape::Tab => '\t',
            CharEscape::AsciiControl(byte) => char::from(byte),
        });
        Ok(())
    }

    fn end_string<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let text = std::mem::take(&mut self.text);
        let redacted = if self.is_name { Cow::Borrowed(text.as_str()) } else { redact(&text).text };
        let json = serde_json::to_string(&redacted)?;
        // The opening quote is written already.
        writer.write_all(&json.as_bytes()[1..])
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    use serde_json::Value;

    #[derive(Serialize)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        Plain,
        Texts(Vec<String>),
        Named { at: jiff::Timestamp, by_number: BTreeMap<u8, char>, score: Option<f64> },
    }

    #[test]
    fn json_is_the_same_as_that_of_a_redacted_value() {
        let texts = [
            "",
            "a \"b\"\\/\u{8}\u{c}\n\r\t\u{1}é😀",
            "the password is hunter2hunter2",
            "\"ghp_x7Kq2LmZt9Wv4Rb8Yc1Nd6Hf3Jg5Sa0PeUiO\"",
        ];
        let value = BTreeMap::from([
            ("the password is hunter2hunter2", Kind::Plain),
            ("texts\n", Kind::Texts(texts.map(str::to_owned).into())),
            ("x", Kind::Named { at: jiff::Timestamp::UNIX_EPOCH, by_number: [(7, '"')].into(), score: Some(0.1) }),
        ]);
        let json = redacted_json(&value).unwrap();
        assert_eq!(json, serde_json::to_vec(&redacted(serde_json::to_value(&value).unwrap())).unwrap());
        assert_eq!(String::from_utf8(json).unwrap().matches("hunter2").count(), 2, "only in the name of the field");
    }

    /// Redacts a value in the plain way.
    fn redacted(value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(redact(&text).text.into_owned()),
            Value::Array(values) => values.into_iter().map(redacted).collect(),
            Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, redacted(value))).collect(),
            other => other,
        }
    }

    #[test]
    fn secrets_are_redacted_in_every_string_of_a_response() {
        let said = redacted(serde_json::json!({"lines": [{"text": "the password is hunter2hunter2", "line": 3}]}));
        assert!(!said.to_string().contains("hunter2"), "{said}");
        assert_eq!(said["lines"][0]["line"], 3);
    }
}
