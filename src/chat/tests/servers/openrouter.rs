//! OpenRouter: signed thoughts in pieces, null messages beside deltas, failures within a stream.

use super::*;

#[test]
fn signed_thoughts_in_pieces_go_back_to_the_model_that_made_them() {
    let detail = |fields: Value| delta(json!({"content": "", "reasoning_details": [fields]}));
    let function = json!({"name": "search", "arguments": "{\"query\":\"pump\"}"});
    let text =
        |text: &str| json!({"type": "reasoning.text", "index": 0, "format": "anthropic-claude-v1", "text": text});
    let said = stream(&[
        detail(text("look ")),
        detail(text("it up")),
        detail(
            json!({"type": "reasoning.text", "index": 0, "format": "anthropic-claude-v1", "signature": "sk-c2ln+/=="}),
        ),
        detail(json!({"type": "reasoning.encrypted", "index": 1, "data": "ZW5jcnlwdGVk", "id": "rs_1"})),
        delta(json!({"tool_calls": [{"index": 0, "id": "toolu_1", "function": function}]})),
        end("tool_calls"),
    ]);
    let server = Loopback::script(vec![Reply::stream(said, StreamEnd::Whole), says("Yes")]);
    let (model, _) = model(Dialect::OpenAi, &server);
    let messages = second_call(&server, &model);
    let expected = json!([
        {"type": "reasoning.text", "index": 0, "format": "anthropic-claude-v1", "text": "look it up", "signature": "sk-c2ln+/=="},
        {"type": "reasoning.encrypted", "index": 1, "data": "ZW5jcnlwdGVk", "id": "rs_1"},
    ]);
    assert_eq!(messages[2]["reasoning_details"], expected);
}

#[test]
fn another_server_gets_nothing_that_this_one_made() {
    let said = stream(&[
        delta(
            json!({"reasoning": "secret thoughts", "content": "Yes", "extra_content": {"google": {"thought_signature": "AAEC"}}}),
        ),
        end("stop"),
    ]);
    let server = Loopback::script(vec![Reply::stream(said, StreamEnd::Whole)]);
    let completion = send(&model(Dialect::OpenAi, &server).0, &request()).1.unwrap();
    let carried = completion.carried.map(Box::new);
    let mut messages = request().messages;
    messages
        .extend([Message::Assistant { text: completion.text, calls: vec![], carried }, Message::User("Go on.".into())]);
    for dialect in [Dialect::OpenAi, Dialect::Anthropic] {
        let other = Loopback::script(vec![says("Yes")]);
        let _ = send(&model(dialect, &other).0, &ChatRequest { messages: messages.clone(), ..request() });
        let sent = asked(&other).to_string();
        assert!(!sent.contains("secret thoughts") && !sent.contains("AAEC"), "{sent}");
    }
    let same = ServerOptions { model: "large".into(), ..options(Dialect::OpenAi, &format!("{}/v1", server.url())) };
    let _ = send(&Server::new(same).unwrap(), &ChatRequest { messages, ..request() });
    assert!(!asked(&server).to_string().contains("AAEC"), "another model at the same server gets nothing either");
}

#[test]
fn a_null_message_beside_the_delta_hides_no_text() {
    let chunk = |text: &str, reason: Value| json!({"choices": [{"index": 0, "message": null, "delta": {"content": text}, "finish_reason": reason}]});
    let said = stream(&[chunk("Yes, ", Value::Null), chunk("it is.", json!("stop"))]);
    assert_eq!(answer(Dialect::OpenAi, &said).1.unwrap().text, "Yes, it is.");
}

#[test]
fn a_model_that_no_endpoint_offers_with_tools_is_distinguished_from_a_missing_one() {
    let error = json!({"code": 404, "message": "No endpoints found that support tool use. To learn more about provider routing, visit…"});
    let (_, result, _) = ask(Dialect::OpenAi, vec![refuses(404, &error)]);
    assert!(matches!(result, Err(ChatError::ToolsRefused { .. })), "{result:?}");
    let error = json!({"code": 404, "message": "No endpoints found for made/up."});
    let (_, result, _) = ask(Dialect::OpenAi, vec![refuses(404, &error)]);
    assert!(matches!(result, Err(ChatError::Status { status: 404, .. })), "{result:?}");
}

#[test]
fn the_error_of_a_full_window_names_the_window() {
    let message = "This endpoint's maximum context length is 32768 tokens. However, you requested about 40210 tokens.";
    assert_eq!(window(refuses(400, &json!({"code": 400, "message": message}))), Some(32_768));
}
