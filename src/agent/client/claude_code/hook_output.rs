//! The JSON object that Claude Code reads from the standard output of a hook, which may also be empty.

use serde_json::{Value, json};

use super::HookEvent;

/// Returns the output that adds a text to the agent's context.
pub fn context(event: HookEvent, text: &str) -> Value {
    let output = json!({ "hookEventName": event.as_str(), "additionalContext": text });
    json!({ "hookSpecificOutput": output })
}

/// Returns the output that shows a message to the person.
pub fn message(text: &str) -> Value {
    add_message(None, text)
}

/// Adds a message for the person to an output.
pub fn add_message(answer: Option<Value>, text: &str) -> Value {
    let mut answer = answer.unwrap_or_else(|| json!({}));
    answer["systemMessage"] = text.into();
    answer
}
