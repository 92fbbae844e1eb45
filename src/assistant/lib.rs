//! The assistant: a conversation of a person with a language model that has their memory and tools.
//!
//! An [`Assistant`] holds one conversation. [`Assistant::say`] runs a turn for a message of the person: the system prompt is built from
//! the memory (`prompt`), the model answers or calls tools (`tools`), and their results go back to it, at most [`MOST_ROUNDS`] times.
//! Every message is saved before the next step ([`conversation`]). A long history is summed up (`compact`), and at the end the daily log
//! gets the outcome (`ending`). Lines that begin with `/` are commands ([`commands`]): they go to the service and never to a model.
//!
//! Every text that goes to a model was redacted ([`redact`](tars_text::redact::redact)). Text from notes, tools and the model is
//! untrusted: it is marked as data, bounded, and cleaned for display. A front end shows the steps, and asks the person to
//! allow restricted actions ([`Door`]).

mod calls;
pub mod commands;
mod compact;
pub mod conversation;
mod door;
mod ending;
mod offers;
mod prompt;
mod remote;
mod scheduled;
mod tools;
mod turn;

pub use door::{Answer, Channel, Door, Question, Step};
pub use ending::Ending;
pub use prompt::{PromptPart, SystemPrompt};
pub use scheduled::beside_schedules;
pub use turn::{Assistant, AssistantError, MOST_ROUNDS, Options, TurnEnd};
