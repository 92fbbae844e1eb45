//! OpenAI's chat completions API, as OpenAI, OpenRouter, LM Studio, llama.cpp, Ollama and others speak it.
//!
//! A streamed answer is a sequence of `chat.completion.chunk` objects, each with a `delta` of the message, and a final
//! `[DONE]`. A tool call arrives in pieces with an `index`: the first has `id` and `function.name`, and all have fragments of
//! `function.arguments`, a JSON text. If `stream_options` asks for it, the last chunk has `usage` and no choices. An answer
//! that is not streamed has a `message` instead of the delta. An `error` object may replace any chunk. `content` is a text or, from
//! Mistral's reasoning models and gateways, a list of parts.

use serde_json::{Map, Value, json};

use super::answer::{AnswerBuilder, CallPiece, parsed, reported};
use super::error::ReadError;
use super::{ChatRequest, Message, StopReason, Usage};

/// Marks the end of a stream.
const DONE: &str = "[DONE]";
/// Maximum depth of parts within parts.
const DEPTH: usize = 4;

/// The form of a request of OpenAI's dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Form {
    /// Name of the field for the length limit.
    pub(super) limit_field: &'static str,
    /// Whether a stream is asked for figures at its end.
    pub(super) has_stream_options: bool,
}

/// Returns the body of a request. Messages get back what `maker` has made.
pub(super) fn body(request: &ChatRequest, model: &str, (messages, maker): (&[Message], &str), form: Form) -> Value {
    let mut all = Vec::with_capacity(messages.len() + 1);
    if !request.system.is_empty() {
        all.push(json!({"role": "system", "content": request.system}));
    }
    all.extend(messages.iter().map(|one| message(one, maker)));
    let mut body = json!({"model": model, "messages": all, "stream": request.stream});
    if request.stream && form.has_stream_options {
        body["stream_options"] = json!({"include_usage": true});
    }
    if let Some(most) = request.limits.max_tokens {
        body[form.limit_field] = json!(most);
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

fn message(message: &Message, maker: &str) -> Value {
    match message {
        Message::User(text) => json!({"role": "user", "content": text}),
        Message::Assistant { text, calls, carried } => {
            let own = carried.as_ref().and_then(|carried| carried.message_for(maker));
            let content = if text.is_empty() && !calls.is_empty() { Value::Null } else { json!(text) };
            let mut written = json!({"role": "assistant", "content": content});
            add_fields(&mut written, own);
            if !calls.is_empty() {
                let calls = calls.iter().map(|call| {
                    let function = json!({"name": call.name, "arguments": call.arguments.for_history().to_string()});
                    let mut written = json!({"id": call.id, "type": "function", "function": function});
                    add_fields(&mut written, carried.as_ref().and_then(|carried| carried.call_for(maker, &call.id)));
                    written
                });
                written["tool_calls"] = calls.collect();
            }
            written
        }
        Message::ToolResult { call_id, text, is_error } => {
            // This dialect has no field that marks a failed call.
            let content = if *is_error { format!("Error: {text}") } else { text.clone() };
            json!({"role": "tool", "tool_call_id": call_id, "content": content})
        }
    }
}

/// Adds fields that the message or call does not have.
fn add_fields(written: &mut Value, fields: Option<&Map<String, Value>>) {
    for (name, value) in fields.into_iter().flatten() {
        if written.get(name).is_none() {
            written[name] = value.clone();
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
    let part = |name: &str| choice.get(name).and_then(Value::as_object);
    // Some gateways send the other one too, as null or as an empty object.
    let whole = part("message").filter(|message| !message.is_empty());
    match (whole.or_else(|| part("delta")), choice.get("text").and_then(Value::as_str)) {
        (Some(message), _) => read_message(message, answer, whole.is_some())?,
        // The older interface for completions.
        (None, Some(text)) => answer.add_text(text)?,
        (None, None) => {}
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
    answer.carried().add_message(message);
    // llama.cpp and DeepSeek use the first name, OpenRouter and Ollama the second.
    if let Some(reasoning) = text("reasoning_content").or_else(|| text("reasoning")) {
        answer.add_reasoning(reasoning)?;
    }
    if let Some(content) = message.get("content") {
        read_content(content, answer, false, DEPTH)?;
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
            // Each entry of a whole answer is a call of its own, whatever its index.
            index: if is_whole { Some(position as u64) } else { call.get("index").and_then(Value::as_u64) },
            id: call.get("id").and_then(Value::as_str),
            name: function.and_then(|function| function.get("name")?.as_str()),
            arguments: object.as_deref().or_else(|| arguments?.as_str()).unwrap_or_default(),
            fields: call.as_object(),
        })?;
    }
    Ok(())
}

/// Reads the content of a message: a text, a part, or a list of them. A part of a thought holds its text or further parts.
fn read_content(
    content: &Value,
    answer: &mut AnswerBuilder<'_>,
    is_thought: bool,
    depth: usize,
) -> Result<(), ReadError> {
    match content {
        Value::String(text) if is_thought => answer.add_reasoning(text),
        Value::String(text) => answer.add_text(text),
        Value::Array(parts) if depth > 0 => {
            parts.iter().try_for_each(|part| read_content(part, answer, is_thought, depth - 1))
        }
        Value::Object(part) if depth > 0 => {
            let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
            let is_thought = is_thought || kind.contains("think") || kind.contains("reason") || kind == "summary_text";
            if kind == "refusal" {
                answer.set_stop(StopReason::Refused);
            }
            let names = ["text", "thinking", "reasoning", "summary", "refusal", "content"];
            match names.iter().find_map(|name| part.get(*name).filter(|value| !value.is_null())) {
                Some(inner) => read_content(inner, answer, is_thought, depth - 1),
                None => Ok(()),
            }
        }
        _ => Ok(()),
    }
}
