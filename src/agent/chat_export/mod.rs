//! Reads the exports that ChatGPT and Claude give of an account's chats.
//!
//! An export is a file `conversations.json`, a list of conversations; large ones have several, `conversations-000.json` and so on. It
//! may lie in the zip archive that the person downloaded, or in its unpacked folder. A list may be longer than memory: it is read one
//! conversation at a time. The content is untrusted data; this module writes nothing.

mod chatgpt;
mod claude;
mod elements;
#[cfg(test)]
mod fuzz;
mod lone_surrogates;
mod message_path;
mod source;
mod zip;

use std::fmt;
use std::io::{self, BufReader};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use elements::ListError;

use elements::{Element, Elements};
use source::Source;

/// Most messages of a conversation, those of other branches included.
const MAX_MESSAGES: usize = 50_000;

/// A program whose chats can be exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChatClient {
    /// ChatGPT of OpenAI.
    ChatGpt,
    /// Claude of Anthropic.
    Claude,
}

impl ChatClient {
    /// Returns the word used on the command line and in notes.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ChatGpt => "chatgpt",
            Self::Claude => "claude",
        }
    }

    /// Returns the name shown to people.
    pub fn name(self) -> &'static str {
        match self {
            Self::ChatGpt => "ChatGPT",
            Self::Claude => "Claude",
        }
    }

    /// Whether a conversation has the form of this program's exports.
    fn wrote(self, conversation: &Value) -> bool {
        match self {
            Self::ChatGpt => conversation["mapping"].is_object(),
            Self::Claude => conversation["chat_messages"].is_array(),
        }
    }
}

impl fmt::Display for ChatClient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A conversation of an export: the messages of its current branch. Messages of tools and of the system are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedChat {
    /// The program.
    pub client: ChatClient,
    /// Its id, as the program gave it.
    pub id: String,
    /// The name that the program gave it, if any.
    pub name: Option<String>,
    /// When it was created, if the export says so.
    pub created: Option<Timestamp>,
    /// Its messages, oldest first.
    pub messages: Vec<ChatMessage>,
}

/// A message with words, or with the names of files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatMessage {
    /// Whether the person wrote it; otherwise the assistant did.
    pub is_of_person: bool,
    /// When, if the export says so.
    pub at: Option<Timestamp>,
    /// Its text.
    pub text: String,
    /// The names of attached files.
    pub files: Vec<String>,
}

/// Why an export cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ChatExportError {
    /// The system refused, or an archive is damaged.
    #[error("cannot read {path}: {reason}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        reason: io::Error,
    },
    /// The archive or folder is no export.
    #[error("{path} holds no conversations.json: choose the zip file of the export, its folder, or that file")]
    NoConversations {
        /// The archive or folder.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("{path} is no list of conversations: {reason}")]
    NotAList {
        /// The file.
        path: PathBuf,
        /// The difference.
        reason: ListError,
    },
    /// The conversations have another form.
    #[error("{path} holds no conversations of {client}")]
    OtherForm {
        /// The file.
        path: PathBuf,
        /// The program that was named.
        client: ChatClient,
        /// The program that wrote them, if it is known.
        actual: Option<ChatClient>,
    },
}

impl ChatExportError {
    /// Returns the one command to run next, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::OtherForm { actual: Some(client), .. } => Some(format!("tars import {} FILE", client.as_str())),
            _ => None,
        }
    }
}

/// Why a conversation cannot be read. The others of its export can.
#[derive(Debug, thiserror::Error)]
pub enum BadChat {
    /// It is longer than any real one.
    #[error("the conversation has {bytes} bytes, more than {most}")]
    TooLong {
        /// Its length.
        bytes: u64,
        /// The limit.
        most: usize,
    },
    /// It is no JSON, or nested too deeply.
    #[error("the conversation is no readable JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// It lacks the messages or the id.
    #[error("the conversation has no '{0}'")]
    Lacks(&'static str),
    /// It has too many messages.
    #[error("the conversation has {count} messages, more than {MAX_MESSAGES}")]
    TooManyMessages {
        /// Their number.
        count: usize,
    },
    /// A message is its own ancestor.
    #[error("the messages of the conversation follow each other in a circle")]
    Circle,
}

/// A readable export.
#[derive(Debug)]
pub struct ChatExport {
    client: ChatClient,
    sources: Vec<Source>,
    count: usize,
}

impl ChatExport {
    /// Opens the export of `client` at `place`: a zip archive, a folder or a list. It reads all of it once, so that a damaged or
    /// unfinished one is refused before anything is made of it.
    ///
    /// # Errors
    /// It cannot be read, or is no such export.
    pub fn open(place: &Path, client: ChatClient) -> Result<Self, ChatExportError> {
        let mut export = Self { client, sources: source::sources(place)?, count: 0 };
        let mut count = 0;
        export.elements::<ChatExportError>(&mut |source, element| {
            if let (0, Element::Whole(bytes)) = (count, &element) {
                check_form(client, source, bytes)?;
            }
            count += 1;
            Ok(ControlFlow::Continue(()))
        })?;
        export.count = count;
        Ok(export)
    }

    /// Returns the number of conversations, unreadable ones included.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Passes each conversation to `each` with its number from 1, in the order of the export, until it breaks.
    ///
    /// # Errors
    /// The export cannot be read any more, or an error of `each`.
    pub fn chats<E: From<ChatExportError>>(
        &self,
        each: &mut dyn FnMut(usize, Result<SavedChat, BadChat>) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        let mut number = 0;
        self.elements(&mut |_, element| {
            number += 1;
            let chat = match element {
                Element::Whole(bytes) => self.chat(bytes),
                Element::TooLong { bytes } => Err(BadChat::TooLong { bytes, most: elements::MAX_BYTES }),
            };
            each(number, chat)
        })
    }

    fn chat(&self, bytes: &[u8]) -> Result<SavedChat, BadChat> {
        let conversation = parsed(bytes)?;
        let chat = match self.client {
            ChatClient::ChatGpt => chatgpt::chat(&conversation)?,
            ChatClient::Claude => claude::chat(&conversation)?,
        };
        if chat.id.is_empty() { Err(BadChat::Lacks("id")) } else { Ok(chat) }
    }

    fn elements<E: From<ChatExportError>>(&self, each: &mut EachElement<'_, E>) -> Result<(), E> {
        for source in &self.sources {
            let path = || source.path().to_owned();
            let failed = |error: ListError| match error {
                ListError::Io(reason) => ChatExportError::Io { path: path(), reason },
                reason => ChatExportError::NotAList { path: path(), reason },
            };
            let reader = source.reader().map_err(|reason| ChatExportError::Io { path: path(), reason })?;
            let mut elements = Elements::new(BufReader::with_capacity(1 << 18, reader));
            while let Some(element) = elements.next().map_err(failed)? {
                if each(source, element)?.is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// Receives the elements of the lists, until it breaks off.
type EachElement<'e, E> = dyn FnMut(&Source, Element<'_>) -> Result<ControlFlow<()>, E> + 'e;

/// Fails unless a conversation has the form that `client` writes. An unreadable one says nothing about the form.
fn check_form(client: ChatClient, source: &Source, conversation: &[u8]) -> Result<(), ChatExportError> {
    let Ok(conversation) = parsed(conversation) else { return Ok(()) };
    if client.wrote(&conversation) {
        return Ok(());
    }
    let actual = [ChatClient::ChatGpt, ChatClient::Claude].into_iter().find(|client| client.wrote(&conversation));
    Err(ChatExportError::OtherForm { path: source.path().to_owned(), client, actual })
}

/// Parses a conversation. Half of an emoji, which some exports hold, is no reason to refuse the rest.
fn parsed(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    serde_json::from_slice(bytes)
        .or_else(|error| lone_surrogates::replaced(bytes).ok_or(error).and_then(|bytes| serde_json::from_slice(&bytes)))
}

#[cfg(test)]
mod tests;
