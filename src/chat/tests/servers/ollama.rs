//! Ollama: a model without tools refuses them; thoughts come as `reasoning`; calls have index 0.

use super::*;

#[test]
fn a_model_without_tools_is_distinguished_from_other_failures() {
    let error = json!({"message": "registry.ollama.ai/library/gemma:2b does not support tools", "type": "api_error"});
    let (_, result, asked) = ask(Dialect::OpenAi, vec![refuses(400, &error)]);
    let error = result.unwrap_err();
    assert!(matches!(error, ChatError::ToolsRefused { .. }), "{error}");
    assert!(error.hint().unwrap().contains("--no-tools"));
    assert_eq!(asked.len(), 1);
}

#[test]
fn a_conversation_that_is_too_long_is_distinguished_from_other_failures() {
    let error = json!({"message": "the input length exceeds the context length", "type": "invalid_request_error"});
    assert_eq!(window(refuses(400, &error)), None);
    let error = json!({"message": "prompt too long; exceeded max context length by 812 tokens"});
    assert_eq!(window(refuses(500, &error)), None);
}

#[test]
fn two_calls_with_index_0_and_no_ids_are_two_calls() {
    let call = |query: &str| {
        let function = json!({"name": "search", "arguments": json!({"query": query}).to_string()});
        delta(json!({"content": "", "tool_calls": [{"index": 0, "type": "function", "function": function}]}))
    };
    let said = stream(&[call("pump"), call("filter"), end("tool_calls")]);
    let completion = answer(Dialect::OpenAi, &said).1.unwrap();
    let calls: Vec<(&str, &Value)> =
        completion.calls.iter().map(|call| (call.id.as_str(), &call.arguments.object().unwrap()["query"])).collect();
    assert_eq!(calls, [("call_0", &json!("pump")), ("call_1", &json!("filter"))]);
}

#[test]
fn an_answer_of_thoughts_alone_is_retried_once_and_then_said() {
    let thought = || Reply::stream(stream(&[delta(json!({"reasoning": "hm"})), end("stop")]), StreamEnd::Whole);
    let (events, result, asked) = ask(Dialect::OpenAi, vec![thought()]);
    let error = result.unwrap_err();
    assert!(error.to_string().contains("gave an empty answer: only reasoning came"), "{error}");
    assert_eq!((asked.len(), events.len()), (2, 3), "{events:?}");
    let (_, result, asked) = ask(Dialect::OpenAi, vec![thought(), says("Yes")]);
    assert_eq!((result.unwrap().text.as_str(), asked.len()), ("Yes", 2));
}
