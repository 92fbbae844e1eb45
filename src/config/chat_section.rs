//! `[chat]`, the settings of conversations.

use std::time::Duration;

use serde::Deserialize;

use super::choices::{ChatProvider, Consolidate, Permission};
use super::shapes::{optional_text, seconds};

/// `[chat]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChatSettings {
    /// Who answers.
    pub provider: ChatProvider,
    /// The server's name for the model; `None` until the user names one.
    #[serde(deserialize_with = "optional_text")]
    pub model: Option<String>,
    /// Address of the server, without a slash at its end; `None` is that of the provider.
    #[serde(deserialize_with = "optional_text")]
    pub base_url: Option<String>,
    /// Variable that holds the server's key; `None` is the provider's usual one.
    #[serde(deserialize_with = "optional_text")]
    pub api_key_env: Option<String>,
    /// The program and its arguments; empty until the user names one.
    pub command: Vec<String>,
    /// How long one answer may take.
    #[serde(rename = "timeout_seconds", deserialize_with = "seconds")]
    pub timeout: Duration,
    /// Tokens of memory that the model is told before a conversation.
    pub prompt_tokens: usize,
    /// Tokens of the conversation that the model is sent.
    pub history_tokens: usize,
    /// Messages after which the older ones are summed up.
    pub compact_messages: usize,
    /// Whether the model may write to the core and the soul.
    pub core_writes: Permission,
    /// Whether it may write to the log of the day and the layers.
    pub layer_writes: Permission,
    /// Whether the model is asked at the end what should be kept.
    pub consolidate: Consolidate,
    /// Layers in which its proposals are carried out at once.
    pub apply: Vec<String>,
    /// Collections of which nothing is sent.
    pub private_collections: Vec<String>,
}
