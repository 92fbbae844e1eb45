//! The commands: which there are, where each may be used, and that none reaches a model.

use super::{Dialect, Talk};
use crate::harness::today;

#[test]
fn every_command_is_there_and_runs() {
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
        ("/compact", "No month is to be summed up."),
        ("/sessions", "No session log matches."),
        ("/stats", "No language model was asked"),
        ("/schedule", "No schedule is set"),
        ("/undo", "taken back"),
        ("/help w", "/w WHAT"),
    ] {
        let said = talk.tars(&["chat", line]).run();
        assert!(said.stdout().contains(expected), "{line}: {said}");
    }
    assert!(!talk.vault.path("tars/inbox.md").exists(), "the last write was taken back");
    for line in ["/context", "/export", "/clear", "/w x", "/r", "/model"] {
        let refused = talk.tars(&["chat", line]).run().code(2);
        assert!(refused.stderr().contains("in a conversation only"), "{line}: {}", refused.stderr());
    }
    let needs = talk.tars(&["chat", "/remember"]).run().code(2);
    assert!(needs.stderr().contains("/remember needs TEXT"), "{}", needs.stderr());
    assert!(talk.asked().is_empty(), "no command reaches a model");
}

#[test]
fn a_conversation_is_exported_and_cleared_once_it_is_noted() {
    let dialect = Dialect::OpenAi;
    let replies = vec![dialect.says("Decided: the mast is white."), dialect.says("Good.")];
    let talk = Talk::with(dialect, super::ending::server(dialect, replies, |_| "{}".into()));
    let steps = [
        ("", "we decided that the mast is white\r"),
        ("Decided", "/export\r"),
        ("Conversation", "/clear\r"),
        ("A new conversation begins.", "what else\r"),
        ("Good.", "/quit\r"),
    ];
    talk.typed(&["chat"], &steps).success();
    assert!(talk.vault.read(&format!("tars/{}.md", today())).contains("mast is white"));
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
    assert!(!vault.path("tars/Procedural.md").exists(), "a person decides");
}
