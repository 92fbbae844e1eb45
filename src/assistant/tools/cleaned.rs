//! The arguments of a call without secrets: in values and in names, at every depth.
//!
//! They are cleaned once, before anybody sees them. So the person is shown the very object that a tool gets and that the
//! conversation keeps.

use serde_json::{Map, Value};

use tars_text::redact::{find, redact};

/// Returns the arguments with each secret replaced by its marker. A value whose name or whose neighbour in a list marks
/// it as a secret (`"password": "…"`, `["login", "-p", "…"]`) is one too. No argument is lost: names that are equal
/// without their secrets get a number.
pub(crate) fn cleaned(arguments: &Map<String, Value>) -> Map<String, Value> {
    let mut out = Map::new();
    for (name, value) in arguments {
        let value = match value {
            Value::String(text) => Value::String(named(name, text)),
            other => value_of(other),
        };
        let name = redact(name).text.into_owned();
        let free = (2..).map(|number| format!("{name} {number}")).find(|name| !out.contains_key(name));
        let name = if out.contains_key(&name) { free.unwrap_or(name) } else { name };
        out.insert(name, value);
    }
    out
}

fn value_of(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(redact(text).text.into_owned()),
        Value::Array(values) => Value::Array(words(values).unwrap_or_else(|| values.iter().map(value_of).collect())),
        Value::Object(fields) => Value::Object(cleaned(fields)),
        other => other.clone(),
    }
}

/// Returns the value of a field, whose name may say that it is a secret.
fn named(name: &str, text: &str) -> String {
    let own = redact(text).text;
    let line = format!("{name}: {text}");
    let start = line.len() - text.len();
    match find(&line).into_iter().find(|found| found.span.start >= start) {
        Some(found) if own == text => format!("[redacted:{}]", found.kind),
        _ => own.into_owned(),
    }
}

/// Returns a list that is a command line in words, read as one line: an option's value has no form of its own.
fn words(values: &[Value]) -> Option<Vec<Value>> {
    let words: Vec<&str> = values.iter().map(Value::as_str).collect::<Option<_>>()?;
    if !words.iter().any(|word| word.starts_with('-')) {
        return None;
    }
    let line = words.join(" ");
    let found = find(&line);
    let mut start = 0;
    let clean = |word: &&str| {
        let place = start..start + word.len();
        start = place.end + 1;
        let own = redact(word).text;
        let within = found.iter().find(|one| one.span.start < place.end && place.start < one.span.end);
        Value::String(match within {
            Some(one) if own == *word => {
                let from = one.span.start.saturating_sub(place.start).min(word.len());
                let to = one.span.end.min(place.end) - place.start;
                format!("{}[redacted:{}]{}", &word[..from], one.kind, &word[to..])
            }
            _ => own.into_owned(),
        })
    };
    Some(words.iter().map(clean).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn clean(arguments: &Value) -> Value {
        Value::Object(cleaned(arguments.as_object().unwrap()))
    }

    fn token() -> String {
        format!("ghp_{}", "x7Kq2LmZt9Wv4Rb8Yc1Nd6Hf3Jg5Sa0PeUiO")
    }

    #[test]
    fn names_and_values_are_cleaned_at_every_depth() {
        let token = token();
        let given = json!({"a": {"b": [{(token.clone()): token}, 1, null, "<private>home</private>!"]}, "c": "plain"});
        assert_eq!(
            clean(&given),
            json!({
                "a": {"b": [{"[redacted:github-token]": "[redacted:github-token]"}, 1, null, "[redacted:private]!"]},
                "c": "plain"
            })
        );
    }

    #[test]
    fn a_field_named_password_gives_its_value_away() {
        let given = json!({"login": {"password": "hunter2!x9", "user": "me"}, "note": "hunter2!x9"});
        assert_eq!(
            clean(&given),
            json!({"login": {"password": "[redacted:password]", "user": "me"}, "note": "hunter2!x9"})
        );
    }

    #[test]
    fn an_option_in_a_list_of_words_gives_the_next_word_away() {
        let given =
            json!({"argv": ["curl", "-u", "me:hunter2", "https://a.b"], "columns": ["password", "created_at2"]});
        assert_eq!(
            clean(&given),
            json!({"argv": ["curl", "-u", "me:[redacted:password]", "https://a.b"], "columns": ["password", "created_at2"]})
        );
    }

    #[test]
    fn names_that_become_equal_keep_both_values() {
        let (one, other) = (token(), token().replace("x7", "y8"));
        let given = json!({(one): 1, (other): 2});
        assert_eq!(clean(&given), json!({"[redacted:github-token]": 1, "[redacted:github-token] 2": 2}));
    }
}
