//! The origins of the lines of the memory folder.
//!
//! The journal is trimmed; origins are not. They lie in a file of their own in the data directory, `origins-ID.jsonl`, beside the journal
//! of the same folder, readable by its owner alone. Tars appends to it before each write and never rewrites it. The file holds no text of
//! a note, only hashes. Each line is one [`Record`]:
//!
//! - `id`: the journal's id of the write. `time`: RFC 3339, UTC. `command`: as it is typed.
//! - `file`: name within the memory folder.
//! - `by`: `person`, `agent`, `untrusted`, `unknown`, `import` or `machine` ([`Author`]). `client`, `model`, `session`: the source.
//! - `lines`: for each written line sixteen digits of a hash of its words and sixteen of the whole line ([`line_key`]).
//! - `whole`: blake3 of the whole file, for a file that the command can write again; then `lines` is empty.
//! - `moved_to`: the new name of a file that was only moved.
//! - `forgot`: sessions that a person has taken back with the undo group `id`: they are not imported or noted again.
//!
//! A line is found by its file and its words, so that a tick, a time, a review's tag or the request behind a noted outcome do not change
//! its origin. The newest record of a line counts. Lines that a command only carries to another file keep their origin.

mod line_key;
mod lookup;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use line_key::LineKey;
pub(crate) use lookup::OriginsSlot;
pub use lookup::{Origins, SourceFile};

/// The author of a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Author {
    /// A person: typed by them, in their own words in a session, or accepted by them in a review.
    Person,
    /// An agent that had read nothing but the person's words and local files.
    Agent,
    /// An agent that had read from the network or used a tool that tars does not know.
    Untrusted,
    /// An agent of which tars does not know what it had read.
    Unknown,
    /// An import of older sessions or chats.
    Import,
    /// Tars itself, such as a summary.
    #[default]
    Machine,
}

impl Author {
    /// Returns the word used on the command line and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Agent => "agent",
            Self::Untrusted => "untrusted",
            Self::Unknown => "unknown",
            Self::Import => "import",
            Self::Machine => "machine",
        }
    }

    /// Whether a line of this author deserves less trust than one of the other.
    pub fn is_less_trusted_than(self, other: Self) -> bool {
        self.distrust() > other.distrust()
    }

    /// Returns the place of an author in the order of trust; the least trusted last.
    fn distrust(self) -> u8 {
        match self {
            Self::Person => 0,
            Self::Machine => 1,
            Self::Agent => 2,
            Self::Import => 3,
            Self::Unknown => 4,
            Self::Untrusted => 5,
        }
    }

    /// Whether a rule or a fact may be proposed from a line of this author.
    pub fn may_be_promoted(self) -> bool {
        !matches!(self, Self::Untrusted | Self::Unknown)
    }
}

/// The origin of a line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LineOrigin {
    /// The author.
    pub by: Author,
    /// The client of the agent, or the program that an import comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The language model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The agent's session, or the imported chat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

impl LineOrigin {
    /// Returns the origin in words: `untrusted (claude-code, claude-opus-5, session 5e55b0a2)`.
    pub fn describe(&self) -> String {
        let session = self.session.as_ref().map(|session| format!("session {session}"));
        let parts: Vec<&str> =
            [&self.client, &self.model, &session].into_iter().flatten().map(String::as_str).collect();
        match parts.is_empty() {
            true => self.by.as_str().to_owned(),
            false => format!("{} ({})", self.by.as_str(), parts.join(", ")),
        }
    }
}

/// The author of a new line, if it is not the writer itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineCredit {
    /// The line.
    pub line: String,
    /// Its author.
    pub by: Author,
    /// The language model that worded it.
    pub model: Option<String>,
}

/// A line of the file of origins; the fields are described above.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) id: u64,
    pub(crate) time: Timestamp,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) command: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) file: String,
    #[serde(flatten)]
    pub(crate) origin: LineOrigin,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) lines: Vec<LineKey>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) whole: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) moved_to: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) forgot: Vec<String>,
}
