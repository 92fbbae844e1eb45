//! OpenAI's chat completions API, as OpenAI, OpenRouter, LM Studio, llama.cpp, Ollama and others speak it.
//!
//! A streamed answer is a sequence of `chat.completion.chunk` objects, each with a `delta` of the message, and a final
//! `[DONE]`. A tool call arrives in pieces with an `index`: the first has `id` and `function.name`, and all have fragments of
//! `function.arguments`, a JSON text. If `stream_options` asks for it, the last chunk has `usage` and no choices. An answer
//! that is not streamed has a `message` instead of the delta. An `error` object may replace any chunk.

use serde_json::{Map, Value, json};

use super::answer::{AnswerBuilder, CallPiece, parsed, reported};
use super::error::ReadError;
use super::{ChatRequest, Message, StopReason, Usage};

/// Marks the end of a stream.
const DONE: &str = "[DONE]";

/// Returns the body of a request. `limit_field` is the name of the field for the length limit.
pub(super) fn body(request: &ChatRequest, model: &str, messages: &[Message], limit_field: &str) -> Value {
    let mut all = Vec::with_capacity(messages.len() + 1);
    if !request.system.is_empty() {
        all.push(json!({"role": "system", "content": request.system}));
    }
    all.extend(messages.iter().map(message));
    let mut body = json!({"model": model, "messages": all, "stream": request.stream});
    if request.stream {
        body["stream_options"] = json!({"include_usage": true});
    }
    if let Some(most) = request.limits.max_tokens {
        body[limit_field] = json!(most);
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            let (name, description, parameters) = (&tool.name, &tool.description, &tool.parameters);
            json!({"type": "function", "function": {"name": name, "description": description, "parameters": parameters}})
        });
        body["tools"] = tools.collect();
    }
    body
}

fn message(message: &Message) -> Value {
    match message {
        Message::User(text) => json!({"role": "user", "content": text}),
        Message::Assistant { text, calls } if calls.is_empty() => json!({"role": "assistant", "content": text}),
        Message::Assistant { text, calls } => {
            let calls = calls.iter().map(|call| {
                let arguments = call.arguments.for_history().to_string();
                json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
            });
            let content = if text.is_empty() { Value::Null } else { json!(text) };
            json!({"role": "assistant", "content": content, "tool_calls": calls.collect::<Value>()})
        }
        Message::ToolResult { call_id, text, is_error } => {
            // This dialect has no field that marks a failed call.
            let content = if *is_error { format!("Error: {text}") } else { text.clone() };
            json!({"role": "tool", "tool_call_id": call_id, "content": content})
        }
    }
}

/// Reads the data of one event; returns whether the stream is over.
pub(super) fn read_event(data: &str, answer: &mut AnswerBuilder<'_>, key: Option<&str>) -> Result<bool, ReadError> {
    if data == DONE {
        return Ok(true);
    }
    let chunk: Value = parsed(data, key)?;
    read_object(&chunk, answer, key)?;
    Ok(false)
}

/// Reads a chunk, or an answer that was not streamed.
pub(super) fn read_object(object: &Value, answer: &mut AnswerBuilder<'_>, key: Option<&str>) -> Result<(), ReadError> {
    if let Some(error) = object.get("error").filter(|error| !error.is_null()) {
        return Err(reported(error, key));
    }
    if let Some(usage) = object.get("usage") {
        let figure = |name: &str| usage.get(name).and_then(Value::as_u64);
        answer.set_usage(Usage { input_tokens: figure("prompt_tokens"), output_tokens: figure("completion_tokens") });
    }
    let Some(choice) = object.pointer("/choices/0").and_then(Value::as_object) else { return Ok(()) };
    if let Some(message) = choice.get("message").or_else(|| choice.get("delta")).and_then(Value::as_object) {
        read_message(message, answer, choice.contains_key("message"))?;
    }
    match choice.get("finish_reason").and_then(Value::as_str) {
        None | Some("") => {}
        Some("stop") => answer.set_stop(StopReason::Finished),
        Some("tool_calls" | "function_call") => answer.set_stop(StopReason::ToolCalls),
        Some("length") => answer.set_stop(StopReason::MaxTokens),
        Some("content_filter") => answer.set_stop(StopReason::Refused),
        Some("error") => return Err(reported(&json!("the server gives no reason"), key)),
        Some(other) => answer.set_stop(StopReason::Other(other.chars().take(100).collect())),
    }
    Ok(())
}

fn read_message(message: &Map<String, Value>, answer: &mut AnswerBuilder<'_>, is_whole: bool) -> Result<(), ReadError> {
    let text = |name: &str| message.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    // llama.cpp and DeepSeek use the first name, OpenRouter and Ollama the second.
    if let Some(reasoning) = text("reasoning_content").or_else(|| text("reasoning")) {
        answer.add_reasoning(reasoning)?;
    }
    if let Some(content) = text("content") {
        answer.add_text(content)?;
    }
    if let Some(refusal) = text("refusal") {
        answer.set_stop(StopReason::Refused);
        answer.add_text(refusal)?;
    }
    let calls = message.get("tool_calls").and_then(Value::as_array);
    for (position, call) in calls.into_iter().flatten().enumerate() {
        let function = call.get("function");
        let arguments = function.and_then(|function| function.get("arguments"));
        let object = arguments.filter(|arguments| arguments.is_object()).map(Value::to_string);
        answer.add_call(&CallPiece {
            index: call.get("index").and_then(Value::as_u64).or(is_whole.then_some(position as u64)),
            id: call.get("id").and_then(Value::as_str),
            name: function.and_then(|function| function.get("name")?.as_str()),
            arguments: object.as_deref().or_else(|| arguments?.as_str()).unwrap_or_default(),
        })?;
    }
    Ok(())
}
