//! What a model answers, read leniently: JSON in a fence, prose around it, an end that is missing, numbers for words. All of it is
//! foreign text.

use serde_json::{Deserializer, Value};

use crate::chat::closed_json;
use crate::digest::cleaned_line;

/// How much of an answer is looked at, in bytes; a whole one has a few thousand.
const LONGEST: usize = 64 << 10;
/// Places at which an object is sought.
const PLACES: usize = 50;
/// How much of a single text is looked at, in characters, before it is cleaned and cut.
const TEXT: usize = 2_000;

/// The object that an answer holds.
pub(super) struct Answer {
    /// The object.
    pub(super) object: Value,
    /// The list that was being written when the answer ended, if its end is missing.
    cut: Option<&'static str>,
}

impl Answer {
    /// Returns the first object that holds one of the lists `needed`. `lists` are all lists that it may have.
    pub(super) fn parse(said: &str, needed: &[&'static str], lists: &[&'static str]) -> Option<Self> {
        let said = &said[..said.floor_char_boundary(LONGEST)];
        // A fence may follow an object whose last bracket was forgotten.
        let said = said.trim_end().trim_end_matches('`');
        let is_meant = |value: &Value| needed.iter().any(|list| value.get(list).is_some_and(Value::is_array));
        let (object, is_cut) = object(said, is_meant)?;
        let begun = lists.iter().copied().max_by_key(|list| said.rfind(&format!("\"{list}\"")));
        Some(Self { object, cut: begun.filter(|_| is_cut) })
    }

    /// Returns the entries of a list, without the one that may lack its end; none where there is no such list.
    pub(super) fn list(&self, name: &str) -> Vec<Value> {
        let mut list = self.object.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        if self.cut == Some(name) {
            list.pop();
        }
        list
    }
}

/// Returns the first object that is meant, and whether its end is missing.
fn object(said: &str, is_meant: impl Fn(&Value) -> bool) -> Option<(Value, bool)> {
    let mut from = 0;
    for _ in 0..PLACES {
        let start = from + said[from..].find('{')?;
        let rest = &said[start..];
        let mut values = Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) if is_meant(&value) => return Some((value, false)),
            Some(Ok(_)) => from = start + values.byte_offset(),
            Some(Err(error)) if error.is_eof() => {
                let value = closed_json(rest).and_then(|closed| serde_json::from_str(&closed).ok());
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

/// Returns a text or a number as one word.
pub(super) fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns a text as a clean line without addresses that the model was not sent; `None` where nothing is left of it.
pub(super) fn line(value: &Value, data: &str) -> Option<String> {
    let text: String = word(value)?.chars().take(TEXT).collect();
    let is_made_up = |word: &&str| word.contains("://") && !data.contains(word.trim_end_matches(['.', ',', ')']));
    let clean = cleaned_line(&text);
    let words: Vec<&str> = clean.split(' ').map(|word| if is_made_up(&word) { "(link)" } else { word }).collect();
    let text = words.join(" ");
    text.chars().any(char::is_alphanumeric).then_some(text)
}
