//! DeepSeek: refuses the second call of a turn without the thoughts of the first.

use super::*;

#[test]
fn the_second_call_of_a_turn_carries_the_thoughts_of_the_first() {
    let function = json!({"name": "search", "arguments": "{\"query\":\"pump\"}"});
    let said = stream(&[
        delta(json!({"role": "assistant", "content": null, "reasoning_content": "look "})),
        delta(json!({"content": null, "reasoning_content": "it up"})),
        delta(json!({"tool_calls": [{"index": 0, "id": "call_00_x", "type": "function", "function": function}]})),
        end("tool_calls"),
    ]);
    let server = Loopback::start(move |asked| {
        let body: Value = serde_json::from_slice(&asked.body).unwrap();
        match body["messages"].as_array().unwrap().iter().find(|message| message["role"] == "assistant") {
            None => Reply::stream(said.clone(), StreamEnd::Whole),
            Some(message) if message["reasoning_content"] == "look it up" => says("Yes"),
            Some(_) => refuses(400, &json!({"message": "Missing `reasoning_content` field in the assistant message"})),
        }
    });
    let (model, _) = model(Dialect::OpenAi, &server);
    let messages = second_call(&server, &model);
    assert_eq!(messages[2]["tool_calls"][0]["id"], "call_00_x");
}

#[test]
fn secrets_in_thoughts_do_not_go_back() {
    let secret = "sk-proj-w9Xq2LmZ4tR7vB1nK8yH3cJ6pD5sF0gA";
    let function = json!({"name": "search", "arguments": "{}"});
    let said = stream(&[
        delta(json!({"reasoning_content": format!("the key is {secret}")})),
        delta(json!({"tool_calls": [{"index": 0, "id": "call_00_x", "function": function}]})),
        end("tool_calls"),
    ]);
    let server = Loopback::script(vec![Reply::stream(said, StreamEnd::Whole), says("Yes")]);
    let (model, _) = model(Dialect::OpenAi, &server);
    let messages = second_call(&server, &model);
    assert!(messages[2]["reasoning_content"].as_str().unwrap().starts_with("the key is"));
    assert!(!messages.to_string().contains(secret), "{messages}");
}

#[test]
fn the_error_of_a_full_window_names_the_window() {
    let message = "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens.";
    let error = json!({"message": message, "type": "invalid_request_error", "code": "invalid_request_error"});
    assert_eq!(window(refuses(400, &error)), Some(65_536));
}
