//! Parses a model's answer leniently: JSON in a fence, surrounded by prose, cut off, or with numbers instead of words.
//! The answer is untrusted text.

use serde_json::{Deserializer, Value};

use crate::close_truncated_json;
use tars_text::cleaning::cleaned_line;

/// Maximum bytes of an answer that are parsed; a normal one has a few thousand.
const MAX_ANSWER: usize = 64 << 10;
/// Maximum number of positions at which an object is tried.
const MAX_POSITIONS: usize = 50;
/// Maximum characters of one text before it is cleaned and truncated.
const MAX_TEXT: usize = 2_000;

/// The object in an answer.
pub(super) struct Answer {
    pub(super) object: Value,
    /// The list that was being written when the answer was cut off, if it was.
    cut: Option<&'static str>,
}

impl Answer {
    /// Returns the first object with at least one of the lists in `needed`. `lists` are all lists that it may have.
    pub(super) fn parse(said: &str, needed: &[&'static str], lists: &[&'static str]) -> Option<Self> {
        let said = &said[..said.floor_char_boundary(MAX_ANSWER)];
        // A fence may follow an object whose last bracket is missing.
        let said = said.trim_end().trim_end_matches('`');
        let is_meant = |value: &Value| needed.iter().any(|list| value.get(list).is_some_and(Value::is_array));
        let (object, is_cut) = object(said, is_meant)?;
        let begun = lists.iter().copied().max_by_key(|list| said.rfind(&format!("\"{list}\"")));
        Some(Self { object, cut: begun.filter(|_| is_cut) })
    }

    /// Returns the entries of a list, without a last one that may be incomplete; empty if the list does not exist.
    pub(super) fn list(&self, name: &str) -> Vec<Value> {
        let mut list = self.object.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        if self.cut == Some(name) {
            list.pop();
        }
        list
    }
}

/// Returns the first matching object, and whether it was cut off.
fn object(said: &str, is_meant: impl Fn(&Value) -> bool) -> Option<(Value, bool)> {
    let mut from = 0;
    for _ in 0..MAX_POSITIONS {
        let start = from + said[from..].find('{')?;
        let rest = &said[start..];
        let mut values = Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) if is_meant(&value) => return Some((value, false)),
            Some(Ok(_)) => from = start + values.byte_offset(),
            Some(Err(error)) if error.is_eof() => {
                let value = close_truncated_json(rest).and_then(|closed| serde_json::from_str(&closed).ok());
                if let Some(value) = value.filter(&is_meant) {
                    return Some((value, true));
                }
                from = start + 1;
            }
            _ => from = start + 1,
        }
    }
    None
}

/// Returns a string or a number as one word.
pub(super) fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns a text as a clean line. URLs that were not sent to the model are replaced. Returns `None` if nothing remains.
pub(super) fn line(value: &Value, data: &str) -> Option<String> {
    let text: String = word(value)?.chars().take(MAX_TEXT).collect();
    let is_made_up = |word: &&str| word.contains("://") && !data.contains(word.trim_end_matches(['.', ',', ')']));
    let clean = cleaned_line(&text);
    let words: Vec<&str> = clean.split(' ').map(|word| if is_made_up(&word) { "(link)" } else { word }).collect();
    let text = words.join(" ");
    text.chars().any(char::is_alphanumeric).then_some(text)
}
