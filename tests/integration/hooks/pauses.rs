//! Paused sessions.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::notes::transcript;
use super::{Plugin, event};
use crate::harness::{TarsCommand, eventually};

const QUESTION: &str = "how long does sourdough rest in the refrigerator before baking";

/// The turns of a session, which begin at minutes 0 to 3: one before the pause, two in it, one after it.
const TURNS: [(&str, &str, &str); 4] = [
    (
        "p1",
        "why does the upload stop",
        "The root cause was the timer, which overflowed because it is no 64 bit counter.",
    ),
    ("p2", "and the letter to the notary", "I decided to offer him the vineyard."),
    ("p3", "what shall we say of the vineyard", "I decided that we do not sell the vineyard."),
    ("p4", "why is the download slow", "The root cause was the cache, which was cold because nothing warms it."),
];

impl Plugin {
    /// Runs a command as the client's agent would in the session, at `minute` of the hour of the transcript's turns.
    fn in_session(&self, session: &str, minute: usize, arguments: &[&str]) -> TarsCommand {
        let command = self.at(minute, self.vault.tars(arguments.iter().copied()));
        command.env("CLAUDE_PID", std::process::id().to_string()).env("CLAUDE_CODE_SESSION_ID", session)
    }

    fn at(&self, minute: usize, command: TarsCommand) -> TarsCommand {
        command.env("TARS_TEST_CLOCK", format!("2026-03-15T10:{minute:02}:30Z[UTC]"))
    }

    /// Runs a hook of the session at a minute, and returns its output.
    fn hook_at(&self, minute: usize, name: &str, input: &Value) -> String {
        let hook = self.at(minute, self.hook("dash", name, input, &self.path()));
        hook.run().success().quiet().stdout().to_owned()
    }

    /// Writes the session's first turns and runs the hook of the last of them.
    fn turn(&self, session: &str, count: usize) -> PathBuf {
        let path = self.vault.home().join(format!("{session}.jsonl"));
        fs::write(&path, transcript(&TURNS[..count]).replace("\"s-1\"", &format!("\"{session}\""))).unwrap();
        let (id, _, answer) = TURNS[count - 1];
        let stop =
            json!({"session_id": session, "transcript_path": path, "prompt_id": id, "last_assistant_message": answer});
        assert_eq!(self.hook_at(count - 1, "stop", &event("Stop", stop)), "");
        path
    }

    fn ask_at(&self, minute: usize, session: &str) -> String {
        self.hook_at(
            minute,
            "user-prompt-submit",
            &event("UserPromptSubmit", json!({"prompt": QUESTION, "session_id": session})),
        )
    }

    fn is_settled(&self) -> bool {
        let spool = self.vault.data().join("spool");
        let mut waiting = fs::read_dir(spool).into_iter().flatten().map(|entry| entry.unwrap().file_name());
        !waiting.any(|name| name.to_string_lossy().ends_with(".json"))
    }

    fn settle(&self) {
        eventually("the notes are made", || self.is_settled());
    }

    fn logs(&self) -> String {
        let entries = fs::read_dir(self.vault.path("tars/sessions")).into_iter().flatten();
        entries.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect()
    }
}

fn session_event(kind: &str, session: &str, path: &Path, more: Value) -> Value {
    let mut told = json!({"session_id": session, "transcript_path": path});
    told.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    event(kind, told)
}

#[test]
fn a_paused_session_shows_and_notes_nothing_then_or_later() {
    let plugin = Plugin::new();
    plugin.turn("s-1", 1);
    plugin.settle();
    let said = plugin.in_session("s-1", 0, &["pause"]).run().success();
    assert!(said.stdout().starts_with("paused in this session\n"), "{said}");
    for count in 2..=3 {
        let path = plugin.turn("s-1", count);
        let helper = session_event("SubagentStart", "s-1", &path, json!({"agent_type": "x"}));
        assert_eq!(plugin.hook_at(count - 1, "subagent-start", &helper), "");
        let summary = json!({"compact_summary": "They will not sell the vineyard."});
        assert_eq!(plugin.hook_at(count - 1, "post-compact", &session_event("PostCompact", "s-1", &path, summary)), "");
        assert!(plugin.is_settled(), "nothing is spooled");
        assert_eq!(plugin.ask_at(count - 1, "s-1"), "");
    }
    let said = plugin.in_session("s-1", 2, &["resume"]).run().success();
    assert_eq!(said.stdout(), "resumed in this session\n");
    assert!(plugin.ask_at(2, "s-1").contains("Sourdough"), "it was not shown during the pause");
    let path = plugin.turn("s-1", 4);
    plugin.settle();
    let summary = json!({"compact_summary": "They will not sell the vineyard. The cache is warmed."});
    plugin.hook_at(4, "post-compact", &session_event("PostCompact", "s-1", &path, summary));
    plugin.hook_at(5, "session-end", &session_event("SessionEnd", "s-1", &path, json!({"reason": "other"})));
    plugin.settle();
    let written = plugin.day() + &plugin.logs();
    assert!(written.contains("64 bit counter") && written.contains("nothing warms it"), "{written}");
    assert!(!written.contains("vineyard") && !written.contains("notary"), "{written}");
}

#[test]
fn a_session_that_ends_paused_keeps_its_earlier_log() {
    let plugin = Plugin::new();
    plugin.turn("s-1", 1);
    plugin.settle();
    plugin.in_session("s-1", 0, &["pause"]).run().success();
    let path = plugin.turn("s-1", 3);
    plugin.hook_at(3, "session-end", &session_event("SessionEnd", "s-1", &path, json!({"reason": "other"})));
    plugin.settle();
    let log = plugin.logs();
    assert!(log.contains("why does the upload stop") && !log.contains("vineyard") && !log.contains("notary"), "{log}");
}

#[test]
fn a_killed_session_is_noted_without_its_pause() {
    let plugin = Plugin::new();
    let mut client = std::process::Command::new("sleep").arg("600").spawn().unwrap();
    let path = plugin.vault.home().join("s-1.jsonl");
    fs::write(&path, transcript(&TURNS[..1])).unwrap();
    let start = session_event("SessionStart", "s-1", &path, json!({"source": "startup"}));
    let hook = plugin.at(0, plugin.hook("dash", "session-start", &start, &plugin.path()));
    hook.env("CLAUDE_PID", client.id().to_string()).run().success().quiet();
    plugin.in_session("s-1", 0, &["pause"]).run().success();
    fs::write(&path, transcript(&TURNS[..3])).unwrap();
    client.kill().unwrap();
    client.wait().unwrap();
    plugin.start("startup");
    eventually("it is caught up", || plugin.day().contains("64 bit counter"));
    plugin.settle();
    let written = plugin.day() + &plugin.logs();
    assert!(!written.contains("vineyard") && !written.contains("notary"), "{written}");
    plugin.vault.tars(["import", "claude-code", path.to_str().unwrap()]).run();
    assert!(!plugin.logs().contains("vineyard"));
}

#[test]
fn a_pause_ends_when_its_time_is_over() {
    let plugin = Plugin::new();
    let said = plugin.in_session("s-1", 0, &["pause", "--for", "10m", "--json"]).run().success().json();
    assert_eq!((&said["session"], &said["until"]), (&json!("s-1"), &json!("2026-03-15T10:10:30Z")));
    let status = |minute: usize| plugin.in_session("s-1", minute, &["status"]).run().success().stdout().to_owned();
    assert!(status(9).contains("\npaused       in this session until 10:10 (tars resume)\n"), "{}", status(9));
    assert_eq!(plugin.ask_at(9, "s-1"), "");
    assert!(!status(11).contains("paused"), "{}", status(11));
    assert!(plugin.ask_at(11, "s-1").contains("Sourdough"));
    for wrong in ["0s", "-1h", "soon", "9999999999999h"] {
        plugin.in_session("s-1", 0, &["pause", &format!("--for={wrong}")]).run().code(2);
    }
}

#[test]
fn a_pause_covers_one_session_only() {
    let plugin = Plugin::new();
    let hostile = "../../$(touch x)\u{1b}[31m";
    plugin.in_session(hostile, 0, &["pause"]).run().success();
    assert_eq!(plugin.ask_at(1, hostile), "");
    assert!(plugin.ask_at(1, "s-2").contains("Sourdough"));
    let status = plugin.in_session("s-2", 1, &["status"]).run().success();
    assert!(
        !status.stdout().contains('\u{1b}') && status.stdout().contains("paused       in the session ../../$("),
        "{status}"
    );
    plugin.at(1, plugin.vault.tars(["resume", "--session", "../.."])).run().success();
    assert!(plugin.ask_at(2, hostile).contains("Sourdough"));
    let doctor = plugin.vault.tars(["doctor", "--json"]).run();
    assert!(!doctor.stdout().contains("paused"), "{doctor}");
}

#[test]
fn a_pause_outside_of_a_client_covers_all_sessions_and_new_ones() {
    let plugin = Plugin::new();
    let said = plugin.at(0, plugin.vault.tars(["pause"])).run().success();
    assert!(said.stdout().starts_with("paused in all sessions\n"), "{said}");
    plugin.in_session("s-1", 0, &["pause"]).run().success();
    assert_eq!(plugin.ask_at(1, "s-2"), "");
    for source in ["startup", "compact"] {
        let begun = event("SessionStart", json!({"source": source, "session_id": "s-2"}));
        let told: Value = serde_json::from_str(&plugin.hook_at(1, "session-start", &begun)).unwrap();
        let said = "tars is paused in all sessions: it shows and notes nothing; `tars resume --all` ends that";
        assert_eq!(told, json!({ "systemMessage": said }));
    }
    let line = plugin.in_session("s-2", 1, &["status", "--line"]).stdin(r#"{"session_id":"s-2"}"#).run().success();
    assert_eq!(line.stdout(), "tars paused in all sessions\n");
    // Within a session, the command pauses that session.
    let said = plugin.in_session("s-1", 1, &["resume"]).run().success();
    assert_eq!(said.stdout(), "resumed in this session\nstill paused in all sessions: tars resume --all ends that\n");
    plugin.at(1, plugin.vault.tars(["resume", "--all"])).run().success();
    assert!(plugin.ask_at(2, "s-2").contains("Sourdough"));
    // The variables of a client that has ended name no session.
    let gone = plugin.in_session("s-1", 2, &["pause"]).env("CLAUDE_PID", "4194300").run().success();
    assert!(gone.stdout().starts_with("paused in all sessions"), "{gone}");
}

#[test]
fn a_session_with_an_unreadable_pause_state_is_left_alone() {
    let plugin = Plugin::new();
    plugin.at(0, plugin.vault.tars(["pause"])).run().success();
    fs::write(plugin.vault.data().join("paused/all.json"), "{").unwrap();
    let told: Value = serde_json::from_str(&plugin.ask_at(1, "s-1")).unwrap();
    assert!(told["systemMessage"].as_str().unwrap().contains("remove the file to resume"), "{told}");
    assert!(told.get("hookSpecificOutput").is_none());
    assert_eq!(plugin.ask_at(1, "s-1"), "", "it is reported only once");
    let log = fs::read_to_string(plugin.vault.data().join("hook.log")).unwrap();
    assert!(log.contains("it is not known whether tars is paused"), "{log}");
    plugin.at(1, plugin.vault.tars(["status"])).run().code(2);
    let line = plugin.vault.tars(["status", "--line"]).stdin("{}").run().success();
    assert_eq!(line.stdout(), "tars does not work: tars status says why\n");
}

#[test]
fn commands_of_the_plugin_leave_no_note() {
    let plugin = Plugin::new();
    let command = "<command-message>tars:forget</command-message>\n<command-name>/tars:forget</command-name>\n\
                   <command-args>vineyard</command-args>";
    let turns = [TURNS[0], ("p2", command, "I decided to remove the line of the vineyard.")];
    let path = plugin.vault.home().join("s-1.jsonl");
    fs::write(&path, transcript(&turns)).unwrap();
    let stop = json!({"prompt_id": "p2", "last_assistant_message": turns[1].2});
    plugin.hook_at(1, "stop", &session_event("Stop", "s-1", &path, stop));
    plugin.hook_at(2, "session-end", &session_event("SessionEnd", "s-1", &path, json!({"reason": "other"})));
    plugin.settle();
    let written = plugin.day() + &plugin.logs();
    assert!(written.contains("64 bit counter") && !written.contains("vineyard"), "{written}");
}

#[test]
fn the_status_line_reports_shown_lines_and_problems() {
    let plugin = Plugin::new();
    let line = |session: &str| {
        let input = json!({"session_id": session, "cwd": "/", "model": {"id": "m"}}).to_string();
        let said = plugin.vault.tars(["status", "--line"]).stdin(input).run().success().quiet();
        said.stdout().trim_end().to_owned()
    };
    assert_eq!(line("s-1"), "tars");
    plugin.ask_at(1, "s-1");
    assert_eq!(line("s-1"), "tars · 1 line shown");
    let spool = plugin.vault.data().join("spool");
    fs::create_dir_all(&spool).unwrap();
    fs::write(spool.join("1-1.given-up"), "").unwrap();
    assert_eq!(line("s-2"), "tars · 1 turn not noted (tars status)");
    let status = plugin.vault.tars(["status"]).run().success();
    assert!(status.stdout().contains("\nturns        1 given up, see hook.log\n"), "{status}");
    for input in ["", "{", "[]", "\u{0}"] {
        let said = plugin.vault.tars(["status", "--line"]).stdin(input).run().success().quiet();
        assert_eq!(said.stdout().lines().count(), 1);
    }
    let off = plugin.vault.tars(["status", "--line"]).stdin("{}").env("TARS_DISABLE", "1").run().success();
    assert_eq!(off.stdout(), "tars off\n");
}
