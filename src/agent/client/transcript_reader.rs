//! How the transcripts of clients are told apart and read.

use tars_base::domain::TurnEvent;

use super::claude_code::{ClaudeCodeTranscript, EntryLink, read_entry_link};
use super::{AgentClient, gemini};

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
        if gemini::is_transcript(beginning) { Self::Gemini } else { Self::ClaudeCode }
    }

    /// Returns a reader for one transcript of this client.
    pub fn transcript_reader(self) -> Box<dyn TranscriptReader> {
        match self {
            Self::Gemini => Box::new(gemini::GeminiTranscript::default()),
            _ => Box::new(ClaudeCodeTranscript),
        }
    }

    /// Returns a reader for the places of lines in the conversation of one transcript of this client.
    pub fn link_reader(self) -> Box<dyn FnMut(&[u8]) -> Option<EntryLink>> {
        match self {
            Self::Gemini => {
                let mut links = gemini::Links::default();
                Box::new(move |line| links.read(line))
            }
            _ => Box::new(read_entry_link),
        }
    }

    /// Whether a transcript of this client that begins like this is one JSON value instead of lines.
    pub fn writes_one_value(self, beginning: &[u8]) -> bool {
        self == Self::Gemini && gemini::is_one_value(beginning)
    }
}
