//! Reads the lines of a rollout into events.

use jiff::Timestamp;

use super::own_words;
use super::patch::written_files;
use super::rollout_line::{Call, Part, Payload, RolloutLine};
use crate::client::claude_code;
use crate::client::lenient::{Object, Text, TextOrList};
use crate::client::repair_json_text;
use crate::client::{EntryLink, HelperTask, HelperTasks, TranscriptReader, Unreadable};
use tars_base::domain::{AgentAct, TurnEnd, TurnEvent, UserRequest};

/// Most messages of a person that can be taken back.
const MAX_MESSAGES: usize = 10_000;
/// The end of the text that Codex puts before a summary of the conversation.
const BEFORE_SUMMARY: &str = "use the information in this summary to assist with your own analysis:";

/// The state of a rollout up to a line.
#[derive(Debug, Default)]
pub(in crate::client) struct CodexTranscript {
    /// The session; `None` before the first line.
    session: Option<Session>,
    /// The turn at hand.
    turn: String,
    /// Whether that turn is the agent's work and not the client's own.
    is_agents: bool,
    directory: Option<String>,
    /// The turn of the last request.
    requested: Option<String>,
    /// Number of messages of a person so far.
    messages: usize,
    /// The turns that were not taken back: their numbers, and the ordinals of their lines.
    standing: Vec<(usize, Option<u64>)>,
}

#[derive(Debug, Default)]
struct Session {
    id: Option<String>,
    branch: Option<String>,
    /// Whether it is the session of a helper, in which no person speaks.
    is_helper: bool,
}

impl TranscriptReader for CodexTranscript {
    fn read(&mut self, line: &[u8]) -> Result<Vec<TurnEvent>, Unreadable> {
        let Some(Parsed { kind, at, payload, .. }) = parsed(line)? else { return Ok(Vec::new()) };
        let event = match kind.as_str() {
            "event_msg" => self.reported(at, payload),
            "response_item" => answered(at, payload),
            "session_meta" | "turn_context" => {
                self.describe(&kind, payload);
                None
            }
            _ => None,
        };
        let is_helper = self.session.as_ref().is_some_and(|session| session.is_helper);
        Ok(event.filter(|_| !is_helper).map(|event| self.in_turn(event)).unwrap_or_default())
    }

    fn link(&mut self, line: &[u8]) -> Option<EntryLink> {
        let Parsed { kind, ordinal, payload, .. } = parsed(line).ok()??;
        let before = self.standing.len();
        if kind == "session_meta" {
            let end = payload.history_base.0.as_ref()?.end_ordinal_exclusive.whole()?;
            self.standing.retain(|(_, ordinal)| ordinal.is_none_or(|ordinal| ordinal < end));
        } else if kind == "event_msg" && payload.r#type.0.as_deref() == Some("thread_rolled_back") {
            let count = usize::try_from(payload.num_turns.whole()?).unwrap_or(usize::MAX);
            self.standing.truncate(before.saturating_sub(count));
        }
        let last = self.standing.last().map(|(number, _)| entry_name(*number));
        if self.standing.len() < before {
            return Some(EntryLink { leaf: Some(last?), ..EntryLink::default() });
        }
        message(payload).filter(|_| kind == "event_msg")?;
        let number = self.count_message();
        if self.standing.len() < MAX_MESSAGES {
            self.standing.push((number, ordinal));
        }
        Some(EntryLink { id: Some(entry_name(number)), before: last, ..EntryLink::default() })
    }

    fn helper_tasks(&self, line: &[u8]) -> Option<HelperTasks> {
        let Parsed { kind, payload, .. } = parsed(line).ok()??;
        if kind != "response_item" || payload.name.0.as_deref() != Some("spawn_agent") {
            return None;
        }
        let call = call(&payload.arguments)?;
        let text = call.message.0.filter(|text| !text.trim().is_empty())?;
        let task = HelperTask { kind: call.agent_type.0.unwrap_or_default(), text };
        Some(HelperTasks { message: payload.id.0.unwrap_or_default(), tasks: vec![task] })
    }

    fn summary(&self, line: &[u8]) -> Option<String> {
        let Parsed { kind, payload, .. } = parsed(line).ok()??;
        let text = payload.message.0.filter(|_| kind == "compacted")?;
        let summary = text.rsplit_once(BEFORE_SUMMARY).map_or(text.as_str(), |(_, summary)| summary).trim();
        (!summary.is_empty()).then(|| summary.to_owned())
    }
}

impl CodexTranscript {
    /// Returns an event of the turn at hand. A turn that nobody asked for continues the one before it, unless it is the client's own, such
    /// as one that summarises the conversation.
    fn in_turn(&mut self, event: TurnEvent) -> Vec<TurnEvent> {
        let is_asked = self.turn.is_empty() || self.requested.as_ref() == Some(&self.turn);
        if is_asked || matches!(event, TurnEvent::Requested(_) | TurnEvent::Added(_)) {
            return vec![event];
        }
        if !self.is_agents || self.requested.is_none() {
            return Vec::new();
        }
        self.requested = Some(self.turn.clone());
        vec![TurnEvent::Resumed(self.turn.clone()), event]
    }

    /// Keeps what a line says about the session, or about the turn.
    fn describe(&mut self, kind: &str, payload: Payload) {
        if kind == "session_meta" {
            if self.session.is_some() {
                return;
            }
            let branch = payload.git.0.and_then(|git| named(git.branch));
            self.session = Some(Session { id: named(payload.id), branch, is_helper: payload.source.0.is_some() });
        } else if let Some(turn) = named(payload.turn_id) {
            self.turn = turn;
        }
        self.directory = named(payload.cwd).or(self.directory.take());
    }

    fn reported(&mut self, at: Option<Timestamp>, payload: Payload) -> Option<TurnEvent> {
        match payload.r#type.0.as_deref()? {
            "task_started" | "turn_started" => {
                self.turn = named(payload.turn_id)?;
                self.is_agents = payload.turn_attribution.0.is_some();
                None
            }
            "task_complete" | "turn_complete" => Some(match payload.error {
                Some(_) => TurnEvent::Ended(TurnEnd::Failed),
                None => TurnEvent::Acted(at, vec![AgentAct::Ended]),
            }),
            "turn_aborted" => Some(TurnEvent::Ended(TurnEnd::Interrupted)),
            _ => match failed_call(&payload) {
                Some(id) => Some(TurnEvent::CallsFailed(vec![id])),
                None => self.requested(at, payload),
            },
        }
    }

    fn requested(&mut self, at: Option<Timestamp>, payload: Payload) -> Option<TurnEvent> {
        let turn = payload.turn_id.0.clone();
        let said = message(payload)?;
        let number = self.count_message();
        if let Some(turn) = turn.filter(|turn| !turn.trim().is_empty()) {
            self.turn = turn;
        }
        let text = claude_code::own_words(&own_words(&said))?;
        let session = self.session.as_ref();
        let id = if self.turn.is_empty() { entry_name(number) } else { self.turn.clone() };
        if self.requested.as_ref() == Some(&id) {
            return Some(TurnEvent::Added(text));
        }
        self.requested = Some(id.clone());
        Some(TurnEvent::Requested(UserRequest {
            id,
            entry: Some(entry_name(number)),
            at,
            session: session.and_then(|session| session.id.clone()),
            directory: self.directory.clone(),
            branch: session.and_then(|session| session.branch.clone()),
            text,
            is_abandoned: false,
            is_command: false,
        }))
    }

    /// Counts a message of a person, and returns its number.
    fn count_message(&mut self) -> usize {
        self.messages += 1;
        self.messages
    }
}

/// A line with a payload.
struct Parsed {
    kind: String,
    at: Option<Timestamp>,
    ordinal: Option<u64>,
    payload: Payload,
}

/// Parses a line; `None` if it has no payload.
fn parsed(line: &[u8]) -> Result<Option<Parsed>, Unreadable> {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    let parsed = match serde_json::from_slice::<Object<RolloutLine>>(line) {
        Ok(parsed) => parsed,
        Err(_) => serde_json::from_str(&repair_json_text(line)).map_err(|_| Unreadable)?,
    };
    let Some(RolloutLine { timestamp, ordinal, r#type: Text(Some(kind)), payload: Object(Some(payload)) }) = parsed.0
    else {
        return Ok(None);
    };
    let at = timestamp.0.and_then(|at| at.parse().ok());
    Ok(Some(Parsed { kind, at, ordinal: ordinal.whole(), payload }))
}

/// Returns the id of the call of a command, if the event reports that it failed or that the person refused it.
fn failed_call(payload: &Payload) -> Option<String> {
    let item = payload.item.0.as_ref()?;
    let is_command = item.r#type.0.as_deref() == Some("CommandExecution");
    let has_failed = matches!(item.status.0.as_deref(), Some("failed" | "declined"));
    item.id.0.clone().filter(|_| is_command && has_failed)
}

/// Returns the text of a person's message, if the event reports one.
fn message(payload: Payload) -> Option<String> {
    match payload.r#type.0.as_deref()? {
        "user_message" => payload.message.0,
        "item_completed" => {
            let item = payload.item.0.filter(|item| item.r#type.0.as_deref() == Some("UserMessage"))?;
            text_of(item.content, |kind| match kind {
                "text" => Some(None),
                "image" | "local_image" => Some(Some("[image]")),
                _ => None,
            })
        }
        _ => None,
    }
}

/// Returns the texts of the parts of a message. `place` returns for the type of a part what stands for it: its text, or another text.
fn text_of(content: TextOrList<Part>, place: impl Fn(&str) -> Option<Option<&'static str>>) -> Option<String> {
    let parts = match content {
        TextOrList::Text(text) => return Some(text),
        TextOrList::List(parts) => parts,
        TextOrList::Neither => return None,
    };
    let text = |part: Part| match place(part.r#type.0.as_deref()?)? {
        Some(instead) => Some(instead.to_owned()),
        None => part.text.0,
    };
    Some(parts.into_iter().filter_map(text).collect::<Vec<_>>().join("\n"))
}

fn answered(at: Option<Timestamp>, payload: Payload) -> Option<TurnEvent> {
    let acts = match payload.r#type.0.as_deref()? {
        "message" if payload.role.0.as_deref() == Some("assistant") => {
            vec![AgentAct::Text(text_of(payload.content, |kind| (kind == "output_text").then_some(None))?)]
        }
        "function_call" => {
            let call = call(&payload.arguments);
            let patch = call.as_ref().and_then(|call| call.input.0.clone());
            let command = call.and_then(|call| call.cmd.0.or_else(|| call.command.line()));
            let mut acts = tool(payload.name.0?, command, patch);
            // The id follows the act with the command.
            acts.splice(1..1, payload.call_id.0.map(AgentAct::CallId));
            acts
        }
        "custom_tool_call" => tool(payload.name.0?, None, payload.input.0),
        "local_shell_call" => tool("local_shell".into(), payload.action.0.and_then(|call| call.command.line()), None),
        "web_search_call" => tool("web_search".into(), None, None),
        _ => return None,
    };
    Some(TurnEvent::Acted(at, acts))
}

/// Returns the use of a tool. A patch may be its input, or the input of its command, and may write several files.
fn tool(name: String, command: Option<String>, patch: Option<String>) -> Vec<AgentAct> {
    let files = patch.as_deref().or(command.as_deref()).map(written_files).unwrap_or_default();
    let command = command.filter(|command| !command.trim_start().starts_with("apply_patch"));
    let act = |file| AgentAct::Tool { name: name.clone(), file, command: None };
    let mut acts = vec![AgentAct::Tool { name: name.clone(), file: None, command }];
    acts.extend(files.into_iter().map(|file| act(Some(file))));
    acts
}

/// Parses the arguments of a tool, which are JSON in a text.
fn call(arguments: &Text) -> Option<Call> {
    serde_json::from_str::<Object<Call>>(arguments.0.as_deref()?).ok()?.0
}

fn named(text: Text) -> Option<String> {
    text.0.filter(|name| !name.trim().is_empty())
}

/// Returns the name of a person's message among the entries of the conversation.
fn entry_name(number: usize) -> String {
    format!("message-{number}")
}
