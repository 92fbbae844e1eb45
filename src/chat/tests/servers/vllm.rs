//! vLLM: tools need a flag of the server; the window stands in the error; both names for thoughts.

use super::*;

#[test]
fn tools_that_the_server_was_not_started_for_are_distinguished_from_other_failures() {
    let message = "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set";
    let body = json!({"object": "error", "message": message, "type": "BadRequestError", "code": 400});
    for reply in [Reply::status(400, body.to_string()), refuses(400, &body)] {
        let (_, result, _) = ask(Dialect::OpenAi, vec![reply]);
        assert!(matches!(result, Err(ChatError::ToolsRefused { .. })), "{result:?}");
    }
}

#[test]
fn the_error_of_a_full_window_names_the_window() {
    let message = "This model's maximum context length is 4096 tokens. However, you requested 5120 tokens (4608 in the messages, \
        512 in the completion). Please reduce the length of the messages or completion.";
    let body = json!({"object": "error", "message": message, "type": "BadRequestError", "code": 400});
    assert_eq!(window(Reply::status(400, body.to_string())), Some(4096));
    let other = json!({"message": "The decoder prompt (length 5120) is longer than the maximum model length of 4096."});
    assert_eq!(window(refuses(400, &other)), Some(4096));
}

#[test]
fn thoughts_go_back_under_both_names() {
    let function = json!({"name": "search", "arguments": "{}"});
    let said = stream(&[
        delta(json!({"reasoning": "look ", "reasoning_content": "look "})),
        delta(json!({"reasoning": "it up", "reasoning_content": "it up"})),
        delta(json!({"tool_calls": [{"index": 0, "id": "chatcmpl-tool-1", "function": function}]})),
        end("tool_calls"),
    ]);
    let server = Loopback::script(vec![Reply::stream(said, StreamEnd::Whole), says("Yes")]);
    let (model, _) = model(Dialect::OpenAi, &server);
    let messages = second_call(&server, &model);
    assert_eq!(messages[2]["reasoning"], "look it up");
    assert_eq!(messages[2]["reasoning_content"], "look it up");
}
