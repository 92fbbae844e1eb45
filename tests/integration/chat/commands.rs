//! The slash commands: which exist, where each works, and that none reaches a model.

use super::{Dialect, Talk};
use crate::harness::today;

#[test]
fn every_slash_command_runs() {
    let talk = Talk::new(Dialect::OpenAi, vec![Dialect::OpenAi.says("never")]);
    talk.tars(&["remember", "The boat is blue."]).run().success();
    let help = talk.tars(&["chat", "/help"]).run().success().stdout().to_owned();
    for name in [
        "search", "sgrep", "svec", "expand", "remember", "memory", "daily", "note", "read", "capture", "brief",
        "sessions", "session", "find", "export", "review", "tidy", "stats", "schedule", "model", "context", "clear",
        "w", "r", "undo", "help", "quit",
    ] {
        assert!(help.contains(&format!("`/{name}")), "/{name}: {help}");
    }
    let found = talk.tars(&["chat", "/sgrep hull"]).run().success().stdout().to_owned();
    let id = found.split('`').nth(1).unwrap().to_owned();
    let expand = format!("/expand {id}");
    for (line, expected) in [
        ("/search hull number", "Boat.md"),
        ("/s hull number", "Boat.md"),
        (expand.as_str(), "SE-4471"),
        ("/find boat", "Boat.md"),
        ("/read Boat", "SE-4471"),
        ("/memory", "The boat is blue."),
        ("/remember The mast is white.", "Remembered: tars/Memory.md"),
        ("/note Ordered the paint", "Noted: tars/"),
        ("/daily", "Ordered the paint"),
        ("/capture Ask for new ropes", "Captured: tars/inbox.md"),
        ("/brief", "Ordered the paint"),
        ("/review", "Nothing is proposed."),
        ("/tidy", "Nothing is proposed."),
        ("/compact", "There is no month to sum up."),
        ("/sessions", "No session log matches."),
        ("/stats", "No language model was used"),
        ("/schedule", "No schedule is set"),
        ("/undo", "taken back"),
        ("/help w", "/w WHAT"),
    ] {
        let said = talk.tars(&["chat", line]).run();
        assert!(said.stdout().contains(expected), "{line}: {said}");
    }
    assert!(!talk.vault.path("tars/inbox.md").exists(), "the last write was undone");
    for line in ["/context", "/export", "/clear", "/w x", "/r", "/model"] {
        let refused = talk.tars(&["chat", line]).run().code(2);
        assert!(refused.stderr().contains("in a conversation only"), "{line}: {}", refused.stderr());
    }
    let needs = talk.tars(&["chat", "/remember"]).run().code(2);
    assert!(needs.stderr().contains("/remember needs TEXT"), "{}", needs.stderr());
    assert!(talk.asked().is_empty(), "no command reaches a model");
}

#[test]
fn a_line_captured_into_a_private_inbox_is_reported_as_captured() {
    let talk = Talk::new(Dialect::OpenAi, vec![Dialect::OpenAi.says("never")]);
    talk.vault.write("tars/inbox.md", "---\ntars: private\n---\n# Inbox\n\n- [ ] Sell the walrus\n");
    let said = talk.tars(&["chat", "/capture Ask for new ropes"]).run().success();
    assert_eq!(said.stdout().trim(), "Captured: tars/inbox.md");
    assert_eq!(talk.vault.read("tars/inbox.md").matches("Ask for new ropes").count(), 1);
}

#[test]
fn a_conversation_is_exported_and_cleared_once_it_is_noted() {
    let dialect = Dialect::OpenAi;
    let replies = vec![dialect.says("Decided: the mast is white."), dialect.says("Good.")];
    let talk = Talk::with(dialect, super::ending::server(dialect, replies, |_| "{}".into()));
    let steps = [
        ("", "ok, then we keep the mast white, not red\r"),
        ("Decided", "/export\r"),
        ("Conversation", "/clear\r"),
        ("A new conversation begins.", "what else\r"),
        ("Good.", "/quit\r"),
    ];
    talk.typed(&["chat"], &steps).success();
    assert!(talk.vault.read(&format!("tars/{}.md", today())).contains("keep the mast white"));
    let last = talk.asked().into_iter().rfind(|asked| asked["stream"] == true).unwrap();
    let said = last["messages"].as_array().unwrap().iter().filter(|message| message["role"] != "system");
    assert_eq!(said.count(), 1, "{last}");
}

#[test]
#[cfg(feature = "test-clock")]
fn an_unattended_review_writes_proposals() {
    let vault = crate::harness::TestVault::of_words().with("TARS_HTTP_LISTEN", "127.0.0.1:0").with("TZ", "UTC");
    let corrections = "# Corrections\n\n- 2026-03-14 09:00 Gave inches; plans are always in metres\n\
        - 2026-03-14 10:00 Gave feet; plans are always in metres\n- 2026-03-15 09:00 Gave yards; plans are always in metres\n";
    vault.write("tars/corrections.md", corrections);
    vault.tars(["index"]).run().success();
    let schedule = ["schedule", "add", "evening", "--at", "18:00", "--action", "/review"];
    vault.tars(schedule).env("TARS_TEST_CLOCK", "2026-03-15T12:00:00+00:00[UTC]").run().success();
    let serve = |time: &str| vault.tars(["serve"]).env("TARS_TEST_CLOCK", time).start();
    let state = || std::fs::read_to_string(vault.data().join("schedules/state.json")).unwrap_or_default();
    let first = serve("2026-03-15T17:00:00+00:00[UTC]");
    crate::harness::eventually("the schedule is known", || state().contains("evening"));
    first.kill();
    let second = serve("2026-03-15T18:30:00+00:00[UTC]");
    crate::harness::eventually("the schedule ran", || state().contains("\"ok\": true"));
    second.kill();
    let proposals = vault.read("tars/proposals.md");
    assert!(proposals.contains("metres"), "{proposals}");
    assert!(!vault.path("tars/Procedural.md").exists(), "the person has not accepted it");
}

#[test]
fn a_brief_has_the_log_open_ends_due_tasks_and_schedules() {
    let talk = Talk::new(Dialect::OpenAi, vec![Dialect::OpenAi.says("never")]);
    let today = crate::harness::today();
    talk.vault.write("Garden.md", format!("# Garden\n\n- [ ] Water the beans {today}\n- [x] Dig {today}\n"));
    talk.tars(&["daily", "--append", "Called the harbour"]).run().success();
    talk.tars(&["daily", "--append", "Open: order the paint"]).run().success();
    talk.tars(&["schedule", "add", "evening", "--at", "18:00", "--action", "/review"]).run().success();
    let brief = talk.tars(&["chat", "/brief"]).run().success().stdout().to_owned();
    for part in ["Called the harbour", "order the paint", "Water the beans", "evening: /review"] {
        assert!(brief.contains(part), "{part}: {brief}");
    }
    assert!(!brief.contains("Dig"), "{brief}");
    assert!(talk.asked().is_empty());
}

#[test]
#[cfg(feature = "test-clock")]
fn a_schedule_that_was_missed_runs_once_when_the_server_starts() {
    let vault = crate::harness::TestVault::new().with("TARS_HTTP_LISTEN", "127.0.0.1:0").with("TZ", "UTC");
    let schedule = ["schedule", "add", "morning", "--at", "07:30", "--action", "/brief"];
    vault.tars(["index"]).run().success();
    vault
        .tars(["daily", "--append", "Called the harbour"])
        .env("TARS_TEST_CLOCK", "2026-03-15T09:00:00+00:00[UTC]")
        .run()
        .success();
    vault.tars(schedule).env("TARS_TEST_CLOCK", "2026-03-14T06:00:00+00:00[UTC]").run().success();
    let state = vault.data().join("schedules/state.json");
    let known = || std::fs::read_to_string(&state).unwrap_or_default();
    let serve = |time: &str| vault.tars(["serve"]).env("TARS_TEST_CLOCK", time).start();
    let first = serve("2026-03-14T07:00:00+00:00[UTC]");
    crate::harness::eventually("the schedule is known", || known().contains("morning"));
    assert!(!known().contains("\"ok\""), "nothing was due yet: {}", known());
    first.kill();
    for time in ["2026-03-15T10:00:00+00:00[UTC]", "2026-03-15T10:05:00+00:00[UTC]"] {
        let running = serve(time);
        running.wait_for("serving on");
        crate::harness::eventually("the schedule ran", || known().contains("\"ok\": true"));
        running.kill();
    }
    let log = vault.read("tars/2026-03-15.md");
    assert_eq!(log.matches("[schedule] morning:").count(), 1, "{log}");
}
