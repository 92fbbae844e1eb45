//! Conversations as files in the data directory: `conversations/ID.jsonl`, one JSON line per event.
//!
//! A line is written and synced before the next step, so a killed process loses nothing that was said. All text in the file was redacted
//! ([`redact`](tars_text::redact::redact)). A torn last line (from a kill during a write) is ignored, and the next line starts on a new one.

mod folder;
mod messages;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::tools::cleaned;
use tars_chat::{Carried, Message, ToolCall, Usage};

pub use folder::{ConversationLine, Conversations};
pub(super) use messages::sendable;

/// Largest file that is read, in bytes.
const LARGEST: u64 = 64 << 20;
/// Maximum length of an id.
const LONGEST_ID: usize = 64;
/// Characters of the first message in a list.
const TITLE: usize = 80;

/// An event in a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Entry {
    /// A message of the person.
    User {
        /// The message.
        text: String,
    },
    /// An answer of the model, or its tool calls.
    Assistant {
        /// The text.
        text: String,
        /// The tool calls.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<StoredCall>,
        /// Tokens of the request, if the server reports them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input_tokens: Option<u64>,
        /// Tokens of the answer, if the server reports them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output_tokens: Option<u64>,
        /// Whether the person stopped it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        stopped: bool,
        /// The fields that the server which made it needs back. Nobody sees them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        carried: Option<Carried>,
    },
    /// The result of a tool.
    Tool {
        /// Id of the call.
        call: String,
        /// The result.
        text: String,
        /// Whether it failed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        failed: bool,
    },
    /// A summary of all earlier entries except the last `kept` ones.
    Summary {
        /// The summary.
        text: String,
        /// Number of entries before this one that are not covered by the summary.
        kept: usize,
    },
    /// Everything before it was noted in its daily log.
    Noted,
    /// The turn before it was too long for its model: it got no answer, and is not sent again.
    TooLong,
    /// The server of a model has refused tools.
    WithoutTools {
        /// Provider and model.
        model: String,
    },
}

/// A tool call as stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredCall {
    /// Id that its result refers to.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments, an object.
    pub arguments: serde_json::Value,
}

/// An entry with its time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stamped {
    /// The time.
    pub at: Timestamp,
    /// The entry.
    #[serde(flatten)]
    pub entry: Entry,
}

/// An open conversation, locked against other processes.
#[derive(Debug)]
pub struct Conversation {
    id: String,
    path: PathBuf,
    file: File,
    entries: Vec<Stamped>,
}

/// Errors of conversations.
#[derive(Debug, thiserror::Error)]
pub enum ConversationError {
    /// The id is malformed.
    #[error("'{0}' is not a conversation id: letters, digits, '-' and '_', {LONGEST_ID} at most")]
    Id(String),
    /// No conversation has that id.
    #[error("there is no conversation {0}")]
    Missing(String),
    /// Another process has it open.
    #[error("the conversation {0} is already open elsewhere")]
    Busy(String),
    /// The data directory cannot be read or written.
    #[error("cannot keep conversations: {0}")]
    Io(#[from] io::Error),
}

impl From<ConversationError> for tars_service::Error {
    fn from(error: ConversationError) -> Self {
        Self::without_hint(error)
    }
}

/// Returns the beginning of the first message, as one clean line.
pub fn title(first: &str) -> String {
    let line = tars_base::domain::sanitize_line(&first.split_whitespace().collect::<Vec<_>>().join(" "));
    line.chars().take(TITLE).collect()
}

impl Conversation {
    /// Returns the id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns all entries, oldest first.
    pub fn entries(&self) -> &[Stamped] {
        &self.entries
    }

    /// Appends an entry, and returns once it is on disk.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, at: Timestamp, entry: Entry) -> io::Result<()> {
        let stamped = Stamped { at, entry };
        let mut line = serde_json::to_vec(&stamped)?;
        line.push(b'\n');
        self.file.write_all(&line)?;
        self.file.sync_data()?;
        self.entries.push(stamped);
        Ok(())
    }

    /// Returns the context for the model: the summary of older entries, if there is one, and the messages after it.
    pub fn context(&self) -> (Option<&str>, Vec<Message>) {
        let (summary, first) = self.latest_summary();
        (summary, messages::messages(self.entries.get(first..).unwrap_or_default()))
    }

    /// Returns the conversation as markdown: who said what, with times in `zone` and without tool results.
    pub fn markdown(&self, zone: &jiff::tz::TimeZone) -> String {
        let mut said = vec![format!("# Conversation {}", self.id)];
        let mut is_assistant = false;
        for Stamped { at, entry } in &self.entries {
            let time = at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string();
            match entry {
                Entry::User { text } => {
                    said.push(format!("## {time} · You\n\n{text}"));
                    is_assistant = false;
                }
                Entry::Assistant { text, calls, stopped, .. } => {
                    if !std::mem::replace(&mut is_assistant, true) {
                        said.push(format!("## {time} · tars"));
                    }
                    said.extend(calls.iter().map(|call| format!("*used {}*", call.name)));
                    said.extend(Some(text.clone()).filter(|text| !text.trim().is_empty()));
                    said.extend(stopped.then(|| "*stopped*".to_owned()));
                }
                Entry::Tool { .. }
                | Entry::Summary { .. }
                | Entry::Noted
                | Entry::TooLong
                | Entry::WithoutTools { .. } => {}
            }
        }
        said.join("\n\n")
    }

    /// Returns the newest summary and the index of the first entry that it does not cover.
    pub fn latest_summary(&self) -> (Option<&str>, usize) {
        let newest = self.entries.iter().enumerate().rev().find_map(|(at, stamped)| match &stamped.entry {
            Entry::Summary { text, kept } => Some((text.as_str(), at.saturating_sub(*kept))),
            _ => None,
        });
        newest.map_or((None, 0), |(text, first)| (Some(text), first))
    }
}

impl Drop for Conversation {
    /// Deletes a file that stayed empty.
    fn drop(&mut self) {
        if self.file.metadata().is_ok_and(|file| file.len() == 0) {
            drop(std::fs::remove_file(&self.path));
        }
    }
}

impl Entry {
    /// Returns the message, if it is one of the person.
    pub fn user_text(&self) -> Option<&str> {
        match self {
            Self::User { text } => Some(text),
            _ => None,
        }
    }

    /// Returns the entry for an answer.
    pub fn answer(text: String, calls: &[ToolCall], usage: Usage, stopped: bool) -> Self {
        let stored = |call: &ToolCall| StoredCall {
            id: call.id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.object().and_then(Value::as_object).map(cleaned).unwrap_or_default().into(),
        };
        let Usage { input_tokens, output_tokens } = usage;
        let calls = calls.iter().map(stored).collect();
        Self::Assistant { text, calls, input_tokens, output_tokens, stopped, carried: None }
    }

    /// Adds the fields that the server which made an answer needs back.
    #[must_use]
    pub fn carrying(mut self, fields: Option<Carried>) -> Self {
        if let Self::Assistant { carried, .. } = &mut self {
            *carried = fields;
        }
        self
    }
}

fn check(id: &str) -> Result<(), ConversationError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let is_id = (1..=LONGEST_ID).contains(&id.len()) && id.chars().all(is_plain);
    is_id.then_some(()).ok_or_else(|| ConversationError::Id(tars_base::domain::sanitize_line(id)))
}

fn text_of(file: &mut File) -> io::Result<String> {
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn entries(text: &str) -> Vec<Stamped> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

#[cfg(test)]
mod tests;
