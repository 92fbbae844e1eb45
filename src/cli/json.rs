//! Values as lines of JSON. The service defines the fields (docs/json.md): they are added, never renamed or removed.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

use super::terminal::is_terminal_control;
use tars_service::{Result, SearchResponse};

/// One line of `tars search --batch`.
#[derive(Serialize)]
pub(super) struct BatchLine {
    /// The given id; absent if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<Value>,
    /// Duration of the answer in milliseconds.
    pub(super) ms: f64,
    /// The answer, unless there is an error.
    #[serde(flatten)]
    pub(super) answer: Option<SearchResponse>,
    /// The error, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

/// Prints a value as one line of JSON.
pub(super) fn line(out: &mut dyn Write, value: &impl Serialize) -> Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, Readable))?;
    writeln!(out)?;
    Ok(())
}

/// Returns why a line is not the expected JSON. The parser sees single lines, so its line number is meaningless.
pub(super) fn reason(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", " at column ")
}

/// Escapes every character that a terminal would interpret. JSON itself requires that only below U+0020, but U+009B begins a control
/// sequence, and U+202E reverses the rest of the line.
struct Readable;

impl Formatter for Readable {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((at, command)) = rest.char_indices().find(|(_, character)| is_terminal_control(*character)) {
            // All of them are in the basic plane, so one escape suffices for each.
            write!(writer, "{}\\u{:04x}", &rest[..at], u32::from(command))?;
            rest = &rest[at + command.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(value: &impl Serialize) -> String {
        let mut out = Vec::new();
        line(&mut out, value).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_direction_override_is_printed_as_an_escape() {
        assert_eq!(printed(&"a\u{202e}b\u{2066}é\u{9b}31m\u{7f}"), "\"a\\u202eb\\u2066é\\u009b31m\\u007f\"\n");
        assert_eq!(printed(&serde_json::json!({"\u{202e}k": "\u{1b}"})), "{\"\\u202ek\":\"\\u001b\"}\n");
    }

    proptest::proptest! {
        #[test]
        fn an_escape_does_not_change_the_value(text in "(?s)[\u{0}-\u{a0}\u{2028}-\u{202f}\u{2060}-\u{206f}\"\\\\é中😀]{0,40}") {
            let printed = printed(&text);
            proptest::prop_assert!(!printed.trim_end_matches('\n').chars().any(is_terminal_control));
            proptest::prop_assert_eq!(serde_json::from_str::<String>(&printed).unwrap(), text);
        }
    }
}
