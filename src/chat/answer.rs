//! Accumulates the pieces of an answer, whichever dialect they come in.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::carried::{Carried, add_call_fields};
use super::error::{ReadError, excerpt};
use super::partial_json::parse_arguments;
use super::reasoning::{Part, ReasoningSplitter};
use super::refusal::Refusal;
use super::{ChatEvent, ChatRequest, Completion, OnEvent, StopReason, Tool, ToolCall, Usage};

/// Maximum length of the text of an answer in bytes, some 500,000 tokens: later turns would read and redact a longer one each time.
const MAX_TEXT: usize = 2 << 20;
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
    /// All fields of the piece.
    pub(super) fields: Option<&'p Map<String, Value>>,
}

#[derive(Debug, Default)]
struct PartialCall {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    /// The fields that the server needs back.
    fields: Map<String, Value>,
}

impl PartialCall {
    /// Whether a piece with this call's index that names a tool begins the next call. Some servers send the name with each piece, so the
    /// arguments must be whole, or the name another one.
    fn is_followed_by(&self, name: &str, tools: &[Tool]) -> bool {
        let is_object = || serde_json::from_str::<Map<String, Value>>(&self.arguments).is_ok();
        let is_other = || self.name != name && tools.iter().any(|tool| tool.name == name);
        !self.name.is_empty() && (is_other() || (self.arguments.trim_end().ends_with('}') && is_object()))
    }
}

/// A partial answer. The reader limits the bytes that it is built from.
pub(super) struct AnswerBuilder<'a> {
    request: &'a ChatRequest,
    on_event: &'a mut OnEvent<'a>,
    reasoning: ReasoningSplitter,
    text: String,
    calls: Vec<PartialCall>,
    stop: Option<StopReason>,
    usage: Usage,
    has_emitted: bool,
    has_thought: bool,
    ends_unopened: bool,
    carried: Carried,
}

impl<'a> AnswerBuilder<'a> {
    pub(super) fn new(request: &'a ChatRequest, on_event: &'a mut OnEvent<'a>) -> Self {
        Self {
            request,
            on_event,
            reasoning: ReasoningSplitter::new(),
            text: String::new(),
            calls: Vec::new(),
            stop: None,
            usage: Usage::default(),
            has_emitted: false,
            has_thought: false,
            ends_unopened: false,
            carried: Carried::default(),
        }
    }

    /// Holds text back until its reasoning ends, because this model ends reasoning that it has not opened.
    pub(super) fn hold_reasoning(&mut self) {
        self.reasoning = ReasoningSplitter::holding();
    }

    /// Whether the text has ended reasoning that it had not opened.
    pub(super) fn ends_unopened(&self) -> bool {
        self.ends_unopened
    }

    /// Returns the fields that the server needs back.
    pub(super) fn carried(&mut self) -> &mut Carried {
        &mut self.carried
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

    /// Adds text, which may contain reasoning between marks.
    pub(super) fn add_text(&mut self, piece: &str) -> Result<(), ReadError> {
        let parts = self.reasoning.split(piece);
        self.add_parts(parts)
    }

    fn add_parts(&mut self, parts: Vec<Part>) -> Result<(), ReadError> {
        for part in parts {
            match part {
                Part::Thought(thought) => self.add_reasoning(&thought)?,
                Part::Text(text) => self.add_plain(&text)?,
                Part::Withdrawn => {
                    (self.ends_unopened, self.has_thought) = (true, true);
                    self.text.clear();
                    self.emit(ChatEvent::Withdrawn)?;
                }
            }
        }
        Ok(())
    }

    /// Begins a new line, if there is text already.
    pub(super) fn begin_block(&mut self) -> Result<(), ReadError> {
        if self.text.is_empty() || self.text.ends_with('\n') { Ok(()) } else { self.add_text("\n") }
    }

    fn add_plain(&mut self, text: &str) -> Result<(), ReadError> {
        if self.text.len() + text.len() > MAX_TEXT {
            return Err(ReadError::Unusable(format!("its text has more than {MAX_TEXT} bytes")));
        }
        self.text.push_str(text);
        if text.is_empty() { Ok(()) } else { self.emit(ChatEvent::Text(text)) }
    }

    /// Passes on reasoning, which is no part of the text.
    pub(super) fn add_reasoning(&mut self, piece: &str) -> Result<(), ReadError> {
        self.has_thought |= !piece.is_empty();
        if piece.is_empty() { Ok(()) } else { self.emit(ChatEvent::Reasoning(piece)) }
    }

    /// Adds a piece of a call. A piece belongs to the call with the same index and id. Some servers give every call the index 0 and
    /// distinguish calls by id alone, or not at all: then a name after whole arguments begins a new call. If a piece has neither index nor
    /// id, a name begins a new call; without a name, the piece belongs to the last call.
    pub(super) fn add_call(&mut self, piece: &CallPiece<'_>) -> Result<(), ReadError> {
        let (id, name) = (piece.id.unwrap_or_default(), piece.name.unwrap_or_default());
        let tools = &self.request.tools;
        let begins = |call: &PartialCall| piece.index.is_none() || call.is_followed_by(name, tools);
        let is_named = id.is_empty() && !name.is_empty();
        let place = self.calls.iter().rposition(|call| {
            let is_same_index = piece.index.is_none() || call.index == piece.index;
            is_same_index && (id.is_empty() || call.id == id || (call.id.is_empty() && piece.index.is_some()))
        });
        let place = match place {
            Some(place) if !(is_named && begins(&self.calls[place])) => place,
            _ if self.calls.len() == MAX_CALLS => {
                return Err(ReadError::Unusable(format!("it calls more than {MAX_CALLS} tools")));
            }
            _ => {
                self.calls.push(PartialCall { index: piece.index, ..PartialCall::default() });
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
        if let Some(fields) = piece.fields {
            add_call_fields(&mut call.fields, fields);
        }
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

    /// Returns the whole answer of `maker`.
    pub(super) fn finish(mut self, maker: &str) -> Result<Completion, ReadError> {
        let parts = std::mem::replace(&mut self.reasoning, ReasoningSplitter::Over).finish();
        self.add_parts(parts)?;
        let tools = &self.request.tools;
        let mut fields = BTreeMap::new();
        let calls = self.calls.into_iter().enumerate().map(|(number, call)| {
            // A server without ids still gets this one back: it ties the result to the call.
            let id = if call.id.is_empty() { format!("call_{number}") } else { call.id };
            fields.insert(id.clone(), call.fields);
            ToolCall { id, name: call.name, arguments: parse_arguments(&call.arguments) }
        });
        let (calls, refused_calls): (Vec<ToolCall>, _) =
            calls.partition(|call| tools.iter().any(|tool| tool.name == call.name));
        let stop = self.stop.unwrap_or(StopReason::Finished);
        if self.text.trim().is_empty() && calls.is_empty() && refused_calls.is_empty() {
            return Err(ReadError::Empty { stop, has_thought: self.has_thought, usage: self.usage });
        }
        Ok(Completion {
            text: self.text,
            calls,
            refused_calls,
            stop,
            usage: self.usage,
            omitted_messages: 0,
            carried: self.carried.finish(maker, fields),
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
    let body = said.to_string();
    let excerpt = excerpt(body.as_bytes(), key);
    match Refusal::of(&body) {
        Some(Refusal::Overflow { window }) => ReadError::Overflow { excerpt, window },
        _ => ReadError::Reported { excerpt, is_transient },
    }
}
