//! Lines that a client of `tars mcp` sends and that are no whole message, or not quite what the schema says.

use serde_json::{Value, json};

use crate::harness::TestVault;

/// Sends these lines to `tars mcp` after the handshake, and returns what it answers to them.
pub(crate) fn answers(vault: &TestVault, lines: &[String]) -> Vec<Value> {
    let about =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "lines", "version": "1"}});
    let hello = json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": about}).to_string();
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    let text = [&[hello, ready], lines].concat().join("\n") + "\n";
    let said = vault.tars(["mcp"]).converse(text, "\"jsonrpc\":", lines.len() + 1);
    let read = |line: &String| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    said.iter().map(read).filter(|answer: &Value| answer["id"] != "hello").collect()
}

#[test]
fn a_line_that_is_no_message_gets_an_error_and_never_silence() {
    let vault = TestVault::of_words();
    let deep = format!("{{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\",\"params\":{}", "[".repeat(100_000));
    let lines = [
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"text":"\ud800"}}"#,
        &deep,
        "nonsense",
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{}}"#,
        r#"{"id":4,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"no/such/method"}"#,
        r#"[{"jsonrpc":"2.0","id":6,"method":"ping"}]"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#,
    ];
    let said = answers(&vault, &lines.map(str::to_owned));
    let code = |id: Value| said.iter().find(|answer| answer["id"] == id).map(|answer| answer["error"]["code"].clone());
    assert_eq!(code(json!(1)), Some(json!(-32700)), "half of a surrogate pair: {said:?}");
    assert_eq!(code(json!(2)), Some(json!(-32700)), "deep nesting: {said:?}");
    assert_eq!(code(json!(3)), Some(json!(-32602)), "{said:?}");
    assert_eq!(code(json!(4)), Some(json!(-32600)), "{said:?}");
    assert_eq!(code(json!(5)), Some(json!(-32601)), "{said:?}");
    assert_eq!(said.iter().filter(|answer| answer["id"].is_null()).count(), 2, "no JSON, and a batch: {said:?}");
    assert!(
        said.iter().any(|answer| answer["id"] == 7 && answer["result"].is_object()),
        "the next one is read: {said:?}"
    );
}

#[test]
fn arguments_are_read_as_clients_and_models_write_them() {
    let vault = TestVault::of_words();
    vault.write("Home.md", "# Home\n\nThe boiler valve leaks. #home\n");
    vault.write("Garden.md", "# Garden\n\nThe valve of the hose.\n");
    vault.index();
    let call = |id: usize, tool: &str, arguments: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
            .to_string()
    };
    let tagged = json!({"query": "valve", "tags": "[\"home\"]", "paths": "[]", "since": "null", "limit": "null"});
    let lines = [
        call(1, "memory_search", tagged.clone()),
        call(2, "memory_search", Value::String(tagged.to_string())),
        call(3, "memory_search", json!({"query": "valve", "toolCallId": "a", "_sessionID": "b", "random_string": "c"})),
        call(4, "memory_get", json!({"name": "Home.md", "lines": "[3, 3]"})),
        call(5, "memory_status", Value::Null),
        call(6, "memory_search", json!({"query": "valve", "limits": 3})),
    ];
    let said = answers(&vault, &lines);
    let text = |id: usize| {
        let answer = said.iter().find(|answer| answer["id"] == id).unwrap();
        (answer["result"]["isError"] == true, answer["result"]["content"][0]["text"].as_str().unwrap().to_owned())
    };
    for id in [1, 2] {
        let (failed, found) = text(id);
        assert!(!failed && found.contains("boiler valve") && !found.contains("hose"), "{id}: {found}");
    }
    assert!(!text(3).0 && text(3).1.contains("hose"), "fields of the client are passed over: {}", text(3).1);
    assert!(!text(4).0 && text(4).1.contains("leaks"), "{}", text(4).1);
    assert!(!text(5).0, "{}", text(5).1);
    assert!(text(6).0 && text(6).1.contains("there is no argument 'limits'"), "{}", text(6).1);
}
