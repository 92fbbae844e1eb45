//! Tests with whole transcripts.

mod codex;

use std::fmt::Write as _;

use super::*;

/// A transcript of three turns as the client writes it, with the other lines of such a file.
const SESSION: &str = include_str!("tests/session.jsonl");

struct Fixture(tempfile::TempDir);

impl Fixture {
    fn new(text: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("named-after-file.jsonl"), text).unwrap();
        Self(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("named-after-file.jsonl")
    }

    fn turns(&self) -> (Vec<Turn>, usize) {
        let mut found = Vec::new();
        let unread = turns(&self.path(), &mut |turn| {
            found.push(turn);
            ControlFlow::Continue(())
        });
        (found, unread.unwrap())
    }

    fn last(&self) -> Option<Turn> {
        last_turn(&self.path()).unwrap()
    }
}

fn asked(id: &str, text: &str) -> String {
    format!(r#"{{"type":"user","uuid":"{id}","message":{{"role":"user","content":{}}}}}"#, serde_json::json!(text))
}

fn answered(text: &str) -> String {
    let content = serde_json::json!([{"type": "text", "text": text}]);
    format!(r#"{{"type":"assistant","message":{{"role":"assistant","content":{content}}}}}"#)
}

#[test]
fn a_session_is_split_into_turns() {
    let fixture = Fixture::new(SESSION);
    let (turns, unread) = fixture.turns();
    assert_eq!(unread, 1);
    let requests: Vec<&str> = turns.iter().map(|turn| turn.request.as_str()).collect();
    assert_eq!(requests, ["Why does the pump stop at night?", "/review 12", "Note it.\n\nAlso in the log, please."]);
    let first = &turns[0];
    assert_eq!((first.session.as_str(), first.id.as_str()), ("5e55", "p-1"));
    assert_eq!(first.at, "2026-03-15T09:20:05.100Z".parse().ok());
    assert_eq!(first.ended, "2026-03-15T09:21:40Z".parse().ok());
    assert_eq!((first.directory.as_deref(), first.branch.as_deref()), (Some("/home/anna/pump"), Some("main")));
    assert_eq!(first.tools, ["Bash", "Edit", "NotebookEdit"]);
    assert_eq!(first.files, ["/home/anna/pump/src/timer.rs", "/home/anna/pump/a.ipynb"]);
    assert_eq!(first.commands, ["cargo test timer"]);
    assert_eq!(first.answer, "Looking at the timer.\n\nThe timer overflowed at midnight.\n\nIt counts minutes now.");
    assert_eq!(first.closing, "The timer overflowed at midnight.\n\nIt counts minutes now.");
    assert_eq!(turns[1].branch, None);
    assert_eq!(fixture.last().map(without_reading), turns.last().cloned().map(without_reading));
}

/// The last turn alone does not show what the agent had read before.
fn without_reading(turn: Turn) -> Turn {
    Turn { reading: Reading::Local, ..turn }
}

#[test]
fn last_turn_agrees_with_a_full_read_at_every_cut() {
    let lines: Vec<&str> = SESSION.lines().collect();
    for end in 0..=lines.len() {
        let fixture = Fixture::new(lines[..end].join("\n"));
        let whole = fixture.turns().0.pop().map(without_reading);
        assert_eq!(fixture.last().map(without_reading), whole, "the first {end} lines");
    }
}

fn notified(id: &str) -> String {
    let text = "<task-notification>\n<task-id>b8hy</task-id>\n<summary>completed (exit code 1)</summary>\n</task-notification>";
    let origin = serde_json::json!({"kind": "task-notification", "producer": "session-task"});
    serde_json::json!({"type": "user", "uuid": format!("u-{id}"), "promptId": id, "origin": origin,
                       "message": {"role": "user", "content": text}})
    .to_string()
}

#[test]
fn a_background_notification_is_no_request_and_keeps_the_earlier_closing() {
    let used =
        r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"make"}}]}}"#;
    let lines = [
        asked("a", "Build it in the background"),
        answered("One moment."),
        used.into(),
        answered("The build runs now."),
        notified("n-1"),
        answered("Let me look."),
        used.into(),
        answered("It failed: the linker is missing."),
        notified("n-2"),
    ];
    let fixture = Fixture::new(lines.join("\n"));
    let (turns, _) = fixture.turns();
    assert_eq!((turns.len(), turns[0].request.as_str()), (1, "Build it in the background"));
    assert_eq!(turns[0].closing, "The build runs now.\n\nIt failed: the linker is missing.");
    assert!(turns[0].has_id("a") && turns[0].has_id("n-1") && turns[0].has_id("n-2"));
    assert_eq!(fixture.last().as_ref(), turns.last());
}

/// In a fork, all copied requests have the id of the fork's own first request.
#[test]
fn requests_with_one_id_are_separate_turns_after_an_answer() {
    let copied = |uuid: &str, text: &str| asked(uuid, text).replacen("{", r#"{"promptId":"p","#, 1);
    let lines =
        [copied("a", "First"), answered("One."), copied("b", "Second"), copied("c", "and more"), answered("Two.")];
    let fixture = Fixture::new(lines.join("\n"));
    let (turns, _) = fixture.turns();
    assert_eq!(turns.iter().map(|turn| turn.request.as_str()).collect::<Vec<_>>(), ["First", "Second\n\nand more"]);
    assert_eq!(fixture.last().as_ref(), turns.last());
}

#[test]
fn windows_line_ends_and_a_torn_last_line_are_accepted() {
    let (turns, unread) = Fixture::new(SESSION.replace('\n', "\r\n")).turns();
    assert_eq!((turns, unread), Fixture::new(SESSION).turns());
    let torn = format!("{}\n{}\n{{\"type\":\"assis", asked("a", "Hello there"), answered("Hi."));
    let fixture = Fixture::new(torn);
    let (turns, unread) = fixture.turns();
    assert_eq!((turns.len(), turns[0].answer.as_str(), unread), (1, "Hi.", 0));
    assert_eq!(turns[0].session, "named-after-file");
    assert_eq!(fixture.last(), Some(turns[0].clone()));
}

#[test]
fn invalid_bytes_and_lone_surrogates_are_replaced() {
    let mut text = asked("a", "half XX").replace("XX", "\\ud83d").into_bytes();
    text.push(b'\n');
    text.extend(answered("byte XX").replace("XX", "\u{1}").into_bytes().iter().map(|byte| match byte {
        1 => 0xff,
        byte => *byte,
    }));
    let (turns, unread) = Fixture::new(text).turns();
    assert_eq!(unread, 0);
    assert_eq!((turns[0].request.as_str(), turns[0].answer.as_str()), ("half \u{fffd}", "byte \u{fffd}"));
}

#[test]
fn a_file_without_turns_has_none() {
    for text in ["", "\n\n", "rubbish", &answered("to nobody")] {
        let fixture = Fixture::new(text);
        assert!(fixture.turns().0.is_empty() && fixture.last().is_none(), "{text}");
    }
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(last_turn(folder.path()), Err(TranscriptError::NotAFile { .. })));
    assert!(matches!(last_turn(&folder.path().join("gone")), Err(TranscriptError::Io { .. })));
}

#[test]
fn an_endless_turn_is_truncated() {
    let mut text = asked("a", &"long ".repeat(20_000));
    for number in 0..3000 {
        let block =
            serde_json::json!({"type": "tool_use", "name": "Edit", "input": {"file_path": format!("{number}.rs")}});
        let filler = "x".repeat(500);
        let said = serde_json::json!({"type": "text", "text": format!("{filler} {number}")});
        write!(text, "\n{{\"type\":\"assistant\",\"message\":{{\"content\":[{said},{block}]}}}}").unwrap();
    }
    let (turns, _) = Fixture::new(text).turns();
    assert!(turns[0].request.len() < 40_000 && turns[0].answer.len() < 140_000);
    assert_eq!(turns[0].files.len(), 500);
    assert!(turns[0].answer.ends_with(" 2999") && turns[0].closing.ends_with(" 2999"));
}

#[test]
fn reading_stops_when_the_callback_breaks() {
    let mut seen = 0;
    let fixture = Fixture::new(SESSION);
    turns(&fixture.path(), &mut |_| {
        seen += 1;
        ControlFlow::Break(())
    })
    .unwrap();
    assert_eq!(seen, 1);
}

#[cfg(target_os = "linux")]
#[test]
fn generated_files_are_not_read_and_pipes_do_not_block() {
    let unread = turns(Path::new("/proc/self/status"), &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(unread, 0, "its lines are no JSON");
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in [pipe.as_path(), Path::new("/dev/zero")] {
        assert!(matches!(last_turn(path), Err(TranscriptError::NotAFile { .. })), "{}", path.display());
    }
}

#[test]
fn a_transcript_behind_a_link_is_read() {
    let fixture = Fixture::new(SESSION);
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("link.jsonl");
    std::os::unix::fs::symlink(fixture.path(), &link).unwrap();
    assert_eq!(last_turn(&link).unwrap().unwrap().answer, fixture.last().unwrap().answer);
}

#[test]
fn tasks_of_helpers_started_together_are_found() {
    let started = |message: &str, kind: &str, task: &str| {
        let input = serde_json::json!({"subagent_type": kind, "prompt": task});
        let content = serde_json::json!([{"type": "tool_use", "name": "Agent", "input": input}]);
        format!(r#"{{"type":"assistant","message":{{"id":"{message}","role":"assistant","content":{content}}}}}"#)
    };
    let lines = [
        asked("p1", "which trees need water"),
        started("m1", "Explore", "find the trees"),
        answered("There are two fields."),
        started("m2", "Explore", "find the dry trees in the east"),
        started("m2", "Plan", "plan the watering"),
        r#"{"type":"user","toolUseResult":{},"message":{"content":[{"type":"tool_result","content":"x"}]}}"#.to_owned(),
        started("m2", "Explore", "find the dry trees in the west"),
    ];
    let fixture = Fixture::new(lines.join("\n"));
    let tasks = |kind: &str| last_helper_tasks(&fixture.path(), kind).unwrap();
    assert_eq!(tasks("Explore"), ["find the dry trees in the east", "find the dry trees in the west"]);
    assert_eq!(tasks("Plan"), ["plan the watering"]);
    assert_eq!(tasks("general-purpose").len(), 3, "the agent may have named no kind");
    let later = Fixture::new(lines.join("\n") + "\n" + &asked("p2", "and in the garden"));
    assert_eq!(last_helper_tasks(&later.path(), "Explore").unwrap(), Vec::<String>::new());
}

/// An entry of a conversation behind `before`, which is empty for the first one.
fn linked(line: &str, id: &str, before: &str) -> String {
    let mut entry: serde_json::Value = serde_json::from_str(line).unwrap();
    entry["uuid"] = id.into();
    entry["parentUuid"] = if before.is_empty() { serde_json::Value::Null } else { before.into() };
    entry.to_string()
}

#[test]
fn turns_that_the_person_went_back_behind_are_abandoned() {
    let entries = [
        linked(&asked("a", "Use Redis for the queue"), "a", ""),
        linked(&answered("Redis it is."), "b", "a"),
        linked(&asked("c", "And RabbitMQ for mail"), "c", "b"),
        linked(&answered("Done."), "d", "c"),
        linked(&asked("e", "And Postgres for mail"), "e", "b"),
        linked(&answered("Done."), "f", "e"),
    ];
    let found = |entries: &[String]| -> Vec<(String, bool)> {
        let (turns, _) = Fixture::new(entries.join("\n")).turns();
        turns.into_iter().map(|turn| (turn.id, turn.is_abandoned)).collect()
    };
    let expected = |abandoned: [bool; 3]| -> Vec<(String, bool)> {
        ["a", "c", "e"].into_iter().map(str::to_owned).zip(abandoned).collect()
    };
    assert_eq!(found(&entries), expected([false, true, false]));
    let mut back = entries.to_vec();
    back.push(r#"{"type":"last-prompt","leafUuid":"d","sessionId":"s"}"#.into());
    assert_eq!(found(&back), expected([false, false, true]), "the client names the branch that goes on");
    // A helper's entries are no part of the conversation.
    let mut helped = entries.to_vec();
    helped.push(
        linked(&answered("x"), "g", "d")
            .replace("\"type\":\"assistant\"", "\"type\":\"assistant\",\"isSidechain\":true"),
    );
    assert_eq!(found(&helped), expected([false, true, false]));
}

#[test]
fn messages_typed_while_the_agent_works_belong_to_the_turn() {
    let queued = |operation: &str, text: &str| {
        serde_json::json!({"type": "queue-operation", "operation": operation, "content": text}).to_string()
    };
    let requests = |lines: &[String]| -> Vec<String> {
        Fixture::new(lines.join("\n")).turns().0.into_iter().map(|turn| turn.request).collect()
    };
    let begun = [asked("a", "Fix the pump"), queued("enqueue", "and the valve"), answered("Both are fixed.")];
    assert_eq!(requests(&begun), ["Fix the pump\n\nand the valve"]);
    let delivered = [&begun[..], &[queued("dequeue", ""), asked("b", "and the valve")]].concat();
    assert_eq!(requests(&delivered), ["Fix the pump", "and the valve"]);
    let taken_back = [&begun[..], &[queued("popAll", ""), asked("b", "never mind")]].concat();
    assert_eq!(requests(&taken_back), ["Fix the pump", "never mind"]);
    let notice = "<task-notification>\n<status>completed</status>\n</task-notification>";
    assert_eq!(requests(&[begun[0].clone(), queued("enqueue", notice)]), ["Fix the pump"]);
}

#[test]
fn a_command_whose_last_run_failed_is_marked() {
    let run = |id: &str, command: &str| {
        let tool = serde_json::json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]);
        format!(r#"{{"type":"assistant","message":{{"role":"assistant","content":{tool}}}}}"#)
    };
    let result = |id: &str, failed: bool| {
        let result =
            serde_json::json!([{"type": "tool_result", "tool_use_id": id, "is_error": failed, "content": "x"}]);
        format!(r#"{{"type":"user","message":{{"role":"user","content":{result}}},"toolUseResult":"x"}}"#)
    };
    let lines = [
        asked("p", "test it"),
        run("1", "cargo test"),
        result("1", true),
        run("2", "cargo fmt"),
        result("2", true),
        run("3", "cargo test"),
        result("3", false),
        run("4", "git push"),
        result("4", true),
        answered("Done."),
    ];
    let fixture = Fixture::new(lines.join("\n") + "\n");
    let (turns, unread) = fixture.turns();
    assert_eq!((turns.len(), unread), (1, 0));
    assert_eq!(turns[0].commands, ["cargo test", "cargo fmt", "cargo test", "git push"]);
    assert_eq!(turns[0].failed, ["cargo fmt", "git push"]);
    assert_eq!(fixture.last().as_ref(), turns.first());
}

#[test]
fn a_transcript_of_gemini_cli_that_is_one_value_is_read_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tmp/pump/chats/session-2025-09-21T10-00-0a1b2c3d.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(folder.path().join("tmp/pump/.project_root"), "/home/anna/pump\n").unwrap();
    let message = |id: &str, kind: &str, text: &str| serde_json::json!({"id": id, "type": kind, "content": text});
    let messages =
        [message("m-1", "user", "Why?"), message("m-2", "gemini", "The timer."), message("m-3", "user", "Go")];
    let messages = serde_json::to_string_pretty(&messages).unwrap();
    let text =
        format!("{{\n  \"sessionId\": \"0a1b2c3d-7\",\n  \"projectHash\": \"f0\",\n  \"messages\": {messages}\n}}\n");
    let read = |text: &str, end: u64| {
        std::fs::write(&path, text).unwrap();
        let mut found = Vec::new();
        let unread = turns_before(&path, end, &mut |turn| {
            found.push(turn);
            ControlFlow::Continue(())
        });
        (found, unread.unwrap())
    };
    // A part of the value would be none.
    let (found, unread) = read(&text, 20);
    assert_eq!((found.len(), unread), (2, 0), "{text}");
    assert_eq!((found[0].session.as_str(), found[0].answer.as_str()), ("0a1b2c3d-7", "The timer."));
    assert_eq!(found[0].directory.as_deref(), Some("/home/anna/pump"));
    assert_eq!(session_of(&path), "0a1b2c3d-7");
    let (found, unread) = read(&text[..text.len() - 5], u64::MAX);
    assert_eq!((found.len(), unread), (0, 1), "a file that is being written counts as unread");
}
