//! Speaks to language models: one call, its answer in pieces or whole, and nothing that is done with it.
//!
//! A [`ChatModel`] is a server that speaks OpenAI's chat completions or Anthropic's messages ([`Server`]), or a program
//! ([`Program`]). The caller hands over the whole conversation and the tools that the model may call; with no tools, no
//! call can come of the answer. Calls block; a callback gets each piece as it arrives, and it or a [`CancelToken`] ends the
//! call at any time.
//!
//! A request that fails in passing is sent again, but never after a piece of the answer was given to the callback. Nothing
//! here carries out a tool, stores a conversation or trusts what a server sends: lines, events, calls and whole answers have
//! bounds. Keys travel only where [`endpoint`](crate::endpoint) allows, and redirects are not followed.

mod answer;
mod anthropic;
mod cancel;
mod completion;
mod error;
mod exchange;
mod history;
mod openai;
mod program;
mod repair;
mod request;
mod server;
mod sse;
mod thoughts;

pub use cancel::CancelToken;
pub use completion::{Arguments, ChatEvent, Completion, OnEvent, StopReason, ToolCall, Usage};
pub use error::ChatError;
pub use program::Program;
pub use repair::closed_json;
pub use request::{ChatRequest, Limits, Message, Tool};
pub use server::{Dialect, Server, ServerOptions};

/// A language model that can be called.
pub trait ChatModel: Send + Sync {
    /// Returns a word for who answers: letters, digits, `-`, `_`, `.`, `:`.
    fn name(&self) -> &str;

    /// Whether requests may offer tools.
    fn takes_tools(&self) -> bool;

    /// Sends a request and returns the whole answer. `on_event` gets its pieces as they come.
    ///
    /// # Errors
    /// The model cannot be had, takes longer than the limits allow, breaks off, or gives nothing that can be read;
    /// [`ChatError::Cancelled`] if the callback or the token ended the call; [`ChatError::NoTools`] for tools that
    /// [`ChatModel::takes_tools`] excludes. What the callback has been given by then is all there is of the answer.
    fn send(&self, request: &ChatRequest, on_event: &mut OnEvent<'_>) -> Result<Completion, ChatError>;
}

impl<M: ChatModel + ?Sized> ChatModel for std::sync::Arc<M> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn takes_tools(&self) -> bool {
        (**self).takes_tools()
    }

    fn send(&self, request: &ChatRequest, on_event: &mut OnEvent<'_>) -> Result<Completion, ChatError> {
        (**self).send(request, on_event)
    }
}

#[cfg(test)]
mod tests;
