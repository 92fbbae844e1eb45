//! An answer as it grows, whatever dialect it comes in.

use serde_json::Value;

use super::error::Fault;
use super::repair::read_arguments;
use super::thoughts::Thoughts;
use super::{ChatEvent, ChatRequest, Completion, OnEvent, StopReason, ToolCall, Usage};
use crate::endpoint::excerpt;

/// Calls in one answer at the most. Models call a handful of tools at once.
const MAX_CALLS: usize = 128;
/// Longest name of a tool, and longest id of a call, in bytes. Both dialects allow names of 64 characters.
const MAX_NAME: usize = 256;

/// A piece of a tool call.
#[derive(Debug, Default)]
pub(super) struct CallPiece<'p> {
    /// Which call of the answer it belongs to, if the server says so.
    pub(super) index: Option<u64>,
    pub(super) id: Option<&'p str>,
    pub(super) name: Option<&'p str>,
    /// The next part of the arguments as JSON text.
    pub(super) arguments: &'p str,
}

#[derive(Debug)]
struct PartialCall {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

/// An answer as far as it has come. Bounds on its length are those of the bytes that it is made of.
pub(super) struct Answer<'a> {
    request: &'a ChatRequest,
    on_event: &'a mut OnEvent<'a>,
    thoughts: Thoughts,
    text: String,
    calls: Vec<PartialCall>,
    stop: Option<StopReason>,
    usage: Usage,
    was_given: bool,
}

impl<'a> Answer<'a> {
    pub(super) fn new(request: &'a ChatRequest, on_event: &'a mut OnEvent<'a>) -> Self {
        let (text, calls, usage) = (String::new(), Vec::new(), Usage::default());
        Self { request, on_event, thoughts: Thoughts::new(), text, calls, stop: None, usage, was_given: false }
    }

    /// Whether the server was asked to stream it.
    pub(super) fn is_streamed(&self) -> bool {
        self.request.stream
    }

    /// Whether the callback has been given a piece of the answer, so that it cannot begin again.
    pub(super) fn was_given(&self) -> bool {
        self.was_given
    }

    /// Whether the server has said that nothing more comes but figures.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_some()
    }

    /// Whether there is anything in it.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.calls.is_empty() && !self.was_given && self.thoughts.is_empty()
    }

    /// Adds text, which may begin with reasoning between marks.
    pub(super) fn add_text(&mut self, piece: &str) -> Result<(), Fault> {
        let (thought, text) = self.thoughts.split(piece);
        self.add_reasoning(&thought)?;
        self.add_plain(&text)
    }

    /// Begins a new paragraph, if there is text already.
    pub(super) fn begin_block(&mut self) -> Result<(), Fault> {
        if self.text.is_empty() || self.text.ends_with('\n') { Ok(()) } else { self.add_plain("\n") }
    }

    fn add_plain(&mut self, text: &str) -> Result<(), Fault> {
        self.text.push_str(text);
        if text.is_empty() { Ok(()) } else { self.give(ChatEvent::Text(text)) }
    }

    /// Adds reasoning that the server tells from the text. It is given on and not kept.
    pub(super) fn add_reasoning(&mut self, piece: &str) -> Result<(), Fault> {
        if piece.is_empty() { Ok(()) } else { self.give(ChatEvent::Reasoning(piece)) }
    }

    /// Adds a piece of a call. It belongs to the call with its index and id. Some servers give all calls the index 0 and tell
    /// them by id alone; of those that give neither, a piece with a name begins a call and any other belongs to the last one.
    pub(super) fn add_call(&mut self, piece: &CallPiece<'_>) -> Result<(), Fault> {
        let (id, name) = (piece.id.unwrap_or_default(), piece.name.unwrap_or_default());
        let begins = piece.index.is_none() && id.is_empty() && !name.is_empty();
        let place = self.calls.iter().rposition(|call| {
            let is_same_index = piece.index.is_none() || call.index == piece.index;
            is_same_index && (id.is_empty() || call.id == id || (call.id.is_empty() && piece.index.is_some()))
        });
        let place = match place {
            Some(place) if !begins => place,
            _ if self.calls.len() == MAX_CALLS => {
                return Err(Fault::Unusable(format!("it calls more than {MAX_CALLS} tools")));
            }
            _ => {
                let (index, text) = (piece.index, String::new);
                self.calls.push(PartialCall { index, id: text(), name: text(), arguments: text() });
                self.calls.len() - 1
            }
        };
        if id.len() > MAX_NAME || name.len() > MAX_NAME {
            return Err(Fault::Unusable(format!("the name or id of a call has more than {MAX_NAME} bytes")));
        }
        let call = &mut self.calls[place];
        if call.id.is_empty() {
            call.id = id.to_owned();
        }
        call.arguments.push_str(piece.arguments);
        if call.name.is_empty() && !name.is_empty() {
            call.name = name.to_owned();
            if self.request.tools.iter().any(|tool| tool.name == name) {
                return self.give(ChatEvent::ToolCallStarted { name });
            }
        }
        Ok(())
    }

    /// Notes why the model stopped.
    pub(super) fn set_stop(&mut self, stop: StopReason) {
        // A refusal is followed by an ordinary end.
        if self.stop != Some(StopReason::Refused) {
            self.stop = Some(stop);
        }
    }

    /// Notes the figures that are there; later ones take the place of earlier ones.
    pub(super) fn set_usage(&mut self, usage: Usage) {
        self.usage.input_tokens = usage.input_tokens.or(self.usage.input_tokens);
        self.usage.output_tokens = usage.output_tokens.or(self.usage.output_tokens);
    }

    fn give(&mut self, event: ChatEvent<'_>) -> Result<(), Fault> {
        self.was_given = true;
        if (self.on_event)(event).is_break() { Err(Fault::Cancelled) } else { Ok(()) }
    }

    /// Returns the whole answer.
    pub(super) fn finish(mut self) -> Result<Completion, Fault> {
        let (thought, text) = std::mem::replace(&mut self.thoughts, Thoughts::Over).finish();
        self.add_reasoning(&thought)?;
        self.add_plain(&text)?;
        let tools = &self.request.tools;
        let calls = self.calls.into_iter().enumerate().map(|(number, call)| ToolCall {
            // A server without ids gets one back all the same, which ties the result to the call.
            id: if call.id.is_empty() { format!("call_{number}") } else { call.id },
            name: call.name,
            arguments: read_arguments(&call.arguments),
        });
        let (calls, refused_calls) = calls.partition(|call| tools.iter().any(|tool| tool.name == call.name));
        Ok(Completion {
            text: self.text,
            calls,
            refused_calls,
            stop: self.stop.unwrap_or(StopReason::Finished),
            usage: self.usage,
            omitted_messages: 0,
        })
    }
}

/// Returns the JSON of an event.
pub(super) fn parsed(data: &str, key: Option<&str>) -> Result<Value, Fault> {
    let unusable = |error| Fault::Unusable(format!("{error}: {}", excerpt(data.as_bytes(), key)));
    serde_json::from_str(data).map_err(unusable)
}

/// Returns the error that a server reports in the middle of an answer. `error` is a text, or an object with a `message`, a
/// `type` (Anthropic, OpenAI) and sometimes HTTP's number as `code` (OpenRouter, llama.cpp).
pub(super) fn reported(error: &Value, key: Option<&str>) -> Fault {
    let kind = error.get("type").and_then(Value::as_str).unwrap_or_default();
    let code = error.get("code").and_then(|code| code.as_u64().or_else(|| code.as_str()?.parse().ok()));
    let is_passing = match code {
        Some(code) => code == 429 || (500..600).contains(&code),
        None => {
            matches!(kind, "overloaded_error" | "api_error" | "rate_limit_error" | "timeout_error" | "server_error")
        }
    };
    let said = if error.get("message").is_some() { error.clone() } else { serde_json::json!({ "error": error }) };
    Fault::Reported { excerpt: excerpt(said.to_string().as_bytes(), key), is_passing }
}
