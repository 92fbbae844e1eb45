//! `tars ask --json-lines`, and `tars hook EVENT`: doors to the service.

use serde_json::{Value, json};

use crate::contract::text;
use crate::harness::TestVault;

fn ask(vault: &TestVault, requests: &[Value]) -> (Vec<Value>, i32) {
    let lines: Vec<String> = requests.iter().map(Value::to_string).collect();
    let output = vault.tars(["ask", "--json-lines"]).stdin(lines.join("\n")).run();
    let answers = output.json_lines();
    let failed = answers.iter().any(|answer| answer.get("error").is_some());
    let code = if failed { 2 } else { 0 };
    output.code(code);
    (answers, code)
}

fn vault() -> TestVault {
    let vault = TestVault::of_words().dated();
    vault.write("Bread.md", "# Country loaf\n\nSourdough rests overnight in the refrigerator before baking.\n");
    vault.write("Boiler.md", "# Boiler\n\nThe valve drips.\n");
    vault.index();
    vault
}

#[test]
fn responses_are_what_the_commands_print() {
    let vault = vault();
    let command = |arguments: &[&str]| vault.tars(arguments).run().json();
    let (answers, _) = ask(
        &vault,
        &[
            json!({"status": {}}),
            json!({"search": {"query": "sourdough", "limit": 3}}),
            json!({"context": {"query": "sourdough overnight"}}),
        ],
    );
    assert_eq!(answers[0]["status"], command(&["status", "--json"]));
    assert_eq!(answers[1]["search"], command(&["search", "sourdough", "-n", "3", "--json"]));
    assert_eq!(answers[2]["context"], command(&["context", "--query", "sourdough overnight", "--json"]));

    let id = text(&answers[1]["search"]["results"][0], "id").to_owned();
    let (answers, _) = ask(&vault, &[json!({"expand": {"id": id, "file": true}})]);
    assert_eq!(answers[0]["expand"], command(&["expand", &id, "--file", "--json"]));
}

#[test]
fn what_one_request_writes_the_next_one_finds_and_undoes() {
    let vault = vault();
    let (answers, _) = ask(
        &vault,
        &[
            json!({"remember": {"text": "The router is at 192.168.7.1"}}),
            json!({"search": {"query": "router"}}),
            json!({"remember": {"text": "The router is at 192.168.7.1"}}),
            json!({"undo": {}}),
            json!({"search": {"query": "router"}}),
        ],
    );
    assert_eq!(text(&answers[0]["remember"], "status"), "added");
    assert_eq!(text(&answers[1]["search"]["results"][0], "path"), "tars/Memory.md");
    assert_eq!(text(&answers[2]["remember"], "status"), "known");
    assert_eq!(answers[3]["undo"]["undone"].as_array().unwrap().len(), 1);
    assert_eq!(answers[4]["search"]["results"].as_array().unwrap().len(), 0);
}

#[test]
fn what_is_no_request_is_answered_with_an_error_and_the_next_line_is_read() {
    let vault = vault();
    let long = json!({"search": {"query": "x".repeat(2 << 20)}});
    let (answers, code) = ask(
        &vault,
        &[
            json!("sourdough"),
            json!({"search": {"qurey": "sourdough"}}),
            json!({"serch": {}}),
            long,
            json!({"search": {"query": ""}}),
            json!({"expand": {"id": "ffffffff"}}),
            json!({"search": {"query": "sourdough", "since": "soon"}}),
            json!({"search": {"query": "sourdough"}}),
        ],
    );
    assert_eq!((code, answers.len()), (2, 8));
    let said: Vec<&str> = answers[..7].iter().map(|answer| text(&answer["error"], "message")).collect();
    assert!(said[0].starts_with("not a request:"), "{said:?}");
    assert!(said[1].contains("unknown field `qurey`"), "{said:?}");
    assert!(said[2].contains("unknown variant `serch`"), "{said:?}");
    assert_eq!(said[3], "a request is longer than 1048576 bytes");
    assert!(said[6].contains("'soon' names no day"), "{said:?}");
    assert_eq!(text(&answers[7]["search"]["results"][0], "path"), "Bread.md");
}

#[test]
fn a_question_for_the_watcher_alone_is_refused_where_none_runs() {
    let vault = vault();
    let request = json!({"search": {"query": "sourdough"}}).to_string();
    let ask = |reach: &str| vault.tars(["ask", "--json-lines", "--reach", reach]).stdin(&request).run();
    let refused = ask("daemon").code(2).json();
    assert_eq!(text(&refused["error"], "hint"), "tars watch --detach");
    let answer = ask("local").success().json();
    assert_eq!(text(&answer["search"]["results"][0], "path"), "Bread.md");
    assert_eq!(ask("fallback").success().json(), answer);
}

#[test]
fn a_hook_is_answered_by_its_own_name_and_by_the_older_ones() {
    let vault = vault();
    vault.write("tars/Memory.md", "# Memory\n\n- The photo service listens on port 2283\n");
    let hook =
        |arguments: &[&str], input: Value| vault.tars(arguments).stdin(input.to_string()).run().success().quiet();
    let prompt = |session: &str| json!({"hook_event_name": "UserPromptSubmit", "session_id": session, "prompt": "does sourdough rest overnight?"});
    let old = hook(&["search", "--hook"], prompt("a"));
    assert!(old.stdout().contains("refrigerator"), "{old}");
    assert_eq!(hook(&["hook", "user-prompt-submit"], prompt("b")).stdout(), old.stdout());

    let unnamed = json!({"session_id": "c", "prompt": "does sourdough rest overnight?"});
    assert_eq!(hook(&["search", "--hook"], unnamed.clone()).stdout(), "");
    assert_eq!(hook(&["hook", "user-prompt-submit"], unnamed).stdout(), old.stdout(), "the command line says it");
    vault.tars(["hook", "no-such-event"]).run().code(2);
}
