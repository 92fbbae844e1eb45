//! `tars ask --json-lines` and `tars hook EVENT`: frontends of the service.

use std::fs;

use serde_json::{Value, json};

use crate::contract::text;
use crate::harness::TestVault;
use crate::permissions::set_mode;
use crate::second_stage::shelf;
use crate::transcript::SESSION;

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
fn a_request_finds_and_undoes_what_the_previous_one_wrote() {
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

/// Removes what differs between runs.
fn timeless(mut answer: Value) -> Value {
    if let Some(seconds) = answer.get_mut("seconds") {
        assert!(seconds.take().is_number());
    }
    for mode in answer.get_mut("modes").and_then(Value::as_array_mut).into_iter().flatten() {
        assert!(mode["ms"].take()["median"].is_number());
    }
    answer
}

#[test]
fn long_requests_are_answered_as_the_commands_print_it() {
    let vault = vault().with("TZ", "UTC");
    let transcript = vault.home().join("5e55.jsonl");
    fs::write(&transcript, SESSION).unwrap();
    let questions = vault.home().join("questions.jsonl");
    let question = json!({"query": "sourdough", "relevant": [{"path": "Bread.md"}], "category": "baking"});
    fs::write(&questions, question.to_string()).unwrap();
    let export = vault.home().join("conversations.json");
    let chat = json!({"conversation_id": "c", "mapping": {"a": {"message": {
        "author": {"role": "user"}, "content": {"content_type": "text", "parts": ["Why?"]}}}}});
    fs::write(&export, json!([chat]).to_string()).unwrap();
    let (file, queries) = (transcript.to_str().unwrap(), questions.to_str().unwrap());
    for (request, command) in [
        (json!({"index": {}}), vec!["index"]),
        (json!({"index": {"full": true}}), vec!["index", "--full"]),
        (json!({"index": {"paths": ["vault/Bread.md"]}}), vec!["index", "vault/Bread.md"]),
        (json!({"doctor": {}}), vec!["doctor"]),
        (json!({"models": {}}), vec!["models", "list"]),
        (json!({"eval": {"queries": queries, "modes": ["keyword"]}}), vec!["eval", queries, "--mode", "keyword"]),
        (
            json!({"eval": {"sample": 3, "seed": 1, "modes": ["keyword"]}}),
            vec!["eval", "--self", "--sample", "3", "--seed", "1", "--mode", "keyword"],
        ),
        (json!({"turns": {"file": file}}), vec!["transcript", file]),
        (
            json!({"turn": {"file": file, "id": "aaaa-2", "context": 1}}),
            vec!["transcript", file, "--turn", "aaaa-2", "--context", "1"],
        ),
        (json!({"import": {"folder": file, "dry_run": true}}), vec!["import", "claude-code", file, "--dry-run"]),
        (
            json!({"import_chats": {"client": "chatgpt", "export": &export, "dry_run": true}}),
            vec!["import", "chatgpt", export.to_str().unwrap(), "--dry-run"],
        ),
    ] {
        let printed = vault.tars(&command).arg("--json").run().success().json();
        let (answers, code) = ask(&vault, std::slice::from_ref(&request));
        let name = request.as_object().unwrap().keys().next().unwrap();
        assert_eq!((code, timeless(answers[0][name].clone())), (0, timeless(printed)), "{request}");
    }
}

#[test]
fn a_request_finds_what_the_previous_one_indexed_or_imported() {
    let vault = vault();
    vault.write("Well.md", "# Well\n\nThe pump in the well stops at night.\n");
    let transcript = vault.home().join("5e55.jsonl");
    fs::write(&transcript, SESSION).unwrap();
    let (answers, code) = ask(
        &vault,
        &[
            json!({"search": {"query": "pump", "sync": false}}),
            json!({"index": {}}),
            json!({"search": {"query": "pump", "sync": false}}),
            json!({"import": {"folder": transcript}}),
            json!({"sessions": {}}),
            json!({"undo": {}}),
            json!({"sessions": {}}),
        ],
    );
    assert_eq!(code, 0, "{answers:?}");
    assert_eq!(answers[0]["search"]["results"], json!([]));
    assert_eq!(answers[1]["index"]["added"], 1);
    assert_eq!(text(&answers[2]["search"]["results"][0], "path"), "Well.md");
    assert_eq!(answers[4]["sessions"][0]["path"], answers[3]["import"]["logs"][0]["path"]);
    assert_eq!(answers[6]["sessions"], json!([]));
}

#[test]
fn doctor_repairs_only_on_request() {
    let vault = vault();
    set_mode(&vault.data(), 0o755);
    let look = json!({"doctor": {}});
    let (answers, code) = ask(&vault, &[look.clone(), look.clone(), json!({"doctor": {"repair": true}}), look]);
    assert_eq!(code, 0, "{answers:?}");
    let doctor = |place: usize| &answers[place]["doctor"];
    assert_eq!(text(&doctor(0)["problems"][0], "kind"), "permissions");
    assert_eq!((&doctor(1)["healthy"], doctor(1)), (&json!(false), doctor(0)), "checking changes nothing");
    assert_eq!((&doctor(2)["healthy"], &doctor(2)["problems"]), (&json!(true), &json!([])));
    assert_eq!(doctor(2)["repaired"].as_array().unwrap().len(), 1);
    assert_eq!(doctor(3)["healthy"], true);
}

#[test]
fn no_request_changes_the_configuration_or_downloads() {
    let vault = vault();
    let requests = [
        json!({"init": {"folder": "Notes"}}),
        json!({"use_model": {"id": "x"}}),
        json!({"pull_model": {"spec": "hf:a/b"}}),
        json!({"prepare_model": {}}),
        json!({"turn": {"file": "5e55.jsonl", "context": 101}}),
        json!({"eval": {"sample": 0}}),
    ];
    let (answers, _) = ask(&vault, &requests);
    let said: Vec<&str> = answers.iter().map(|answer| text(&answer["error"], "message")).collect();
    assert!(said[..4].iter().all(|message| message.starts_with("not a request: unknown variant")), "{said:?}");
    assert_eq!(said[4..], ["context is 101, not 0 to 100", "sample is 0, not 1 to 10000"]);
}

#[test]
fn invalid_lines_are_answered_with_errors_and_the_next_line_is_read() {
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
fn reach_daemon_fails_when_no_watcher_runs() {
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
fn reach_daemon_refuses_rewording_and_reranking() {
    let rewording = vault().with("TARS_SUMMARY_PROVIDER", "command").with("TARS_SUMMARY_COMMAND", r#"["cat"]"#);
    let reranking = shelf();
    for (vault, field) in [(&rewording, "expand"), (&reranking, "rerank")] {
        // The answer does not depend on whether a watcher runs.
        let request = json!({"search": {"query": "walrus", field: true}}).to_string();
        let refused = vault.tars(["ask", "--json-lines", "--reach", "daemon"]).stdin(&request).run().code(2).json();
        assert_eq!(text(&refused["error"], "message"), "the watcher rewords no question and reranks no results");
        assert_eq!(text(&refused["error"], "hint"), "ask for it without the watcher: --reach local");
    }
}

#[test]
fn hooks_answer_to_current_and_older_names() {
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
    assert_eq!(
        hook(&["hook", "user-prompt-submit"], unnamed).stdout(),
        old.stdout(),
        "the command line names the event"
    );
    vault.tars(["hook", "no-such-event"]).run().code(2);
}
