//! Conversations as files in the data directory: `conversations/ID.jsonl`, one JSON line per event.
//!
//! A line is written and synced before the next step, so a killed process loses nothing that was said. All text in the file was redacted
//! ([`redact`](tars_text::redact::redact)). A torn last line (from a kill during a write) is ignored, and the next line starts on a new one.

mod messages;

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use jiff::{Timestamp, Zoned};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tars_base::private;
use tars_chat::{Message, ToolCall, Usage};
use tars_service::operations::redacted;

/// The folder in the data directory.
const FOLDER: &str = "conversations";
/// Largest file that is read, in bytes.
const LARGEST: u64 = 64 << 20;
/// Maximum length of an id.
const LONGEST_ID: usize = 64;
/// Maximum number of conversations that begin in the same second.
const MAX_AT_ONCE: u32 = 100;
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

/// A conversation in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConversationLine {
    /// Its id.
    pub id: String,
    /// The beginning of the first message.
    pub title: String,
    /// Time of the last entry.
    pub at: Timestamp,
    /// Number of messages by the person.
    pub messages: usize,
}

/// The folder of conversations.
#[derive(Debug, Clone)]
pub struct Conversations {
    folder: PathBuf,
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

impl Conversations {
    /// Returns the folder in the data directory, which need not exist yet.
    pub fn new(data: &Path) -> Self {
        Self { folder: data.join(FOLDER) }
    }

    /// Begins a conversation. Its id is the local time, which sorts, followed by `name` if given.
    ///
    /// # Errors
    /// See [`ConversationError`].
    pub fn begin(&self, now: &Zoned, name: Option<&str>) -> Result<Conversation, ConversationError> {
        let time = now.strftime("chat-%Y%m%d-%H%M%S").to_string();
        let id = name.map_or_else(|| time.clone(), |name| format!("{time}-{name}"));
        let more = (2..MAX_AT_ONCE).map(|number| format!("{id}-{number}"));
        for id in std::iter::once(id.clone()).chain(more) {
            match self.open(&id) {
                // Another process began one in the same second.
                Err(ConversationError::Busy(_)) => {}
                Ok(known) if !known.entries.is_empty() => {}
                opened => return opened,
            }
        }
        Err(ConversationError::Busy(id))
    }

    /// Opens a conversation, and creates it if it does not exist.
    ///
    /// # Errors
    /// See [`ConversationError`].
    pub fn open(&self, id: &str) -> Result<Conversation, ConversationError> {
        check(id)?;
        private::create_folder(&self.folder)?;
        let mut file = loop {
            let file = private::open(&self.path(id), OpenOptions::new().read(true).append(true).create(true))?;
            match file.try_lock() {
                // The previous owner may have deleted the empty file in the meantime.
                Ok(()) if file.metadata()?.nlink() > 0 => break file,
                Ok(()) => {}
                Err(std::fs::TryLockError::WouldBlock) => return Err(ConversationError::Busy(id.to_owned())),
                Err(std::fs::TryLockError::Error(error)) => return Err(error.into()),
            }
        };
        let text = text_of(&mut file)?;
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n")?;
        }
        Ok(Conversation { id: id.to_owned(), path: self.path(id), file, entries: entries(&text) })
    }

    /// Opens an existing conversation.
    ///
    /// # Errors
    /// See [`ConversationError`].
    pub fn open_existing(&self, id: &str) -> Result<Conversation, ConversationError> {
        check(id)?;
        if !self.path(id).is_file() {
            return Err(ConversationError::Missing(id.to_owned()));
        }
        self.open(id)
    }

    /// Returns the entries of a conversation, oldest first.
    ///
    /// # Errors
    /// See [`ConversationError`].
    pub fn read(&self, id: &str) -> Result<Vec<Stamped>, ConversationError> {
        check(id)?;
        match private::read(&self.path(id), LARGEST) {
            Ok(bytes) => Ok(entries(&String::from_utf8_lossy(&bytes))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(ConversationError::Missing(id.to_owned())),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns all conversations, newest first.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn list(&self) -> Result<Vec<ConversationLine>, ConversationError> {
        let files = match std::fs::read_dir(&self.folder) {
            Ok(files) => files,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        };
        let mut lines = Vec::new();
        for file in files {
            let name = file?.file_name();
            let Some(id) = name.to_str().and_then(|name| name.strip_suffix(".jsonl")) else { continue };
            let Ok(entries) = self.read(id) else { continue };
            let said: Vec<&str> = entries.iter().filter_map(|stamped| stamped.entry.user_text()).collect();
            let (Some(first), Some(last)) = (said.first(), entries.last()) else { continue };
            lines.push(ConversationLine { id: id.to_owned(), title: title(first), at: last.at, messages: said.len() });
        }
        lines.sort_by(|one, other| (other.at, &other.id).cmp(&(one.at, &one.id)));
        Ok(lines)
    }

    /// Deletes a conversation.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub fn remove(&self, conversation: Conversation) -> Result<(), ConversationError> {
        Ok(std::fs::remove_file(&conversation.path)?)
    }

    /// Deletes the conversations that were begun with `name` and never continued (they hold a single message), except the
    /// newest `kept`. Open ones stay.
    ///
    /// # Errors
    /// The folder cannot be read, or a file cannot be removed.
    pub fn delete_old_runs(&self, name: &str, kept: usize) -> Result<(), ConversationError> {
        let mut named = self.list()?;
        named.retain(|line| line.messages == 1 && is_begun_with(&line.id, name));
        for line in named.iter().skip(kept) {
            match self.open_existing(&line.id) {
                Ok(conversation) => self.remove(conversation)?,
                Err(ConversationError::Busy(_) | ConversationError::Missing(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.jsonl"))
    }
}

/// Whether [`Conversations::begin`] made this id from the name: `chat-DATE-TIME-NAME`, possibly with a number after it.
fn is_begun_with(id: &str, name: &str) -> bool {
    let mut parts = id.splitn(4, '-');
    let is_number = |part: &str, digits: usize| part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_time = parts.next() == Some("chat")
        && parts.next().is_some_and(|date| is_number(date, 8))
        && parts.next().is_some_and(|time| is_number(time, 6));
    let rest = parts.next().and_then(|rest| rest.strip_prefix(name));
    is_time
        && rest.is_some_and(|rest| {
            rest.is_empty() || rest.strip_prefix('-').is_some_and(|more| is_number(more, more.len().clamp(1, 2)))
        })
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

    /// Returns the conversation as markdown, with times in `zone` and without tool results.
    pub fn markdown(&self, zone: &jiff::tz::TimeZone) -> String {
        let mut said = vec![format!("# Conversation {}", self.id)];
        for Stamped { at, entry } in &self.entries {
            let time = at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string();
            match entry {
                Entry::User { text } => said.push(format!("## {time}\n\n{text}")),
                Entry::Assistant { text, calls, .. } => {
                    said.extend(calls.iter().map(|call| format!("*used {}*", call.name)));
                    said.extend(Some(text.clone()).filter(|text| !text.trim().is_empty()));
                }
                Entry::Tool { .. } | Entry::Summary { .. } | Entry::Noted => {}
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
            arguments: redacted(call.arguments.object().cloned().unwrap_or_else(|| serde_json::json!({}))),
        };
        let Usage { input_tokens, output_tokens } = usage;
        Self::Assistant { text, calls: calls.iter().map(stored).collect(), input_tokens, output_tokens, stopped }
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
