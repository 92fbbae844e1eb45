//! `[chat]`: settings of conversations.

use std::time::Duration;

use serde::Deserialize;

use super::choices::{ChatProvider, Consolidate, Permission};
use super::deserializers::{optional_text, seconds};

/// `[chat]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChatSettings {
    /// Backend that answers.
    pub provider: ChatProvider,
    /// The server's name for the model; `None` until the user sets it.
    #[serde(deserialize_with = "optional_text")]
    pub model: Option<String>,
    /// Address of the server, without a trailing slash; `None` uses the provider's address.
    #[serde(deserialize_with = "optional_text")]
    pub base_url: Option<String>,
    /// Variable that holds the server's key; `None` uses the provider's usual variable.
    #[serde(deserialize_with = "optional_text")]
    pub api_key_env: Option<String>,
    /// The program and its arguments; empty until the user sets them.
    pub command: Vec<String>,
    /// Timeout of an answer.
    #[serde(rename = "timeout_seconds", deserialize_with = "seconds")]
    pub timeout: Duration,
    /// Maximum tokens of memory in the system prompt.
    pub prompt_tokens: usize,
    /// Maximum tokens of the conversation in a request.
    pub history_tokens: usize,
    /// Number of messages beyond which the older ones are condensed.
    pub compact_messages: usize,
    /// Permission to write to the core and the soul.
    pub core_writes: Permission,
    /// Permission to write to the log of the day and the layers.
    pub layer_writes: Permission,
    /// Whether the model proposes at the end what to keep.
    pub consolidate: Consolidate,
    /// Layers in which its proposals are carried out at once.
    pub apply: Vec<String>,
    /// Collections that are never sent to the model.
    pub private_collections: Vec<String>,
}
