//! The use cases of the page that no command has: facts and rules line by line, days as a timeline, sessions of
//! the ledger, related notes.

use serde_json::{Value, json};

use crate::contract::{keys, text};
use crate::harness::TestVault;

fn ask(vault: &TestVault, request: &Value) -> Value {
    let name = request.as_object().unwrap().keys().next().unwrap();
    let output = vault.tars(["ask", "--json-lines"]).stdin(request.to_string()).run();
    let answer = output.json();
    answer.get(name).cloned().unwrap_or(answer)
}

fn texts<'a>(values: &'a Value, name: &str) -> Vec<&'a str> {
    values.as_array().unwrap().iter().map(|value| text(value, name)).collect()
}

#[test]
fn facts_and_rules_are_listed_line_by_line() {
    let vault = TestVault::of_words();
    assert_eq!(ask(&vault, &json!({"lines": {}})), json!([]));
    vault.write(
        "tars/Memory.md",
        "# Memory\n\n## Person\n- Anna keeps bees\n  - two hives\n\n## Home\n- The router is upstairs\n",
    );
    vault.write("tars/Procedural.md", "# Procedural\n\n## Code\n- Short functions\n");
    vault.write("tars/context/work.md", "# Work\n\n- Ben runs the deploys\n");
    let lines = ask(&vault, &json!({"lines": {}}));
    assert_eq!(keys(&lines[0]), ["kind", "id", "path", "line", "heading", "text"]);
    assert_eq!(
        texts(&lines, "text"),
        ["Anna keeps bees", "two hives", "The router is upstairs", "Short functions", "Ben runs the deploys"]
    );
    assert_eq!(texts(&lines, "kind"), ["semantic", "semantic", "semantic", "procedural", "semantic"]);
    assert_eq!((text(&lines[2], "heading"), lines[2]["line"].as_u64()), ("Home", Some(8)));
    let unknown = ask(&vault, &json!({"lines": {"section": "Home"}}));
    assert_eq!(text(&unknown["error"], "kind"), "invalid");
}

#[test]
fn days_are_listed_newest_first_with_project_channel_and_turns() {
    let vault = TestVault::of_words();
    assert_eq!(ask(&vault, &json!({"timeline": {}})), json!({"days": [], "earlier": null}));
    vault.write(
        "tars/2026-03-15.md",
        "# 2026-03-15\n\n- 08:10 [phone] Ordered [two](x) probes\n- no time\n\n## Session 09:20 · acme/api\n\
         <!-- tars:session 5e55b0a2 turns=ff6e7c,a9007d by=extractive project=1a2b3c4d transcript=/home/me/a%20b.jsonl -->\n\
         - 09:20 Decided: minutes — why?\n- [x] 09:40 Open: measure it\n- 09:41 [extracted] Use pnpm\n",
    );
    vault.write("tars/archive/days/2026-02-01.md", "# 2026-02-01\n- 10:00 old\n");
    vault.write("tars/sessions/2026-03-20T09-20-05-api.md", "---\nproject: api\n---\n# Moving the index\n");
    let all = ask(&vault, &json!({"timeline": {}}));
    let days = &all["days"];
    assert_eq!(texts(days, "day"), ["2026-03-20", "2026-03-15", "2026-02-01"], "{all}");
    assert_eq!((&days[0]["path"], text(&days[0]["sessions"][0], "topic")), (&json!(null), "Moving the index"));
    let entries = &days[1]["entries"];
    assert_eq!(
        texts(entries, "text"),
        ["Ordered [two](x) probes", "no time", "minutes — why?", "measure it", "Use pnpm"]
    );
    assert_eq!(entries[0]["channel"], "phone");
    assert_eq!((&entries[0]["time"], &entries[1]["time"]), (&json!("08:10"), &json!(null)));
    let decided = &entries[2];
    assert_eq!((text(decided, "outcome"), text(decided, "project")), ("Decided", "acme/api"));
    assert_eq!(decided["turns"], json!(["ff6e7c", "a9007d"]));
    assert_eq!(text(decided, "transcript"), "/home/me/a b.jsonl");
    assert_eq!((text(&entries[3], "time"), &entries[3]["is_ticked"]), ("09:40", &json!(true)));
    assert_eq!(entries[4]["channel"], "extracted");

    let one = ask(&vault, &json!({"timeline": {"days": 1, "until": "2026-03-15"}}));
    assert_eq!(texts(&one["days"], "day"), ["2026-03-15"]);
    let rest = ask(&vault, &json!({"timeline": {"until": text(&one, "earlier")}}));
    assert!(texts(&rest["days"], "day").contains(&"2026-02-01"), "{rest}");
    assert_eq!(text(&ask(&vault, &json!({"timeline": {"until": "soon"}}))["error"], "kind"), "invalid");
}

#[test]
fn related_notes_are_linked_or_similar() {
    let vault = TestVault::of_words();
    vault.write("Bread.md", "# Bread\n\nSourdough rests overnight. See [[Starter]], [[Plan]] and [[Nowhere]].\n");
    vault.write("Kitchen/Starter.md", "# Sourdough starter\n\nFeed the sourdough with rye.\n");
    vault.write("Week.md", "# Week\n\nBake [[bread|the loaf]] on Friday.\n");
    vault.write("Oven.md", "# Oven\n\nSourdough bread wants steam.\n");
    vault.write("Work/Plan.md", "# Plan\n").write("Home/Plan.md", "# Plan\n").write("Tax.md", "# Tax\n\nForms.\n");
    vault.write("Diary.md", "---\ntars: private\n---\n# Diary\n\nSourdough bread, and [[Bread]].\n");
    vault.index();
    let found = ask(&vault, &json!({"related": {"name": "[[Bread]]"}}));
    assert_eq!(keys(&found), ["collection", "path", "title", "degraded", "notes"]);
    let notes = &found["notes"];
    assert_eq!(keys(&notes[0]), ["collection", "path", "title", "score", "line", "is_target", "is_source"]);
    assert_eq!(texts(notes, "path")[..3], ["Kitchen/Starter.md", "Week.md", "Oven.md"], "{found}");
    let is_linked = |note: &&Value| note["is_target"] == true || note["is_source"] == true;
    assert_eq!(notes.as_array().unwrap().iter().filter(is_linked).count(), 2, "[[Plan]] may mean two notes: {found}");
    assert_eq!((text(&notes[0], "title"), &notes[0]["is_target"]), ("Sourdough starter", &json!(true)));
    assert_eq!((&notes[1]["is_source"], &notes[1]["is_target"]), (&json!(true), &json!(false)));
    assert!(notes[2]["score"].as_f64().unwrap() > 0.0 && notes[2]["line"].is_number(), "{found}");
    let of_section = ask(&vault, &json!({"related": {"name": text(&vault.search(&["sgrep", "steam"])[0], "id")}}));
    assert_eq!(text(&of_section, "path"), "Oven.md");
    assert_eq!(text(&ask(&vault, &json!({"related": {"name": "Diary.md"}}))["error"], "kind"), "not_found");
    assert_eq!(
        ask(&vault, &json!({"related": {"name": "Bread.md", "limit": 0}}))["notes"].as_array().unwrap().len(),
        2
    );
}
