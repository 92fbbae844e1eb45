//! The fields of a line of a rollout, as far as tars reads them.
//!
//! A line has a `timestamp`, an `ordinal` in its session, a `type` and a `payload`:
//!
//! - `session_meta`, the first line: `id`, `cwd`, `git.branch`, and `source`, an object for a helper's session. If the person went back
//!   to an earlier prompt, `history_base` says where the earlier segment ends (`end_ordinal_exclusive`).
//! - `turn_context`: the `cwd` of the turn `turn_id`.
//! - `response_item`: the conversation with the model. `type` is `message` (with `role` and `content`), `function_call` (`name`, and
//!   `arguments` as JSON in a text, `call_id`), `custom_tool_call` (`input`), `local_shell_call` (`action.command`), or another one.
//! - `event_msg`: `type` is `user_message` (`message`) or `item_completed` with an `item` of type `UserMessage`, for what a person sent;
//!   with an item of type `CommandExecution`, the end of the call `item.id` (`status` is `completed`, `failed` or `declined`);
//!   `task_started` (with a `turn_attribution`, unless it is work of the client itself), `task_complete` (with an `error` if the server failed), `turn_aborted`, and `thread_rolled_back` with the number
//!   of turns that the person took back (`num_turns`).
//! - `compacted`: `message` is the summary of the conversation so far.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::client::lenient::{Object, Text, TextOrList};

/// A line.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct RolloutLine {
    pub(super) timestamp: Text,
    pub(super) ordinal: Number,
    pub(super) r#type: Text,
    pub(super) payload: Object<Payload>,
}

/// The payload of a line of any type.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Payload {
    pub(super) r#type: Text,
    pub(super) id: Text,
    pub(super) cwd: Text,
    pub(super) git: Object<Git>,
    pub(super) source: Object<Anything>,
    pub(super) turn_id: Text,
    pub(super) turn_attribution: Object<Anything>,
    pub(super) role: Text,
    pub(super) content: TextOrList<Part>,
    pub(super) name: Text,
    pub(super) call_id: Text,
    pub(super) arguments: Text,
    pub(super) input: Text,
    pub(super) action: Object<Call>,
    pub(super) item: Object<Item>,
    pub(super) message: Text,
    pub(super) error: Option<IgnoredAny>,
    pub(super) num_turns: Number,
    pub(super) history_base: Object<HistoryBase>,
}

/// The place at which a segment continues another one.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct HistoryBase {
    pub(super) end_ordinal_exclusive: Number,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Git {
    pub(super) branch: Text,
}

/// An object whose fields do not matter.
#[derive(Deserialize)]
pub(super) struct Anything {}

/// A part of a message.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Part {
    pub(super) r#type: Text,
    pub(super) text: Text,
}

/// An item of a turn.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Item {
    pub(super) r#type: Text,
    pub(super) id: Text,
    pub(super) status: Text,
    pub(super) content: TextOrList<Part>,
}

/// The arguments of a tool.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Call {
    pub(super) cmd: Text,
    pub(super) command: Words,
    /// The task of a helper.
    pub(super) message: Text,
    pub(super) agent_type: Text,
    /// A patch.
    pub(super) input: Text,
}

/// A command line, or its words.
#[derive(Deserialize, Default)]
#[serde(untagged)]
pub(super) enum Words {
    Line(String),
    List(Vec<String>),
    #[default]
    Neither,
    Other(IgnoredAny),
}

impl Words {
    /// Returns the command line; that of a shell if the words start one.
    pub(super) fn line(self) -> Option<String> {
        match self {
            Self::Line(line) => Some(line),
            Self::List(mut words) if words.len() == 3 && matches!(words[1].as_str(), "-c" | "-lc") => words.pop(),
            Self::List(words) => Some(words.join(" ")),
            Self::Neither | Self::Other(_) => None,
        }
    }
}

/// A whole number, or absent.
#[derive(Deserialize, Default)]
#[serde(untagged)]
pub(super) enum Number {
    Whole(u64),
    #[default]
    Neither,
    Other(IgnoredAny),
}

impl Number {
    pub(super) fn whole(&self) -> Option<u64> {
        match self {
            Self::Whole(number) => Some(*number),
            Self::Neither | Self::Other(_) => None,
        }
    }
}
