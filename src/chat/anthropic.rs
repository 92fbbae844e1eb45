//! Anthropic's messages API.
//!
//! A streamed answer is a `message_start`, then for each content block a `content_block_start`, its `content_block_delta`s
//! and a `content_block_stop`, then a `message_delta` with the stop reason and cumulative usage, and a `message_stop`. A tool
//! call is a block of type `tool_use`; its input arrives as `input_json_delta`s, fragments of a JSON text. A `ping` may come
//! anywhere, and an `error` may replace any event. An answer that is not streamed holds the same blocks in `content`. Blocks of thoughts go
//! back as they came, before the text of their message: the server has signed them.

use serde_json::{Value, json};

use super::answer::{AnswerBuilder, CallPiece, parsed, reported};
use super::carried::BLOCKS;
use super::error::ReadError;
use super::{ChatRequest, Message, StopReason, Usage};

/// Default length limit of an answer in tokens. This dialect requires a limit; every model on offer can write this much.
const MAX_TOKENS: u32 = 4096;

/// Returns the body of a request. Messages get back what `maker` has made.
pub(super) fn body(request: &ChatRequest, model: &str, (messages, maker): (&[Message], &str)) -> Value {
    let has_tools = !request.tools.is_empty();
    let mut body = json!({
        "model": model,
        "max_tokens": request.limits.max_tokens.unwrap_or(MAX_TOKENS),
        "messages": conversation(messages, maker, has_tools),
        "stream": request.stream,
    });
    if !request.system.is_empty() {
        body["system"] = json!(request.system);
    }
    if has_tools {
        let tools = request
            .tools
            .iter()
            .map(|tool| json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters}));
        body["tools"] = tools.collect();
    }
    body
}

/// Returns the messages and merges neighbours of the same role, because the results of parallel calls must be in one message.
fn conversation(messages: &[Message], maker: &str, has_tools: bool) -> Value {
    let mut all: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let (role, blocks) = blocks(message, maker, has_tools);
        match all.last_mut() {
            Some((last, content)) if *last == role => content.extend(blocks),
            _ => all.push((role, blocks)),
        }
    }
    all.retain(|(_, content)| !content.is_empty());
    all.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
}

/// Returns the role and the blocks of a message. The server refuses empty texts, so they are left out. It also refuses
/// tool blocks in a request without tools; calls and results then become text.
fn blocks(message: &Message, maker: &str, has_tools: bool) -> (&'static str, Vec<Value>) {
    let text = |text: &str| (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}));
    match message {
        Message::User(said) => ("user", text(said).into_iter().collect()),
        Message::Assistant { text: said, calls, carried } => {
            let own = carried.as_ref().filter(|_| has_tools).and_then(|carried| carried.message_for(maker));
            let thoughts = own.and_then(|fields| fields.get(BLOCKS)?.as_array()).cloned().unwrap_or_default();
            let calls = calls.iter().filter_map(|call| {
                if has_tools {
                    let input = call.arguments.for_history();
                    return Some(json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input}));
                }
                text(&call.as_text())
            });
            ("assistant", thoughts.into_iter().chain(text(said)).chain(calls).collect())
        }
        Message::ToolResult { call_id, text: said, is_error } => {
            if !has_tools {
                return ("user", text(&format!("[the tool gave]\n{said}")).into_iter().collect());
            }
            let result = json!({"type": "tool_result", "tool_use_id": call_id, "content": said, "is_error": is_error});
            ("user", vec![result])
        }
    }
}

/// Reads the data of one event; returns whether the stream is over.
pub(super) fn read_event(data: &str, answer: &mut AnswerBuilder<'_>, key: Option<&str>) -> Result<bool, ReadError> {
    // Some gateways end this dialect with OpenAI's marker.
    if data == "[DONE]" {
        return Ok(true);
    }
    let event: Value = parsed(data, key)?;
    let part = |name: &str| event.get(name).unwrap_or(&Value::Null);
    let index = event.get("index").and_then(Value::as_u64);
    match event.get("type").and_then(Value::as_str) {
        Some("message_start") => read_figures(part("message"), answer),
        Some("content_block_start") => read_block(part("content_block"), index, answer)?,
        Some("content_block_delta") => read_delta(part("delta"), index, answer)?,
        Some("message_delta") => {
            read_figures(&event, answer);
            read_stop(part("delta"), answer);
        }
        Some("message_stop") => return Ok(true),
        _ if !part("error").is_null() => return Err(reported(part("error"), key)),
        // A ping, the end of a block, or something new.
        _ => {}
    }
    Ok(false)
}

/// Reads an answer that was not streamed.
pub(super) fn read_object(object: &Value, answer: &mut AnswerBuilder<'_>, key: Option<&str>) -> Result<(), ReadError> {
    if let Some(error) = object.get("error").filter(|error| !error.is_null()) {
        return Err(reported(error, key));
    }
    let blocks = object.get("content").and_then(Value::as_array);
    for (position, block) in blocks.into_iter().flatten().enumerate() {
        read_block(block, Some(position as u64), answer)?;
    }
    read_figures(object, answer);
    read_stop(object, answer);
    Ok(())
}

fn read_block(block: &Value, index: Option<u64>, answer: &mut AnswerBuilder<'_>) -> Result<(), ReadError> {
    let text = |name: &str| block.get(name).and_then(Value::as_str);
    match text("type") {
        Some("text") => {
            answer.begin_block()?;
            answer.add_text(text("text").unwrap_or_default())
        }
        Some("thinking") => {
            answer.carried().begin_block(block);
            answer.add_reasoning(text("thinking").unwrap_or_default())
        }
        Some("redacted_thinking") => {
            answer.carried().begin_block(block);
            Ok(())
        }
        Some("tool_use") => {
            // A streamed block begins with an empty input object, which the deltas do not continue.
            let input = block.get("input").and_then(Value::as_object).filter(|input| !input.is_empty());
            let arguments = input.map(|_| block["input"].to_string()).unwrap_or_default();
            answer.add_call(&CallPiece {
                index,
                id: text("id"),
                name: text("name"),
                arguments: &arguments,
                fields: None,
            })
        }
        _ => Ok(()),
    }
}

fn read_delta(delta: &Value, index: Option<u64>, answer: &mut AnswerBuilder<'_>) -> Result<(), ReadError> {
    let text = |name: &str| delta.get(name).and_then(Value::as_str).unwrap_or_default();
    match delta.get("type").and_then(Value::as_str) {
        Some("text_delta") => answer.add_text(text("text")),
        Some("thinking_delta") => {
            answer.carried().extend_block("thinking", text("thinking"));
            answer.add_reasoning(text("thinking"))
        }
        Some("signature_delta") => {
            answer.carried().extend_block("signature", text("signature"));
            Ok(())
        }
        Some("input_json_delta") => {
            answer.add_call(&CallPiece { index, arguments: text("partial_json"), ..CallPiece::default() })
        }
        _ => Ok(()),
    }
}

fn read_figures(object: &Value, answer: &mut AnswerBuilder<'_>) {
    let figure = |name: &str| object.pointer(&format!("/usage/{name}")).and_then(Value::as_u64);
    // `input_tokens` excludes the tokens that were read from the server's cache or written to it.
    let cached = ["cache_read_input_tokens", "cache_creation_input_tokens"].map(|name| figure(name).unwrap_or(0));
    let input_tokens =
        figure("input_tokens").map(|tokens| cached.iter().fold(tokens, |sum, part| sum.saturating_add(*part)));
    answer.set_usage(Usage { input_tokens, output_tokens: figure("output_tokens") });
}

fn read_stop(object: &Value, answer: &mut AnswerBuilder<'_>) {
    let Some(reason) = object.get("stop_reason").and_then(Value::as_str) else { return };
    answer.set_stop(match reason {
        "end_turn" | "stop_sequence" => StopReason::Finished,
        "tool_use" => StopReason::ToolCalls,
        "max_tokens" | "model_context_window_exceeded" => StopReason::MaxTokens,
        "refusal" => StopReason::Refused,
        other => StopReason::Other(other.chars().take(100).collect()),
    });
}
