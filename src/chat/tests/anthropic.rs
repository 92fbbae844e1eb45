//! Tests of Anthropic's dialect.

use super::*;

/// Reasoning, text, two calls in pieces, pings and an unknown event.
pub(super) const STREAM: &str = include_str!("../../../tests/fuzz/seeds/chat_stream/anthropic");

#[test]
fn a_stream_becomes_text_calls_and_figures() {
    let (events, completion) = answer(Dialect::Anthropic, STREAM);
    assert_eq!(events, ["(hm)", "Größe 😀.", "[search]", "[search]"]);
    let expected = Completion {
        text: "Größe 😀.".into(),
        calls: vec![call("toolu_a", json!({"query": "pümp"})), call("toolu_b", json!({}))],
        refused_calls: vec![],
        stop: StopReason::ToolCalls,
        usage: Usage { input_tokens: Some(25), output_tokens: Some(15) },
        omitted_messages: 0,
        carried: None,
    };
    assert_eq!(Completion { carried: None, ..completion.unwrap() }, expected);
}

#[test]
fn a_request_is_written_as_the_dialect_has_it() {
    let server = Loopback::script(vec![Reply::stream(STREAM, StreamEnd::Whole)]);
    let request = ChatRequest { messages: conversation(), ..request() };
    send(&model(Dialect::Anthropic, &server).0, &request).1.unwrap();
    let seen = server.received()[0].clone();
    assert_eq!((seen.path.as_str(), seen.header("x-api-key")), ("/v1/messages", Some(KEY)));
    assert_eq!((seen.header("anthropic-version"), seen.header("authorization")), (Some("2023-06-01"), None));
    let call = |id: &str, input: Value| json!({"type": "tool_use", "id": id, "name": "search", "input": input});
    let result = |id: &str, is_error: bool| json!({"type": "tool_result", "tool_use_id": id, "content": format!("result {id}"), "is_error": is_error});
    let text = |text: &str| json!({"type": "text", "text": text});
    let expected = json!({
        "model": "small",
        "max_tokens": 4096,
        "messages": [
            {"role": "user", "content": [text("Why?")]},
            {"role": "assistant", "content": [call("a", json!({"query": "pump"})), call("b", json!({}))]},
            {"role": "user", "content": [result("a", false), result("b", true), text("Go on.")]},
        ],
        "stream": true,
        "system": "Be terse.",
        "tools": [{
            "name": "search",
            "description": "Searches the notes.",
            "input_schema": {"type": "object", "properties": {"query": {"type": "string"}}},
        }],
    });
    assert_eq!(asked(&server), expected);
}

#[test]
fn a_history_with_tools_can_be_sent_without_tools() {
    let server = Loopback::script(vec![Reply::stream(STREAM, StreamEnd::Whole)]);
    let request = ChatRequest { messages: conversation(), tools: vec![], ..request() };
    send(&model(Dialect::Anthropic, &server).0, &request).1.unwrap();
    let body = asked(&server);
    assert_eq!(body.get("tools"), None);
    assert!(!body.to_string().contains("tool_use") && !body.to_string().contains("tool_result"), "{body}");
    assert_eq!(body["messages"][1]["content"][0]["text"], "[called the tool search with {\"query\":\"pump\"}]");
}

#[test]
fn an_answer_in_one_piece_is_read_too() {
    let call_block = json!({"type": "tool_use", "id": "1", "name": "search", "input": {"query": "x"}});
    let text = |text: &str| json!({"type": "text", "text": text});
    let thinking = json!({"type": "thinking", "thinking": "hm"});
    let usage = json!({"input_tokens": 3, "output_tokens": 2});
    let content = json!([thinking, text("One."), text("Two."), call_block]);
    let whole = json!({"content": content, "stop_reason": "max_tokens", "usage": usage});
    let (events, completion) = whole_answer(Dialect::Anthropic, &whole);
    let completion = completion.unwrap();
    assert_eq!(events, ["(hm)", "One.", "\n", "Two.", "[search]"]);
    assert_eq!((completion.text.as_str(), &completion.stop), ("One.\nTwo.", &StopReason::MaxTokens));
    assert_eq!(completion.calls, [call("1", json!({"query": "x"}))]);
    assert_eq!(completion.usage, Usage { input_tokens: Some(3), output_tokens: Some(2) });
}

#[test]
fn an_error_in_the_middle_of_a_stream_ends_it() {
    let begun =
        STREAM.split("event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":1").next().unwrap();
    let error = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
    let (events, result) = answer(Dialect::Anthropic, &format!("{begun}{error}"));
    assert!(matches!(result, Err(ChatError::Reported { excerpt, .. }) if excerpt == "Overloaded"));
    assert_eq!(events, ["(hm)", "Größe 😀."]);
}

#[test]
fn every_stop_reason_is_mapped() {
    let stop = |reason: &str| {
        answer(Dialect::Anthropic, &STREAM.replace("\"tool_use\",\"stop_sequence\"", &format!("\"{reason}\",\"x\"")))
            .1
            .unwrap()
            .stop
    };
    assert_eq!(stop("end_turn"), StopReason::Finished);
    assert_eq!(stop("stop_sequence"), StopReason::Finished);
    assert_eq!(stop("max_tokens"), StopReason::MaxTokens);
    assert_eq!(stop("refusal"), StopReason::Refused);
    assert_eq!(stop("pause_turn"), StopReason::Other("pause_turn".into()));
}
