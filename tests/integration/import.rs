//! `tars import`: sessions of agents

mod chats;
mod statements;

use std::fs;

use crate::harness::TestVault;
use crate::transcript::SESSION;

fn vault() -> TestVault {
    let vault = TestVault::of_words().with("TZ", "UTC");
    let project = vault.home().join(".claude/projects/-gone-pump");
    fs::create_dir_all(project.join("5e55/subagents")).unwrap();
    fs::write(project.join("5e55.jsonl"), SESSION).unwrap();
    fs::write(project.join("later.jsonl"), SESSION.replace("2026-03-15T09", "2026-03-16T10")).unwrap();
    fs::write(project.join("empty.jsonl"), "{\"type\":\"summary\"}\n").unwrap();
    fs::write(project.join("agent-1.jsonl"), SESSION).unwrap();
    fs::write(project.join("5e55/subagents/agent-2.jsonl"), SESSION).unwrap();
    vault
}

#[test]
fn transcripts_become_session_logs_once() {
    let vault = vault();
    let dry = vault.tars(["import", "claude-code", "--dry-run"]).run().success();
    assert_eq!(dry.stdout().matches("would write  tars/sessions/2026-03-1").count(), 2, "{dry}");
    assert!(!vault.path("tars").exists());

    let json = vault.tars(["import", "claude-code", "--json"]).run().success().json();
    assert_eq!((&json["known"], &json["empty"]), (&0.into(), &1.into()));
    assert_eq!(json["logs"][0]["path"], "tars/sessions/2026-03-15T09-20-05-pump.md");
    assert_eq!(json["logs"][0]["session"], "5e55");
    let log = vault.read("tars/sessions/2026-03-15T09-20-05-pump.md");
    assert!(log.contains("\nsession: \"5e55\"\nproject: \"pump\"\n"), "{log}");
    assert!(
        log.contains("- 09:20 Found: The root cause was the timer, which overflowed at midnight. — Why does the pump stop at night?"),
        "{log}"
    );
    assert!(log.contains("## Files\n\n- `src/timer.rs`\n"), "{log}");
    assert!(!log.contains("swordfish") && !log.contains('\u{1b}'), "{log}");

    let again = vault.tars(["import", "claude-code"]).run().success();
    assert!(
        again.stdout().is_empty() && again.stderr().contains("0 session logs, 2 known, 1 without a turn"),
        "{again}"
    );
    let sessions = vault.tars(["sessions"]).run().success();
    assert!(
        sessions.stdout().contains("2026-03-15 09:20  2026-03-15T09-20-05-pump  claude-code  Why does the pump"),
        "{sessions}"
    );

    vault.tars(["undo"]).run().success();
    assert!(!vault.path("tars/sessions").exists(), "one undo reverts the command and removes its folder");
}

#[test]
fn an_interrupted_import_resumes() {
    let vault = vault();
    let project = vault.home().join("more/p");
    fs::create_dir_all(&project).unwrap();
    for number in 0..40 {
        fs::write(project.join(format!("s{number:02}.jsonl")), SESSION).unwrap();
    }
    vault.tars(["import", "claude-code", "more/p/s07.jsonl"]).run().success();
    let json = vault.tars(["import", "claude-code", "more", "--json"]).run().success().json();
    assert_eq!((json["logs"].as_array().unwrap().len(), &json["known"]), (39, &1.into()));
    assert_eq!(fs::read_dir(vault.path("tars/sessions")).unwrap().count(), 40);
    vault.tars(["undo"]).run().success();
    assert_eq!(fs::read_dir(vault.path("tars/sessions")).unwrap().count(), 1);
}

#[test]
fn files_that_cannot_be_imported_are_reported() {
    let vault = vault();
    let output = vault.tars(["import", "claude-code", "gone"]).run();
    assert_eq!(output.status.code(), Some(2), "{output}");
    assert!(output.stderr().contains("cannot read gone"), "{output}");
    let folder = vault.home().join("nothing");
    fs::create_dir(&folder).unwrap();
    let output = vault.tars(["import", "claude-code", "nothing"]).run();
    assert_eq!(output.status.code(), Some(1), "{output}");
    fs::create_dir(folder.join("x")).unwrap();
    std::os::unix::fs::symlink("/gone/away", folder.join("broken.jsonl")).unwrap();
    let output = vault.tars(["import", "claude-code", "nothing"]).run();
    assert_eq!(output.status.code(), Some(2), "{output}");
    assert!(output.stderr().contains("broken.jsonl"), "{output}");
}
