//! The assistant: a conversation of a person with a language model that has their memory and tools.
//!
//! An [`Assistant`] holds one conversation. [`Assistant::say`] takes what the person says through a turn: the system prompt is
//! put together from the memory (`prompt`), the model answers or calls tools (`tools`), results go back to it, at most
//! [`MOST_ROUNDS`] times. Everything that is said is kept before the next step ([`conversation`]). What becomes too long is
//! summed up (`compact`), and at the end the day's log gets what came of it (`ending`). Lines that begin with `/` are
//! commands ([`commands`]): they go to the service and never to a model.
//!
//! Every text that goes to a model has passed [`redact`](crate::redact::redact). What comes from notes, tools and the model is
//! untrusted: it is marked as data, bounded, and cleaned where it is shown. A door shows the steps, and answers whether the
//! model may do what is not free ([`Door`]).

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
