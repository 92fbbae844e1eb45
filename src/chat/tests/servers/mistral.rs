//! Mistral: content as a list of parts, refuses unknown fields by name.

use super::*;

#[test]
fn content_as_a_list_of_parts_is_read_streamed_and_whole() {
    let thinking = json!({"type": "thinking", "thinking": [{"type": "text", "text": "hm"}], "closed": true});
    let parts = json!([thinking, {"type": "text", "text": "It is "}, {"type": "text", "text": "dry."}]);
    let said = stream(&[
        delta(json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]})),
        delta(json!({"content": [{"type": "text", "text": "It is "}]})),
        delta(json!({"content": "dry."})),
        end("stop"),
    ]);
    let (events, completion) = answer(Dialect::OpenAi, &said);
    assert_eq!(events, ["(hm)", "It is ", "dry."]);
    assert_eq!(completion.unwrap().text, "It is dry.");
    let whole = json!({"choices": [{"message": {"role": "assistant", "content": parts}, "finish_reason": "stop"}]});
    assert_eq!(whole_answer(Dialect::OpenAi, &whole).1.unwrap().text, "It is dry.");
}

#[test]
fn a_list_of_thoughts_alone_is_an_empty_answer() {
    let parts = json!([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]);
    let whole = json!({"choices": [{"message": {"content": parts}, "finish_reason": "stop"}]});
    let result = whole_answer(Dialect::OpenAi, &whole).1;
    assert!(matches!(result, Err(ChatError::Empty { .. })), "{result:?}");
}

#[test]
fn a_server_that_refuses_stream_options_gets_the_request_without_them() {
    let padding = "x".repeat(400);
    let detail = json!([{"type": "extra_forbidden", "msg": padding, "loc": ["body", "stream_options"], "input": {"include_usage": true}}]);
    let refused = Reply::status(422, json!({"detail": detail}).to_string());
    let server = Loopback::script(vec![refused, says("Yes")]);
    let (model, waits) = model(Dialect::OpenAi, &server);
    let request = ChatRequest { limits: Limits { max_attempts: 1, ..Limits::default() }, ..request() };
    assert_eq!(send(&model, &request).1.unwrap().text, "Yes");
    assert_eq!(send(&model, &request).1.unwrap().text, "Yes");
    let has: Vec<bool> = bodies(&server).iter().map(|body| body.get("stream_options").is_some()).collect();
    assert_eq!(has, [true, false, false]);
    assert!(waits.lock().unwrap().is_empty());
}

#[test]
fn the_error_of_a_full_window_names_the_window() {
    let message =
        "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length";
    let body = json!({"object": "error", "message": message, "type": "invalid_request_error", "code": "3051"});
    assert_eq!(window(Reply::status(400, body.to_string())), Some(32_768));
}
