//! How the transcripts of clients are read.

use tars_base::domain::TurnEvent;

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
