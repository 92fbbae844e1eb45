//! Reads transcripts.
//!
//! A transcript is a file `chats/session-TIME-ID.jsonl` in the project's folder. Its first line has `sessionId` and `projectHash`, and
//! comes again when the session is resumed. A message has `id`, `timestamp`, `type` (`user`, `gemini`, `info`, `warning`, `error`),
//! `content` (a text or parts) and, where they differ, `displayContent`: what the person typed. A message of the agent is written a second
//! time with `toolCalls` when these have run; their results follow as a message of type `user` with parts `functionResponse`. A line
//! `{"$set":{…}}` changes fields; with `messages` it replaces the conversation, after a compression by copies with other ids, and when a
//! session is resumed by the same messages. So a message that such a line names first is never a person's request.
//!
//! Clients before the form with lines wrote the file as one JSON object with a list `messages`.

use std::collections::HashSet;

use serde::Deserialize;

use super::links::Links;
use super::words::person_words;
use crate::client::claude_code::is_command;
use crate::client::lenient::{Flag, Object, Text, TextOrList};
use crate::client::{EntryLink, TranscriptReader, Unreadable, repair_json_text};
use tars_base::domain::{AgentAct, ContentHash, TurnEnd, TurnEvent, UserRequest};

/// How the client says that the person interrupted the agent.
const CANCELLED: &str = "Request cancelled.";
/// The beginning of the message with which the client reports that the model's server failed. Other errors are the client's own.
const API_ERROR: &str = "[API Error:";
/// The tools that write a file.
const WRITING_TOOLS: [&str; 4] = ["write_file", "replace", "edit", "smart_edit"];
/// The tool that runs a command.
const SHELL_TOOL: &str = "run_shell_command";
/// The beginning of a line that replaces the conversation, and the tag around the summary in it.
const REPLACEMENT: &[u8] = br#"{"$set":{"messages":"#;
const SUMMARY: (&str, &str) = ("<state_snapshot>", "</state_snapshot>");

/// A line: a message, a change, or the beginning of a transcript.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Record {
    session_id: Text,
    #[serde(rename = "$set")]
    change: Object<Change>,
    /// The messages of a transcript that is one value.
    messages: TextOrList<Record>,
    id: Text,
    timestamp: Text,
    r#type: Text,
    content: TextOrList<Part>,
    display_content: TextOrList<Part>,
    tool_calls: TextOrList<ToolCall>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Change {
    session_id: Text,
    messages: TextOrList<Id>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Id {
    id: Text,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Part {
    text: Text,
    thought: Flag,
    function_response: Object<Id>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ToolCall {
    id: Text,
    name: Text,
    args: Object<Arguments>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Arguments {
    file_path: Text,
    command: Text,
}

/// Reads the lines of a transcript, each of which may repeat parts of earlier ones.
#[derive(Debug, Default)]
pub(in crate::client) struct GeminiTranscript {
    session: Option<String>,
    /// The messages and tool calls that earlier lines contain.
    known: HashSet<u64>,
    links: Links,
}

impl TranscriptReader for GeminiTranscript {
    fn read(&mut self, line: &[u8]) -> Result<Vec<TurnEvent>, Unreadable> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Ok(Vec::new());
        }
        let record = match serde_json::from_slice::<Object<Record>>(line) {
            Ok(record) => record,
            Err(_) => serde_json::from_str(&repair_json_text(line)).map_err(|_| Unreadable)?,
        };
        Ok(record.0.map(|record| self.events(record)).unwrap_or_default())
    }

    fn link(&mut self, line: &[u8]) -> Option<EntryLink> {
        self.links.read(line)
    }
}

impl GeminiTranscript {
    fn events(&mut self, mut record: Record) -> Vec<TurnEvent> {
        let change = record.change.0.take().unwrap_or_default();
        if let Some(session) = record.session_id.0.take().or(change.session_id.0).filter(|session| !session.is_empty())
        {
            self.session = Some(session);
        }
        if let TextOrList::List(copies) = change.messages {
            for copy in &copies {
                self.is_new(&copy.id);
            }
        }
        let listed = match std::mem::take(&mut record.messages) {
            TextOrList::List(messages) => messages,
            TextOrList::Text(_) | TextOrList::Neither => Vec::new(),
        };
        listed.into_iter().chain([record]).filter_map(|message| self.event(message)).collect()
    }

    fn event(&mut self, message: Record) -> Option<TurnEvent> {
        let at = message.timestamp.0.as_deref().and_then(|time| time.parse().ok());
        let is_new = self.is_new(&message.id);
        match message.r#type.0.as_deref()? {
            "user" if is_new => {
                let typed = text_of(&message.display_content).or_else(|| text_of(&message.content))?;
                let text = person_words(&typed).to_owned();
                let id = message.id.0.filter(|_| !text.is_empty())?;
                Some(TurnEvent::Requested(UserRequest {
                    entry: Some(id.clone()),
                    id,
                    at,
                    session: self.session.clone(),
                    directory: None,
                    branch: None,
                    is_abandoned: false,
                    is_command: is_command(&text),
                    text,
                }))
            }
            "gemini" => {
                let said = text_of(&message.content).filter(|text| is_new && !text.trim().is_empty());
                let calls = if let TextOrList::List(calls) = message.tool_calls { calls } else { Vec::new() };
                let tools = calls.into_iter().filter_map(|call| self.is_new(&call.id).then(|| act(call))?);
                let acts: Vec<AgentAct> = said.map(AgentAct::Text).into_iter().chain(tools).collect();
                (!acts.is_empty()).then_some(TurnEvent::Acted(at, acts))
            }
            "error" if is_new && text_of(&message.content)?.starts_with(API_ERROR) => {
                Some(TurnEvent::Ended(TurnEnd::Failed))
            }
            "info" if is_new && text_of(&message.content)? == CANCELLED => Some(TurnEvent::Ended(TurnEnd::Interrupted)),
            _ => None,
        }
    }

    /// Whether no earlier line has this id. Keeps it.
    fn is_new(&mut self, id: &Text) -> bool {
        let Some(id) = id.0.as_deref().filter(|id| !id.trim().is_empty()) else { return false };
        let hash = ContentHash::of(id.as_bytes());
        self.known.insert(u64::from_le_bytes(hash.as_bytes()[..8].try_into().unwrap_or_default()))
    }
}

fn act(call: ToolCall) -> Option<AgentAct> {
    let name = call.name.0?;
    let arguments = call.args.0.unwrap_or_default();
    let file = arguments.file_path.0.filter(|_| WRITING_TOOLS.contains(&name.as_str()));
    let command = arguments.command.0.filter(|_| name == SHELL_TOOL);
    Some(AgentAct::Tool { name, file, command })
}

/// Returns the text of a message; `None` if it has none, or if it holds the result of a tool.
fn text_of(content: &TextOrList<Part>) -> Option<String> {
    match content {
        TextOrList::Text(text) => Some(text.clone()),
        TextOrList::List(parts) if parts.iter().any(|part| part.function_response.0.is_some()) => None,
        TextOrList::List(parts) => {
            let texts: Vec<&str> =
                parts.iter().filter(|part| !part.thought.0).filter_map(|part| part.text.0.as_deref()).collect();
            (!texts.is_empty()).then(|| texts.concat())
        }
        TextOrList::Neither => None,
    }
}

/// Whether a file that begins like this is a transcript of the client: an object whose first fields are `sessionId` and `projectHash`.
pub(in crate::client) fn is_transcript(beginning: &[u8]) -> bool {
    let after = |text: &[u8], token: &str| -> Option<usize> {
        let blank = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        text[blank..].starts_with(token.as_bytes()).then_some(blank + token.len())
    };
    let mut rest = beginning;
    for token in ["{", "\"sessionId\"", ":", "\""] {
        let Some(length) = after(rest, token) else { return false };
        rest = &rest[length..];
    }
    let Some(end) = rest.iter().position(|byte| *byte == b'"') else { return false };
    let rest = &rest[end + 1..];
    after(rest, ",").is_some_and(|length| after(&rest[length..], "\"projectHash\"").is_some())
}

/// Whether a transcript of the client that begins like this is one JSON value with line ends in it.
pub(in crate::client) fn is_one_value(beginning: &[u8]) -> bool {
    let first = beginning.trim_ascii_start().split(|byte| *byte == b'\n').next().unwrap_or_default();
    first.trim_ascii() == b"{"
}

/// Returns the id of the session in a transcript of the client that begins like this.
pub(in crate::client) fn session_in(beginning: &[u8]) -> Option<String> {
    if !is_transcript(beginning) {
        return None;
    }
    let at = beginning.iter().position(|byte| *byte == b':')?;
    let id = beginning[at + 1..].split(|byte| *byte == b'"').nth(1)?;
    std::str::from_utf8(id).ok().filter(|id| !id.is_empty()).map(str::to_owned)
}

/// Returns the last summary by which the client replaced a conversation, in a part of a transcript; `None` if it replaced none.
pub fn last_summary(part: &[u8]) -> Option<&[u8]> {
    let mut replacements = part.rsplit(|byte| *byte == b'\n').filter(|line| line.starts_with(REPLACEMENT));
    replacements.find_map(|line| {
        let start = position(line, SUMMARY.0.as_bytes())?;
        let length = position(&line[start..], SUMMARY.1.as_bytes())?;
        Some(&line[start..start + length])
    })
}

fn position(text: &[u8], sought: &[u8]) -> Option<usize> {
    text.windows(sought.len()).position(|window| window == sought)
}

#[cfg(test)]
mod tests;
