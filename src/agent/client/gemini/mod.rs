//! The formats of Gemini CLI: the words in a prompt, transcripts, folders and environment variables.
//!
//! A hook reads JSON with `session_id`, `transcript_path`, `cwd`, `hook_event_name`, `timestamp`, and by event `source` (`startup`,
//! `resume`, `clear`), `prompt`, `prompt_response`, `trigger` or `reason`. It answers with one JSON object of which the client takes
//! `hookSpecificOutput.additionalContext` (only of `SessionStart` and `BeforeAgent`) and `systemMessage`. Text that is not JSON becomes a
//! message to the person, also when it arrives on standard error; exit code 2 refuses the prompt. The client replaces `<` and `>` in the
//! context and wraps it in `<hook_context>`.
//!
//! `PreCompress` comes before each request of the model with the trigger `auto`, whether the client compresses or not. Only `manual` means
//! what it says, so the extension asks for that one alone.
//!
//! When the client resumes a session, it leaves out each message of a person that begins with `<hook_context>`. Without a terminal it puts
//! the context of `SessionStart` in front of the first prompt, which is lost then. So tars gives a session's memory with its first prompt.

mod links;
mod transcript;
mod words;

use std::path::{Path, PathBuf};

use super::{ClientFolder, ClientMemory};
pub use transcript::last_summary;
pub(super) use transcript::{GeminiTranscript, is_one_value, is_transcript, session_in};
pub(super) use words::person_words;

/// The client's folder. A project's folder below `tmp` holds its transcripts in `chats`, those of helper agents one level deeper, and in
/// `memory` what the agents note about the project: `MEMORY.md`, which the client shows the agent at the start of a session, and files
/// beside it. Their notes about the person are in `GEMINI.md`.
pub const CLIENT_FOLDER: ClientFolder = ClientFolder {
    variable: "GEMINI_CLI_HOME",
    is_variable_home: true,
    name: ".gemini",
    transcripts: &["tmp"],
    depth: 2,
    session: session_of_name,
    memory: Some(ClientMemory {
        collection: "gemini-memory",
        folder: "",
        others: &[
            "/*",
            "!/GEMINI.md",
            "!/tmp/",
            "/tmp/*",
            "!/tmp/*/",
            "/tmp/*/*",
            "!/tmp/*/memory/",
            "/tmp/*/memory/*/",
        ],
    }),
};

/// The name of the file in a project's folder that holds the path of the project.
const PROJECT_ROOT: &str = ".project_root";

/// The answer that the client reports if the agent gave none.
pub(super) const NO_ANSWER: &str = "[no response text]";

/// Returns the id of the session in a transcript with this file name, as far as the name has it: the first eight characters.
fn session_of_name(name: &str) -> Option<&str> {
    let stem = name.strip_suffix(".jsonl").or_else(|| name.strip_suffix(".json"))?;
    let (_, session) = stem.strip_prefix("session-")?.rsplit_once('-')?;
    Some(session).filter(|session| !session.is_empty())
}

/// Returns the file with the path of the project that a transcript belongs to.
pub(super) fn project_file(transcript: &Path) -> Option<PathBuf> {
    Some(transcript.parent()?.parent()?.join(PROJECT_ROOT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transcript_is_named_for_the_beginning_of_its_session() {
        assert_eq!(session_of_name("session-2026-11-28T06-06-19922c91.jsonl"), Some("19922c91"));
        assert_eq!(session_of_name("session-2025-09-21T10-00-0a1b2c3d.json"), Some("0a1b2c3d"));
        for other in ["logs.json", "checkpoint-a.json", "session-.jsonl", "19922c91-0597.jsonl"] {
            assert_eq!(session_of_name(other), None, "{other}");
        }
    }
}
