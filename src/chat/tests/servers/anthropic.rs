//! Anthropic: signed blocks of thoughts, empty answers after the results of tools, a full window.

use super::*;

fn events(events: &[Value]) -> Reply {
    let lines = events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()));
    Reply::stream(lines.collect::<String>(), StreamEnd::Whole)
}

fn end_of(reason: &str) -> [Value; 2] {
    [
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 1}}),
        json!({"type": "message_stop"}),
    ]
}

fn block(index: u64, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn piece(index: u64, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn text(text: &str) -> Reply {
    let said = [block(0, json!({"type": "text", "text": ""})), piece(0, json!({"type": "text_delta", "text": text}))];
    events(&[said.as_slice(), &end_of("end_turn")].concat())
}

#[test]
fn signed_thoughts_go_back_before_their_calls() {
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "search", "input": {}});
    let said = [
        block(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
        piece(0, json!({"type": "thinking_delta", "thinking": "look "})),
        piece(0, json!({"type": "thinking_delta", "thinking": "it up"})),
        piece(0, json!({"type": "signature_delta", "signature": "EqQBCgIYAhIM+/=="})),
        block(1, json!({"type": "redacted_thinking", "data": "EmwKAhgBEgy3va3pzix"})),
        block(2, call.clone()),
    ];
    let server = Loopback::script(vec![events(&[said.as_slice(), &end_of("tool_use")].concat()), text("Yes")]);
    let (model, _) = model(Dialect::Anthropic, &server);
    let messages = second_call(&server, &model);
    let expected = json!([
        {"type": "thinking", "thinking": "look it up", "signature": "EqQBCgIYAhIM+/=="},
        {"type": "redacted_thinking", "data": "EmwKAhgBEgy3va3pzix"},
        call,
    ]);
    assert_eq!(messages[1]["content"], expected);
}

#[test]
fn an_empty_answer_is_retried_once_and_then_said() {
    let (_, result, asked) = ask(Dialect::Anthropic, vec![events(&end_of("end_turn"))]);
    let error = result.unwrap_err();
    assert!(error.to_string().contains("gave an empty answer: neither text nor a call"), "{error}");
    assert_eq!(asked.len(), 2);
    let (_, result, asked) = ask(Dialect::Anthropic, vec![events(&end_of("end_turn")), text("Yes")]);
    assert_eq!((result.unwrap().text.as_str(), asked.len()), ("Yes", 2));
    let (_, result, asked) = ask(Dialect::Anthropic, vec![events(&end_of("refusal"))]);
    assert!(result.unwrap_err().to_string().contains("refused"));
    assert_eq!(asked.len(), 1, "a refusal would be the same");
}

#[test]
fn the_error_of_a_full_window_names_the_window() {
    let message = "prompt is too long: 210000 tokens > 200000 maximum";
    let body = json!({"type": "error", "error": {"type": "invalid_request_error", "message": message}});
    let (_, result, _) = ask(Dialect::Anthropic, vec![Reply::status(400, body.to_string())]);
    assert!(matches!(result, Err(ChatError::TooLong { window: Some(200_000), .. })), "{result:?}");
}
