//! Rollouts of Codex 0.171.0, recorded with a scripted model (tests/client/README.md) and shortened.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::*;
use tars_base::domain::TurnEnd;

const ROLLOUT: &str = include_str!("../../../../tests/client/samples-codex/rollout.jsonl");
const SEGMENT: &str = include_str!("../../../../tests/client/samples-codex/rollout-segment.jsonl");
const TOOLS: &str = include_str!("../../../../tests/client/samples-codex/rollout-tools.jsonl");
const HELPER: &str = include_str!("../../../../tests/client/samples-codex/rollout-helper.jsonl");
const FAILED: &str = include_str!("../../../../tests/client/samples-codex/rollout-failed.jsonl");

const SESSION: &str = "01a220ce-90ca-7b62-af21-bbfbaac8cb44";
const LATER: &str = "01a220cf-881c-7552-8bfa-5f050f1a7051";

fn read(path: &Path) -> Vec<Turn> {
    let mut found = Vec::new();
    let unread = turns(path, &mut |turn| {
        found.push(turn);
        ControlFlow::Continue(())
    });
    assert_eq!(unread.unwrap(), 0);
    assert_eq!(last_turn(path).unwrap().map(|turn| turn.id), found.last().map(|turn| turn.id.clone()));
    found
}

/// Writes files into `sessions/` of a new folder, and returns the folder and their paths.
fn written(files: &[(&str, &[u8])]) -> (tempfile::TempDir, Vec<PathBuf>) {
    let folder = tempfile::tempdir().unwrap();
    let paths = files.iter().map(|(name, bytes)| {
        let path = folder.path().join("sessions").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    });
    let paths = paths.collect();
    (folder, paths)
}

fn single(text: &str) -> Vec<Turn> {
    let name = format!("2026/11/28/rollout-2026-11-28T06-18-58-{SESSION}.jsonl");
    let (_folder, paths) = written(&[(&name, text.as_bytes())]);
    read(&paths[0])
}

fn requests(turns: &[Turn]) -> Vec<&str> {
    turns.iter().filter(|turn| !turn.is_abandoned).map(|turn| turn.request.as_str()).collect()
}

#[test]
fn turns_of_a_rollout_have_their_requests_answers_and_ends() {
    let turns = single(ROLLOUT);
    assert_eq!(
        requests(&turns),
        [
            "Which mooring do we use?",
            "Please measure the depth\n\nAnd in feet, please",
            "Please count the boats",
            "Which buoy is the nearest?",
            "This was wrong",
        ]
    );
    let first = &turns[0];
    assert_eq!((first.session.as_str(), first.id.as_str()), (SESSION, "01a220ce-9a8f-7492-ac1f-872741de4327"));
    assert_eq!((first.directory.as_deref(), first.branch.as_deref()), (Some("/home/anna/harbour"), Some("master")));
    assert_eq!(first.at, "2026-11-28T06:19:00.773Z".parse().ok());
    assert_eq!((first.closing.as_str(), first.is_complete), ("Decided: we use the north mooring.", true));
    assert_eq!(turns[1].commands, ["sleep 8; echo 12"]);
    assert_eq!(turns[1].closing, "Understood: And in feet, please");
    assert_eq!((turns[2].end, turns[2].is_complete), (TurnEnd::Interrupted, false), "{:?}", turns[2]);
    assert!(turns.iter().all(|turn| !turn.answer.contains("They spoke of the script")), "the summary answers nobody");
}

#[test]
fn tools_helpers_and_failures_are_read() {
    let turns = single(TOOLS);
    assert_eq!(turns.len(), 1);
    assert_eq!(turns[0].tools, ["exec_command", "spawn_agent"]);
    assert_eq!(turns[0].files, ["list.txt"]);
    assert_eq!(turns[0].commands, ["env | grep -i -E 'codex|thread|session'; git status -s"]);
    assert_eq!(turns[0].closing, "It is written.");
    assert!(single(HELPER).is_empty(), "no person speaks in the session of a helper");
    assert!(turns[0].failed.is_empty());
    let refused = TOOLS.replacen(
        "\"status\":\"completed\",\"aggregated_output\"",
        "\"status\":\"failed\",\"aggregated_output\"",
        1,
    );
    assert_eq!(single(&refused)[0].failed, turns[0].commands);
    let failed = single(FAILED);
    assert_eq!((failed.len(), failed[0].end), (1, TurnEnd::Failed));

    let (_folder, paths) = written(&[("rollout.jsonl", TOOLS.as_bytes()), ("summary.jsonl", ROLLOUT.as_bytes())]);
    assert_eq!(last_helper_tasks(&paths[0], "").unwrap(), ["Where does the pilot boat refuel?"]);
    assert_eq!(last_summary(&paths[0]).unwrap(), None);
    assert_eq!(last_summary(&paths[1]).unwrap().as_deref(), Some("They spoke of the script."));
}

#[test]
fn a_session_goes_on_in_a_segment_after_the_person_went_back() {
    let name = |day: &str, ids: &str| format!("2026/11/{day}/rollout-2026-11-{day}T06-18-58-{ids}.jsonl");
    let (first, second) = (name("28", SESSION), name("29", &format!("{SESSION}_{LATER}")));
    let (_folder, paths) = written(&[(&first, ROLLOUT.as_bytes()), (&second, SEGMENT.as_bytes())]);
    let turns = read(&paths[1]);
    let standing = requests(&turns);
    assert_eq!(standing[0], "Which mooring do we use?");
    assert_eq!(standing[3..], ["Which buoy is the nearest?", "Who keeps the lighthouse?", "Which tide do we take?"]);
    let abandoned: Vec<&Turn> = turns.iter().filter(|turn| turn.is_abandoned).collect();
    assert_eq!(abandoned.iter().map(|turn| turn.request.as_str()).collect::<Vec<_>>(), ["This was wrong"]);
    assert!(turns.iter().all(|turn| turn.session == SESSION));

    fs::remove_file(&paths[0]).unwrap();
    assert_eq!(requests(&read(&paths[1])), ["Who keeps the lighthouse?", "Which tide do we take?"]);
}

#[test]
fn a_fork_does_not_repeat_the_session_that_it_continues() {
    let other = "01a220d0-234a-7a00-9b53-27ef844299ee";
    let fork = SEGMENT.replace(SESSION, other).replacen(
        &format!(r#""thread_id":"{other}""#),
        &format!(r#""thread_id":"{SESSION}""#),
        1,
    );
    let name = |id: &str| format!("2026/11/28/rollout-2026-11-28T06-18-58-{id}.jsonl");
    let (_folder, paths) = written(&[(&name(SESSION), ROLLOUT.as_bytes()), (&name(other), fork.as_bytes())]);
    assert_eq!(requests(&read(&paths[1])), ["Who keeps the lighthouse?", "Which tide do we take?"]);
}

#[test]
fn turns_that_an_older_version_rolled_back_are_abandoned() {
    let line = |kind: &str, payload: &str| {
        format!(r#"{{"timestamp":"2026-03-01T10:00:00Z","type":"{kind}","payload":{payload}}}"#) + "\n"
    };
    let message = |text: &str| line("event_msg", &format!(r#"{{"type":"user_message","message":"{text}"}}"#));
    let answer = |text: &str| {
        let content = format!(r#"[{{"type":"output_text","text":"{text}"}}]"#);
        line("response_item", &format!(r#"{{"type":"message","role":"assistant","content":{content}}}"#))
    };
    let text = line("session_meta", r#"{"id":"s","cwd":"/x","source":"cli"}"#)
        + &line("turn_context", r#"{"turn_id":"t1","cwd":"/x/y"}"#)
        + &message("One")
        + &answer("1")
        + &line("turn_context", r#"{"turn_id":"t2","cwd":"/x/y"}"#)
        + &message("Two")
        + &line(
            "response_item",
            r#"{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch\n*** Add File: b\n*** End Patch"}"#,
        )
        + &line(
            "response_item",
            r#"{"type":"local_shell_call","action":{"type":"exec","command":["bash","-lc","make all"]}}"#,
        )
        + &line("event_msg", r#"{"type":"thread_rolled_back","num_turns":1}"#)
        + &line("turn_context", r#"{"turn_id":"t3","cwd":"/x/y"}"#)
        + &message("# Context from my IDE setup:\\n## My request for Codex:\\nThree")
        + &answer("3");
    let turns = single(&text);
    assert_eq!(requests(&turns), ["One", "Three"]);
    assert_eq!(turns.iter().map(|turn| turn.id.as_str()).collect::<Vec<_>>(), ["t1", "t2", "t3"]);
    assert_eq!(
        (turns[1].files.clone(), turns[1].commands.clone()),
        (vec!["b".to_owned()], vec!["make all".to_owned()])
    );
    assert_eq!((turns[0].session.as_str(), turns[0].directory.as_deref()), ("s", Some("/x/y")));
}

#[test]
fn work_that_nobody_asked_for_continues_a_turn_unless_it_is_the_clients() {
    let line = |kind: &str, payload: &str| format!(r#"{{"type":"{kind}","payload":{payload}}}"#) + "\n";
    let task = |turn: &str, more: &str| {
        let say = format!(
            r#"{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"By {turn}."}}]}}"#
        );
        line("event_msg", &format!(r#"{{"type":"task_started","turn_id":"{turn}"{more}}}"#))
            + &line("response_item", &say)
    };
    let message = line("event_msg", r#"{"type":"user_message","message":"Do it"}"#);
    let text = line("session_meta", r#"{"id":"s"}"#)
        + &task("t0", "")
        + &line("turn_context", r#"{"turn_id":"t1"}"#)
        + &message
        + &task("t2", "")
        + &task("t3", r#","turn_attribution":{}"#);
    let turns = single(&text);
    assert_eq!((turns.len(), turns[0].answer.as_str()), (1, "By t3."));
    assert!(turns[0].has_id("t1") && turns[0].has_id("t3") && !turns[0].has_id("t2"));
}

#[test]
fn compressed_rollouts_are_read_within_bounds() {
    let name = |end: &str| format!("rollout-2026-11-28T06-18-58-{SESSION}.jsonl{end}");
    let packed = zstd::bulk::compress(ROLLOUT.as_bytes(), 3).unwrap();
    let torn = &packed[..packed.len() / 2];
    let (_folder, paths) = written(&[(&name(".zst"), &packed), (&name(".torn.zst"), torn)]);
    assert_eq!(read(&paths[0]).len(), 5);
    assert_eq!(session_of(&paths[0]), SESSION);
    assert!(last_helper_tasks(&paths[0], "").unwrap().is_empty());
    let error = turns(&paths[1], &mut |_| ControlFlow::Continue(()));
    assert!(matches!(error, Err(TranscriptError::Io { .. })));
}

#[test]
fn damaged_lines_of_a_rollout_do_no_harm() {
    let mut lines: Vec<String> = ROLLOUT.lines().map(str::to_owned).collect();
    lines[3] = "{\"timestamp\":\"x\",\"type\":[],\"payload\":7}".into();
    lines[4] = r#"{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":-1}}"#.into();
    lines.push(
        r#"{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":18446744073709551615}}"#.into(),
    );
    lines.push(
        r#"{"type":"response_item","payload":{"type":"function_call","name":"x","arguments":"{\"cmd\":[1]"}}"#.into(),
    );
    let turns = single(&lines.join("\n"));
    assert!(!turns.is_empty() && turns.iter().all(|turn| !turn.id.is_empty()));
}
