//! Calls language models: one call per request, with a streamed or whole answer. Callers decide what to do with the answer.
//!
//! A [`ChatModel`] is a server that speaks OpenAI's chat completions or Anthropic's messages ([`Server`]), or a program ([`Program`]). The
//! caller passes the whole conversation and the tools that the model may call; without tools, the answer contains no calls. Calls block. A
//! callback receives each piece as it arrives. The callback or a [`CancelToken`] can end the call at any time.
//!
//! A request that fails temporarily is retried, but never after the callback has received a piece of the answer. This module
//! never runs a tool, stores a conversation or trusts what a server sends: lines, events, calls and whole answers have size
//! limits. Keys travel only where [`endpoint`](tars_base::endpoint) allows, and redirects are not followed.

mod answer;
mod anthropic;
mod cancel;
mod carried;
mod completion;
mod dialect;
mod error;
mod exchange;
mod history;
pub mod mcp_client;
mod openai;
mod partial_json;
mod program;
mod reasoning;
mod refusal;
mod reply;
mod request;
mod server;
mod sse;
pub mod tasks;
mod usage;
mod window;

pub use cancel::CancelToken;
pub use carried::Carried;
pub use completion::{Arguments, ChatEvent, Completion, OnEvent, ToolCall};
pub use dialect::Dialect;
pub use error::ChatError;
pub use partial_json::close_truncated_json;
pub use program::Program;
pub use request::{ChatRequest, Limits, Message, Tool};
pub use server::{Server, ServerOptions};
pub use usage::{StopReason, Usage};
pub use window::ServerKind;

/// A language model that can be called.
pub trait ChatModel: Send + Sync {
    /// Returns the model's short name: letters, digits, `-`, `_`, `.`, `:`.
    fn name(&self) -> &str;

    /// Whether requests may offer tools.
    fn supports_tools(&self) -> bool;

    /// Asks for the context window of the model, in tokens; `None` if nobody tells. `must_ask` also asks servers of unknown kind, and those
    /// whose answer is long.
    fn window(&self, must_ask: bool) -> Option<usize> {
        let _ = must_ask;
        None
    }

    /// Sends a request and returns the whole answer. `on_event` receives its pieces as they arrive.
    ///
    /// # Errors
    /// The model is unavailable, exceeds the limits, breaks off, or sends an unreadable answer; [`ChatError::Cancelled`] if
    /// the callback or the token ended the call; [`ChatError::NoTools`] if the request offers tools and
    /// [`ChatModel::supports_tools`] is false. After an error, no more of the answer exists than the callback has received.
    fn send(&self, request: &ChatRequest, on_event: &mut OnEvent<'_>) -> Result<Completion, ChatError>;
}

impl<M: ChatModel + ?Sized> ChatModel for std::sync::Arc<M> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn supports_tools(&self) -> bool {
        (**self).supports_tools()
    }

    fn window(&self, must_ask: bool) -> Option<usize> {
        (**self).window(must_ask)
    }

    fn send(&self, request: &ChatRequest, on_event: &mut OnEvent<'_>) -> Result<Completion, ChatError> {
        (**self).send(request, on_event)
    }
}

#[cfg(test)]
mod tests;
