//! The notes of a conversation, and the internal calls of the model.

use std::sync::Mutex;

use serde_json::{Value, json};

use super::{DIALECTS, Dialect, Talk};
use crate::harness::today;
use tars_testing::loopback::{Loopback, Reply};

const SAID: &str = "The boat Linnea is moored in Kappeln behind the old mill.";
const GOAL: &str = "The boat goes to Flensburg in May.";

/// A server whose streams come from a script and repeat the last one; `task` answers other requests.
pub(super) fn server(
    dialect: Dialect,
    replies: Vec<Reply>,
    task: impl Fn(&str) -> String + Send + 'static,
) -> Loopback {
    let next = Mutex::new(0);
    Loopback::start(move |asked| {
        let text = String::from_utf8_lossy(&asked.body);
        let request: Value = serde_json::from_str(&text).unwrap();
        if request["stream"] != true {
            return dialect.whole(&task(&text));
        }
        let mut next = next.lock().unwrap();
        *next += 1;
        replies[(*next - 1).min(replies.len() - 1)].clone()
    })
}

/// Answers the consolidation with a fact and a detail of a topic.
fn keeps(asked: &str) -> String {
    if asked.contains("Propose what of it should be kept") {
        let keep = |to: &str, text: &str| json!({"to": to, "text": text, "from": [1, 2]});
        return json!({"keep": [keep("fact", SAID), keep("context/boat", GOAL)]}).to_string();
    }
    "{}".to_owned()
}

/// Holds a conversation of one message at a terminal and leaves.
fn held(dialect: Dialect, apply: &str) -> Talk {
    let talk = Talk::with(dialect, server(dialect, vec![dialect.says("I see.")], keeps));
    let message = format!("{SAID} {GOAL}");
    let steps = [("", &*format!("{message}\r")), ("I see.", super::terminal::LEAVE)];
    let mut command = super::terminal::typing(&talk.vault, &["chat"], &steps);
    if !apply.is_empty() {
        command = command.env("TARS_CHAT_APPLY", apply);
    }
    talk.told(command).run().success();
    talk
}

#[test]
fn one_call_without_tools_proposes_what_to_remember() {
    for dialect in DIALECTS {
        let talk = held(dialect, "");
        let proposals = talk.vault.read("tars/proposals.md");
        assert!(proposals.contains(SAID) && proposals.contains(GOAL), "{proposals}");
        assert!(!talk.vault.path("tars/context/boat.md").exists() && !talk.vault.path("tars/Memory.md").exists());
        let asked = talk.asked();
        let calls: Vec<&Value> =
            asked.iter().filter(|asked| asked.to_string().contains("Propose what of it should be kept")).collect();
        assert_eq!(calls.len(), 1);
        assert!(calls[0].get("tools").is_none(), "{}", calls[0]);
    }
}

#[test]
fn automatic_layers_are_written_at_once_and_undone_as_one() {
    for dialect in DIALECTS {
        let talk = held(dialect, "context,timelines");
        assert!(talk.vault.read("tars/context/boat.md").contains(GOAL));
        let proposals = talk.vault.read("tars/proposals.md");
        assert!(
            proposals.contains(SAID) && !proposals.contains("context/boat"),
            "the core needs a proposal: {proposals}"
        );
        talk.vault.tars(["undo"]).run().success();
        assert!(!talk.vault.path("tars/context/boat.md").exists());
    }
}

#[test]
fn internal_calls_have_no_tools_and_nothing_private() {
    for dialect in DIALECTS {
        // The model gives the same answer at every turn and calls a tool in between, so that there is something to leak.
        let replies = vec![
            dialect.calls("note_read", &json!({"name": "Diary.md"})),
            dialect.says("It is noted."),
            dialect.calls("memory_file_read", &json!({"path": "context/diary.md"})),
            dialect.says("It is noted."),
            dialect.says("It is noted."),
            dialect.says("It is noted."),
        ];
        let talk = Talk::with(dialect, server(dialect, replies, keeps));
        talk.vault.write("Diary.md", "---\ntars: private\n---\n# Diary\n\nThe boat secretwordone.\n");
        talk.vault.write("tars/context/diary.md", "---\ntars: private\n---\n# Boat\n\n- The boat secretwordtwo\n");
        talk.vault
            .write("tars/corrections.md", "# Corrections\n\n- 09:00 Gave inches <private>secretwordthree</private>\n");
        talk.vault.tars(["index"]).run().success();
        let line = |text: &str| format!("{text} <private>secretwordfour</private>\r");
        let (one, two) = (line(SAID), line(GOAL));
        let steps = [
            ("", one.as_str()),
            ("It is noted.", two.as_str()),
            ("It is noted.", "we decided that the hull is blue\r"),
            ("It is noted.", "and the mast is white\r"),
            ("It is noted.", "/review\r"),
            ("", super::terminal::LEAVE),
        ];
        let command = super::terminal::typing(&talk.vault, &["chat"], &steps);
        let settings = [
            ("TARS_CHAT_COMPACT_MESSAGES", "6"),
            ("TARS_CHAT_HISTORY_TOKENS", "1000"),
            ("TARS_SUMMARY_PROVIDER", dialect.name()),
        ];
        let base = talk.server.url() + if dialect == Dialect::OpenAi { "/v1" } else { "" };
        let command = settings.iter().fold(talk.told(command), |command, (name, value)| command.env(name, value));
        command.env("TARS_SUMMARY_MODEL", "small").env("TARS_SUMMARY_BASE_URL", &base).run().success();
        let asked = talk.asked();
        let (own, turns): (Vec<&Value>, Vec<&Value>) = asked.iter().partition(|asked| asked["stream"] != true);
        assert!(turns.iter().all(|turn| turn.get("tools").is_some()));
        for begin in ["You sum up the older part", "Propose what of it should be kept", "corrections"] {
            assert!(own.iter().any(|asked| asked.to_string().contains(begin)), "{begin} was not asked");
        }
        assert!(own.len() >= 4, "summary, facts, review and consolidation: {}", own.len());
        for task in &own {
            assert!(task.get("tools").is_none(), "{task}");
        }
        let all = asked.iter().map(Value::to_string).collect::<String>();
        assert!(!all.contains("secretword"), "{all}");
    }
}

#[test]
fn feedback_on_the_last_answer_is_noted_for_a_review_and_in_the_log() {
    let dialect = Dialect::OpenAi;
    let talk = Talk::with(dialect, server(dialect, vec![dialect.says("It is 14 feet long.")], keeps));
    let steps = [
        ("", "/w nothing was said yet\r"),
        ("there is no answer yet", "how long is the boat\r"),
        ("14 feet", "/w give it in metres\r"),
        ("Noted:", "/w\r"),
        ("/w needs WHAT", "/r\r"),
        ("Noted:", super::terminal::LEAVE),
    ];
    let command = super::terminal::typing(&talk.vault, &["chat"], &steps);
    talk.told(command).run().success();
    let corrections = talk.vault.read("tars/corrections.md");
    assert!(corrections.contains("give it in metres (about: It is 14 feet long.)"), "{corrections}");
    assert!(!corrections.contains("nothing was said yet"), "{corrections}");
    let rewards = talk.vault.read("tars/rewards.md");
    assert!(rewards.contains("Good answer: It is 14 feet long."), "{rewards}");
    let log = talk.vault.read(&format!("tars/{}.md", today()));
    assert!(log.contains("Feedback, wrong: give it in metres") && log.contains("Feedback, right"), "{log}");
    let turns = talk.asked().iter().filter(|asked| asked["stream"] == true).count();
    assert_eq!(turns, 1, "no command reaches the model");
}
