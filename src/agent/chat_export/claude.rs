//! Conversations of Claude.
//!
//! ```text
//! {"uuid": …, "name": …, "created_at": RFC 3339, "chat_messages": [MESSAGE, …]}
//! MESSAGE: {"uuid": …, "parent_message_uuid": … (newer exports), "sender": "human" | "assistant", "created_at": RFC 3339,
//!  "text": …, "content": [{"type": "text", "text": …} or thoughts, calls and results of tools, …],
//!  "attachments": [{"file_name": …}], "files": [{"file_name": …}]}
//! ```

use std::collections::HashMap;

use jiff::Timestamp;
use serde_json::Value;

use super::message_path::{check_count, message_path};
use super::{BadChat, ChatClient, ChatMessage, SavedChat};

/// Reads a conversation.
pub(super) fn chat(conversation: &Value) -> Result<SavedChat, BadChat> {
    let messages = conversation["chat_messages"].as_array().ok_or(BadChat::Lacks("chat_messages"))?;
    check_count(messages.len())?;
    Ok(SavedChat {
        client: ChatClient::Claude,
        id: conversation["uuid"].as_str().unwrap_or_default().to_owned(),
        name: conversation["name"].as_str().map(str::to_owned),
        created: time(&conversation["created_at"]),
        messages: current_branch(conversation, messages)?.into_iter().filter_map(message).collect(),
    })
}

/// Returns the messages of the current branch. Older exports name no parents and hold no other branch.
fn current_branch<'c>(conversation: &'c Value, messages: &'c [Value]) -> Result<Vec<&'c Value>, BadChat> {
    let by_id: HashMap<&str, &Value> =
        messages.iter().filter_map(|message| Some((message["uuid"].as_str()?, message))).collect();
    let parent = |message: &'c Value| message["parent_message_uuid"].as_str();
    let is_linked = messages.iter().any(|message| parent(message).is_some_and(|id| by_id.contains_key(id)));
    if !is_linked || by_id.len() < messages.len() {
        return Ok(messages.iter().collect());
    }
    let current = conversation["current_leaf_message_uuid"].as_str().filter(|id| by_id.contains_key(id));
    let last = current.or_else(|| messages.last().and_then(|message| message["uuid"].as_str()));
    message_path(last, |id| by_id.get(id).copied(), parent)
}

fn message(message: &Value) -> Option<ChatMessage> {
    let is_of_person = match message["sender"].as_str()? {
        "human" => true,
        "assistant" => false,
        _ => return None,
    };
    let parts = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_text = |part: &&Value| part["type"].as_str() == Some("text");
    let texts: Vec<&str> = match parts.is_empty() {
        // The text of a message with parts also has a placeholder for each call of a tool.
        true => message["text"].as_str().into_iter().collect(),
        false => parts.iter().filter(is_text).filter_map(|part| part["text"].as_str()).collect(),
    };
    let said: Vec<&str> = texts.into_iter().filter(|text| !text.trim().is_empty()).collect();
    let text = said.join("\n\n");
    let files = ["attachments", "files"].into_iter().filter_map(|name| message[name].as_array()).flatten();
    let names = files.filter_map(|file| file["file_name"].as_str()).filter(|name| !name.trim().is_empty());
    let files: Vec<String> = names.map(str::to_owned).collect();
    let says_something = !text.is_empty() || !files.is_empty();
    says_something.then(|| ChatMessage { is_of_person, at: time(&message["created_at"]), text, files })
}

fn time(text: &Value) -> Option<Timestamp> {
    text.as_str()?.parse().ok()
}
