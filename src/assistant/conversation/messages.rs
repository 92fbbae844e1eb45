//! Converts a conversation into messages for a model.

use super::{Entry, Stamped, StoredCall};
use tars_chat::{Arguments, Message, ToolCall};

/// Returns the entries without the turns that were too long for the model.
pub(in super::super) fn sendable(entries: &[Stamped]) -> Vec<&Entry> {
    let mut sendable: Vec<&Entry> = Vec::new();
    for Stamped { entry, .. } in entries {
        match entry {
            Entry::TooLong => {
                let began = sendable.iter().rposition(|entry| entry.user_text().is_some());
                sendable.truncate(began.unwrap_or(0));
            }
            entry => sendable.push(entry),
        }
    }
    sendable
}

/// Returns the messages of entries in the form that servers accept: an interrupted turn is completed, so that each call has a
/// result and each message an answer.
pub(super) fn messages(entries: &[Stamped]) -> Vec<Message> {
    const LOST: &str = "the program was stopped before this was done";
    const UNANSWERED: &str = "(no answer was given)";
    let mut messages: Vec<Message> = Vec::new();
    let mut open: Vec<String> = Vec::new();
    for entry in sendable(entries) {
        if matches!(entry, Entry::User { .. } | Entry::Assistant { .. }) {
            for call_id in open.drain(..) {
                messages.push(Message::ToolResult { call_id, text: LOST.into(), is_error: true });
            }
        }
        match entry {
            Entry::User { text } => {
                let speaks_again = matches!(messages.last(), Some(Message::User(_) | Message::ToolResult { .. }));
                if speaks_again {
                    messages.push(Message::Assistant { text: UNANSWERED.into(), calls: Vec::new(), carried: None });
                }
                messages.push(Message::User(text.clone()));
            }
            // Servers refuse an empty message.
            Entry::Assistant { text, calls, .. } if text.trim().is_empty() && calls.is_empty() => {}
            Entry::Assistant { text, calls, carried, .. } => {
                open = calls.iter().map(|call| call.id.clone()).collect();
                let calls = calls.iter().map(StoredCall::call).collect();
                let carried = carried.clone().map(Box::new);
                messages.push(Message::Assistant { text: text.clone(), calls, carried });
            }
            Entry::Tool { call, text, failed } => {
                open.retain(|id| id != call);
                messages.push(Message::ToolResult { call_id: call.clone(), text: text.clone(), is_error: *failed });
            }
            Entry::Summary { .. } | Entry::Noted | Entry::TooLong | Entry::WithoutTools { .. } => {}
        }
    }
    for call_id in open {
        messages.push(Message::ToolResult { call_id, text: LOST.into(), is_error: true });
    }
    messages
}

impl StoredCall {
    fn call(&self) -> ToolCall {
        let arguments = Arguments::Complete(self.arguments.clone());
        ToolCall { id: self.id.clone(), name: self.name.clone(), arguments }
    }
}
