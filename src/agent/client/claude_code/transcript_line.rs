//! Parses one line of a transcript.
//!
//! It reads the fields `type` (`user`, `assistant`, `attachment`, `queue-operation`), `uuid`, `promptId`, `timestamp`, `sessionId`, `cwd`,
//! `gitBranch`, `message.stop_reason`, `message.content` (a string, or blocks of type `text`, `image`, `document`,
//! `tool_use` with its `id`, `tool_result` with `tool_use_id` and `is_error`; thinking blocks are ignored), and the marks of messages that no person typed: `isMeta`,
//! `isSidechain`, `isCompactSummary`, `isVisibleInTranscriptOnly`, `toolUseResult`, and any `origin.kind` other than
//! `human`. A message whose `origin.kind` is `task-notification` makes the agent resume its work. A message that a
//! person sends while the agent works is an attachment of type `queued_command`, or the `content` of a `queue-operation`.
//! `parentUuid` names the entry before, and after a compaction `logicalParentUuid`.

use jiff::Timestamp;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

use super::INTERRUPTION;
use super::helper_task::read_helper_tasks;
use super::message::{MessageText, parse_message};
use crate::client::lenient::{Flag, Object, Text, TextOrList};
use crate::client::repair_json_text;
use crate::client::{EntryLink, HelperTasks, TranscriptReader, Unreadable};
use tars_base::domain::{AgentAct, ContentHash, TurnEnd, TurnEvent, UserRequest, hex};

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Entry {
    r#type: Text,
    uuid: Text,
    prompt_id: Text,
    timestamp: Text,
    session_id: Text,
    cwd: Text,
    git_branch: Text,
    is_meta: Flag,
    is_sidechain: Flag,
    is_compact_summary: Flag,
    is_visible_in_transcript_only: Flag,
    is_api_error_message: Flag,
    tool_use_result: Option<IgnoredAny>,
    origin: Object<Origin>,
    message: Object<Message>,
    attachment: Object<Attachment>,
    operation: Text,
    content: TextOrList<Block>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct LinkFields {
    r#type: Text,
    subtype: Text,
    uuid: Text,
    /// Absent in transcripts that do not link their entries, null where a chain begins.
    #[serde(deserialize_with = "present")]
    parent_uuid: Option<Option<Text>>,
    logical_parent_uuid: Text,
    leaf_uuid: Text,
    is_sidechain: Flag,
    is_compact_summary: Flag,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<Text>>, D::Error> {
    Option::<Text>::deserialize(deserializer).map(Some)
}

/// Parses the place of a line in the conversation. Returns `None` for lines of helpers and for lines without one.
pub(super) fn read_entry_link(line: &[u8]) -> Option<EntryLink> {
    let fields = serde_json::from_slice::<Object<LinkFields>>(line.trim_ascii()).ok()?.0?;
    let named = |text: Text| text.0.filter(|name| !name.trim().is_empty());
    let (id, leaf) = (named(fields.uuid).filter(|_| fields.parent_uuid.is_some()), named(fields.leaf_uuid));
    // A summary names the end of another session's conversation.
    let leaf = leaf.filter(|_| fields.r#type.0.as_deref() != Some("summary"));
    let is_compacted = fields.subtype.0.as_deref().is_some_and(|subtype| subtype.ends_with("compact_boundary"));
    let before = fields.parent_uuid.flatten().and_then(named).or_else(|| named(fields.logical_parent_uuid));
    let link = EntryLink { id, before, is_boundary: is_compacted || fields.is_compact_summary.0, leaf };
    (!fields.is_sidechain.0 && (link.id.is_some() || link.leaf.is_some())).then_some(link)
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Origin {
    kind: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Message {
    model: Text,
    stop_reason: Text,
    content: TextOrList<Block>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Block {
    r#type: Text,
    text: Text,
    name: Text,
    id: Text,
    input: Object<Input>,
    tool_use_id: Text,
    is_error: Flag,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Input {
    file_path: Text,
    notebook_path: Text,
    path: Text,
    command: Text,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Attachment {
    r#type: Text,
    prompt: TextOrList<Block>,
    command_mode: Text,
    is_meta: Flag,
    origin: Object<Origin>,
}

/// Reads the lines of a transcript. Each is parsed by itself.
#[derive(Debug)]
pub(crate) struct ClaudeCodeTranscript;

impl TranscriptReader for ClaudeCodeTranscript {
    fn read(&mut self, line: &[u8]) -> Result<Vec<TurnEvent>, Unreadable> {
        Ok(Vec::from_iter(read_transcript_line(line)?))
    }

    fn link(&mut self, line: &[u8]) -> Option<EntryLink> {
        read_entry_link(line)
    }

    fn helper_tasks(&self, line: &[u8]) -> Option<HelperTasks> {
        read_helper_tasks(line)
    }
}

/// Parses a line. Returns `None` if it holds no event.
///
/// # Errors
/// It is not JSON.
pub(super) fn read_transcript_line(line: &[u8]) -> Result<Option<TurnEvent>, Unreadable> {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    let entry = match serde_json::from_slice::<Object<Entry>>(line) {
        Ok(entry) => entry,
        Err(_) => serde_json::from_str(&repair_json_text(line)).map_err(|_| Unreadable)?,
    };
    Ok(entry.0.filter(|entry| !entry.is_sidechain.0).and_then(event))
}

fn event(entry: Entry) -> Option<TurnEvent> {
    match entry.r#type.0.as_deref()? {
        "user" if is_interruption(&entry) => Some(TurnEvent::Ended(TurnEnd::Interrupted)),
        "user" if is_notification(&entry) => Some(TurnEvent::Resumed(id_of(&entry)?)),
        "user" => match failed_calls(&entry) {
            Some(ids) => Some(TurnEvent::CallsFailed(ids)),
            None => asked(entry).map(TurnEvent::Requested),
        },
        "assistant" => answered(entry),
        "attachment" => added(entry.attachment.0?).map(TurnEvent::Added),
        "queue-operation" => queued(entry),
        _ => None,
    }
}

/// Whether the client reports that the person interrupted the agent.
fn is_interruption(entry: &Entry) -> bool {
    let Some(message) = &entry.message.0 else { return false };
    let said = match &message.content {
        TextOrList::Text(text) => Some(text.as_str()),
        TextOrList::List(blocks) => blocks.iter().find_map(|block| block.text.0.as_deref()),
        TextOrList::Neither => None,
    };
    said.is_some_and(|said| said.starts_with(INTERRUPTION))
}

/// Returns the ids of the tool calls that failed or that the person refused; `None` for an entry without one.
fn failed_calls(entry: &Entry) -> Option<Vec<String>> {
    let TextOrList::List(blocks) = &entry.message.0.as_ref()?.content else { return None };
    let failed = blocks.iter().filter(|block| block.r#type.0.as_deref() == Some("tool_result") && block.is_error.0);
    let ids: Vec<String> = failed.filter_map(|block| block.tool_use_id.0.clone()).collect();
    (!ids.is_empty()).then_some(ids)
}

/// Whether the client notifies the stopped agent that something in the background has ended.
fn is_notification(entry: &Entry) -> bool {
    entry.origin.0.as_ref().and_then(|origin| origin.kind.0.as_deref()) == Some("task-notification")
}

/// Returns the client's id of the request or notification.
fn id_of(entry: &Entry) -> Option<String> {
    let named = |text: &Text| text.0.clone().filter(|name| !name.trim().is_empty());
    named(&entry.prompt_id).or_else(|| named(&entry.uuid))
}

fn asked(entry: Entry) -> Option<UserRequest> {
    let is_from_program = entry.is_meta.0
        || entry.is_compact_summary.0
        || entry.is_visible_in_transcript_only.0
        || entry.tool_use_result.is_some();
    if is_from_program || !is_human(&entry.origin) {
        return None;
    }
    let id = id_of(&entry);
    let (text, is_command) = match parse_message(&text_of(entry.message.0?.content)?) {
        MessageText::Words(words) => (words, false),
        MessageText::Command(command) => (command, true),
        MessageText::Nothing => return None,
    };
    let named = |text: Text| text.0.filter(|name| !name.trim().is_empty());
    let id = id.unwrap_or_else(|| {
        let time = entry.timestamp.0.as_deref().unwrap_or_default();
        let hash = ContentHash::of_parts([time.as_bytes(), text.as_bytes()]);
        hex(&hash.as_bytes()[..8])
    });
    Some(UserRequest {
        id,
        entry: named(entry.uuid),
        at: time(&entry.timestamp),
        session: named(entry.session_id),
        directory: named(entry.cwd),
        // The client writes `HEAD` if no branch is checked out.
        branch: named(entry.git_branch).filter(|branch| branch != "HEAD"),
        text,
        is_abandoned: false,
        is_command,
    })
}

fn answered(entry: Entry) -> Option<TurnEvent> {
    let at = time(&entry.timestamp);
    let message = entry.message.0?;
    if entry.is_api_error_message.0 {
        return Some(TurnEvent::Ended(TurnEnd::Failed));
    }
    // A message of the client itself.
    if message.model.0.as_deref() == Some("<synthetic>") {
        return None;
    }
    let mut acts: Vec<AgentAct> = match message.content {
        TextOrList::Text(text) => vec![AgentAct::Text(text)],
        TextOrList::List(blocks) => blocks.into_iter().flat_map(acts_of).collect(),
        TextOrList::Neither => Vec::new(),
    };
    if acts.is_empty() {
        return None;
    }
    acts.splice(0..0, message.model.0.filter(|model| !model.is_empty()).map(AgentAct::Model));
    if message.stop_reason.0.is_some_and(|reason| reason == "end_turn") {
        acts.push(AgentAct::Ended);
    }
    Some(TurnEvent::Acted(at, acts))
}

/// Returns the act of a block, followed by the id of its call.
fn acts_of(mut block: Block) -> impl Iterator<Item = AgentAct> {
    let id = block.id.0.take().map(AgentAct::CallId);
    let act = act(block);
    let id = id.filter(|_| matches!(act, Some(AgentAct::Tool { command: Some(_), .. })));
    act.into_iter().chain(id)
}

fn act(block: Block) -> Option<AgentAct> {
    match block.r#type.0.as_deref()? {
        "text" => Some(AgentAct::Text(block.text.0?)),
        // The server of the model runs some tools itself, such as a search of the web.
        "tool_use" | "server_tool_use" | "mcp_tool_use" => {
            let name = block.name.0?;
            let input = block.input.0.unwrap_or_default();
            let writes = matches!(name.as_str(), "Edit" | "MultiEdit" | "Write" | "NotebookEdit" | "Update");
            let file = input.file_path.0.or(input.notebook_path.0).or(input.path.0).filter(|_| writes);
            let command = input.command.0.filter(|_| name == "Bash" || name == "PowerShell");
            Some(AgentAct::Tool { name, file, command })
        }
        _ => None,
    }
}

fn added(attachment: Attachment) -> Option<String> {
    let is_prompt = attachment.r#type.0.as_deref() == Some("queued_command")
        && attachment.command_mode.0.as_deref().is_none_or(|mode| mode == "prompt")
        && !attachment.is_meta.0
        && is_human(&attachment.origin);
    match parse_message(&text_of(attachment.prompt).filter(|_| is_prompt)?) {
        MessageText::Words(words) => Some(words),
        MessageText::Command(_) | MessageText::Nothing => None,
    }
}

/// Returns a change of the queue of messages that the person typed while the agent worked.
fn queued(entry: Entry) -> Option<TurnEvent> {
    match entry.operation.0.as_deref()? {
        "enqueue" => match parse_message(&text_of(entry.content)?) {
            MessageText::Words(words) => Some(TurnEvent::Queued(words)),
            MessageText::Command(_) | MessageText::Nothing => None,
        },
        // The person took all of them back into the prompt.
        "popAll" => Some(TurnEvent::Unqueued),
        // Another entry shows a message that was delivered.
        _ => None,
    }
}

/// Whether a person sent the message. Without an origin it is a person's.
fn is_human(origin: &Object<Origin>) -> bool {
    let kind = origin.0.as_ref().and_then(|origin| origin.kind.0.as_deref());
    kind.is_none_or(|kind| kind == "human")
}

/// Returns the text of a message, or `None` if it holds the result of a tool.
fn text_of(content: TextOrList<Block>) -> Option<String> {
    let blocks = match content {
        TextOrList::Text(text) => return Some(text),
        TextOrList::List(blocks) => blocks,
        TextOrList::Neither => return None,
    };
    let mut texts = Vec::new();
    for block in blocks {
        match block.r#type.0.as_deref() {
            Some("text") => texts.extend(block.text.0),
            Some("image") => texts.push("[image]".into()),
            Some("document") => texts.push("[document]".into()),
            Some("tool_result") => return None,
            _ => {}
        }
    }
    Some(texts.join("\n"))
}

fn time(text: &Text) -> Option<Timestamp> {
    text.0.as_deref()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_unexpected_types_are_skipped() {
        let line =
            br#"{"type":"user","uuid":7,"promptId":null,"timestamp":[1],"cwd":{"a":1},"isMeta":"no","origin":"x",
            "message":{"model":3,"content":[1,"a",{"type":"text","text":"Hi"},{"type":5}]}}"#;
        let Ok(Some(TurnEvent::Requested(asked))) = read_transcript_line(line) else { panic!("not asked") };
        assert_eq!((asked.text.as_str(), asked.at, asked.directory.as_deref()), ("Hi", None, None));
        assert_eq!(asked.id.len(), 16);
    }

    #[test]
    fn only_invalid_json_is_unreadable() {
        assert!(read_transcript_line(b"{\"type\":\"user\"").is_err());
        assert!(read_transcript_line(b"\0\0\0").is_err());
        for nothing in ["", " \r", "[1]", "null", "\"a\"", "5", r#"{"type":"summary"}"#, r#"{"a":1e999}"#] {
            assert!(matches!(read_transcript_line(nothing.as_bytes()), Ok(None) | Err(Unreadable)), "{nothing}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_parsed(line in r#"([{}\[\]":,\\]|\\ud800|\\udc00|type|user|message|content|text|é|1){0,30}"#) {
            let _ = read_transcript_line(line.as_bytes());
        }
    }
}
