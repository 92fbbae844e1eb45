//! Fields of an answer that its server needs back with the next request: reasoning and signatures of thoughts.
//!
//! DeepSeek, Gemini and many models behind OpenRouter refuse the second call of a turn without them. Such fields go to the server and the
//! model that made them and to no other, and are never shown. Their texts are redacted as all text is; signatures stay as they are, byte
//! for byte, because a changed one is refused.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use tars_text::redact::redact;

/// Maximum bytes of the fields of a message and its calls, as JSON.
const MAX_CARRIED: usize = 256 << 10;
/// Fields of a message that are text, which a stream sends in pieces: DeepSeek, llama.cpp and vLLM use the first, OpenRouter and Ollama
/// the second.
const TEXTS: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_text"];
/// Other fields of a message: OpenRouter's, Gemini's, LiteLLM's, Copilot's.
const FIELDS: [&str; 4] = ["reasoning_details", "extra_content", "thinking_blocks", "reasoning_opaque"];
/// Fields of a call: Gemini's, LiteLLM's.
const CALL_FIELDS: [&str; 3] = ["extra_content", "thought_signature", "provider_specific_fields"];
/// Fields that are no text for people. Redacting a signature would break it.
const OPAQUE: [&str; 7] =
    ["signature", "thought_signature", "thoughtSignature", "data", "encrypted_content", "reasoning_opaque", "id"];
/// The list of Anthropic's blocks, which precede the text of the message.
pub(super) const BLOCKS: &str = "content";

/// The fields of one answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Carried {
    /// Address and model that made them.
    maker: String,
    /// The fields of the message.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    message: Map<String, Value>,
    /// The fields of its calls, by the ids of the calls.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    calls: BTreeMap<String, Map<String, Value>>,
}

impl Carried {
    /// Returns the fields of the message, if this maker made them.
    pub(super) fn message_for(&self, maker: &str) -> Option<&Map<String, Value>> {
        (self.maker == maker).then_some(&self.message)
    }

    /// Returns the fields of a call, if this maker made them.
    pub(super) fn call_for(&self, maker: &str, id: &str) -> Option<&Map<String, Value>> {
        self.calls.get(id).filter(|_| self.maker == maker)
    }

    /// Returns the length in bytes, roughly.
    pub(super) fn len(&self) -> usize {
        serde_json::to_string(&(&self.message, &self.calls)).map_or(0, |text| text.len())
    }

    /// Collects the known fields of a message, or of a piece of one.
    pub(super) fn add_message(&mut self, message: &Map<String, Value>) {
        for name in TEXTS.into_iter().chain(FIELDS) {
            if let Some(value) = message.get(name) {
                merge(&mut self.message, name, value);
            }
        }
    }

    /// Begins a block of Anthropic's dialect.
    pub(super) fn begin_block(&mut self, block: &Value) {
        let blocks = self.message.entry(BLOCKS).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(blocks) = blocks {
            blocks.push(block.clone());
        }
    }

    /// Adds text to a field of the last block.
    pub(super) fn extend_block(&mut self, name: &str, text: &str) {
        let last = self.message.get_mut(BLOCKS).and_then(Value::as_array_mut).and_then(|blocks| blocks.last_mut());
        if let Some(Value::Object(block)) = last {
            append(block, name, text);
        }
    }

    /// Returns the fields of an answer of `maker` with its calls, redacted, if there are any. Too many are left out: the reasoning first.
    pub(super) fn finish(mut self, maker: &str, calls: BTreeMap<String, Map<String, Value>>) -> Option<Self> {
        self.calls = calls;
        self.calls.retain(|_, fields| !fields.is_empty());
        self.message.retain(|_, value| !is_blank(value));
        if let Some(Value::Array(blocks)) = self.message.get_mut(BLOCKS) {
            // Anthropic signs the text of a thought and refuses another one.
            blocks.retain(|block| {
                let text = block.get("thinking").and_then(Value::as_str).unwrap_or_default();
                redact(text).text == text
            });
        }
        self.message.iter_mut().for_each(|(name, value)| redact_value(value, name));
        self.calls.values_mut().flatten().for_each(|(name, value)| redact_value(value, name));
        if self.len() > MAX_CARRIED {
            tracing::debug!(bytes = self.len(), "reasoning that is too long is not kept");
            self.message.retain(|name, _| !TEXTS.contains(&name.as_str()));
        }
        let is_some = !(self.message.is_empty() && self.calls.is_empty()) && self.len() <= MAX_CARRIED;
        self.maker = maker.to_owned();
        is_some.then_some(self)
    }
}

/// Collects the known fields of a call, or of a piece of one.
pub(super) fn add_call_fields(fields: &mut Map<String, Value>, call: &Map<String, Value>) {
    for name in CALL_FIELDS {
        if let Some(value) = call.get(name) {
            merge(fields, name, value);
        }
    }
}

/// Adds a piece of a field: text is appended, objects are merged, the entries of lists follow each other.
fn merge(fields: &mut Map<String, Value>, name: &str, piece: &Value) {
    if is_blank(piece) {
        return;
    }
    match (fields.get_mut(name), piece) {
        (Some(Value::String(text)), Value::String(piece)) if TEXTS.contains(&name) => text.push_str(piece),
        (Some(Value::Object(known)), Value::Object(piece)) => {
            piece.iter().for_each(|(name, value)| merge(known, name, value));
        }
        (Some(Value::Array(known)), Value::Array(piece)) => piece.iter().for_each(|entry| add_entry(known, entry)),
        (None, Value::Array(piece)) => {
            let mut entries = Vec::new();
            piece.iter().for_each(|entry| add_entry(&mut entries, entry));
            fields.insert(name.to_owned(), Value::Array(entries));
        }
        _ => {
            fields.insert(name.to_owned(), piece.clone());
        }
    }
}

/// Adds an entry of `reasoning_details`. A stream sends a text in several entries of the same type and index, the signature with the last.
fn add_entry(entries: &mut Vec<Value>, entry: &Value) {
    let same = |one: &Value, name: &str| one.get(name) == entry.get(name);
    let is_text = entry.get("text").or_else(|| entry.get("summary")).or_else(|| entry.get("signature")).is_some();
    let continues = |last: &&mut Value| is_text && last.is_object() && same(last, "type") && same(last, "index");
    let (Some(Value::Object(last)), Value::Object(entry)) = (entries.last_mut().filter(continues), entry) else {
        entries.push(entry.clone());
        return;
    };
    for (name, value) in entry {
        match value {
            Value::String(piece) if ["text", "summary"].contains(&name.as_str()) => append(last, name, piece),
            Value::Null => {}
            value => {
                last.insert(name.clone(), value.clone());
            }
        }
    }
}

fn append(fields: &mut Map<String, Value>, name: &str, piece: &str) {
    match fields.get_mut(name) {
        Some(Value::String(text)) => text.push_str(piece),
        _ => {
            fields.insert(name.to_owned(), Value::String(piece.to_owned()));
        }
    }
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

fn redact_value(value: &mut Value, name: &str) {
    match value {
        Value::String(text) if !OPAQUE.contains(&name) => {
            let clean = redact(text).text.into_owned();
            *text = clean;
        }
        Value::Array(values) => values.iter_mut().for_each(|value| redact_value(value, name)),
        Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| redact_value(value, name)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SECRET: &str = "sk-proj-w9Xq2LmZ4tR7vB1nK8yH3cJ6pD5sF0gA";

    fn message(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn carried(pieces: &[Value]) -> Option<Carried> {
        let mut carried = Carried::default();
        pieces.iter().for_each(|piece| carried.add_message(&message(piece)));
        carried.finish("maker", BTreeMap::new())
    }

    #[test]
    fn pieces_of_a_stream_become_the_fields_of_the_message() {
        let detail = |text: Value| json!({"reasoning_details": [text]});
        let carried = carried(&[
            json!({"reasoning_content": "first ", "content": "never kept"}),
            json!({"reasoning_content": "second", "extra_content": {"google": {"thought_signature": "AAEC"}}}),
            detail(json!({"type": "reasoning.text", "index": 0, "text": "one ", "signature": null})),
            detail(json!({"type": "reasoning.text", "index": 0, "text": "two"})),
            detail(json!({"type": "reasoning.text", "index": 0, "signature": "c2ln"})),
            detail(json!({"type": "reasoning.encrypted", "index": 1, "data": "ZW5j"})),
        ]);
        let expected = json!({
            "reasoning_content": "first second",
            "extra_content": {"google": {"thought_signature": "AAEC"}},
            "reasoning_details": [
                {"type": "reasoning.text", "index": 0, "text": "one two", "signature": "c2ln"},
                {"type": "reasoning.encrypted", "index": 1, "data": "ZW5j"},
            ],
        });
        let carried = carried.unwrap();
        assert_eq!(carried.message_for("maker"), Some(&message(&expected)));
        assert_eq!(carried.message_for("another"), None);
    }

    #[test]
    fn reasoning_is_redacted_and_signatures_stay_byte_for_byte() {
        let details = json!([{"type": "reasoning.text", "text": format!("the key {SECRET}"), "signature": SECRET}]);
        let said = json!({"reasoning": format!("the key is {SECRET}"), "reasoning_details": details});
        let carried = carried(&[said]).unwrap();
        let fields = carried.message_for("maker").unwrap();
        assert!(!fields["reasoning"].as_str().unwrap().contains(SECRET));
        assert!(!fields["reasoning_details"][0]["text"].as_str().unwrap().contains(SECRET));
        assert_eq!(fields["reasoning_details"][0]["signature"], SECRET);
    }

    #[test]
    fn reasoning_without_end_is_not_kept_but_its_signature_is() {
        let long = "word ".repeat(MAX_CARRIED / 4);
        let said = json!({"reasoning_content": long, "extra_content": {"google": {"thought_signature": "AAEC"}}});
        let carried = carried(&[said]).unwrap();
        assert!(carried.len() < 200 && carried.message.contains_key("extra_content"));
        assert_eq!(super::tests::carried(&[json!({"reasoning_opaque": long})]), None);
        assert_eq!(super::tests::carried(&[json!({"content": "x", "reasoning": "", "extra_content": {}})]), None);
    }
}
