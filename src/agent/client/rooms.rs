//! Which room knows a client: its folder, and the reader of its transcripts.

use std::path::{Path, PathBuf};

use super::claude_code::{self, ClaudeCodeTranscript};
use super::codex::{self, CodexTranscript};
use super::gemini::{self, GeminiTranscript};
use super::openclaw;
use super::opencode::{self, OpenCodeTranscript};
use super::{AgentClient, ClientFolder, TranscriptReader};

impl AgentClient {
    /// Returns the client's folder; `None` if tars reads nothing of it.
    pub fn folder(self) -> Option<ClientFolder> {
        match self {
            Self::ClaudeCode => Some(claude_code::CLIENT_FOLDER),
            Self::Codex => Some(codex::CLIENT_FOLDER),
            Self::Gemini => Some(gemini::CLIENT_FOLDER),
            Self::OpenClaw => Some(openclaw::CLIENT_FOLDER),
            Self::OpenCode | Self::Cursor => None,
        }
    }

    /// Returns the id of the session whose transcript has this name, in whichever client's folder it lies; the name itself without
    /// its extension if no client names its transcripts like this.
    pub fn session_of(name: &str) -> &str {
        let known = Self::ALL.into_iter().filter(|client| *client != Self::ClaudeCode);
        let session = known.filter_map(Self::folder).find_map(|folder| (folder.session)(name));
        session.unwrap_or_else(|| name.rsplit_once('.').map_or(name, |(stem, _)| stem))
    }

    /// Returns the client whose transcripts begin like this: Claude Code unless another one's format is recognised.
    pub fn of_transcript(beginning: &[u8]) -> Self {
        match beginning {
            rollout if codex::is_rollout(rollout) => Self::Codex,
            chat if gemini::is_transcript(chat) => Self::Gemini,
            other => opencode::client_of(other).and_then(|name| Self::named(&name)).unwrap_or_default(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_named_by_their_files() {
        let session = AgentClient::session_of;
        assert_eq!(session("5e55b0a2.jsonl"), "5e55b0a2");
        assert_eq!(session("agent-7.jsonl"), "agent-7");
        assert_eq!(session("notes"), "notes");
        let id = "01997c5e-30a5-7f52-9c2c-2fd8f1b7a1de";
        assert_eq!(session(&format!("rollout-2026-11-28T06-03-00-{id}.jsonl")), id);
        assert_eq!(session(&format!("rollout-2026-11-28T06-03-00-{id}.jsonl.zst")), id);
        assert_eq!((claude_code::CLIENT_FOLDER.session)("agent-7.jsonl"), None);
        assert_eq!((claude_code::CLIENT_FOLDER.session)("5e55.jsonl"), Some("5e55"));
    }
}
