//! The formats of Codex CLI: its folder, rollouts (transcripts) and what it adds to a person's words,
//! and which hooks it runs.
//!
//! The formats are those of version 0.171, and of older versions as far as their rollouts differ. Codex replaces old rollouts by
//! compressed ones.

mod approval;
mod patch;
mod prompt;
mod rollout;
mod rollout_line;
mod segments;

use super::{ClientFolder, ClientMemory};
pub use approval::{PLUGIN_HOOKS, SETTINGS, approved_hooks};
pub(super) use prompt::own_words;
pub(super) use rollout::CodexTranscript;
pub(super) use segments::earlier_segments;

/// The environment variable with the session's id, for commands that the agent runs.
pub const SESSION_VARIABLE: &str = "CODEX_THREAD_ID";

/// The argument of the server in the background that runs sessions of terminals, and their hooks, and stays when they end.
pub const SERVER_ARGUMENT: &str = "--managed-daemon";

/// The client's folder. A session's rollout lies in a folder of its day, or in one folder for archived sessions.
pub const CLIENT_FOLDER: ClientFolder = ClientFolder {
    variable: "CODEX_HOME",
    is_variable_home: false,
    name: ".codex",
    transcripts: &["sessions", "archived_sessions"],
    depth: 3,
    session,
    // The raw memories are the material of `MEMORY.md`, and extensions hold copies of other agents' memories.
    memory: Some(ClientMemory {
        collection: "codex-memory",
        folder: "memories",
        others: &["/raw_memories.md", "/extensions/", "/skills/"],
    }),
};

/// The length of an id, a UUID.
const ID_LENGTH: usize = 36;
/// The length of the time in the name of a rollout, with the hyphen after it: `2026-11-28T06-20-01-`.
const TIME_LENGTH: usize = 20;

/// Returns the session's id from the name of a rollout.
fn session(name: &str) -> Option<&str> {
    rollout_ids(name).map(|(session, _)| session)
}

/// Returns the ids of the session and of the segment in the name of a rollout: `rollout-TIME-SESSION.jsonl`, or after the person went back
/// to an earlier prompt `rollout-TIME-SESSION_SEGMENT.jsonl`. Compressed ones end with `.jsonl.zst`. The first segment has the session's
/// id.
fn rollout_ids(name: &str) -> Option<(&str, &str)> {
    let name = name.strip_suffix(".zst").unwrap_or(name);
    let ids = name.strip_prefix("rollout-")?.strip_suffix(".jsonl")?.get(TIME_LENGTH..)?;
    let (session, rest) = ids.split_at_checked(ID_LENGTH)?;
    match rest {
        "" => Some((session, session)),
        _ => Some((session, rest.strip_prefix('_').filter(|segment| segment.len() == ID_LENGTH)?)),
    }
}

/// Whether the beginning of a transcript is that of a rollout: its first line describes the session.
pub(super) fn is_rollout(beginning: &[u8]) -> bool {
    const MARK: &[u8] = br#""type":"session_meta""#;
    let line = beginning.split(|byte| *byte == b'\n').next().unwrap_or_default();
    line.starts_with(b"{") && line.windows(MARK.len()).any(|part| part == MARK)
}
