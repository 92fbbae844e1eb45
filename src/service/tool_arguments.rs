//! Values as models write them: numbers as text, lists as JSON text, "null" for nothing, and fields that a client adds to each call.
//!
//! Only a form with one possible meaning is accepted; each reader returns `None` for anything else, and its caller says what it expects.

use serde_json::{Map, Value};

/// Fields that clients of the Model Context Protocol add to the arguments of each call, in lower case without `_` and `-`: ids of the
/// call and the conversation, and placeholders for tools without arguments.
const FIELDS_OF_CLIENTS: [&str; 18] = [
    "action",
    "callid",
    "chatid",
    "chatinput",
    "conversationid",
    "dummy",
    "meta",
    "messageid",
    "progresstoken",
    "randomstring",
    "requestid",
    "runid",
    "sessionid",
    "taskid",
    "threadid",
    "toolcallid",
    "tooluseid",
    "traceid",
];

/// Returns the arguments of a call: an object, also as JSON text. Nothing, `null` and an empty list stand for no arguments.
pub fn object(value: Option<&Value>) -> Option<Map<String, Value>> {
    match value {
        None => Some(Map::new()),
        Some(Value::Object(fields)) => Some(fields.clone()),
        Some(value) if is_missing(value) => Some(Map::new()),
        Some(Value::String(text)) => match serde_json::from_str(text) {
            Ok(Value::Object(fields)) => Some(fields),
            Ok(value) if is_missing(&value) => Some(Map::new()),
            _ => None,
        },
        Some(_) => None,
    }
}

/// Whether a value stands for nothing: `null`, an empty text, list or object, and the words that programs write for nothing.
pub fn is_missing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => is_nothing(text.trim()),
        Value::Array(values) => values.iter().all(is_missing),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

fn is_nothing(word: &str) -> bool {
    matches!(word, "" | "null" | "None" | "undefined")
}

/// Returns a text; a number and a truth value count as one.
pub fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// Returns a whole number that is not negative, also as text. A number beyond the range becomes its end.
pub fn number(value: &Value) -> Option<usize> {
    let number: f64 = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    // Whole and not negative; the cast saturates.
    (number >= 0.0 && number.fract() == 0.0).then_some(number as usize)
}

/// Returns a truth value, also as text or as 0 and 1.
pub fn flag(value: &Value) -> Option<bool> {
    let word = text(value)?.trim().to_lowercase();
    match word.as_str() {
        "true" | "yes" | "1" => Some(true),
        "false" | "no" | "0" => Some(false),
        _ => None,
    }
}

/// Returns a list of texts: a list, the JSON text of one, or a single text. Each text is split at `parting`.
pub fn texts(value: Value, parting: Option<char>) -> Option<Vec<String>> {
    let values = match value {
        Value::Array(values) => values,
        Value::String(written) => match serde_json::from_str(&written) {
            // A link begins with brackets too, and is no JSON.
            Ok(Value::Array(values)) => values,
            _ => vec![Value::String(written)],
        },
        value => vec![value],
    };
    let mut found = Vec::new();
    for value in values.iter().filter(|value| !is_missing(value)) {
        match (value, parting) {
            (Value::String(said), Some(parting)) => {
                found.extend(said.split(parting).map(|part| part.trim().to_owned()))
            }
            (Value::String(_) | Value::Number(_), _) => found.extend(text(value)),
            _ => return None,
        }
    }
    found.retain(|said| !said.is_empty());
    Some(found)
}

/// Returns a range of numbers: `10-25`, `10`, `[10, 25]`, `"[10, 25]"`.
pub fn range(value: &Value) -> Option<(usize, usize)> {
    let numbers: Vec<usize> = match value {
        Value::Array(values) => values.iter().map(number).collect::<Option<_>>()?,
        Value::String(said) => {
            let plain = said.trim().trim_start_matches('[').trim_end_matches(']');
            plain.split(['-', ',', ':', '–']).map(|part| part.trim().parse().ok()).collect::<Option<_>>()?
        }
        value => vec![number(value)?],
    };
    match numbers[..] {
        [one] => Some((one, one)),
        [first, last] => Some((first, last)),
        _ => None,
    }
}

/// Whether a field that the tool does not know comes from the client and not from the model. A name that is nearly one of `known` is
/// a misspelling of it, and passing over it would drop what the model meant.
pub fn is_added_by_client<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> bool {
    let plain =
        |name: &str| name.chars().filter(|letter| !matches!(letter, '_' | '-')).collect::<String>().to_lowercase();
    let written = plain(name);
    let is_near = |known: &str| {
        let known = plain(known);
        strsim::osa_distance(&written, &known) <= (known.chars().count() / 4).max(1)
    };
    FIELDS_OF_CLIENTS.contains(&written.as_str()) && !known.into_iter().any(is_near)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_as_text_are_read() {
        let given = json!({"query": "boiler"});
        let written = Value::String(given.to_string());
        assert_eq!(object(Some(&written)).map(Value::Object), Some(given));
        for nothing in [json!(null), json!(""), json!("null"), json!("{}"), json!([]), json!("[]")] {
            assert_eq!(object(Some(&nothing)), Some(Map::new()), "{nothing}");
        }
        for wrong in [json!("boiler"), json!("[1]"), json!(3), json!(["query"])] {
            assert_eq!(object(Some(&wrong)), None, "{wrong}");
        }
    }

    #[test]
    fn a_list_as_json_text_is_a_list() {
        for (value, expected) in [
            (json!("[\"home\"]"), &["home"][..]),
            (json!("[\"home\", \"heat\"]"), &["home", "heat"]),
            (json!("home, heat"), &["home", "heat"]),
            (json!(["home", null, "null"]), &["home"]),
            (json!("[]"), &[]),
            (json!([7, "a,b"]), &["7", "a", "b"]),
        ] {
            assert_eq!(texts(value.clone(), Some(',')).unwrap(), expected, "{value}");
        }
        assert_eq!(texts(json!("[[Boiler#Pressure]]"), None).unwrap(), ["[[Boiler#Pressure]]"], "a link is no list");
        assert_eq!(texts(json!([{"tag": "home"}]), None), None);
    }

    #[test]
    fn a_range_of_lines_has_many_forms() {
        for value in [json!("[1, 4]"), json!([1, 4]), json!(["1", "4"]), json!("1-4"), json!("1,4"), json!("1:4")] {
            assert_eq!(range(&value), Some((1, 4)), "{value}");
        }
        assert_eq!((range(&json!(3)), range(&json!("3"))), (Some((3, 3)), Some((3, 3))));
        for wrong in [json!("a-b"), json!([1, 2, 3]), json!({"first": 1}), json!("-3")] {
            assert_eq!(range(&wrong), None, "{wrong}");
        }
    }

    #[test]
    fn words_for_nothing_are_nothing() {
        for nothing in [json!(null), json!(" "), json!("null"), json!("None"), json!([]), json!({}), json!(["null"])] {
            assert!(is_missing(&nothing), "{nothing}");
        }
        assert!(!is_missing(&json!("nothing")) && !is_missing(&json!(0)) && !is_missing(&json!(false)));
    }

    #[test]
    fn fields_of_clients_are_distinguished_from_misspellings() {
        let known = ["query", "limit", "section"];
        for name in ["toolCallId", "sessionId", "_sessionID", "session_id", "random_string", "_meta", "action"] {
            assert!(is_added_by_client(name, known), "{name}");
        }
        for name in ["limits", "qeury", "sections", "tags", "x", ""] {
            assert!(!is_added_by_client(name, known), "{name}");
        }
        assert!(!is_added_by_client("sessionId", ["session_ids"]), "it may be one of ours, misspelt");
    }
}
