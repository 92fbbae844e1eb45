//! Shortens messages of opencode to the lines of a kept transcript.
//!
//! A message is an object of `info` (`id`, `role`, `time.created` and `time.completed` in milliseconds since 1970, `finish`, `summary`,
//! `modelID`, `error.name`) and `parts`, each with a `type`: `text` (`text`; `synthetic` or `ignored` if no person typed it), `file` (`mime`),
//! `tool` (`tool`, `state.status`, `state.metadata.exit`, `state.input` with `filePath`, `command` or `patchText`). The plugin adds `info.command`, the command of the client
//! that the person gave.

use jiff::Timestamp;
use serde_json::Value;

use super::transcript::{Act, Line, OWN_NAME};
use tars_text::redact::redact;

/// The longest text in bytes, as of a turn.
const MAX_TEXT: usize = 64 << 10;
/// The longest command, path or name, in bytes.
const MAX_SHORT: usize = 4 << 10;
/// Most acts of a message, and most messages of one call.
const MAX_ACTS: usize = 500;
const MAX_MESSAGES: usize = 1_000;
/// The name of a tool for acts that are left out.
const MORE: &str = "more";
/// Beginnings of the lines that name a file in a patch.
const PATCHED: [&str; 3] = ["*** Add File: ", "*** Update File: ", "*** Delete File: "];

/// A line of a kept transcript, without secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptLine {
    /// The time of the message.
    pub at: Option<Timestamp>,
    /// Whether it holds a request of the person.
    pub is_request: bool,
    /// The line: JSON without a line end.
    pub json: String,
}

impl KeptLine {
    /// Returns the line with a time, if the client gave none.
    #[must_use]
    pub fn dated(self, now: Timestamp) -> Self {
        if self.at.is_some() {
            return self;
        }
        let Ok(line) = serde_json::from_str::<Line>(&self.json) else { return self };
        let line = Line { at: Some(now.as_millisecond()), ..line };
        kept(Some(now), &line).unwrap_or(self)
    }

    /// Returns the line with the branch that is checked out, if it holds a request.
    #[must_use]
    pub fn on_branch(self, branch: Option<&str>) -> Self {
        let Some(branch) = branch.filter(|_| self.is_request) else { return self };
        let Ok(line) = serde_json::from_str::<Line>(&self.json) else { return self };
        let line = Line { branch: Some(short(branch)), ..line };
        kept(self.at, &line).unwrap_or(self)
    }
}

/// Returns the first line of a transcript that tars keeps for the client of this name.
pub fn session_line(client: &str, session: &str, directory: &str) -> String {
    let (session, directory) = (Some(short(session)), Some(short(directory)));
    let client = Some(client.to_owned()).filter(|name| name != OWN_NAME);
    let line = Line { opencode: Some(1), client, session, directory, ..Line::default() };
    serde_json::to_string(&line).unwrap_or_default()
}

/// Returns the lines for the messages that the plugin hands over in `value`, in order: `messages` is a list of them, and `removed` a list
/// of the ids of those that the person took back. Anything of an unexpected shape is skipped.
pub fn handed_lines(value: &Value) -> Vec<KeptLine> {
    let list = |name: &str| value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let removed: Vec<String> = list("removed").iter().filter_map(Value::as_str).take(MAX_MESSAGES).map(short).collect();
    let mut lines = Vec::new();
    if !removed.is_empty() {
        lines.extend(kept(None, &Line { removed, ..Line::default() }));
    }
    let messages = list("messages");
    let newest = &messages[messages.len().saturating_sub(MAX_MESSAGES)..];
    lines.extend(newest.iter().filter_map(kept_line));
    lines
}

fn kept(at: Option<Timestamp>, line: &Line) -> Option<KeptLine> {
    let json = serde_json::to_string(line).ok()?;
    Some(KeptLine { at, is_request: line.from.as_deref() == Some("user"), json })
}

/// Returns the line for a message; `None` if it holds neither a person's words nor an act of the agent.
pub fn kept_line(message: &Value) -> Option<KeptLine> {
    let info = message.get("info")?;
    let id = text(info, "id").filter(|id| !id.is_empty())?;
    let parts = message.get("parts")?.as_array()?;
    let time = |name: &str| info.get("time")?.get(name)?.as_i64();
    let created = time("created");
    let mut line = Line { id: Some(short(id)), at: created, ..Line::default() };
    match text(info, "role")? {
        "user" => {
            let command = text(info, "command").filter(|command| !command.trim().is_empty());
            let words: Vec<&str> = parts.iter().filter_map(words).collect();
            let words = command.map_or_else(|| words.join("\n"), str::to_owned);
            line.text = Some(bounded(words.trim(), MAX_TEXT)).filter(|text| !text.is_empty());
            line.text.as_ref()?;
            line.from = Some("user".into());
            line.command = command.is_some();
        }
        // The summary of a compaction is no answer.
        "assistant" if info.get("summary").and_then(Value::as_bool) != Some(true) => {
            line.from = Some("assistant".into());
            line.at = time("completed").or(created);
            line.model = text(info, "modelID").map(short);
            line.acts = parts.iter().flat_map(acts).take(MAX_ACTS + 1).collect();
            if line.acts.len() > MAX_ACTS {
                // Nobody can tell what the agent did further.
                line.acts[MAX_ACTS] = Act { tool: Some(MORE.into()), ..Act::default() };
            }
            line.finish = text(info, "finish").map(short);
            line.error = info.get("error").and_then(|error| text(error, "name")).map(short);
            if line.acts.is_empty() && line.error.is_none() {
                return None;
            }
        }
        _ => return None,
    }
    kept(created.and_then(|created| Timestamp::from_millisecond(created).ok()), &line)
}

/// Returns the words that a person put into a part.
fn words(part: &Value) -> Option<&str> {
    let is_image = || text(part, "mime").is_some_and(|mime| mime.starts_with("image/"));
    match text(part, "type")? {
        "text" if !is_set(part, "synthetic") && !is_set(part, "ignored") => text(part, "text"),
        "file" if is_image() => Some("[image]"),
        _ => None,
    }
}

fn acts(part: &Value) -> Vec<Act> {
    match text(part, "type") {
        Some("text") if !is_set(part, "synthetic") && !is_set(part, "ignored") => {
            let said = text(part, "text").map(|said| bounded(said.trim(), MAX_TEXT)).filter(|said| !said.is_empty());
            said.map(|said| Act { text: Some(said), ..Act::default() }).into_iter().collect()
        }
        Some("tool") => tool_acts(part),
        _ => Vec::new(),
    }
}

/// Returns an act for a call of a tool, and one for each further file of a patch.
fn tool_acts(part: &Value) -> Vec<Act> {
    let Some(tool) = text(part, "tool").map(short) else { return Vec::new() };
    let state = part.get("state").unwrap_or(&Value::Null);
    let input = state.get("input").unwrap_or(&Value::Null);
    let writes = matches!(tool.as_str(), "edit" | "write" | "multiedit");
    let mut files: Vec<String> = text(input, "filePath").filter(|_| writes).map(short).into_iter().collect();
    let patch = text(input, "patchText").unwrap_or_default();
    let patched = patch.lines().filter_map(|line| PATCHED.iter().find_map(|start| line.strip_prefix(start)));
    files.extend(patched.take(MAX_ACTS).map(|file| short(file.trim())));
    let command = text(input, "command").filter(|_| tool == "bash").map(|command| bounded(command, MAX_SHORT));
    let exit = state.get("metadata").and_then(|metadata| metadata.get("exit")).and_then(Value::as_i64);
    let has_failed = text(state, "status") == Some("error") || exit.is_some_and(|code| code != 0);
    let failed = has_failed && command.is_some();
    let first = Act { tool: Some(tool.clone()), command, file: files.first().cloned(), failed, ..Act::default() };
    let others = files.into_iter().skip(1);
    std::iter::once(first)
        .chain(others.map(|file| Act { tool: Some(tool.clone()), file: Some(file), ..Act::default() }))
        .collect()
}

fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name)?.as_str()
}

fn is_set(value: &Value, name: &str) -> bool {
    value.get(name).and_then(Value::as_bool) == Some(true)
}

/// Returns a person's or an agent's text without secrets and NUL, cut at `most` bytes.
fn bounded(text: &str, most: usize) -> String {
    // Cut first, because a text may have any length, and with room, so that no secret is cut in two and kept.
    let start = &text[..text.floor_char_boundary(most.saturating_mul(2))];
    cut(&redact(start).text, most)
}

/// Returns a name, an id or a path, cut at 4 KiB.
fn short(text: &str) -> String {
    cut(text, MAX_SHORT)
}

fn cut(text: &str, most: usize) -> String {
    text[..text.floor_char_boundary(most)].replace('\0', "\u{fffd}")
}
