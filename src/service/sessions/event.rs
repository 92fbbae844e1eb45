//! The event of a client after which a session is noted.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use tars_agent::client::{AgentClient, HookEvent};

/// A client's event, with secrets redacted. Files of the data directory hold it as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionEvent {
    /// The client.
    #[serde(default)]
    pub client: AgentClient,
    /// The name of the event, as in [`HookEvent::as_str`].
    pub event: String,
    /// The session's id.
    pub session: String,
    /// Path of the transcript.
    pub transcript: String,
    /// Length of the transcript at the time of the event: later text belongs to another turn.
    pub transcript_length: u64,
    /// The client's directory.
    pub directory: String,
    /// The id of the prompt, if the client sends it.
    pub prompt_id: String,
    /// The agent's last message.
    pub last_message: String,
    /// The client's summary of the conversation.
    #[serde(default)]
    pub summary: String,
    /// The time of the event.
    pub at: Timestamp,
    /// Number of attempts to write the note.
    #[serde(default)]
    pub attempts: u32,
}

impl SessionEvent {
    /// Returns the type of the event.
    pub fn kind(&self) -> HookEvent {
        HookEvent::named(&self.event)
    }
}
