//! Answers over HTTP.

use serde_json::json;

use super::Serving;
use crate::harness::TestVault;

#[test]
fn questions_are_answered_as_on_the_command_line() {
    let vault = TestVault::of_words();
    vault.write("Home/Valve.md", "# Valve\nThe leak valve sits behind the boiler. #home\n");
    vault.write("Garden.md", "# Garden\nThe valve of the hose.\n");
    let serving = Serving::start(&vault);
    let expected = vault.tars(["search", "leak valve", "--json"]).run().success().json();
    assert_eq!(serving.answer("search", &json!({"query": "leak valve"})), expected);
    assert_eq!(serving.get("/v1/search?query=leak+valve").expect(200).json(), expected);
    let narrow = serving.get("/v1/search?q=valve&limit=1&tag=home&mode=keyword").expect(200).json();
    assert_eq!(narrow["results"][0]["path"], "Home/Valve.md");
    assert_eq!(narrow["results"].as_array().unwrap().len(), 1);
    let note = serving.answer("get", &json!({"names": ["Garden.md"]}));
    assert!(note.to_string().contains("valve of the hose"), "{note}");
}

#[test]
fn an_invalid_request_gets_a_hint() {
    let vault = TestVault::of_words();
    let serving = Serving::start(&vault);
    let bearer = serving.bearer();
    let post = |operation: &str, body: &str| serving.send(&format!("POST /v1/{operation}"), &[&bearer], body);
    post("search", "{").problem(400, &["not JSON", "openapi.json"]);
    post("search", "[]").problem(400, &["not an object"]);
    post("search", &"[".repeat(100_000)).problem(400, &["not JSON"]);
    post("search", "{\"nothing\": 1}").problem(422, &["unknown field `nothing`", "\"kind\":\"invalid\""]);
    post("search", "{\"limit\": \"many\"}").problem(422, &["\"kind\":\"invalid\""]);
    post("nothing", "{}").problem(404, &["openapi.json"]);
    serving.get("/v1/search?limit=many").problem(400, &["'limit' cannot be 'many'"]);
    serving.get("/v1/search?nothing=1").problem(400, &["'nothing' is not a simple field"]);
    serving.get("/v1/remember?text=a").problem(405, &["POST /v1/remember"]);
    serving.send("DELETE /v1/search", &[&bearer], "").problem(405, &["method"]);
    serving.send("PUT /health", &[], "").problem(405, &[]);
    assert!(!vault.path("tars").exists());
}

#[test]
fn a_request_that_is_too_long_is_refused_before_it_is_read() {
    let vault = TestVault::of_words();
    let serving = Serving::start(&vault);
    let nothing = serving.answer("search", &json!({"query": "a".repeat(1_000_000)}));
    assert_eq!(nothing["results"], json!([]));
    let too_long = json!({"text": "a".repeat(1 << 20)}).to_string();
    serving.send("POST /v1/remember", &[&serving.bearer()], &too_long).problem(413, &["1048576 bytes"]);
    // The server does not read a body without a token.
    serving.send("POST /v1/remember", &[], &too_long).problem(401, &[]);
    let header = format!("X-Long: {}", "a".repeat(100_000));
    assert!(matches!(serving.send("GET /health", &[&header], "").status, 400 | 431));
}

#[test]
fn a_broken_message_to_mcp_gets_an_error_of_json_rpc() {
    let vault = TestVault::of_words();
    let serving = Serving::start(&vault);
    let bearer = serving.bearer();
    let post = |body: &str| {
        let headers =
            [bearer.as_str(), "Content-Type: application/json", "Accept: application/json, text/event-stream"];
        serving.send("POST /mcp", &headers, body)
    };
    let deep = format!("{{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\",\"params\":{}", "[".repeat(100_000));
    for (body, id, code) in [
        ("nonsense", json!(null), -32700),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\ud800"}}"#, json!(1), -32700),
        (deep.as_str(), json!(3), -32700),
        (r#"{"id":4,"method":"ping"}"#, json!(4), -32600),
        (r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{}}"#, json!(5), -32602),
    ] {
        let reply = post(body).expect(400);
        assert_eq!(reply.header("content-type"), Some("application/json"), "{reply:#?}");
        let answer = reply.json();
        assert_eq!((&answer["jsonrpc"], &answer["id"], &answer["error"]["code"]), (&json!("2.0"), &id, &json!(code)));
    }
    let arguments = r#"{\"query\": \"valve\", \"tags\": \"[]\"}"#;
    let params = format!(r#"{{"name":"memory_search","arguments":"{arguments}"}}"#);
    let called =
        post(&format!(r#"{{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{params}}}"#)).expect(200).json();
    assert_eq!((&called["id"], &called["result"]["isError"]), (&json!(6), &json!(false)), "{called}");
    serving.send("POST /mcp", &[&bearer], "{}").expect(406);
}

#[test]
fn dates_and_ids_of_any_size_are_answered() {
    let vault = TestVault::of_words();
    vault.write("a.md", "# A\nA note.\n");
    let serving = Serving::start(&vault);
    for days in [0_u32, 7_304_485, 8_000_000, u32::MAX] {
        serving.ask("compact", &json!({"older_than_days": days})).expect(200);
    }
    let long = "2026-05-08 ".repeat(900_000 / 11);
    for (operation, request) in [
        ("daily", json!({"day": long})),
        ("timeline", json!({"until": long})),
        ("week", json!({"day": long})),
        ("search", json!({"query": "note", "since": long})),
        ("search", json!({"query": "note", "as_of": long})),
        ("compact", json!({"month": long})),
        ("session", json!({"id": long})),
        ("pause", json!({"session": long})),
    ] {
        let reply = serving.ask(operation, &request);
        assert!(reply.body.len() < 2_000, "{operation} repeats the value: {} bytes", reply.body.len());
        reply.problem(422, &["\"kind\":\"invalid\""]);
    }
}

#[test]
fn paths_reach_only_notes() {
    let vault = TestVault::of_words();
    vault.write("a.md", "# A\nA note.\n");
    std::fs::write(vault.home().join("outside.md"), "outside of all").unwrap();
    let serving = Serving::start(&vault);
    for path in [
        "/../outside.md",
        "/assets/../../../../etc/passwd",
        "/assets/..%2f..%2f..%2fetc%2fpasswd",
        "/assets/%2e%2e/index.html",
        "/assets//etc/passwd",
        "/assets/index.html%00.js",
        "/vault/a.md",
        "/v1/../health",
        "/v1/..%2fhealth",
        "//etc/passwd",
    ] {
        let reply = serving.get(path);
        assert!(matches!(reply.status, 400 | 404), "{path}: {reply:#?}");
        assert!(!reply.body.contains("root:") && !reply.body.contains("A note"), "{path}: {reply:#?}");
    }
    for name in ["../outside.md", "/etc/passwd", "a.md/../../outside.md", "[[../outside]]", "~/outside.md"] {
        let reply = serving.ask("get", &json!({"names": [name]}));
        assert!(matches!(reply.status, 404 | 422), "{name}: {reply:#?}");
        assert!(!reply.body.contains("outside of all"), "{name}: {reply:#?}");
    }
    for day in ["../../outside", "/etc/passwd"] {
        serving.ask("daily", &json!({"day": day})).problem(422, &["is no day"]);
    }
    let day = serving.answer("daily", &json!({"day": "2026-11-17/../../outside"}));
    assert!(day["content"].is_null() && !day["path"].as_str().unwrap().contains(".."), "{day}");
}

#[test]
fn private_notes_are_hidden() {
    let vault = TestVault::of_words().dated();
    let private = "---\ntars: private\n---\n# Hidden\nThe safe holds the silver spoons.\n";
    vault.write("Hidden.md", private).write("tars/context/hidden.md", private);
    let day = crate::harness::today();
    vault.write(&format!("tars/{day}.md"), private);
    vault.write("Open.md", "# Open\nSee [[Hidden]].\n");
    let serving = Serving::start(&vault);
    for (operation, request) in [
        ("search", json!({"query": "silver spoons"})),
        ("get", json!({"names": ["Hidden.md"]})),
        ("get", json!({"names": ["[[Hidden]]"]})),
        ("get", json!({"names": ["tars/context/hidden.md"]})),
        ("get", json!({"names": [format!("tars/{day}.md")]})),
        ("daily", json!({})),
        ("context", json!({"query": "silver spoons"})),
        ("layers", json!({})),
        ("forget", json!({"query": "spoons"})),
        ("history", json!({"query": "silver spoons"})),
        ("tidy", json!({})),
        ("review", json!({})),
        ("week", json!({})),
        ("log", json!({})),
    ] {
        let reply = serving.ask(operation, &request);
        assert!(matches!(reply.status, 200 | 404 | 422), "{operation}: {reply:#?}");
        for words in ["spoons.", "The safe", "context/hidden.md\",\"tokens"] {
            assert!(!reply.body.contains(words), "{operation} {request}: {reply:#?}");
        }
    }
}

#[test]
fn secrets_are_taken_out_of_answers() {
    let vault = TestVault::of_words();
    vault.write("tars/Memory.md", "# Memory\n\n## Facts\n- The password is hunter2hunter2\n");
    let serving = Serving::start(&vault);
    for (operation, request) in
        [("forget", json!({"query": "password"})), ("context", json!({})), ("search", json!({"query": "password"}))]
    {
        let reply = serving.ask(operation, &request).expect(200);
        assert!(!reply.body.contains("hunter2"), "{operation}: {reply:#?}");
    }
}

/// The journal holds the written text; of a file that became private since, undo reveals nothing.
#[test]
fn an_undo_reveals_nothing_about_a_private_file() {
    let vault = TestVault::of_words();
    vault.write("Open.md", "# Open\n");
    let serving = Serving::start(&vault);
    let added = serving.answer("remember", &json!({"text": "The safe holds the silver spoons"}));
    assert_eq!(added["status"], "added");
    let memory = vault.read("tars/Memory.md");
    vault.write("tars/Memory.md", format!("---\ntars: private\n---\n{memory}"));
    assert_eq!(serving.answer("log", &json!({})), json!([]));
    let undone = serving.answer("undo", &json!({"count": 1}));
    assert!(!undone.to_string().contains("silver"), "{undone}");
    assert_eq!(undone["undone"][0]["path"], "tars/Memory.md");
    assert!(!vault.read("tars/Memory.md").contains("silver"), "it is undone nevertheless");

    // If the line has changed, the answer does not show its present text either.
    vault.remove("tars/Memory.md");
    serving.answer("remember", &json!({"text": "The safe holds the silver forks"}));
    let changed = vault.read("tars/Memory.md").replace("forks", "knives");
    vault.write("tars/Memory.md", format!("---\ntars: private\n---\n{changed}"));
    let refused = serving.answer("undo", &json!({"count": 1}));
    assert!(refused["refused"].is_object() && !refused.to_string().contains("silver"), "{refused}");
}
