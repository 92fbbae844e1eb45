//! The formats of opencode: the messages that its plugin hands over, and the transcripts that tars keeps of them, because opencode has no
//! file for each session.
//!
//! The messages are those of opencode's interface for plugins, which changes less often than its database; an export and the database
//! hold the same objects. [`kept_line`] shortens each to a format of tars' own, so that a change of theirs concerns this module alone.

mod message;
mod transcript;

pub use message::{KeptLine, handed_lines, kept_line, session_line};
pub(super) use transcript::{OpenCodeTranscript, client_of};

/// The environment variable with the session's id for commands that the agent runs; the plugin sets it.
pub const SESSION_VARIABLE: &str = "TARS_OPENCODE_SESSION";

/// The beginning of all ids of sessions. Tars leaves it out, so that the first characters tell sessions apart.
pub const SESSION_PREFIX: &str = "ses_";

/// The folder of the client in the user's folder for data, and the database in it.
pub const FOLDER: &str = "opencode";
/// The name of the database with its sessions.
pub const DATABASE: &str = "opencode.db";
/// The environment variable with the path of the database, if that is not the usual one.
pub const DATABASE_VARIABLE: &str = "OPENCODE_DB";
