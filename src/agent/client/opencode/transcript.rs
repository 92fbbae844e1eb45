//! The transcript of a session of opencode that tars keeps: a file of JSON lines, which only grows.
//!
//! - `{"opencode":1,"session":ID,"directory":PATH}`: the first line. ID is the session's without `ses_`. With `"client":NAME` the session is of
//!   another client that hands its messages over.
//! - `{"id":ID,"from":"user","at":MS,"text":TEXT}`: a person's message; with `"command":true` a command of the client, and with
//!   `"branch":NAME` the branch that was checked out.
//! - `{"id":ID,"from":"assistant","at":MS,"model":NAME,"finish":WORD,"error":NAME,"acts":[…]}`: a step of the agent. An act is `{"text":TEXT}` or
//!   `{"tool":NAME,"file":PATH,"command":LINE}`, with `"failed":true` if the command failed.
//! - `{"removed":[ID,…]}`: messages that the person went back behind.
//!
//! Times are milliseconds since 1970. A message may be there twice; the first counts.

use std::collections::HashSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::client::{EntryLink, TranscriptReader, Unreadable};
use tars_base::domain::{AgentAct, TurnEnd, TurnEvent, UserRequest};

/// The beginning of such a file.
const BEGINNING: &[u8] = b"{\"opencode\":";
/// The name of the client whose transcripts name none.
pub(super) const OWN_NAME: &str = "opencode";
/// The name of the error of a turn that the person interrupted.
const INTERRUPTED: &str = "MessageAbortedError";

/// A line.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Line {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) opencode: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) client: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) directory: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) at: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) command: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) finish: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) acts: Vec<Act>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) removed: Vec<String>,
}

/// An act of the agent.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Act {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) command: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) failed: bool,
}

/// Returns the name of the client of a transcript that begins like this; `None` if tars has not kept it.
pub(in crate::client) fn client_of(beginning: &[u8]) -> Option<String> {
    let first = beginning.split(|byte| *byte == b'\n').next().filter(|line| line.starts_with(BEGINNING))?;
    let line: Line = serde_json::from_slice(first).ok()?;
    Some(line.client.unwrap_or_else(|| OWN_NAME.to_owned()))
}

/// Reads a kept transcript.
#[derive(Debug, Default)]
pub(in crate::client) struct OpenCodeTranscript {
    session: Option<String>,
    directory: Option<String>,
    /// The ids of the messages so far.
    known: HashSet<String>,
    /// The ids of those that the person has not gone back behind, in order.
    kept: Vec<String>,
}

impl TranscriptReader for OpenCodeTranscript {
    fn read(&mut self, line: &[u8]) -> Result<Vec<TurnEvent>, Unreadable> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Ok(Vec::new());
        }
        let line: Line = serde_json::from_slice(line).map_err(|_| Unreadable)?;
        if line.opencode.is_some() {
            self.session = line.session.filter(|session| !session.is_empty());
            self.directory = line.directory.filter(|directory| !directory.is_empty());
            return Ok(Vec::new());
        }
        let Some(id) = line.id.clone().filter(|id| !id.is_empty() && self.known.insert(id.clone())) else {
            return Ok(Vec::new());
        };
        Ok(match line.from.as_deref() {
            Some("user") => self.requested(id, line).into_iter().collect(),
            Some("assistant") => acted(&id, line),
            _ => Vec::new(),
        })
    }

    fn link(&mut self, line: &[u8]) -> Option<EntryLink> {
        let line: Line = serde_json::from_slice(line.trim_ascii()).ok()?;
        if !line.removed.is_empty() {
            let removed: HashSet<String> = line.removed.into_iter().collect();
            self.kept.retain(|id| !removed.contains(id));
            return Some(EntryLink { leaf: self.kept.last().cloned(), ..EntryLink::default() });
        }
        let id = line.id.filter(|id| !id.is_empty() && self.known.insert(id.clone()))?;
        Some(self.added(id))
    }
}

impl OpenCodeTranscript {
    /// Returns the place of a message: after the one that was last when it came.
    fn added(&mut self, id: String) -> EntryLink {
        let before = self.kept.last().cloned();
        self.kept.push(id.clone());
        EntryLink { id: Some(id), before, ..EntryLink::default() }
    }

    fn requested(&self, id: String, line: Line) -> Option<TurnEvent> {
        Some(TurnEvent::Requested(UserRequest {
            entry: Some(id.clone()),
            id,
            at: time(line.at),
            session: self.session.clone(),
            directory: self.directory.clone(),
            branch: line.branch,
            text: line.text?,
            is_abandoned: false,
            is_command: line.command,
        }))
    }
}

fn acted(id: &str, line: Line) -> Vec<TurnEvent> {
    let mut failed = Vec::new();
    let mut acts = Vec::new();
    for (at, one) in line.acts.into_iter().enumerate() {
        // The kept line has no id for a call.
        let call = one.failed.then(|| format!("{id}/{at}"));
        acts.extend(act(one).into_iter().chain(call.clone().map(AgentAct::CallId)));
        failed.extend(call);
    }
    if !acts.is_empty() {
        acts.splice(0..0, line.model.filter(|model| !model.is_empty()).map(AgentAct::Model));
    }
    // Every other reason is one to go on, such as a tool's result.
    if line.finish.as_deref() == Some("stop") {
        acts.push(AgentAct::Ended);
    }
    let mut events = Vec::new();
    if !acts.is_empty() {
        events.push(TurnEvent::Acted(time(line.at), acts));
    }
    if !failed.is_empty() {
        events.push(TurnEvent::CallsFailed(failed));
    }
    if let Some(error) = line.error {
        let end = if error == INTERRUPTED { TurnEnd::Interrupted } else { TurnEnd::Failed };
        events.push(TurnEvent::Ended(end));
    }
    events
}

fn act(act: Act) -> Option<AgentAct> {
    match act {
        Act { tool: Some(name), file, command, .. } => Some(AgentAct::Tool { name, file, command }),
        Act { text, .. } => text.map(AgentAct::Text),
    }
}

fn time(milliseconds: Option<i64>) -> Option<Timestamp> {
    Timestamp::from_millisecond(milliseconds?).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::client::opencode::{handed_lines, kept_line, session_line};

    /// Messages as opencode 1.18.33 gives them to a plugin: two turns and a compaction.
    const MESSAGES: &str = include_str!("../../../../tests/client/samples-opencode/messages.json");

    fn events(messages: &[Value]) -> Vec<TurnEvent> {
        let mut reader = OpenCodeTranscript::default();
        let mut lines = vec![session_line(OWN_NAME, "ddf2", "/home/anna/pump")];
        lines.extend(messages.iter().filter_map(kept_line).map(|line| line.json));
        assert!(lines[0].as_bytes().starts_with(BEGINNING));
        lines.iter().flat_map(|line| reader.read(line.as_bytes()).unwrap()).collect()
    }

    #[test]
    fn a_failed_command_is_marked() {
        let bash = |exit: i64, status: &str, command: &str| {
            let state = json!({"status": status, "metadata": {"exit": exit}, "input": {"command": command}});
            json!({"type": "tool", "tool": "bash", "state": state})
        };
        let parts = [bash(0, "completed", "make"), bash(2, "completed", "make test"), bash(0, "error", "make pump")];
        let found = events(&[json!({"info": {"id": "msg_1", "role": "assistant"}, "parts": parts})]);
        let [TurnEvent::Acted(_, acts), TurnEvent::CallsFailed(ids)] = &found[..] else { panic!("{found:?}") };
        assert_eq!(ids, &["msg_1/1", "msg_1/2"]);
        let before =
            |id: &String| acts.iter().position(|act| matches!(act, AgentAct::CallId(call) if call == id)).unwrap() - 1;
        let commands: Vec<_> = ids.iter().map(|id| &acts[before(id)]).collect();
        assert!(
            matches!(commands[..], [AgentAct::Tool { command: Some(one), .. }, AgentAct::Tool { command: Some(other), .. }]
                if one == "make test" && other == "make pump"),
            "{acts:?}"
        );
    }

    #[test]
    fn recorded_messages_become_turns() {
        let messages: Vec<Value> = serde_json::from_str(MESSAGES).unwrap();
        let found = events(&messages);
        let [TurnEvent::Requested(first), TurnEvent::Acted(_, tools), TurnEvent::Acted(at, said), rest @ ..] =
            &found[..]
        else {
            panic!("{found:?}")
        };
        assert_eq!((first.text.as_str(), first.session.as_deref()), ("Why does the pump stop at night?", Some("ddf2")));
        assert_eq!(
            (first.directory.as_deref(), first.at),
            (Some("/home/anna/pump"), "2026-11-28T06:21:37.824Z".parse().ok())
        );
        let command = Some("make pump".to_owned());
        assert!(
            matches!(&tools[..], [AgentAct::Model(_), AgentAct::Text(_), AgentAct::Tool { name, command: run, .. }] if name == "bash" && *run == command)
        );
        assert!(
            matches!(&said[..], [AgentAct::Model(_), AgentAct::Text(text), AgentAct::Ended] if text == "Decided: the timer counts minutes.")
        );
        assert_eq!(*at, "2026-11-28T06:22:10.190Z".parse().ok());
        // The compaction and its summary are no turn.
        assert!(
            matches!(rest, [TurnEvent::Requested(second), TurnEvent::Acted(..)] if second.text == "Which tests run?"),
            "{rest:?}"
        );
        let repeated: Vec<Value> = messages.iter().chain(&messages).cloned().collect();
        assert_eq!(events(&repeated).len(), found.len());
    }

    #[test]
    fn only_a_persons_words_are_a_request() {
        let message = |role: &str, parts: Value| json!({"info": {"id": "m1", "role": role, "time": {"created": 5}}, "parts": parts});
        let parts = json!([{"type": "text", "text": "Look at this"}, {"type": "text", "text": "a file", "synthetic": true},
            {"type": "file", "mime": "image/png", "url": "data:…"}, {"type": "text", "text": "hidden", "ignored": true}]);
        let line = kept_line(&message("user", parts)).unwrap();
        assert_eq!(line.json, r#"{"id":"m1","from":"user","at":5,"text":"Look at this\n[image]"}"#);
        assert!(line.on_branch(Some("fix")).json.ends_with(r#""branch":"fix"}"#));
        let synthetic = json!([{"type": "text", "text": "Continue if you have next steps", "synthetic": true}]);
        for nothing in [
            message("user", synthetic),
            message("system", json!([])),
            message("assistant", json!([])),
            json!(7),
            json!({"info": {}}),
        ] {
            assert_eq!(kept_line(&nothing), None, "{nothing}");
        }
        let mut command = message("user", json!([{"type": "text", "text": "A long template"}]));
        command["info"]["command"] = "/review 12".into();
        let line = kept_line(&command).unwrap().json;
        assert!(
            line.contains("/review 12") && line.contains("\"command\":true") && !line.contains("template"),
            "{line}"
        );
    }

    #[test]
    fn tools_name_their_files_and_secrets_are_left_out() {
        let tool = |name: &str, input: Value| json!({"type": "tool", "tool": name, "state": {"input": input, "output": "long"}});
        let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-a\n+b\n*** Add File: src/b.rs\n+x\n*** End Patch";
        let parts = json!([
            tool("write", json!({"filePath": "/p/a.txt", "content": "x"})), tool("read", json!({"filePath": "/p/b.txt"})),
            tool("apply_patch", json!({"patchText": patch})), tool("bash", json!({"command": "export KEY=ghp_x7Kq2LmZt9Wv4Rb8Yc1Nd6Hf3Jg5Sa0PeUiO"})),
            {"type": "reasoning", "text": "hm"}, 5]);
        let info = json!({"id": "m2", "role": "assistant", "time": {"created": 5, "completed": 6}, "error": {"name": "MessageAbortedError"}});
        let line = kept_line(&json!({"info": info, "parts": parts})).unwrap().json;
        assert!(
            !line.contains("ghp_x7Kq2LmZt9Wv4Rb8Yc1Nd6Hf3Jg5Sa0PeUiO")
                && !line.contains("b.txt")
                && !line.contains("long"),
            "{line}"
        );
        let read = OpenCodeTranscript::default().read(line.as_bytes()).unwrap();
        let [TurnEvent::Acted(_, acts), TurnEvent::Ended(TurnEnd::Interrupted)] = &read[..] else { panic!("{read:?}") };
        let files: Vec<&str> = acts
            .iter()
            .filter_map(|act| if let AgentAct::Tool { file, .. } = act { file.as_deref() } else { None })
            .collect();
        assert_eq!(files, ["/p/a.txt", "src/a.rs", "src/b.rs"]);
    }

    #[test]
    fn a_message_after_a_step_back_follows_the_one_before_it() {
        let lines = handed_lines(&json!({"removed": ["m2", 7, "m3"], "messages": "none"}));
        assert_eq!(lines.iter().map(|line| line.json.as_str()).collect::<Vec<_>>(), [r#"{"removed":["m2","m3"]}"#]);
        let mut reader = OpenCodeTranscript::default();
        let mut link = |line: &str| reader.link(line.as_bytes());
        for id in ["m1", "m2", "m3", "m3"] {
            link(&format!(r#"{{"id":"{id}"}}"#));
        }
        assert_eq!(link(&lines[0].json).unwrap().leaf.as_deref(), Some("m1"));
        assert_eq!(link(r#"{"id":"m4"}"#).unwrap().before.as_deref(), Some("m1"));
        assert_eq!((link(r#"{"removed":7}"#), link(r#"{"opencode":1}"#)), (None, None));
        assert!(handed_lines(&json!({"messages": [], "removed": []})).is_empty());
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_parsed(line in r#"([{}\[\]":,]|opencode|id|from|user|acts|text|tool|removed|é|1){0,30}"#) {
            let _ = OpenCodeTranscript::default().read(line.as_bytes());
            OpenCodeTranscript::default().link(line.as_bytes());
        }

        #[test]
        fn any_message_is_shortened(text in "\\PC{0,40}", other in r#"(null|true|-1e9|\[1\]|\{\}|"x\\u0000")"#, at in 0..5usize) {
            let field = ["id", "role", "time", "finish", "error"][at];
            let message = format!(
                r#"{{"info":{{"id":"a","role":"assistant","{field}":{other}}},"parts":[{{"type":"text","text":{}}},{other}]}}"#,
                Value::from(text)
            );
            if let Some(line) = kept_line(&serde_json::from_str(&message).unwrap()) {
                proptest::prop_assert!(!line.json.contains(['\n', '\0']));
                OpenCodeTranscript::default().read(line.json.as_bytes()).unwrap();
            }
        }
    }
}
