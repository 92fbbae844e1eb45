//! The system prompt and the tools of the model.

use serde_json::{Value, json};

use super::terminal::{LEAVE, without_styles};
use super::{DIALECTS, Dialect, Talk, calls_each};
use crate::harness::today;

/// Returns the system prompt.
fn system(request: &Value, dialect: Dialect) -> String {
    let system = if dialect == Dialect::OpenAi { &request["messages"][0]["content"] } else { &request["system"] };
    system.as_str().map_or_else(|| system.to_string(), str::to_owned)
}

#[test]
fn every_tool_works() {
    let dialect = Dialect::OpenAi;
    let steps = [
        ("memory_search", json!({"query": "hull number", "limit": 3}), "SE-4471"),
        ("memory_get", json!({"path": "Boat.md", "first_line": 1, "last_line": 3}), "lies in Kappeln"),
        ("note_read", json!({"name": "Boat"}), "SE-4471"),
        ("note_list", json!({"name": "boat"}), "Boat.md"),
        (
            "memory_remember",
            json!({"text": "The sails are red.", "to": "context/boat"}),
            "Remembered in tars/context/boat.md",
        ),
        ("memory_daily", json!({"text": "Ordered the paint."}), "It stands in tars/"),
        ("memory_get", json!({"path": "today"}), "Ordered the paint."),
        ("memory_file_read", json!({"path": "context/boat.md"}), "The sails are red."),
        ("memory_file_append", json!({"path": "context/boat.md", "text": "- The mast is white.\n"}), "Written."),
        (
            "memory_file_write",
            json!({"path": "timelines/goals.md", "text": "# Goals\n\n- Flensburg in May\n"}),
            "Written.",
        ),
        ("memory_file_archive", json!({"path": "timelines/goals.md"}), "archive"),
        ("update_observations", json!({"text": "They sail on Sundays.", "importance": 3}), "Written down"),
        ("resolve_observation", json!({"which": "sail on Sundays", "how": "They said so."}), "It is settled."),
        ("update_soul", json!({"text": "I answer in one sentence."}), "was put on the list of proposals"),
    ];
    // A turn has ten rounds: the second half goes into another turn.
    let (first, second) = steps.split_at(7);
    let calls = |steps: &[(&str, Value, &str)]| -> Vec<_> {
        steps.iter().map(|(tool, given, _)| dialect.calls(tool, given)).chain([dialect.says("Done.")]).collect()
    };
    let talk = Talk::new(dialect, [calls(first), calls(second)].concat());
    for message in ["look around", "put it in order"] {
        talk.tars(&["chat", "--conversation", "tools", message]).run().success();
    }
    let asked = talk.asked();
    let results: Vec<&str> = asked.last().unwrap()["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].as_str().unwrap())
        .collect();
    for ((tool, _, expected), result) in steps.iter().zip(results) {
        assert!(result.contains(expected), "{tool}: {result}");
    }
    assert_eq!(talk.vault.read("tars/context/boat.md").matches("\n- The").count(), 2);
    assert!(talk.vault.path("tars/archive/timelines/goals.md").exists());
    assert!(talk.vault.read("tars/soul/observations.md").contains("They sail on Sundays."));
    let offered: Vec<&str> =
        asked[0]["tools"].as_array().unwrap().iter().filter_map(|tool| tool["function"]["name"].as_str()).collect();
    for (tool, ..) in &steps {
        assert!(offered.contains(tool), "{tool} is not among {offered:?}");
    }
}

#[test]
fn long_results_are_truncated_and_wrong_arguments_reported_to_the_model() {
    for dialect in DIALECTS {
        let replies = vec![
            dialect.calls("note_read", &json!({"name": "Long.md"})),
            dialect.calls("note_read", &json!({"title": "Long.md"})),
            dialect.calls("note_read", &json!({"name": "No such note.md"})),
            dialect.says("Done."),
        ];
        let talk = Talk::new(dialect, replies);
        talk.vault
            .write("Long.md", format!("# Long\n\n{}", "A line about the long voyage of the boat.\n".repeat(4000)));
        talk.vault.tars(["index"]).run().success();
        talk.tars(&["chat", "read it"]).run().success();
        let asked = talk.asked();
        let lengths: Vec<usize> = asked.iter().map(|request| request.to_string().len()).collect();
        assert!((2_000..12_000).contains(&(lengths[1] - lengths[0])), "{lengths:?}");
        let last = asked.last().unwrap().to_string();
        assert!(last.contains("there is no argument 'title'") && last.contains("No such note.md"), "{last}");
    }
}

#[test]
fn the_settings_change_what_the_model_may_write() {
    const FACT: &str = "The boat Linnea is moored in Kappeln.";
    let dialect = Dialect::OpenAi;
    for (setting, word, core, log) in [
        ("TARS_CHAT_CORE_WRITES", "allow", true, true),
        ("TARS_CHAT_CORE_WRITES", "deny", false, true),
        ("TARS_CHAT_LAYER_WRITES", "deny", false, false),
    ] {
        let replies = vec![
            dialect.calls("memory_remember", &json!({"text": FACT})),
            dialect.calls("memory_daily", &json!({"text": "Ordered the paint."})),
            dialect.says("Done."),
        ];
        let talk = Talk::new(dialect, replies);
        talk.tars(&["chat", "keep it"]).env(setting, word).run().success();
        let read = |file: &str| std::fs::read_to_string(talk.vault.path(file)).unwrap_or_default();
        assert_eq!(read("tars/Memory.md").contains(FACT), core, "{setting}={word}");
        assert_eq!(read(&format!("tars/{}.md", today())).contains("Ordered the paint."), log, "{setting}={word}");
        let refused = talk.asked().last().unwrap().to_string().matches("the settings do not allow this").count();
        assert_eq!(refused, usize::from(word == "deny"), "{setting}={word}");
    }
}

#[test]
fn the_prompt_fits_its_budget_and_is_rebuilt_after_a_write() {
    for dialect in DIALECTS {
        let replies = vec![
            dialect.calls("memory_daily", &json!({"text": "Ordered the paint."})),
            dialect.says("It is noted."),
            dialect.says("Yes, it is."),
        ];
        let talk = Talk::with(dialect, super::ending::server(dialect, replies, |_| "{}".into()));
        let vault = &talk.vault;
        vault.write("tars/soul/soul.md", "# Soul\n\n- I am terse.\n");
        vault.write("tars/Memory.md", "# Memory\n\n## Facts\n- The boat is called Linnea.\n");
        vault.write("tars/Procedural.md", "# Procedural\n\n## Rules\n- Speak in metres.\n");
        vault.write("tars/context/harbour.md", "# Harbour\n\n- The berth is number 14.\n");
        vault.write(&format!("tars/{}.md", today()), format!("# {}\n\n- 09:00 Called the harbour\n", today()));
        let long: String = (0..3000).map(|number| format!("- The rope number {number} is worn.\n")).collect();
        vault.write("Ropes.md", format!("# Ropes\n\n{long}"));
        vault.tars(["index"]).run().success();
        let steps = [
            ("", "what of the hull number of the boat\r"),
            ("It is noted.", "is the paint ordered\r"),
            ("Yes, it is.", "/context\r"),
            ("of the conversation follow.", LEAVE),
        ];
        let said = talk.typed(&["chat"], &steps).success();
        let asked = talk.asked();
        let turns: Vec<&Value> = asked.iter().filter(|asked| asked["stream"] == true).collect();
        let first = system(turns[0], dialect);
        for part in [
            "You are tars",
            "I am terse.",
            "called Linnea",
            "Speak in metres.",
            "context/harbour.md",
            "Called the harbour",
            "SE-4471",
        ] {
            assert!(first.contains(part), "{part}: {first}");
        }
        assert!(first.len() < 4_000 * 5, "{} bytes", first.len());
        assert!(!first.contains("Ordered the paint.") && system(turns[2], dialect).contains("Ordered the paint."));
        for part in ["tokens are sent before the conversation", "soul", "map of the memory", "memory and search"] {
            assert!(without_styles(said.stdout()).contains(part), "/context does not show {part}: {said}");
        }
    }
}

#[test]
fn provider_and_model_are_chosen_for_one_call_and_in_a_conversation() {
    let dialect = Dialect::OpenAi;
    let talk = Talk::with(dialect, super::ending::server(dialect, vec![dialect.says("Hello.")], |_| "{}".into()));
    talk.tars(&["chat", "--provider", "openai", "--model", "other", "hello"]).run().success();
    let steps = [("", "/model openai third\r"), ("third answers from now on", "good morning\r"), ("Hello.", LEAVE)];
    talk.typed(&["chat"], &steps).success();
    let models: Vec<Value> =
        talk.asked().iter().filter(|asked| asked["stream"] == true).map(|asked| asked["model"].clone()).collect();
    assert_eq!(models, ["other", "third"]);
    let wrong = talk.tars(&["chat", "--provider", "hal", "hello"]).run().code(2);
    assert!(wrong.stderr().contains("there is no provider 'hal'"), "{}", wrong.stderr());
}

#[test]
fn a_turn_writes_a_bounded_number_of_lines_that_one_undo_takes_back() {
    let lines = |from: usize| -> Vec<Value> {
        (from..from + 16).map(|number| json!({"text": format!("Counted plank number {number} of the deck.")})).collect()
    };
    let dialect = Dialect::OpenAi;
    let replies =
        vec![calls_each("memory_daily", &lines(0)), calls_each("memory_daily", &lines(16)), dialect.says("Done.")];
    let talk = Talk::new(dialect, replies);
    talk.vault.tars(["daily", "--append", "A line of my own."]).run().success();
    let before = talk.vault.tars(["daily"]).run().success().stdout().to_owned();
    talk.tars(&["chat", "count the planks"]).run().success();
    let written = || {
        let log = talk.vault.tars(["log", "--json", "--limit", "100"]).run().success().json();
        let of_chat = |one: &&Value| one["channel"] == "chat" && one["undone"] == false && one["undoes"].is_null();
        log.as_array().unwrap().iter().filter(|one| one["command"] == "daily").filter(of_chat).count()
    };
    assert_eq!(written(), 20, "the rest was refused");
    assert!(talk.asked()[2].to_string().contains("a turn writes 20 times at most"));
    // The conversation's outcomes may have been noted after the turn, as a step of their own.
    for _ in 0..2 {
        if written() > 0 {
            talk.vault.tars(["undo"]).run().success();
        }
    }
    assert_eq!(written(), 0, "no line of the turn is left");
    let after = talk.vault.tars(["daily"]).run().success().stdout().to_owned();
    assert_eq!(after, before);
}
