//! What Claude Code reads from the standard output of a hook: one JSON object, or nothing.

use serde_json::{Value, json};

use super::HookEvent;

/// Returns the answer that puts a text before the agent.
pub fn context(event: HookEvent, text: &str) -> Value {
    let output = json!({ "hookEventName": event.as_str(), "additionalContext": text });
    json!({ "hookSpecificOutput": output })
}

/// Returns the answer that shows a message to the person.
pub fn message(text: &str) -> Value {
    add_message(None, text)
}

/// Returns an answer that also shows a message to the person.
pub fn add_message(answer: Option<Value>, text: &str) -> Value {
    let mut answer = answer.unwrap_or_else(|| json!({}));
    answer["systemMessage"] = text.into();
    answer
}
