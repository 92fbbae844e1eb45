//! The folder of conversations: begins, opens, lists and deletes them.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use jiff::{Timestamp, Zoned};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Conversation, ConversationError, LARGEST, Stamped, check, entries, text_of, title};
use tars_base::private;

/// The folder in the data directory.
const FOLDER: &str = "conversations";
/// Maximum number of conversations that begin in the same second.
const MAX_AT_ONCE: u32 = 100;

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

    pub(super) fn path(&self, id: &str) -> PathBuf {
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
