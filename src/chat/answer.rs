//! Accumulates the pieces of an answer, whichever dialect they come in.

use serde_json::Value;

use super::error::ReadError;
use super::partial_json::parse_arguments;
use super::reasoning::ReasoningSplitter;
use super::{ChatEvent, ChatRequest, Completion, OnEvent, StopReason, ToolCall, Usage};
use tars_base::endpoint::excerpt;

/// Maximum number of tool calls in one answer. Models call a handful of tools at once.
const MAX_CALLS: usize = 128;
/// Maximum length of a tool's name and of a call's id, in bytes. Both dialects allow names of 64 characters.
const MAX_NAME: usize = 256;

#[derive(Debug, Default)]
pub(super) struct CallPiece<'p> {
    /// Index of the call that this piece belongs to, if the server sends one.
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

/// A partial answer. Its length has no bound of its own; the reader limits the bytes that it is built from.
pub(super) struct AnswerBuilder<'a> {
    request: &'a ChatRequest,
    on_event: &'a mut OnEvent<'a>,
    reasoning: ReasoningSplitter,
    text: String,
    calls: Vec<PartialCall>,
    stop: Option<StopReason>,
    usage: Usage,
    has_emitted: bool,
}

impl<'a> AnswerBuilder<'a> {
    pub(super) fn new(request: &'a ChatRequest, on_event: &'a mut OnEvent<'a>) -> Self {
        let (text, calls, usage) = (String::new(), Vec::new(), Usage::default());
        Self {
            request,
            on_event,
            reasoning: ReasoningSplitter::new(),
            text,
            calls,
            stop: None,
            usage,
            has_emitted: false,
        }
    }

    /// Whether the request asked the server to stream the answer.
    pub(super) fn is_streamed(&self) -> bool {
        self.request.stream
    }

    /// Whether the callback has received a piece of the answer. Such a request cannot be retried.
    pub(super) fn has_emitted(&self) -> bool {
        self.has_emitted
    }

    /// Whether the server has reported why the model stopped. After that, only usage figures follow.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_some()
    }

    /// Whether the answer has neither text, reasoning nor calls.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.calls.is_empty() && !self.has_emitted && self.reasoning.is_empty()
    }

    /// Adds text. At the start of the answer it may contain reasoning between tags.
    pub(super) fn add_text(&mut self, piece: &str) -> Result<(), ReadError> {
        let (thought, text) = self.reasoning.split(piece);
        self.add_reasoning(&thought)?;
        self.add_plain(&text)
    }

    /// Begins a new line, if there is text already.
    pub(super) fn begin_block(&mut self) -> Result<(), ReadError> {
        if self.text.is_empty() || self.text.ends_with('\n') { Ok(()) } else { self.add_plain("\n") }
    }

    fn add_plain(&mut self, text: &str) -> Result<(), ReadError> {
        self.text.push_str(text);
        if text.is_empty() { Ok(()) } else { self.emit(ChatEvent::Text(text)) }
    }

    /// Passes on reasoning that the server separates from the text. The answer does not keep it.
    pub(super) fn add_reasoning(&mut self, piece: &str) -> Result<(), ReadError> {
        if piece.is_empty() { Ok(()) } else { self.emit(ChatEvent::Reasoning(piece)) }
    }

    /// Adds a piece of a call. A piece belongs to the call with the same index and id. Some servers give every call the
    /// index 0 and distinguish calls by id alone. If a piece has neither index nor id, a name begins a new call;
    /// without a name, the piece belongs to the last call.
    pub(super) fn add_call(&mut self, piece: &CallPiece<'_>) -> Result<(), ReadError> {
        let (id, name) = (piece.id.unwrap_or_default(), piece.name.unwrap_or_default());
        let begins = piece.index.is_none() && id.is_empty() && !name.is_empty();
        let place = self.calls.iter().rposition(|call| {
            let is_same_index = piece.index.is_none() || call.index == piece.index;
            is_same_index && (id.is_empty() || call.id == id || (call.id.is_empty() && piece.index.is_some()))
        });
        let place = match place {
            Some(place) if !begins => place,
            _ if self.calls.len() == MAX_CALLS => {
                return Err(ReadError::Unusable(format!("it calls more than {MAX_CALLS} tools")));
            }
            _ => {
                let (index, text) = (piece.index, String::new);
                self.calls.push(PartialCall { index, id: text(), name: text(), arguments: text() });
                self.calls.len() - 1
            }
        };
        if id.len() > MAX_NAME || name.len() > MAX_NAME {
            return Err(ReadError::Unusable(format!("the name or id of a call has more than {MAX_NAME} bytes")));
        }
        let call = &mut self.calls[place];
        if call.id.is_empty() {
            call.id = id.to_owned();
        }
        call.arguments.push_str(piece.arguments);
        if call.name.is_empty() && !name.is_empty() {
            call.name = name.to_owned();
            if self.request.tools.iter().any(|tool| tool.name == name) {
                return self.emit(ChatEvent::ToolCallStarted { name });
            }
        }
        Ok(())
    }

    /// Records why the model stopped.
    pub(super) fn set_stop(&mut self, stop: StopReason) {
        // After a refusal, servers still send an ordinary stop reason.
        if self.stop != Some(StopReason::Refused) {
            self.stop = Some(stop);
        }
    }

    /// Records usage figures. Later figures replace earlier ones.
    pub(super) fn set_usage(&mut self, usage: Usage) {
        self.usage.input_tokens = usage.input_tokens.or(self.usage.input_tokens);
        self.usage.output_tokens = usage.output_tokens.or(self.usage.output_tokens);
    }

    fn emit(&mut self, event: ChatEvent<'_>) -> Result<(), ReadError> {
        self.has_emitted = true;
        if (self.on_event)(event).is_break() { Err(ReadError::Cancelled) } else { Ok(()) }
    }

    /// Returns the whole answer.
    pub(super) fn finish(mut self) -> Result<Completion, ReadError> {
        let (thought, text) = std::mem::replace(&mut self.reasoning, ReasoningSplitter::Over).finish();
        self.add_reasoning(&thought)?;
        self.add_plain(&text)?;
        let tools = &self.request.tools;
        let calls = self.calls.into_iter().enumerate().map(|(number, call)| ToolCall {
            // A server without ids still gets this one back: it ties the result to the call.
            id: if call.id.is_empty() { format!("call_{number}") } else { call.id },
            name: call.name,
            arguments: parse_arguments(&call.arguments),
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

/// Parses the JSON of an event.
pub(super) fn parsed(data: &str, key: Option<&str>) -> Result<Value, ReadError> {
    let unusable = |error| ReadError::Unusable(format!("{error}: {}", excerpt(data.as_bytes(), key)));
    serde_json::from_str(data).map_err(unusable)
}

/// Returns the error that a server reports in the middle of an answer. `error` is a string, or an object with a
/// `message`, a `type` (Anthropic, OpenAI) and sometimes an HTTP status as `code` (OpenRouter, llama.cpp).
pub(super) fn reported(error: &Value, key: Option<&str>) -> ReadError {
    let kind = error.get("type").and_then(Value::as_str).unwrap_or_default();
    let code = error.get("code").and_then(|code| code.as_u64().or_else(|| code.as_str()?.parse().ok()));
    let is_transient = match code {
        Some(code) => code == 429 || (500..600).contains(&code),
        None => {
            matches!(kind, "overloaded_error" | "api_error" | "rate_limit_error" | "timeout_error" | "server_error")
        }
    };
    let said = if error.get("message").is_some() { error.clone() } else { serde_json::json!({ "error": error }) };
    ReadError::Reported { excerpt: excerpt(said.to_string().as_bytes(), key), is_transient }
}
