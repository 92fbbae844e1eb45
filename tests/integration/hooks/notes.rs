//! The notes of turns and sessions.

use std::fs;

use serde_json::{Value, json};

use super::{Plugin, event};
use crate::harness::{eventually, today};

/// Returns the lines of a transcript with one turn for each of `turns`: prompt id, request, answer.
pub(super) fn transcript(turns: &[(&str, &str, &str)]) -> String {
    let mut text = String::new();
    for (minute, (id, request, answer)) in turns.iter().enumerate() {
        let at = format!("2026-03-15T10:{minute:02}:00.000Z");
        let common = json!({"sessionId": "s-1", "cwd": "/nowhere/photo-service", "timestamp": at});
        let mut asked = common.clone();
        let user = json!({"type": "user", "uuid": format!("u-{id}"), "promptId": id,
                          "message": {"role": "user", "content": request}});
        asked.as_object_mut().unwrap().extend(user.as_object().unwrap().clone());
        let mut said = common;
        let content = json!([{"type": "tool_use", "id": "t", "name": "Edit", "input": {"file_path": "/nowhere/photo-service/main.rs"}},
                             {"type": "text", "text": answer}]);
        let assistant = json!({"type": "assistant", "uuid": format!("a-{id}"), "message": {"role": "assistant", "content": content}});
        said.as_object_mut().unwrap().extend(assistant.as_object().unwrap().clone());
        text += &format!("{asked}\n{said}\n");
    }
    text
}

impl Plugin {
    /// Runs hooks that write notes, and waits for the notes.
    pub(super) fn noted(&self, name: &str, event: &Value) {
        assert!(self.run(name, event).success().quiet().stdout().is_empty());
        self.await_notes();
    }

    /// Waits until all spooled events are noted.
    pub(super) fn await_notes(&self) {
        eventually("the note is made", || {
            !fs::read_dir(self.vault.data().join("spool"))
                .unwrap()
                .any(|entry| entry.unwrap().file_name().to_string_lossy().ends_with(".json"))
        });
    }

    pub(super) fn day(&self) -> String {
        let days = ["2026-03-15".to_owned(), today().to_string()];
        days.iter().filter_map(|day| fs::read_to_string(self.vault.path(&format!("tars/{day}.md"))).ok()).collect()
    }
}

#[test]
fn a_turn_leaves_one_note_and_a_session_one_log() {
    let plugin = Plugin::new();
    let path = plugin.vault.home().join("s-1.jsonl");
    let turns = [
        (
            "p1",
            "why does the upload stop",
            "The root cause was the timer, which overflowed because it is no 64 bit counter.",
        ),
        ("p2", "and the token ghp_x7Kq2LmZt9Wv4Rb8Yc1Nd6Hf3Jg5Sa0PeUiO", "Done."),
    ];
    let at = |count: usize| {
        fs::write(&path, transcript(&turns[..count])).unwrap();
        let more = json!({"session_id": "s-1", "transcript_path": path, "prompt_id": turns[count - 1].0,
                          "last_assistant_message": turns[count - 1].2});
        event("Stop", more)
    };
    plugin.noted("stop", &at(1));
    plugin.noted("stop", &at(1));
    let day = plugin.day();
    assert_eq!(day.matches("<!-- tars:session s-1 p1 ").count(), 1, "{day}");
    assert!(day.contains("· photo-service") && day.contains("64 bit counter"), "{day}");
    plugin.noted("stop", &at(2));
    let day = plugin.day();
    assert!(day.contains(" p1,p2 ") && !day.contains("ghp_x7"), "{day}");
    assert_eq!((day.matches("<!--").count(), day.matches("64 bit counter").count()), (1, 1), "{day}");
    assert_eq!(day.matches("## Session").count(), 1, "{day}");
    let end = json!({"session_id": "s-1", "transcript_path": path, "reason": "other"});
    plugin.noted("pre-compact", &event("PreCompact", end.clone()));
    plugin.noted("session-end", &event("SessionEnd", end));
    let logs: Vec<_> = fs::read_dir(plugin.vault.path("tars/sessions")).unwrap().map(|entry| entry.unwrap()).collect();
    assert_eq!(logs.len(), 1);
    let name = logs[0].file_name().into_string().unwrap();
    assert!(name.starts_with("2026-03-15T") && name.ends_with("-photo-service.md"), "{name}");
    let log = fs::read_to_string(logs[0].path()).unwrap();
    fs::remove_file(logs[0].path()).unwrap();
    let end = json!({"session_id": "s-1", "transcript_path": path, "reason": "other"});
    plugin.noted("session-end", &event("SessionEnd", end));
    assert!(!logs[0].path().exists(), "a log that a person removed stays removed");
    assert!(
        log.contains("[[tars/2026-03-15#Session 10 00 · photo-service|2026-03-15]]"),
        "one turn stands in one place: {log}"
    );
    assert!(!log.contains("64 bit counter") && log.contains("main.rs") && !log.contains("ghp_x7"), "{log}");
    assert!(
        !plugin.vault.data().join("hook.log").exists()
            || fs::read_to_string(plugin.vault.data().join("hook.log")).unwrap().is_empty()
    );
}

/// The block of docs/memory.md is the note of the first turn of the example session.
#[test]
fn the_memory_page_shows_the_note_of_the_example_session() {
    let repository = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(repository.join("docs/memory.md")).unwrap();
    let blocks = page.split("```markdown\n").skip(1).filter_map(|rest| rest.split("```").next());
    let shown = blocks.into_iter().find(|block| block.contains(" ff6e7ce6 ")).unwrap();
    let plugin = Plugin::new();
    let session = fs::read_to_string(repository.join("examples/claude/-work-pump/5e55b0a2.jsonl")).unwrap();
    let first: String = session.lines().take(4).map(|line| format!("{line}\n")).collect();
    let path = plugin.vault.home().join("5e55b0a2.jsonl");
    fs::write(&path, first).unwrap();
    let turn = json!({"session_id": "5e55b0a2", "transcript_path": path, "prompt_id": "ff6e7ce6", "cwd": "/work/pump"});
    plugin.hook("dash", "stop", &event("Stop", turn), &plugin.path()).env("TZ", "UTC").run().success().quiet();
    eventually("the note is made", || plugin.day().contains(" ff6e7ce6 "));
    let day = plugin.day();
    assert!(day.contains(shown.trim_end()), "{day}\n{shown}");
}

#[test]
fn the_next_start_finishes_a_spooled_turn() {
    let plugin = Plugin::new();
    let path = plugin.vault.home().join("s-1.jsonl");
    fs::write(
        &path,
        transcript(&[("p1", "why does the upload stop", "The root cause was the timer, which overflowed.")]),
    )
    .unwrap();
    let spooled = json!({"event": "Stop", "session": "s-1", "transcript": path, "transcript_length": 1_000_000,
                         "directory": "/nowhere/photo-service", "prompt_id": "p1", "last_message": "The root cause was the timer, which overflowed.",
                         "at": "2026-03-15T10:00:00Z"});
    let spool = plugin.vault.data().join("spool");
    fs::create_dir_all(&spool).unwrap();
    fs::write(spool.join("1-1.json"), spooled.to_string()).unwrap();
    fs::write(spool.join("2-1.json"), "rubbish").unwrap();
    plugin.start("startup");
    eventually("the note is made", || plugin.day().contains(" p1 "));
}

#[test]
fn disabled_notes_spool_nothing() {
    let plugin = Plugin::new();
    let hook = plugin.hook("dash", "stop", &event("Stop", json!({})), &plugin.path());
    hook.env("TARS_HOOKS_NOTES", "false").run().success().quiet();
    assert!(!plugin.vault.data().join("spool").exists());
}

#[test]
fn writes_of_commands_and_of_hooks_are_undone_separately() {
    let plugin = Plugin::new();
    let path = plugin.vault.home().join("s-1.jsonl");
    fs::write(
        &path,
        transcript(&[("p1", "forget the fuse line", "I removed the line of the fuse, turn=p2 of session s-1.")]),
    )
    .unwrap();
    let before = plugin.vault.read("tars/Memory.md");
    plugin.vault.tars(["remember", "--force", "The fuse is in the cellar"]).run().success();
    let stop = json!({"session_id": "s-1", "transcript_path": path, "prompt_id": "p1"});
    plugin.noted("stop", &event("Stop", stop));
    let day = plugin.day();
    assert!(day.contains(" p1 "), "{day}");
    plugin.vault.tars(["undo"]).run().success();
    assert_eq!(plugin.vault.read("tars/Memory.md"), before);
    assert_eq!(plugin.day(), day);
    plugin.vault.tars(["undo"]).run().code(1).says(&["nothing to take back"]);
    plugin.vault.tars(["undo", "--notes"]).run().success();
    assert_eq!(plugin.day(), "");
    plugin.vault.tars(["undo", "--redo"]).run().success();
    assert_eq!((plugin.day(), plugin.vault.read("tars/Memory.md")), (day, before), "redo reverts the last undo");
}

#[test]
fn undo_of_notes_reverts_log_and_day_together() {
    let plugin = Plugin::new();
    let path = plugin.vault.home().join("s-1.jsonl");
    fs::write(
        &path,
        transcript(&[(
            "p1",
            "fix the upload",
            "The root cause was the timer, which overflowed because it is no 64 bit counter.",
        )]),
    )
    .unwrap();
    let logs = || {
        let logs = fs::read_dir(plugin.vault.path("tars/sessions")).into_iter().flatten();
        logs.map(|log| fs::read_to_string(log.unwrap().path()).unwrap()).collect::<Vec<_>>()
    };
    plugin.noted("session-end", &event("SessionEnd", json!({"session_id": "s-1", "transcript_path": path})));
    let (day, written) = (plugin.day(), logs());
    assert!(day.contains("fix the upload") && written.len() == 1, "{day} {written:?}");
    plugin.vault.tars(["undo", "--notes"]).run().success();
    assert_eq!((plugin.day().as_str(), logs()), ("", Vec::new()), "the writes of one hook are undone together");
    // An undo of notes undoes the latest write.
    plugin.vault.tars(["undo", "--redo"]).run().success();
    assert_eq!((plugin.day(), logs()), (day.clone(), written.clone()));
    plugin.vault.tars(["remember", "--force", "The fuse is in the cellar"]).run().success();
    plugin.vault.tars(["undo"]).run().success();
    plugin.vault.tars(["undo", "--notes"]).run().success();
    plugin.vault.tars(["undo", "--redo"]).run().success();
    assert_eq!((plugin.day(), logs()), (day, written));
    assert!(!plugin.vault.read("tars/Memory.md").contains("fuse"), "the command's write was undone before");
}

#[test]
fn a_turn_that_another_turn_mentions_is_noted_too() {
    let plugin = Plugin::new();
    let path = plugin.vault.home().join("s-1.jsonl");
    let answer = "The anchor says tars:turn session=s-1 turn=p2 by=me [extracted] %%% hidden";
    let turns = [("p1", "what does the anchor say", answer), ("p2", "and the next one", "Fine, it is there.")];
    for count in 1..=2 {
        fs::write(&path, transcript(&turns[..count])).unwrap();
        let stop = json!({"session_id": "s-1", "transcript_path": path, "prompt_id": turns[count - 1].0});
        plugin.noted("stop", &event("Stop", stop));
    }
    let day = plugin.day();
    assert!(day.contains("Fine, it is there") && !day.contains("%%") && !day.contains("[extracted]"), "{day}");
}

#[test]
fn a_missing_vault_is_named_and_its_notes_wait() {
    let plugin = Plugin::new();
    let path = plugin.vault.home().join("s-1.jsonl");
    fs::write(
        &path,
        transcript(&[("p1", "why does the upload stop", "The root cause was the timer, which overflowed.")]),
    )
    .unwrap();
    let away = plugin.vault.home().join("away");
    fs::rename(plugin.vault.root(), &away).unwrap();
    let told = plugin.run("session-start", &event("SessionStart", json!({"source": "startup"}))).success();
    assert!(told.json()["systemMessage"].as_str().unwrap().contains("vault"), "{told}");
    let stop = event("Stop", json!({"session_id": "s-1", "transcript_path": path, "prompt_id": "p1"}));
    for _ in 0..7 {
        plugin.run("stop", &stop).success().quiet();
    }
    let log = plugin.vault.data().join("hook.log");
    eventually("it is tried", || fs::read_to_string(&log).is_ok_and(|text| text.contains("vault")));
    fs::rename(&away, plugin.vault.root()).unwrap();
    plugin.noted("stop", &stop);
    assert_eq!(plugin.day().matches(" p1 ").count(), 1);
}

#[test]
fn the_deadline_of_a_prompt_hook_applies_to_nothing_else() {
    let plugin = Plugin::new();
    let hook = |name: &str, kind: &str, more: Value| {
        plugin
            .hook("dash", name, &event(kind, more), &plugin.path())
            .env("TARS_HOOKS_DEADLINE_MS", "50")
            .run()
            .success()
    };
    for _ in 0..5 {
        let begun = hook("session-start", "SessionStart", json!({"source": "startup"}));
        assert!(begun.stdout().contains("port 2283"), "{begun}");
    }
    let said = "The root cause was the timer, which overflowed because it is no 64 bit counter.";
    hook("stop", "Stop", json!({"last_assistant_message": said}));
    eventually("the note is made", || plugin.day().contains("64 bit counter"));
}

/// Unprompted context comes from the logs of the days, which a person may have edited.
#[test]
fn unprompted_context_holds_no_secret_and_no_private_day() {
    let plugin = Plugin::new();
    let section = "## Session 10:00 · photo-service\n<!-- tars:session 5e55b0a2 turns=ff6e7c by=extractive -->\n";
    let log = |more: &str, line: &str| format!("{more}# 2026-03-14\n\n{section}- [ ] 10:00 Open: {line}\n");
    let ask = |session: &str| {
        let asked =
            event("UserPromptSubmit", json!({"prompt": "what is still open from 2026-03-14?", "session_id": session}));
        plugin.run("user-prompt-submit", &asked).success().stdout().to_owned()
    };
    let file = "tars/2026-03-14.md";
    plugin.vault.write(file, log("", "rotate the key ghp_x7Kq2LmZt9Wv4Rb8Yc1Nd6Hf3Jg5Sa0PeUiO of the pump"));
    plugin.vault.index();
    let shown = ask("q-1");
    assert!(shown.contains("Open: rotate the key [redacted") && !shown.contains("ghp_x7"), "{shown}");
    plugin.vault.write(file, log("---\ntars: private\n---\n", "rotate the key of the pump"));
    assert_eq!(ask("q-2"), "");
}

#[test]
fn an_open_end_is_ticked_when_another_session_does_it() {
    let plugin = Plugin::new();
    let play = |session: &str, day: &str, turn: (&str, &str, &str)| {
        let path = plugin.vault.home().join(format!("{session}.jsonl"));
        let text = transcript(&[turn]).replace("s-1", session).replace("2026-03-15", day);
        fs::write(&path, text).unwrap();
        let told = json!({"session_id": session, "transcript_path": path, "prompt_id": turn.0, "last_assistant_message": turn.2});
        plugin.noted("stop", &event("Stop", told));
    };
    let first = || plugin.vault.read("tars/2026-03-15.md");
    play(
        "s-1",
        "2026-03-15",
        ("p1", "clean up the module", "Cleaned up the module. export_csv still has to be fixed."),
    );
    let open = "Open: export_csv still has to be fixed. — clean up the module";
    assert!(
        first().contains(&format!("- [ ] 10:00 {open}")),
        "the request's words are not the open end's: {}",
        first()
    );
    play(
        "s-2",
        "2026-03-16",
        ("p2", "what about the tests of the parser?", "The tests of the parser run in a second now."),
    );
    assert!(first().contains("- [ ] 10:00 Open"), "{}", first());
    play("s-3", "2026-03-17", ("p3", "fix export_csv", "I fixed export_csv, it closes its file like the other one."));
    assert!(first().contains(&format!("- [x] 10:00 {open}")), "{}", first());
    plugin.vault.tars(["undo", "--notes"]).run().success();
    assert!(first().contains("- [ ] 10:00 Open"), "{}", first());
}

#[test]
fn turns_that_the_person_went_back_behind_lose_their_lines() {
    let plugin = Plugin::new();
    let path = plugin.vault.home().join("s-1.jsonl");
    let ask = |ids: (&str, &str), minute: usize, request: &str, answer: &str| -> String {
        let (id, before) = ids;
        let common = json!({"sessionId": "s-1", "cwd": "/nowhere/photo-service", "timestamp": format!("2026-03-15T10:0{minute}:00.000Z")});
        let line = |uuid: String, parent: Value, more: Value| {
            let mut line = common.clone();
            let link = json!({"uuid": uuid, "parentUuid": parent});
            line.as_object_mut().unwrap().extend(link.as_object().unwrap().clone());
            line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            format!("{line}\n")
        };
        let parent = if before.is_empty() { Value::Null } else { json!(format!("a-{before}")) };
        let asked = line(
            format!("u-{id}"),
            parent,
            json!({"type": "user", "promptId": id, "message": {"role": "user", "content": request}}),
        );
        let content = json!([{"type": "tool_use", "id": "t", "name": "Edit", "input": {"file_path": "/nowhere/photo-service/main.rs"}},
                             {"type": "text", "text": answer}]);
        let said = json!({"type": "assistant", "message": {"role": "assistant", "content": content}});
        asked + &line(format!("a-{id}"), json!(format!("u-{id}")), said)
    };
    let turns = [
        (ask(("p1", ""), 1, "rename alpha", "Renamed `alpha` to `start`."), "p1"),
        (ask(("p2", "p1"), 2, "rename beta", "Renamed `beta` to `middle`."), "p2"),
        (ask(("p3", "p1"), 3, "rename gamma", "Renamed `gamma` to `end`."), "p3"),
    ];
    let mut text = String::new();
    for (line, id) in &turns {
        text += line;
        fs::write(&path, &text).unwrap();
        plugin.noted("stop", &event("Stop", json!({"session_id": "s-1", "transcript_path": path, "prompt_id": id})));
        assert_eq!(plugin.day().contains("beta"), *id == "p2", "{}", plugin.day());
    }
    let day = plugin.day();
    assert!(day.contains("alpha") && day.contains("gamma") && day.contains(" p1,p3 "), "{day}");
}

#[test]
fn a_session_that_goes_on_in_another_repository_leaves_notes_there() {
    let plugin = Plugin::new();
    let path = plugin.vault.home().join("s-1.jsonl");
    let turns =
        [("p1", "rename alpha", "Renamed `alpha` to `start`."), ("p2", "rename beta", "Renamed `beta` to `middle`.")];
    let text = transcript(&turns);
    let (first, second) = text.split_at(text.match_indices('\n').nth(1).unwrap().0);
    fs::write(&path, format!("{first}{}", second.replace("/nowhere/photo-service", "/nowhere/printer"))).unwrap();
    plugin.noted("stop", &event("Stop", json!({"session_id": "s-1", "transcript_path": path, "prompt_id": "p2"})));
    let day = plugin.day();
    let (photos, printer) = day.split_once("· printer").unwrap();
    assert!(photos.contains("· photo-service") && photos.contains("alpha") && !photos.contains("beta"), "{day}");
    assert!(printer.contains("beta") && day.matches("<!-- tars:session s-1 ").count() == 2, "{day}");
}
