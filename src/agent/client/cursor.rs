//! The hooks of Cursor, as its documentation and the client of version 3.20 have them.
//!
//! An input names the session by `conversation_id`, the turn by `generation_id`, and the folders by `workspace_roots`. There is no transcript
//! that tars reads: the prompt (`beforeSubmitPrompt`), each answer (`afterAgentResponse`), each call of a tool (`postToolUse`) and the end of
//! a turn (`stop`, with a `status`) are messages, of which tars keeps a transcript.

use serde_json::{Value, json};

use super::HookEvent;
use tars_base::private::short_hash;

/// Tools under the names that readers of transcripts know.
const TOOLS: [(&str, &str); 5] =
    [("Shell", "bash"), ("Write", "write"), ("StrReplace", "edit"), ("Edit", "edit"), ("MultiEdit", "multiedit")];
/// Fields of a tool's input that hold a path.
const PATHS: [&str; 4] = ["file_path", "path", "target_file", "filePath"];

/// Returns the session of an input.
pub(super) fn session(input: &Value) -> &str {
    text(input, "conversation_id").or_else(|| text(input, "session_id")).unwrap_or_default()
}

/// Returns the folder that the agent works in.
pub(super) fn directory(input: &Value) -> &str {
    let first = input.get("workspace_roots").and_then(|roots| roots.as_array()?.first()?.as_str());
    first.or_else(|| text(input, "cwd")).unwrap_or_default()
}

/// Returns the messages of an event, in the form in which plugins hand messages over; null if it has none.
pub(super) fn messages(event: HookEvent, input: &Value) -> Value {
    let turn = text(input, "generation_id").unwrap_or_default();
    let message = match event {
        HookEvent::UserPromptSubmit => {
            let Some(prompt) = text(input, "prompt") else { return Value::Null };
            said("user", &format!("{turn}-prompt-{}", short_hash(prompt.as_bytes())), prompt)
        }
        HookEvent::AfterResponse => {
            let Some(answer) = text(input, "text") else { return Value::Null };
            let mut message = said("assistant", &format!("{turn}-answer-{}", short_hash(answer.as_bytes())), answer);
            message["info"]["finish"] = "stop".into();
            message
        }
        HookEvent::AfterTool => {
            let given = input.get("tool_input").unwrap_or(&Value::Null);
            let hash = short_hash(given.to_string().as_bytes());
            let id = text(input, "tool_use_id").map_or_else(|| format!("{turn}-tool-{hash}"), str::to_owned);
            json!({ "info": { "id": id, "role": "assistant" }, "parts": [tool(input, given)] })
        }
        HookEvent::Stop => {
            let name = match text(input, "status") {
                Some("aborted") => "MessageAbortedError",
                Some("error") => "UnknownError",
                _ => return Value::Null,
            };
            let info = json!({ "id": format!("{turn}-end"), "role": "assistant", "error": { "name": name } });
            json!({ "info": info, "parts": [] })
        }
        _ => return Value::Null,
    };
    let mut message = message;
    message["info"]["modelID"] = text(input, "model").into();
    json!({ "messages": [message] })
}

fn said(role: &str, id: &str, text: &str) -> Value {
    json!({ "info": { "id": id, "role": role }, "parts": [{ "type": "text", "text": text }] })
}

fn tool(input: &Value, given: &Value) -> Value {
    let name = text(input, "tool_name").unwrap_or("unknown");
    let name = TOOLS.iter().find(|(own, _)| *own == name).map_or(name, |(_, known)| known);
    let path = PATHS.iter().find_map(|field| text(given, field));
    json!({ "type": "tool", "tool": name, "state": { "input": { "command": text(given, "command"), "filePath": path } } })
}

fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::{AgentClient, HookAnswer, HookInput};

    fn read(input: Value) -> HookInput {
        HookInput::parse(AgentClient::Cursor, input.to_string().as_bytes()).unwrap()
    }

    /// An input with the fields that all events have.
    fn input(event: &str, more: Value) -> HookInput {
        let mut input = json!({
            "hook_event_name": event, "conversation_id": "c-1", "generation_id": "g-1", "model": "gpt-5.6-sol",
            "workspace_roots": ["/home/anna/pump"], "transcript_path": null, "cursor_version": "3.20.17"
        });
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        read(input)
    }

    #[test]
    fn events_name_their_session_folder_and_messages() {
        let prompt = input("beforeSubmitPrompt", json!({"prompt": "Why does it stop?", "attachments": []}));
        assert_eq!(prompt.event, HookEvent::UserPromptSubmit);
        assert_eq!((prompt.session.as_str(), prompt.directory.as_str()), ("c-1", "/home/anna/pump"));
        assert_eq!((prompt.prompt.as_str(), prompt.lines.len()), ("Why does it stop?", 1));
        assert!(prompt.lines[0].is_request);
        let answer = input("afterAgentResponse", json!({"text": "The timer overflows."}));
        assert_eq!(answer.event, HookEvent::AfterResponse);
        assert!(answer.lines[0].json.contains("The timer overflows."), "{:?}", answer.lines);
        let tool = json!({"tool_name": "Shell", "tool_input": {"command": "make test"}, "tool_use_id": "t-1"});
        let tool = input("postToolUse", tool);
        assert!(tool.lines[0].json.contains(r#""tool":"bash","command":"make test""#), "{:?}", tool.lines);
        let written =
            input("postToolUse", json!({"tool_name": "Write", "tool_input": {"file_path": "/home/anna/pump/a.rs"}}));
        assert!(written.lines[0].json.contains(r#""file":"/home/anna/pump/a.rs""#), "{:?}", written.lines);
        assert_eq!(input("stop", json!({"status": "completed"})).lines.len(), 0);
        assert_eq!(input("stop", json!({"status": "aborted"})).lines.len(), 1);
        let start = read(json!({"hook_event_name": "sessionStart", "session_id": "c-1", "workspace_roots": 7}));
        assert_eq!((start.session.as_str(), start.directory.as_str(), start.source.as_str()), ("c-1", "", "startup"));
    }

    #[test]
    fn answers_have_the_fields_of_cursor() {
        let answer = HookAnswer { context: Some("lines".into()), message: Some("a message".into()) };
        let shown = |event| answer.to_json(AgentClient::Cursor, event).unwrap();
        assert_eq!(shown(HookEvent::SessionStart), json!({"additional_context": "lines"}));
        assert_eq!(shown(HookEvent::UserPromptSubmit), json!({"additional_context": "lines", "continue": true}));
        let message = HookAnswer::message("alone".into());
        assert_eq!(message.to_json(AgentClient::Cursor, HookEvent::UserPromptSubmit), None);
    }
}
