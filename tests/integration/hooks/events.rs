//! Events of sessions that fail, are summarized or start subagents.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Plugin, event, find};
use crate::harness::{TarsCommand, eventually};

/// Returns a line of a transcript with the fields that every line has.
fn line(minute: usize, more: Value) -> String {
    let at = format!("2026-03-15T10:{minute:02}:00.000Z");
    let mut line = json!({"sessionId": "s-1", "cwd": "/nowhere/photo-service", "timestamp": at});
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    format!("{line}\n")
}

fn asked(minute: usize, id: &str, text: &str) -> String {
    line(
        minute,
        json!({"type": "user", "uuid": format!("u-{id}"), "promptId": id, "message": {"role": "user", "content": text}}),
    )
}

fn answered(minute: usize, text: &str) -> String {
    let looked = json!({"type": "tool_use", "id": "t", "name": "Read", "input": {"file_path": "timer.rs"}});
    let content = json!([looked, {"type": "text", "text": text}]);
    line(minute, json!({"type": "assistant", "message": {"role": "assistant", "content": content}}))
}

impl Plugin {
    /// Writes the transcript of the session `s-1`; returns its path.
    fn transcript(&self, lines: &str) -> PathBuf {
        let path = self.vault.home().join("s-1.jsonl");
        fs::write(&path, lines).unwrap();
        path
    }

    pub(super) fn log(&self) -> String {
        let folder = self.vault.path("tars/sessions");
        let logs = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
        logs.map(|path| fs::read_to_string(path).unwrap()).collect()
    }
}

fn of(path: &Path, name: &str, more: Value) -> Value {
    let mut event = event(name, json!({"session_id": "s-1", "transcript_path": path}));
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    event
}

#[test]
fn a_turn_that_failed_on_the_server_is_unfinished_and_no_decision() {
    let plugin = Plugin::new();
    let question = asked(0, "p1", "why does the upload stop after ten minutes");
    let path = plugin.transcript(
        &(question + &answered(1, "The root cause was the timer, which overflowed because it is no 64 bit counter.")),
    );
    let said = json!({"prompt_id": "p1", "error": "unknown", "last_assistant_message": "API Error: 529 overloaded"});
    plugin.noted("stop-failure", &of(&path, "StopFailure", said));
    let day = plugin.day();
    assert!(day.contains("Unfinished: why does the upload stop") && day.contains("the model's server failed"), "{day}");
    assert!(!day.contains("64 bit") && !day.contains("API Error"), "{day}");
}

#[test]
fn the_clients_summary_stays_in_every_later_log_of_the_session() {
    let plugin = Plugin::new();
    let first =
        asked(0, "p1", "why does the upload stop") + &answered(1, "The root cause was the timer, which overflowed.");
    let path = plugin.transcript(&first);
    plugin.noted("pre-compact", &of(&path, "PreCompact", json!({"trigger": "manual"})));
    assert!(!plugin.log().contains("## Summary"));
    let summary = "<analysis>Think.</analysis>\n<summary>The upload stopped since the key ghp_x7Kq2LmZt9Wv4Rb8Yc1Nd6Hf3Jg5Sa0PeUiO \
                   and the timer overflowed.</summary>";
    plugin.noted("post-compact", &of(&path, "PostCompact", json!({"compact_summary": summary})));
    let log = plugin.log();
    assert!(log.contains("## Summary") && log.contains("and the timer overflowed") && !log.contains("ghp_x7"), "{log}");
    assert!(!log.contains("Think."), "{log}");
    let second = asked(5, "p2", "why does the download stop")
        + &answered(6, "The root cause was another timer, which overflowed because it has 32 bits.");
    plugin.transcript(&(first + &second));
    plugin.noted("session-end", &of(&path, "SessionEnd", json!({"reason": "other"})));
    let log = plugin.log();
    assert!(log.contains("and the timer overflowed") && log.contains("ended: \"2026-03-15T10:06"), "{log}");
}

#[test]
fn a_subagent_gets_context_for_the_current_request() {
    let plugin = Plugin::new();
    let question = "how long does sourdough rest in the refrigerator before baking";
    let path = plugin.transcript(&asked(0, "p1", question));
    assert!(plugin.prompt(question).contains("Sourdough rests overnight"));
    let started = of(&path, "SubagentStart", json!({"agent_id": "a1", "agent_type": "general-purpose"}));
    let given = plugin.context("subagent-start", &started);
    assert!(
        given.contains("Sourdough rests overnight"),
        "the subagent has not seen what its session was shown: {given}"
    );
    assert!(!given.contains("port 2283"), "a subagent does not get the memory itself: {given}");
    let path = plugin.transcript(&asked(0, "p1", "refactor the tokenizer into smaller functions"));
    assert_eq!(plugin.context("subagent-start", &of(&path, "SubagentStart", json!({}))), "");
    let nowhere = of(Path::new("/nowhere/x.jsonl"), "SubagentStart", json!({}));
    assert_eq!(plugin.context("subagent-start", &nowhere), "");
}

#[test]
fn a_subagent_gets_context_for_its_own_task() {
    let plugin = Plugin::new();
    plugin.vault.write("Roses.md", "# Roses\n\nRoses are pruned in March, above an outward bud.\n");
    plugin.vault.index();
    let helper = |kind: &str, prompt: &str| {
        let input = json!({"description": "x", "prompt": prompt, "subagent_type": kind});
        let message = json!({"id": "m1", "role": "assistant", "stop_reason": "tool_use",
                             "content": [{"type": "tool_use", "id": "t", "name": "Agent", "input": input}]});
        line(1, json!({"type": "assistant", "message": message}))
    };
    let question = asked(0, "p1", "how long does sourdough rest in the refrigerator before baking");
    let roses = helper("gardener", "When are roses pruned, and above which bud?");
    let path =
        plugin.transcript(&(question.clone() + &roses + &helper("reader", "Which tables does the schema have?")));
    let given = |kind: &str| plugin.context("subagent-start", &of(&path, "SubagentStart", json!({"agent_type": kind})));
    assert!(given("gardener").contains("pruned in March") && !given("gardener").contains("Sourdough"));
    assert_eq!(given("reader"), "");
    plugin.transcript(&(question + &roses + &asked(5, "p2", "how long does sourdough rest in the refrigerator")));
    assert!(given("gardener").contains("Sourdough rests"), "the task belonged to an earlier request");
}

#[test]
fn the_next_session_start_notes_a_session_whose_client_was_killed() {
    let plugin = Plugin::new();
    let first = asked(0, "p1", "why does the upload stop")
        + &answered(1, "The root cause was the timer, which overflowed at midnight.");
    let path = plugin.transcript(&first);
    let client = TarsCommand::of_program(&find("sleep"), plugin.vault.home()).arg("600").start();
    let begin = of(&path, "SessionStart", json!({"source": "startup"}));
    let hook = plugin.hook("dash", "session-start", &begin, &plugin.path());
    hook.env("CLAUDE_PID", client.id().to_string()).run().success();
    let cut_off = asked(2, "p2", "and why does the download stop")
        + &answered(3, "The root cause was the timer, which overflowed because it is no 64 bit counter.");
    plugin.transcript(&(first + &cut_off));
    // One session begins while the client runs, and another after its end.
    plugin.start("startup");
    assert_eq!(plugin.log(), "");
    client.kill();
    plugin.start("startup");
    eventually("the log is written", || !plugin.log().is_empty());
    let day = plugin.day();
    assert!(day.contains("The root cause was the timer, which overflowed at midnight"), "{day}");
    assert!(day.contains("Unfinished: and why does the download stop") && !day.contains("64 bit"), "{day}");
}

#[test]
fn an_answer_cut_off_by_the_clients_end_is_no_decision_after_a_resume() {
    let plugin = Plugin::new();
    let cut_off = asked(0, "p1", "why does the upload stop")
        + &answered(1, "The root cause was the timer, which overflowed because it is no 64 bit counter.");
    let path = plugin.transcript(&cut_off);
    plugin.noted("session-end", &of(&path, "SessionEnd", json!({"reason": "other"})));
    assert!(plugin.day().contains("Unfinished: why does the upload stop"), "{}", plugin.day());
    plugin.transcript(
        &(cut_off
            + &asked(5, "p2", "why does the download stop")
            + &answered(6, "The root cause was another timer, which overflowed because it has 32 bits.")),
    );
    plugin.noted("stop", &of(&path, "Stop", json!({"prompt_id": "p2"})));
    plugin.noted("session-end", &of(&path, "SessionEnd", json!({"reason": "other"})));
    let day = plugin.day();
    assert!(
        day.contains("another timer") && !day.contains("Unfinished: why does the download"),
        "a hook told of its end: {day}"
    );
    assert!(day.contains("Unfinished: why does the upload stop") && !day.contains("64 bit"), "{day}");
}

#[test]
fn an_answer_that_ended_in_the_transcript_counts_without_a_stop_hook() {
    let plugin = Plugin::new();
    let message = json!({"role": "assistant", "stop_reason": "end_turn",
                         "content": [{"type": "tool_use", "id": "t", "name": "Read", "input": {}}, {"type": "text", "text": "The root cause was the timer, which overflowed because it is no 64 bit counter."}]});
    let ended = line(1, json!({"type": "assistant", "message": message}));
    let path = plugin.transcript(&(asked(0, "p1", "why does the upload stop") + &ended));
    plugin.noted("session-end", &of(&path, "SessionEnd", json!({"reason": "other"})));
    let day = plugin.day();
    assert!(day.contains("Found: ") && !day.contains("Unfinished"), "{day}");
}

#[test]
fn a_killed_session_is_noted_when_it_resumes() {
    let plugin = Plugin::new();
    let first = asked(0, "p1", "why does the upload stop")
        + &answered(1, "The root cause was the timer, which overflowed because it is no 64 bit counter.");
    let path = plugin.transcript(&first);
    let client = TarsCommand::of_program(&find("sleep"), plugin.vault.home()).arg("600").start();
    let begin = of(&path, "SessionStart", json!({"source": "startup"}));
    let hook = plugin.hook("dash", "session-start", &begin, &plugin.path());
    hook.env("CLAUDE_PID", client.id().to_string()).run().success();
    client.kill();
    plugin.run("session-start", &of(&path, "SessionStart", json!({"source": "resume"}))).success();
    eventually("the turn is noted", || plugin.day().contains("Unfinished: why does the upload stop"));
    plugin.transcript(
        &(first
            + &asked(5, "p2", "why does the download stop")
            + &answered(6, "The root cause was another timer, which overflowed because it has 32 bits.")),
    );
    plugin.noted("stop", &of(&path, "Stop", json!({"prompt_id": "p2"})));
    let day = plugin.day();
    assert!(day.contains("another timer") && !day.contains("64 bit"), "{day}");
}

#[test]
fn a_fork_does_not_repeat_the_turns_of_the_other_session() {
    let plugin = Plugin::new();
    // As the client copies them: with the id of the fork's own prompt, and the original time.
    let copied = asked(0, "p9", "why does the upload stop")
        + &answered(1, "The root cause was the timer, which overflowed at midnight.");
    let path = plugin.transcript(&copied);
    plugin.context("session-start", &of(&path, "SessionStart", json!({"source": "fork"})));
    let later = |text: String| text.replace("2026-03-15T", "2099-03-15T");
    let own = later(
        asked(5, "p9", "and the download")
            + &answered(6, "The root cause was another timer, which overflowed because it has 32 bits."),
    );
    plugin.transcript(&(copied + &own));
    plugin.noted("stop", &of(&path, "Stop", json!({"prompt_id": "p9"})));
    plugin.noted("session-end", &of(&path, "SessionEnd", json!({"reason": "other"})));
    let log = plugin.log();
    assert!(log.contains("# and the download") && !log.contains("upload"), "{log}");
    assert_eq!(plugin.day(), "");
}
