//! How the transcripts of clients are told apart and read.

use tars_base::domain::TurnEvent;

use super::AgentClient;
use super::claude_code::ClaudeCodeTranscript;
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
}

impl AgentClient {
    /// Returns the client whose transcripts begin like this: Claude Code unless another one's format is recognised.
    pub fn of_transcript(beginning: &[u8]) -> Self {
        if beginning.starts_with(opencode::BEGINNING) { Self::OpenCode } else { Self::ClaudeCode }
    }

    /// Returns a reader for one transcript of this client.
    pub fn transcript_reader(self) -> Box<dyn TranscriptReader> {
        match self {
            Self::OpenCode => Box::new(OpenCodeTranscript::default()),
            _ => Box::new(ClaudeCodeTranscript),
        }
    }
}
