//! The answer of a hook: context for the agent and a message for the person.

use serde_json::{Value, json};

use super::{AgentClient, HookEvent};

/// The answer of a hook to its client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookAnswer {
    /// Text to add to the agent's context.
    pub context: Option<String>,
    /// Text to show to the person.
    pub message: Option<String>,
}

impl HookAnswer {
    /// Returns an answer that only shows a message to the person.
    pub fn message(text: String) -> Self {
        Self { context: None, message: Some(text) }
    }

    /// Returns this answer with a message for the person.
    #[must_use]
    pub fn with_message(self, text: String) -> Self {
        Self { message: Some(text), ..self }
    }

    /// Returns the JSON object that `client` reads from the standard output of a hook; `None` if there is nothing to print.
    pub fn to_json(&self, client: AgentClient, event: HookEvent) -> Option<Value> {
        if client == AgentClient::Cursor {
            // It shows messages only with a prompt that it refuses.
            let mut output = json!({ "additional_context": self.context.as_ref()? });
            if event == HookEvent::UserPromptSubmit {
                output["continue"] = true.into();
            }
            return Some(output);
        }
        let mut output = serde_json::Map::new();
        if let Some(context) = &self.context {
            let specific = json!({ "hookEventName": client.event_name(event)?, "additionalContext": context });
            output.insert("hookSpecificOutput".into(), specific);
        }
        if let Some(message) = &self.message {
            output.insert("systemMessage".into(), message.as_str().into());
        }
        (!output.is_empty()).then_some(Value::Object(output))
    }
}
