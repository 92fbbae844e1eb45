//! The assistant: a conversation of a person with a language model that has their memory and tools.
//!
//! An [`Assistant`] holds one conversation. [`Assistant::run_turn`] runs a turn for a message of the person: the system prompt is built from
//! the memory (`prompt`), the model answers or calls tools (`tools`), and their results go back to it, at most [`MAX_ROUNDS`] times.
//! Every message is saved before the next step ([`conversation`]). A long history is summed up (`compact`) and fitted into the model's window (`window`), and at the end the daily log
//! gets the outcome (`outcome`). Lines that begin with `/` are commands ([`commands`]): they go to the service and never to a model.
//!
//! Every text that goes to a model was redacted ([`redact`](tars_text::redact::redact)). Text from notes, tools and the model is
//! untrusted: it is marked as data, bounded, and cleaned for display. A front end shows the steps, and asks the person to
//! allow restricted actions ([`ChatFrontend`]).

pub mod commands;
mod compact;
pub mod conversation;
mod disclosure;
mod echoes;
mod frontend;
mod model_call;
mod offers;
mod outcome;
mod prompt;
mod scheduled;
mod server_tools;
mod tool_calls;
mod tools;
mod turn;
mod turn_writes;
mod window;

pub use frontend::{Channel, ChatFrontend, Decision, PermissionRequest, TurnEvent};
pub use outcome::ConversationOutcome;
pub use prompt::{PromptPart, SystemPrompt};
pub use scheduled::with_schedules_running;
pub use turn::{Assistant, AssistantError, MAX_ROUNDS, Options, TurnEnd};
