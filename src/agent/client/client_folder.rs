//! Where the clients keep what tars reads: the transcripts of their sessions, and the memory of their agents.

use super::{AgentClient, claude_code, codex, gemini, openclaw};

/// The folder of a client on this machine.
#[derive(Debug, Clone, Copy)]
pub struct ClientFolder {
    /// The environment variable with its path.
    pub variable: &'static str,
    /// Whether the variable names the home that contains the folder, instead of the folder itself.
    pub is_variable_home: bool,
    /// Its path in the user's home, if the variable is empty.
    pub name: &'static str,
    /// The folders in it that hold transcripts.
    pub transcripts: &'static [&'static str],
    /// How many levels of folders lie between such a folder and a transcript.
    pub depth: usize,
    /// Returns the id of the session in a transcript with this name, or its beginning, or `None` if a file with this name is no transcript.
    pub session: fn(&str) -> Option<&str>,
    /// The memory that the client's agents write for themselves.
    pub memory: Option<ClientMemory>,
}

/// The notes that the agents of a client write for themselves.
#[derive(Debug, Clone, Copy)]
pub struct ClientMemory {
    /// The name of the collection in which tars reads it.
    pub collection: &'static str,
    /// Its folder in the client's folder.
    pub folder: &'static str,
    /// Other files in that folder, in the syntax of `.gitignore`.
    pub others: &'static [&'static str],
}

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
