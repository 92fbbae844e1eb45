//! How the transcripts of clients are told apart and read.

use std::path::{Path, PathBuf};

use tars_base::domain::TurnEvent;

use super::AgentClient;
use super::claude_code::ClaudeCodeTranscript;
use super::codex::{self, CodexTranscript};
use super::gemini::{self, GeminiTranscript};
use super::opencode::{self, OpenCodeTranscript};

/// The line is not JSON.
#[derive(Debug)]
pub struct Unreadable;

/// Reads the lines of one transcript, in the order of the file.
pub trait TranscriptReader {
    /// Returns the events of a line, in order; empty if it holds none.
    ///
    /// # Errors
    /// It is not JSON.
    fn read(&mut self, line: &[u8]) -> Result<Vec<TurnEvent>, Unreadable>;

    /// Returns the place of a line in the conversation; `None` for lines without one. A reader that is asked for places reads no events.
    fn link(&mut self, _line: &[u8]) -> Option<EntryLink> {
        None
    }

    /// Returns the tasks that the agent gives helpers (subagents) in a line; `None` if it starts none.
    fn helper_tasks(&self, _line: &[u8]) -> Option<HelperTasks> {
        None
    }

    /// Returns the summary of the conversation that a line holds, if the client compacted it.
    fn summary(&self, _line: &[u8]) -> Option<String> {
        None
    }
}

/// The place of an entry in the conversation.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct EntryLink {
    /// The entry's id; `None` for an entry that is no part of the conversation.
    pub id: Option<String>,
    /// The id of the entry before it; `None` where a chain begins.
    pub before: Option<String>,
    /// Whether a chain begins here because the conversation was compacted.
    pub is_boundary: bool,
    /// The id of the last entry of the branch that goes on, if this entry names it.
    pub leaf: Option<String>,
}

/// The tasks in one line of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelperTasks {
    /// The message's id. The lines of one message hold the tasks of helpers that start together.
    pub message: String,
    /// The tasks in order, at least one.
    pub tasks: Vec<HelperTask>,
}

/// The task of a helper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelperTask {
    /// The kind of helper. Empty if the agent gave none.
    pub kind: String,
    /// The task, in the agent's words.
    pub text: String,
}

impl AgentClient {
    /// Returns the client whose transcripts begin like this: Claude Code unless another one's format is recognised.
    pub fn of_transcript(beginning: &[u8]) -> Self {
        match beginning {
            rollout if codex::is_rollout(rollout) => Self::Codex,
            chat if gemini::is_transcript(chat) => Self::Gemini,
            other => opencode::client_of(other).unwrap_or_default(),
        }
    }

    /// Returns the files that hold the conversation before the transcript at `path`, the first one first, if the client continues a session
    /// in a new file.
    pub fn earlier_files(self, path: &Path) -> Vec<PathBuf> {
        if self == Self::Codex { codex::earlier_segments(path) } else { Vec::new() }
    }

    /// Returns the id of the session in a transcript of this client that begins like this, if the name of the file has only a part of it.
    pub fn session_in(self, beginning: &[u8]) -> Option<String> {
        if self == Self::Gemini { gemini::session_in(beginning) } else { None }
    }

    /// Whether a transcript of this client that begins like this is one JSON value instead of lines.
    pub fn writes_one_value(self, beginning: &[u8]) -> bool {
        self == Self::Gemini && gemini::is_one_value(beginning)
    }

    /// Returns the file that holds the path of the project in which the transcript at `path` was made, if the client keeps it there.
    pub fn project_file(self, path: &Path) -> Option<PathBuf> {
        if self == Self::Gemini { gemini::project_file(path) } else { None }
    }

    /// Returns a reader for one transcript of this client.
    pub fn transcript_reader(self) -> Box<dyn TranscriptReader> {
        match self {
            Self::Codex => Box::new(CodexTranscript::default()),
            Self::OpenCode | Self::OpenClaw | Self::Cursor => Box::new(OpenCodeTranscript::default()),
            Self::Gemini => Box::new(GeminiTranscript::default()),
            Self::ClaudeCode => Box::new(ClaudeCodeTranscript),
        }
    }
}
