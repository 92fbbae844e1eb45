//! Tests of OpenAI's dialect.

use super::*;

/// Text, two calls in pieces and usage, as OpenAI sends them, with a keep-alive comment as OpenRouter sends it.
pub(super) const STREAM: &str = include_str!("../../../tests/fuzz/seeds/chat_stream/openai");

#[test]
fn a_stream_becomes_text_calls_and_figures() {
    let (events, completion) = answer(Dialect::OpenAi, STREAM);
    assert_eq!(events, ["(hm)", "Größe ", "😀.", "[search]", "[search]"]);
    let expected = Completion {
        text: "Größe 😀.".into(),
        calls: vec![call("call_a", json!({"query": "pümp"})), call("call_b", json!({}))],
        refused_calls: vec![],
        stop: StopReason::ToolCalls,
        usage: Usage { input_tokens: Some(11), output_tokens: Some(7) },
        omitted_messages: 0,
        carried: None,
    };
    let completion = completion.unwrap();
    assert!(completion.carried.is_some(), "the reasoning goes back to its server");
    assert_eq!(Completion { carried: None, ..completion }, expected);
}

#[test]
fn a_request_is_written_as_the_dialect_has_it() {
    let server = Loopback::script(vec![Reply::stream(STREAM, StreamEnd::Whole)]);
    let limits = Limits { max_tokens: Some(50), ..Limits::default() };
    let request = ChatRequest { messages: conversation(), limits, ..request() };
    send(&model(Dialect::OpenAi, &server).0, &request).1.unwrap();
    let seen = server.received()[0].clone();
    assert_eq!(
        (seen.path.as_str(), seen.header("authorization")),
        ("/v1/chat/completions", Some("Bearer key-of-a-test"))
    );
    let function = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "search", "arguments": arguments}});
    let expected = json!({
        "model": "small",
        "messages": [
            {"role": "system", "content": "Be terse."},
            {"role": "user", "content": "Why?"},
            {"role": "assistant", "content": null, "tool_calls": [function("a", "{\"query\":\"pump\"}"), function("b", "{}")]},
            {"role": "tool", "tool_call_id": "a", "content": "result a"},
            {"role": "tool", "tool_call_id": "b", "content": "Error: result b"},
            {"role": "user", "content": "Go on."},
        ],
        "stream": true,
        "stream_options": {"include_usage": true},
        "max_tokens": 50,
        "tools": [{"type": "function", "function": {
            "name": "search",
            "description": "Searches the notes.",
            "parameters": {"type": "object", "properties": {"query": {"type": "string"}}},
        }}],
    });
    assert_eq!(asked(&server), expected);
}

#[test]
fn an_answer_in_one_piece_is_read_too() {
    let function = json!({"name": "search", "arguments": "{\"query\":\"x\"}"});
    let message =
        json!({"content": "Yes.", "tool_calls": [{"id": "1", "function": function}, {"id": "", "function": function}]});
    let usage = json!({"prompt_tokens": 3, "completion_tokens": 2});
    let (events, completion) = whole_answer(
        Dialect::OpenAi,
        &json!({"choices": [{"message": message, "finish_reason": "tool_calls"}], "usage": usage}),
    );
    let completion = completion.unwrap();
    assert_eq!(events, ["Yes.", "[search]", "[search]"]);
    assert_eq!(completion.calls, [call("1", json!({"query": "x"})), call("call_1", json!({"query": "x"}))]);
    assert_eq!((completion.stop, completion.usage.output_tokens), (StopReason::ToolCalls, Some(2)));
}

#[test]
fn reasoning_between_tags_is_not_part_of_the_text() {
    let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"<thi\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"nk>hm</think>Yes\"},\"finish_reason\":\"stop\"}]}\n\n";
    let (events, completion) = answer(Dialect::OpenAi, stream);
    assert_eq!(
        (events.as_slice(), completion.unwrap().text.as_str()),
        (["(hm)".to_owned(), "Yes".to_owned()].as_slice(), "Yes")
    );
}

#[test]
fn calls_without_an_index_are_distinguished_by_id() {
    let piece = |index: &str, rest: &str| {
        format!("data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{{{index}{rest}}}]}}}}]}}\n\n")
    };
    for index in ["", "\"index\":0,"] {
        let stream = piece(index, r#""id":"a","function":{"name":"search","arguments":"{}"}"#)
            + &piece(index, r#""id":"b","function":{"name":"search","arguments":"{\"query\":"}"#)
            + &piece(index, r#""id":"","function":{"arguments":"1}"}"#)
            + "data: [DONE]\n\n";
        let calls = answer(Dialect::OpenAi, &stream).1.unwrap().calls;
        assert_eq!(calls, [call("a", json!({})), call("b", json!({"query": 1}))], "{index}");
    }
}

#[test]
fn calls_without_index_and_id_are_separate_calls() {
    let piece = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"search\",\"arguments\":\"{}\"}}]}}]}\n\n";
    let calls = answer(Dialect::OpenAi, &(piece.repeat(2) + "data: [DONE]\n\n")).1.unwrap().calls;
    assert_eq!(calls, [call("call_0", json!({})), call("call_1", json!({}))]);
}

#[test]
fn arguments_that_are_cut_off_are_marked_as_repaired() {
    let stream =
        STREAM.split("data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":1").next().unwrap();
    let stream =
        format!("{stream}data: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"length\"}}]}}\n\ndata: [DONE]\n\n");
    let completion = answer(Dialect::OpenAi, &stream).1.unwrap();
    assert_eq!(completion.stop, StopReason::MaxTokens);
    assert_eq!(completion.calls[0].arguments, Arguments::Repaired(json!({"query": "pü"})));
}

#[test]
fn an_error_in_the_middle_of_a_stream_ends_it() {
    let begun = "data: {\"choices\":[{\"delta\":{\"content\":\"Well\"}}]}\n\n";
    let errors = [
        "data: {\"error\":{\"message\":\"the context is full\",\"code\":400}}\n\n",
        "data: {\"error\":{\"message\":\"the context is full, key-of-a-test\",\"code\":\"server_error\"},\"choices\":[{\"delta\":{},\"finish_reason\":\"error\"}]}\n\n",
        "error: {\"code\":500,\"message\":\"the context is full\",\"type\":\"server_error\"}\n\n",
        "data: {\"error\":\"the context is full\"}",
    ];
    for error in errors {
        let (events, result) = answer(Dialect::OpenAi, &format!("{begun}{error}"));
        let error = result.unwrap_err();
        assert!(
            matches!(&error, ChatError::Reported { excerpt, .. } if excerpt.contains("the context is full")),
            "{error}"
        );
        assert!(!error.to_string().contains(KEY), "{error}");
        assert_eq!(events, ["Well"]);
    }
}

#[test]
fn a_stream_may_lack_its_end_marker_but_not_the_end_of_the_answer() {
    let finish = "data: {\"choices\":[{\"delta\":{\"content\":\"Yes\"},\"finish_reason\":\"stop\"}]}\r\n\r\n";
    assert_eq!(answer(Dialect::OpenAi, finish).1.unwrap().text, "Yes");
    let unmarked = finish.replace("\"stop\"", "null") + "data: [DONE]";
    assert_eq!(answer(Dialect::OpenAi, &unmarked).1.unwrap().stop, StopReason::Finished);
    let cut = finish.replace("\"stop\"", "null") + "data: {\"choices\":[{\"del";
    let (events, result) = answer(Dialect::OpenAi, &cut);
    assert_eq!(events, ["Yes"]);
    assert!(matches!(result, Err(ChatError::CutOff { .. })));
    for odd in ["data: x\n\n", "<html>", ""] {
        assert!(
            matches!(answer(Dialect::OpenAi, odd).1, Err(ChatError::Answer { .. } | ChatError::CutOff { .. })),
            "{odd}"
        );
    }
}

#[test]
fn a_refusal_becomes_text_and_a_stop_reason() {
    let stream = "data: {\"choices\":[{\"delta\":{\"refusal\":\"I cannot.\"}}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    let completion = answer(Dialect::OpenAi, stream).1.unwrap();
    assert_eq!((completion.text.as_str(), completion.stop), ("I cannot.", StopReason::Refused));
}

#[test]
fn a_server_that_wants_the_newer_limit_field_gets_it() {
    let complaint =
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    let refused = Reply::status(400, json!({"error": {"message": complaint}}).to_string());
    let done = Reply::stream(STREAM, StreamEnd::Whole);
    let server = Loopback::script(vec![refused, done]);
    let (model, waits) = model(Dialect::OpenAi, &server);
    let request =
        ChatRequest { limits: Limits { max_tokens: Some(5), max_attempts: 1, ..Limits::default() }, ..request() };
    send(&model, &request).1.unwrap();
    send(&model, &request).1.unwrap();
    let fields: Vec<Value> =
        server.received().iter().map(|asked| serde_json::from_slice(&asked.body).unwrap()).collect();
    assert_eq!((fields.len(), &fields[0]["max_tokens"]), (3, &json!(5)));
    for field in &fields[1..] {
        assert_eq!((&field["max_completion_tokens"], &field["max_tokens"]), (&json!(5), &Value::Null));
    }
    assert!(waits.lock().unwrap().is_empty());
}
