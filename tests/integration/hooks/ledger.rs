//! The recall ledger: the lines that sessions were shown, and which of them they used.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use jiff::ToSpan;
use serde_json::{Value, json};

use super::notes::transcript;
use super::{Plugin, event};
use crate::contract::{keys, text};
use crate::harness::{Output, TarsCommand, today};

const QUESTION: &str = "how long does sourdough rest in the refrigerator before baking";

impl Plugin {
    fn asks(&self, session: &str, prompt: &str) -> String {
        self.context("user-prompt-submit", &event("UserPromptSubmit", json!({"session_id": session, "prompt": prompt})))
    }

    /// Ends a turn of a session with its request and answer.
    fn answers(&self, session: &str, asked: &str, said: &str) {
        let path = self.vault.home().join(format!("{session}.jsonl"));
        fs::write(&path, transcript(&[("p1", asked, said)])).unwrap();
        let more = json!({"session_id": session, "transcript_path": path, "prompt_id": "p1",
                          "last_assistant_message": said});
        self.noted("stop", &event("Stop", more));
    }

    /// Returns a command as an agent runs it: the test, its ancestor, is the client of the sessions.
    fn tars(&self, arguments: &[&str]) -> TarsCommand {
        self.vault.tars(arguments)
    }

    fn why(&self, session: &str) -> Value {
        self.tars(&["why", "--json", "--session", session]).run().success().json()
    }

    fn recall(&self) -> Value {
        self.tars(&["stats", "--recall", "--json"]).run().success().json()["recall"].clone()
    }

    /// Returns the recorded uses of the lines that a session was shown with prompts.
    fn uses(&self, session: &str) -> Vec<Value> {
        let found = self.why(session);
        let pieces = found["events"].as_array().unwrap().iter().flat_map(|event| event["pieces"].as_array().unwrap());
        let lines =
            pieces.filter(|piece| piece["always"] == false).flat_map(|piece| piece["lines"].as_array().unwrap());
        lines.map(|line| line["used"].clone()).collect()
    }

    fn ledger(&self) -> String {
        let folder = self.vault.data().join("recall");
        let files = fs::read_dir(folder).into_iter().flatten();
        files.map(|file| String::from_utf8_lossy(&fs::read(file.unwrap().path()).unwrap()).into_owned()).collect()
    }
}

#[test]
fn the_ledger_lists_what_a_session_was_shown_with_scores() {
    let plugin = Plugin::new();
    plugin.start("startup");
    plugin.prompt(QUESTION);
    assert_eq!(plugin.prompt("refactor the tokenizer into smaller functions"), "");
    // The test is the client, so that this command runs in its session.
    let found = plugin.tars(&["why", "--json"]).run().success().json();
    assert_eq!(keys(&found), ["session", "events"]);
    let events = found["events"].as_array().unwrap();
    let kinds: Vec<&str> = events.iter().map(|event| text(event, "event")).collect();
    assert_eq!(kinds, ["session_start", "prompt", "prompt"]);
    assert_eq!(keys(&events[0]), ["at", "event", "question", "pieces"]);
    let fields = ["collection", "path", "start_line", "end_line", "heading", "kind", "score", "always", "lines"];
    let (always, sought) = (&events[0]["pieces"][0], &events[1]["pieces"][0]);
    assert_eq!((keys(always), keys(sought)), (fields.to_vec(), fields.to_vec()));
    assert_eq!(
        (text(always, "path"), &always["always"], &always["score"]),
        ("tars/Memory.md", &json!(true), &json!(null))
    );
    assert_eq!((text(sought, "path"), &sought["always"]), ("Bread.md", &json!(false)));
    assert!(sought["score"].as_f64().unwrap() > 0.5, "{sought}");
    let line = json!({"number": 1, "line": 3, "used": [],
                      "text": "Sourdough rests overnight in the refrigerator before baking."});
    assert_eq!(sought["lines"], json!([line]));
    assert_eq!((text(&events[1], "question"), &events[2]["pieces"]), (QUESTION, &json!([])));

    let shown = plugin.tars(&["why"]).run().success().says(&["tars why --helpful N"]);
    let shown = shown.stdout();
    assert!(
        shown.contains("tars/Memory.md:1-3  always shown") && shown.contains("nothing new was relevant"),
        "{shown}"
    );
    assert!(
        shown.contains("Bread.md:3  Country loaf  score 0.") && shown.contains("    1  Sourdough rests"),
        "{shown}"
    );
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
}

#[test]
fn without_a_session_id_the_last_session_with_context_is_shown() {
    let plugin = Plugin::new();
    let nothing = plugin.tars(&["why"]).run().code(1).says(&["nothing was put before an agent so far"]);
    assert_eq!(nothing.stdout(), "");
    assert_eq!(plugin.tars(&["why", "--json"]).run().code(1).json(), json!({"session": null, "events": []}));
    plugin.asks("s-1", QUESTION);
    plugin.asks("s-10", QUESTION);
    assert_eq!(plugin.why("s-1")["session"], "s-1", "a longer id with the same beginning is another session");
    plugin.asks("s-1", "refactor the tokenizer into smaller functions");
    plugin.asks("s-2", "refactor the tokenizer into smaller functions");
    assert_eq!(plugin.tars(&["why", "--json"]).run().success().json()["session"], "s-10");
    assert_eq!(plugin.why("s-2")["events"][0]["pieces"], json!([]));
    let request = json!({"recalled": {"limit": 2}});
    let known = plugin.tars(&["ask", "--json-lines"]).stdin(request.to_string()).run().success().json();
    let sessions = known["recalled"].as_array().unwrap();
    assert_eq!(sessions.len(), 2, "{known}");
    assert_eq!(keys(&sessions[0]), ["session", "first", "last", "events", "lines", "used", "question"]);
    plugin.tars(&["why", "--session", "s-3"]).run().code(1).says(&["session s-3"]);
    plugin.start("startup");
    let open = plugin.tars(&["why", "--json"]).run().success().json();
    assert!(text(&open, "session").starts_with("0b6a7c1e"), "the session that this command runs in: {open}");
    plugin.tars(&["why", "--not-helpful", "1"]).run().code(2).says(&["no line that the session was shown", "tars why"]);
}

#[test]
fn expanded_quoted_and_marked_lines_count_as_used() {
    let plugin = Plugin::new();
    for session in ["quoted", "expanded", "marked", "unused"] {
        assert!(plugin.asks(session, QUESTION).contains("overnight"));
    }
    plugin.answers("quoted", QUESTION, "Let the sourdough rest overnight.");
    plugin.answers("unused", QUESTION, "I do not know, I have no oven.");
    let request = json!({"recalled": {}});
    let known = plugin.tars(&["ask", "--json-lines"]).stdin(request.to_string()).run().success().json();
    let of =
        |name: &str| known["recalled"].as_array().unwrap().iter().find(|one| one["session"] == name).unwrap().clone();
    let (quoted, unused) = (of("quoted"), of("unused"));
    assert_eq!((&quoted["lines"], &quoted["used"], text(&quoted, "question")), (&json!(1), &json!(1), QUESTION));
    assert_eq!((&unused["events"], &unused["used"]), (&json!(1), &json!(0)));
    let id = plugin.vault.search(&["search", "sourdough"])[0]["id"].as_str().unwrap().to_owned();
    let request = json!({"expand": {"id": id, "session": "expanded"}});
    let answer = plugin.tars(&["ask", "--json-lines"]).stdin(request.to_string()).run().success().json();
    assert!(text(&answer["expand"], "content").contains("overnight"));
    plugin.tars(&["why", "--session", "marked", "--helpful", "1"]).run().success();
    let marked = plugin.tars(&["why", "--session", "marked", "--not-helpful", "1"]).run().success();
    assert!(marked.stdout().starts_with("1 is marked as not helpful: Sourdough"), "{marked}");
    let uses = ["quoted", "expanded", "marked", "unused"].map(|session| plugin.uses(session));
    assert_eq!(json!(uses), json!([[["quoted"]], [["expanded"]], [["not_helpful"]], [[]]]));
    // Repeating the event changes nothing.
    plugin.answers("quoted", QUESTION, "Let the sourdough rest overnight.");
    assert_eq!(plugin.ledger().matches("\"quoted\",\"collection\"").count(), 1);

    plugin.asks("quoted", "refactor the tokenizer into smaller functions");
    let stats = plugin.recall();
    let expected = json!({
        "days": 30, "sessions": 4, "prompts": 5, "prompts_with_lines": 4, "helpers": 0, "lines": 4, "used": 2, "share": 0.5,
        "expanded": 1, "quoted": 1, "helpful": 0, "not_helpful": 1, "lines_always": 0, "used_always": 0,
        "most_used": [{"collection": "vault", "path": "Bread.md", "shown": 4, "used": 2}], "never_used": []
    });
    assert_eq!(stats, expected);
    let shown = plugin.tars(&["stats", "--recall"]).run().success();
    assert!(shown.stdout().contains("used         2 of 4 lines (50%): 1 quoted, 1 expanded\n"), "{shown}");
    assert!(shown.stdout().contains("most used    Bread.md  2 of 4 lines used\n"), "{shown}");
    assert!(plugin.tars(&["stats", "--json"]).run().success().json().get("recall").is_none());
}

#[test]
fn text_from_before_the_context_is_no_quote() {
    let plugin = Plugin::new();
    assert!(plugin.asks("s-1", QUESTION).contains("overnight"));
    // The turns of this transcript ended months before.
    let path = plugin.vault.home().join("s-1.jsonl");
    fs::write(&path, transcript(&[("p1", QUESTION, "Let the sourdough rest overnight.")])).unwrap();
    plugin.noted("session-end", &event("SessionEnd", json!({"session_id": "s-1", "transcript_path": path})));
    assert_eq!(plugin.uses("s-1"), [json!([])]);
}

#[test]
fn a_manual_expansion_counts_for_its_session_and_changes_no_answer() {
    let plugin = Plugin::new();
    let id = plugin.vault.search(&["search", "sourdough"])[0]["id"].as_str().unwrap().to_owned();
    let before = plugin.tars(&["expand", &id, "--json"]).run().success().json();
    assert_eq!(plugin.ledger(), "", "a session without context has no record");
    plugin.start("startup");
    plugin.prompt(QUESTION);
    assert_eq!(plugin.tars(&["expand", &id, "--json"]).run().success().json(), before);
    plugin.tars(&["expand", &id]).env("TARS_DISABLE", "1").run().success();
    assert_eq!(plugin.ledger().matches("expanded").count(), 1);
    assert_eq!(plugin.uses("0b6a7c1e"), [json!(["expanded"])]);
}

#[test]
fn tidy_lists_lines_that_are_shown_but_never_used_and_removes_none() {
    let plugin = Plugin::new();
    let tidy = |arguments: &[&str]| plugin.tars(&[&["tidy"], arguments].concat()).run().success();
    for session in ["a", "b", "c", "d"] {
        plugin.asks(session, QUESTION);
    }
    assert_eq!(tidy(&["--json"]).json()["findings"], json!([]), "four sessions are too few");
    plugin.asks("e", QUESTION);
    let finding = tidy(&["--json"]).json()["findings"][0].clone();
    assert_eq!((text(&finding, "kind"), keys(&finding)), ("unused", vec!["kind", "unused"]));
    let fields = ["collection", "path", "line", "text", "sessions", "not_helpful", "since"];
    assert_eq!(keys(&finding["unused"]), fields);
    assert!(tidy(&[]).stdout().contains("\n  shown in 5 sessions since 2"));
    plugin.tars(&["why", "--session", "a", "--not-helpful", "1"]).run().success();
    let before = plugin.vault.read("Bread.md");
    plugin.vault.write("Bread.md", format!("A line above.\n{before}"));
    let shown = tidy(&["--yes"]);
    assert!(
        shown.stdout().starts_with("was marked as not helpful:\n  Bread.md:4  Sourdough rests overnight"),
        "{shown}"
    );
    assert!(shown.stdout().contains("  in 1 of 5 sessions that saw it since 2"), "{shown}");
    assert!(plugin.vault.read("Bread.md").ends_with(&before));
    plugin.vault.write("Bread.md", "# Country loaf\n\nIt rests for two nights.\n");
    tidy(&[]).says(&["the memory folder is tidy"]);
}

#[test]
fn a_damaged_ledger_is_read_up_to_the_damage() {
    let plugin = Plugin::new();
    plugin.asks("s-1", QUESTION);
    let file = fs::read_dir(plugin.vault.data().join("recall")).unwrap().next().unwrap().unwrap().path();
    let mut torn = b"\x00\xff rubbish\n{\"kind\":\"shown\"}\n".to_vec();
    torn.extend(fs::read(&file).unwrap());
    torn.extend_from_slice(b"{\"kind\":\"shown\",\"at\":\"2026-");
    fs::write(&file, torn).unwrap();
    plugin.asks("s-2", QUESTION);
    assert_eq!(plugin.recall()["lines"], 2);
    assert_eq!(plugin.tars(&["why", "--json"]).run().success().json()["session"], "s-2");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert!(
        plugin.asks("s-3", QUESTION).contains("overnight"),
        "an unwritable ledger withholds nothing from the agent"
    );
    plugin.tars(&["why"]).run().code(2).says(&["cannot read the recall ledger"]);
    plugin.tars(&["tidy"]).run().success().says(&["cannot read the recall ledger"]);
}

#[test]
fn ledger_months_expire_after_a_year_and_no_other_file_does() {
    let plugin = Plugin::new();
    let folder = plugin.vault.data().join("recall");
    fs::create_dir_all(&folder).unwrap();
    for (name, days) in [("2024-01.jsonl", 400), ("2026-01.jsonl", 300), ("mine.txt", 400)] {
        let file = fs::File::create(folder.join(name)).unwrap();
        let day = today().saturating_sub(days.days()).to_zoned(jiff::tz::TimeZone::UTC).unwrap();
        file.set_modified(day.timestamp().into()).unwrap();
    }
    plugin.start("startup");
    let mut left: Vec<String> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    left.retain(|name| !name.starts_with(&today().to_string()[..7]));
    left.sort();
    assert_eq!(left, ["2026-01.jsonl", "mine.txt"]);
}

#[test]
fn simultaneous_hooks_leave_a_record_each() {
    let plugin = Plugin::new();
    let started: Vec<_> = (0..6)
        .map(|number| {
            let input = event("UserPromptSubmit", json!({"session_id": format!("s-{number}"), "prompt": QUESTION}));
            plugin.hook("dash", "user-prompt-submit", &input, &plugin.path()).start()
        })
        .collect();
    let outputs: Vec<Output> = started.into_iter().map(|hook| hook.finish().success()).collect();
    assert!(outputs.iter().all(|output| output.stdout().contains("overnight")));
    assert_eq!((plugin.recall()["sessions"].clone(), plugin.recall()["lines"].clone()), (json!(6), json!(6)));
}

#[test]
fn the_ledger_holds_no_private_text_and_no_terminal_escapes() {
    let plugin = Plugin::new();
    let secret = "ghp_x7Kq2LmZt9Wv4Rb8Yc1Nd6Hf3Jg5Sa0PeUiO";
    for session in ["../../x\u{1b}[31m", &"x".repeat(100_000), "s-1"] {
        let prompt = format!("{secret} <private>the house key</private> \u{1b}]0;x\u{7} {QUESTION}");
        plugin.asks(session, &prompt);
        plugin.asks(session, &format!("{QUESTION} {}", "word ".repeat(100_000)));
    }
    let ledger = plugin.ledger();
    assert_eq!(ledger.lines().count(), 6, "{ledger}");
    assert!(!ledger.contains("ghp_x7") && !ledger.contains("house key") && ledger.len() < 10_000, "{ledger}");
    let folder = plugin.vault.data().join("recall");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let file = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
    for arguments in [&["why"][..], &["why", "--session", "../../x\u{1b}[31m"], &["stats", "--recall"]] {
        let shown = plugin.tars(arguments).run().success();
        assert!(!shown.stdout().contains('\u{1b}'), "{shown}");
    }
}

#[test]
fn disabled_notes_and_pauses_keep_no_prompt_text() {
    let plugin = Plugin::new();
    let asked = event("UserPromptSubmit", json!({"session_id": "s-1", "prompt": QUESTION}));
    let hook = || plugin.hook("dash", "user-prompt-submit", &asked, &plugin.path());
    hook().env("TARS_DISABLE", "1").run().success();
    assert_eq!(plugin.ledger(), "");
    hook().env("TARS_HOOKS_NOTES", "false").run().success();
    let found = plugin.why("s-1");
    assert_eq!(
        (text(&found["events"][0], "question"), &found["events"][0]["pieces"][0]["path"]),
        ("", &json!("Bread.md"))
    );
    assert!(plugin.tars(&["why"]).run().success().stdout().contains("a prompt without stored words"));
}

#[test]
fn a_note_made_private_after_it_was_shown_leaves_why_and_the_ledger() {
    let plugin = Plugin::new();
    plugin.asks("one", QUESTION);
    assert!(plugin.why("one").to_string().contains("Sourdough rests"));
    let note = plugin.vault.read("Bread.md");
    // Before the index notices.
    plugin.vault.write("Bread.md", format!("<private>\n{note}\n</private>\n"));
    let found = plugin.why("one").to_string();
    assert!(!found.contains("Sourdough rests") && found.contains("Bread.md"), "{found}");
    plugin.vault.write("Bread.md", &note);
    plugin.asks("two", QUESTION);
    plugin.vault.write("Bread.md", format!("---\ntars: private\n---\n{note}"));
    plugin.vault.index();
    let ledger = plugin.ledger();
    assert!(!ledger.contains("Sourdough rests") && !ledger.contains("Bread.md"), "{ledger}");
    let found = plugin.why("two").to_string();
    assert!(!found.contains("Bread.md"), "{found}");
}
