//! Parses the arguments of a tool call, and closes JSON that was cut off.

use serde_json::{Value, json};

use super::Arguments;

/// Parses the arguments that a model wrote. Empty text and `null` mean no arguments; some models write the object as a JSON text.
pub(super) fn parse_arguments(text: &str) -> Arguments {
    let text = text.trim();
    if text.is_empty() {
        return Arguments::Complete(json!({}));
    }
    let object = |text: &str| serde_json::from_str(text).ok().filter(Value::is_object);
    match serde_json::from_str(text) {
        Ok(Value::Null) => return Arguments::Complete(json!({})),
        Ok(Value::String(inner)) => match object(&inner) {
            Some(object) => return Arguments::Complete(object),
            None => return Arguments::Unreadable(text.to_owned()),
        },
        Ok(whole @ Value::Object(_)) => return Arguments::Complete(whole),
        _ => {}
    }
    match close_truncated_json(text).and_then(|closed| object(&closed)) {
        Some(object) => Arguments::Repaired(object),
        None => Arguments::Unreadable(text.to_owned()),
    }
}

/// Closes everything that is open in a truncated JSON text. An open string keeps its content so far. A key without a value and a
/// trailing number, which may be incomplete, are dropped. Returns `None` if nothing is open or the brackets do not match.
///
/// Other syntax errors are not checked; the parser rejects them afterwards.
pub fn close_truncated_json(text: &str) -> Option<String> {
    // The closing counterparts of the open brackets.
    let mut open = Vec::new();
    // The text up to this length is valid once `open` is closed.
    let mut whole = 0;
    let mut expects_key = false;
    let mut at = 0;
    let mut cut_text = None;
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'{' | b'[' => {
                open.push(if *byte == b'{' { '}' } else { ']' });
                expects_key = *byte == b'{';
                at += 1;
                whole = at;
            }
            b'}' | b']' => {
                (open.pop() == Some(char::from(*byte))).then_some(())?;
                at += 1;
                whole = at;
            }
            b'"' => match string_end(&text[at + 1..]) {
                Ok(length) => {
                    at += length + 2;
                    whole = if expects_key { whole } else { at };
                }
                Err(_) if expects_key => break,
                Err(length) => {
                    cut_text = Some(at + 1 + length);
                    break;
                }
            },
            b',' | b':' => {
                expects_key = *byte == b',' && open.last() == Some(&'}');
                at += 1;
            }
            byte if byte.is_ascii_whitespace() => at += 1,
            _ => {
                let rest = &text[at..];
                let length = rest.find([',', '}', ']', ':', '"', ' ', '\n', '\r', '\t']);
                let is_whole = length.is_some() || ["true", "false", "null"].contains(&rest);
                at += length.unwrap_or(rest.len());
                whole = if is_whole { at } else { whole };
            }
        }
    }
    if open.is_empty() {
        return None;
    }
    let closing = open.iter().rev();
    Some(match cut_text {
        Some(end) => text[..end].chars().chain(['"']).chain(closing.copied()).collect(),
        None => text[..whole].chars().chain(closing.copied()).collect(),
    })
}

/// Returns the length of a string's content up to its closing quote. If there is no closing quote, the error is the
/// length up to which every escape and surrogate pair is complete.
fn string_end(content: &str) -> Result<usize, usize> {
    let bytes = content.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let length = match byte {
            b'"' => return Ok(at),
            b'\\' => escape_length(&bytes[at..]).ok_or(at)?,
            _ => 1,
        };
        at += length;
    }
    Err(at)
}

/// Returns the length of the escape at the start of `bytes`; `None` if it is cut off.
fn escape_length(bytes: &[u8]) -> Option<usize> {
    if *bytes.get(1)? != b'u' {
        return Some(2);
    }
    let digits = str::from_utf8(bytes.get(2..6)?).ok()?;
    // The parser rejects invalid digits.
    let unit = u16::from_str_radix(digits, 16).unwrap_or_default();
    // A high surrogate is valid only with its low surrogate.
    if (0xd800..0xdc00).contains(&unit) {
        return (bytes.len() >= 12).then_some(12);
    }
    Some(6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_repaired(text: &str, expected: Value) {
        assert_eq!(parse_arguments(text), Arguments::Repaired(expected), "{text}");
    }

    #[test]
    fn whole_arguments_are_left_alone() {
        assert_eq!(parse_arguments(" {\"a\": [1, \"}\"]} "), Arguments::Complete(json!({"a": [1, "}"]})));
        assert_eq!(parse_arguments(""), Arguments::Complete(json!({})));
    }

    #[test]
    fn open_strings_arrays_and_objects_are_closed() {
        assert_repaired("{", json!({}));
        assert_repaired(r#"{"query": "pump at ni"#, json!({"query": "pump at ni"}));
        assert_repaired(r#"{"a": {"b": ["c", {"d": "e"#, json!({"a": {"b": ["c", {"d": "e"}]}}));
        assert_repaired(r#"{"a": true, "b": nul"#, json!({"a": true}));
        assert_repaired(r#"{"a": null"#, json!({"a": null}));
        assert_repaired(r#"{"a": [1, 2"#, json!({"a": [1]}));
        assert_repaired(r#"{"a": [1, 2,"#, json!({"a": [1, 2]}));
        assert_repaired(r#"{"a": ""#, json!({"a": ""}));
    }

    #[test]
    fn a_key_without_a_value_is_dropped() {
        for end in ["", ",", ", \"b", ", \"b\"", ", \"b\":", ", \"b\": 12", ", \"b\": -"] {
            assert_repaired(&format!("{{\"a\": \"x\"{end}"), json!({"a": "x"}));
        }
    }

    #[test]
    fn an_escape_that_is_cut_in_two_is_dropped() {
        for end in ["\\", "\\u", "\\u00e", "\\ud83d", "\\ud83d\\ude0"] {
            assert_repaired(&format!("{{\"a\": \"x\\n{end}"), json!({"a": "x\n"}));
        }
        assert_repaired("{\"a\": \"\\ud83d\\ude00", json!({"a": "😀"}));
    }

    #[test]
    fn arguments_as_json_text_are_the_object_in_it() {
        let given = json!({"query": "a \"b\""});
        let written = Value::String(given.to_string()).to_string();
        assert_eq!(parse_arguments(&written), Arguments::Complete(given));
        assert_eq!(parse_arguments("null"), Arguments::Complete(json!({})));
    }

    #[test]
    fn text_that_is_not_an_object_is_unreadable() {
        for text in ["[1]", "\"a\"", "12", "I call it", "{\"a\": }", "{'a': 1}", "{]", "{\"a\": 1}}", "{\"a\": \"\nb"] {
            assert_eq!(parse_arguments(text), Arguments::Unreadable(text.trim().to_owned()));
        }
        let deep = "{\"a\":".repeat(100_000);
        assert!(matches!(parse_arguments(&deep), Arguments::Unreadable(_)));
    }

    proptest::proptest! {
        #[test]
        fn every_beginning_of_an_object_is_repaired(numbers in proptest::collection::vec(-9..99i32, 0..3), texts in proptest::collection::vec("[a\"\\\\\n\u{1}é😀{},:\\]]{0,5}", 0..3), part in 0.0..1.0f64) {
            let object = json!({"numbers": numbers, "nested": {"texts": texts, "flag": false}, "none": null});
            let whole = object.to_string();
            let end = (1..whole.len()).min_by_key(|at| at.abs_diff((whole.len() as f64 * part) as usize)).unwrap_or(1);
            let end = (1..=end).rev().find(|end| whole.is_char_boundary(*end)).unwrap_or(1);
            let Arguments::Repaired(repaired) = parse_arguments(&whole[..end]) else {
                panic!("{}", &whole[..end]);
            };
            // The repair adds nothing that was not written.
            let map = repaired.as_object().unwrap();
            for (key, value) in map {
                let full = &object[key];
                match key.as_str() {
                    "numbers" => proptest::prop_assert!(full.as_array().unwrap().starts_with(value.as_array().unwrap())),
                    _ => proptest::prop_assert!(value == full || key == "nested"),
                }
            }
        }

        #[test]
        fn arbitrary_text_never_panics_or_yields_a_non_object(text in "([{}\\[\\]:,\"\\\\u1-]|true|nul|é| ){0,30}") {
            let arguments = parse_arguments(&text);
            proptest::prop_assert!(arguments.object().is_none_or(Value::is_object));
        }
    }
}
