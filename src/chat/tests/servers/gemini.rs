//! Gemini's compatible door: signatures of thoughts on calls, calls without ids, errors as a list.

use super::*;

#[test]
fn the_signature_of_a_call_goes_back_byte_for_byte() {
    let signature = "Cu0BAdHtim8sk-proj-w9Xq2LmZ4tR7vB1nK8yH3cJ6pD5sF0gA+/==";
    let function = |query: &str| json!({"name": "search", "arguments": json!({"query": query}).to_string()});
    let extra = json!({"google": {"thought_signature": signature}});
    let said = stream(&[
        delta(json!({"role": "assistant", "tool_calls": [
            {"index": 0, "id": "", "type": "function", "function": function("pump"), "extra_content": extra}]})),
        delta(
            json!({"role": "assistant", "tool_calls": [{"index": 0, "id": "", "type": "function", "function": function("filter")}]}),
        ),
        end("tool_calls"),
    ]);
    let server = Loopback::script(vec![Reply::stream(said, StreamEnd::Whole), says("Yes")]);
    let (model, _) = model(Dialect::OpenAi, &server);
    let messages = second_call(&server, &model);
    let calls = messages[2]["tool_calls"].as_array().unwrap();
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0]["extra_content"], extra);
    assert_eq!(calls[1].get("extra_content"), None);
}

#[test]
fn an_error_in_a_list_is_read() {
    let message = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).";
    let body = json!([{"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}]);
    assert_eq!(window(Reply::status(400, body.to_string())), Some(1_048_576));
}

#[test]
fn a_model_without_functions_is_distinguished_from_other_failures() {
    let error = json!({"code": 400, "message": "Function calling is not enabled for models/gemma-3-27b-it"});
    let (_, result, _) = ask(Dialect::OpenAi, vec![refuses(400, &error)]);
    assert!(matches!(result, Err(ChatError::ToolsRefused { .. })), "{result:?}");
}
