//! Reads agents' session logs into turns: a person's request and the agent's work on it.
//!
//! The files are those of the clients, such as `~/.claude/projects/FOLDER/SESSION.jsonl`, one JSON object per line.
//! [`crate::client`] tells by the first line whose they are, and interprets the lines; lines that are not JSON are counted. A file may hold a gigabyte and may be
//! growing: it is read line by line, and the last turn from the end of the file.
//!
//! This module writes and executes nothing. The content of a transcript is untrusted data.

mod branches;
mod file;
mod foreign;
#[cfg(test)]
mod fuzz;
mod line_reader;
mod opencode_store;
mod turn_builder;

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::client::{AgentClient, Unreadable};
use branches::{Abandoned, Branches};
use file::TranscriptFile;
pub use foreign::is_foreign;
use line_reader::{Forwards, Line};
pub use opencode_store::{OpenCodeSession, opencode_sessions};
use tars_base::domain::{Reading, Turn, TurnEvent};
use turn_builder::Builder;

/// How far from the end of a file the beginning of its last turn may be, in bytes.
const MAX_REACH: u64 = 32 << 20;
/// A byte that JSON never contains, so that a file of one value is read as one line.
const NO_LINE_END: u8 = 0;

/// Why a transcript could not be read.
#[derive(Debug, thiserror::Error)]
pub enum TranscriptError {
    /// An I/O error.
    #[error("cannot read {path}: {reason}")]
    Io {
        /// The transcript.
        path: PathBuf,
        /// The reason.
        reason: io::Error,
    },
    /// A store of sessions of an unknown format.
    #[error("{path} has no format that tars knows: {reason}")]
    Unknown {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A folder, a pipe or a device.
    #[error("{path} is not a file")]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
}

/// Passes the turns of a transcript to `each`, in the order of the file, until it breaks; those that the person went back behind are
/// marked as abandoned. Returns the number of skipped
/// lines, which are not JSON or longer than 32 MiB. A last line without a line end may still be incomplete and does not
/// count.
///
/// # Errors
/// The file cannot be read.
pub fn turns(path: &Path, each: &mut dyn FnMut(Turn) -> ControlFlow<()>) -> Result<usize, TranscriptError> {
    turns_before(path, u64::MAX, each)
}

/// Passes the turns in the first `end` bytes of a transcript to `each`, like [`turns`].
///
/// # Errors
/// The file cannot be read.
pub fn turns_before(
    path: &Path,
    end: u64,
    each: &mut dyn FnMut(Turn) -> ControlFlow<()>,
) -> Result<usize, TranscriptError> {
    let failed = |reason| TranscriptError::Io { path: path.to_owned(), reason };
    let mut file = TranscriptFile::open(path, end)?;
    let abandoned = abandoned(&mut file).map_err(failed)?;
    let mut reader = file.client().transcript_reader();
    let (is_one_value, directory) = (file.is_one_value(), file.directory().map(str::to_owned));
    let mut lines = Forwards::new(file.session().map_err(failed)?);
    if is_one_value {
        lines = lines.with_end(NO_LINE_END);
    }
    let mut builder = Builder::new(&session_of(path));
    let mut unread = 0;
    while let Some(line) = lines.next().map_err(failed)? {
        let events = match line {
            Line::Whole(bytes) => reader.read(bytes),
            Line::Torn(bytes) if is_one_value => reader.read(bytes),
            Line::Torn(bytes) => Ok(reader.read(bytes).unwrap_or_default()),
            Line::TooLong => Err(Unreadable),
        };
        let Ok(events) = events else {
            // It may have been the call of a tool.
            builder.miss_a_line();
            unread += 1;
            continue;
        };
        for mut event in events {
            if let TurnEvent::Requested(request) = &mut event {
                request.is_abandoned = request.entry.as_deref().is_some_and(|entry| abandoned.holds(entry));
                request.directory = request.directory.take().or_else(|| directory.clone());
            }
            if let Some(turn) = builder.take(event)
                && each(turn).is_break()
            {
                return Ok(unread);
            }
        }
    }
    if let Some(turn) = builder.finish() {
        // Nothing is left to break off.
        let _ = each(turn);
    }
    Ok(unread)
}

/// Returns the entries of a transcript that the person went back behind.
fn abandoned(file: &mut TranscriptFile) -> io::Result<Abandoned> {
    let mut reader = file.client().transcript_reader();
    let mut lines = Forwards::new(file.session()?);
    let mut branches = Branches::default();
    while let Some(line) = lines.next()? {
        if let Line::Whole(bytes) | Line::Torn(bytes) = line
            && let Some(link) = reader.link(bytes)
        {
            branches.add(link);
        }
    }
    Ok(branches.abandoned())
}

/// Returns what the agent had read by the end of a transcript. Its whole text is read.
///
/// # Errors
/// The file cannot be read.
pub fn reading_at_end(path: &Path) -> Result<Reading, TranscriptError> {
    let mut reading = Reading::Local;
    turns(path, &mut |turn| {
        reading = turn.reading;
        ControlFlow::Continue(())
    })?;
    Ok(reading)
}

/// Returns the last turn of a transcript. Its `reading` covers that turn alone. It reads backwards from the end of the file, and no more than needed. Returns
/// `None` if there is no turn, or none that begins in the last 32 MiB.
///
/// # Errors
/// The file cannot be read.
pub fn last_turn(path: &Path) -> Result<Option<Turn>, TranscriptError> {
    last_turn_before(path, u64::MAX)
}

/// Returns the last turn in the first `end` bytes of a transcript, like [`last_turn`].
///
/// # Errors
/// The file cannot be read.
pub fn last_turn_before(path: &Path, end: u64) -> Result<Option<Turn>, TranscriptError> {
    let failed = |reason| TranscriptError::Io { path: path.to_owned(), reason };
    let file = TranscriptFile::open(path, end)?;
    let client = file.client();
    if client != AgentClient::ClaudeCode {
        // The lines of other clients depend on those before them.
        let mut last = None;
        turns_before(path, end, &mut |turn| {
            last = Some(turn);
            ControlFlow::Continue(())
        })?;
        return Ok(last);
    }
    let mut reader = client.transcript_reader();
    let mut lines = file.backwards(MAX_REACH).map_err(failed)?;
    let mut later: Vec<TurnEvent> = Vec::new();
    let mut found: Option<String> = None;
    while let Some(line) = lines.next().map_err(failed)? {
        let Some(event) = reader.read(&line).ok().and_then(|mut events| events.pop()) else { continue };
        match (&found, &event) {
            // A request may consist of several messages.
            (Some(id), TurnEvent::Requested(request)) if request.id == *id => later.push(event),
            (Some(_), _) => break,
            // A client command that the agent never saw is no turn.
            (None, TurnEvent::Requested(request))
                if request.is_command && !later.iter().any(|event| matches!(event, TurnEvent::Acted(..))) =>
            {
                later.clear()
            }
            (None, TurnEvent::Requested(request)) => {
                found = Some(request.id.clone());
                later.push(event);
            }
            (None, _) => later.push(event),
        }
    }
    let mut builder = Builder::new(&session_of(path));
    if found.is_some() {
        for event in later.into_iter().rev() {
            // All events belong to one turn, so none ends another turn.
            builder.take(event);
        }
    }
    Ok(builder.finish())
}

/// Returns the tasks of the helpers (subagents) that the agent started last in the last turn of a transcript, in order.
/// Empty if it started none. Among helpers started together, those of the kind `kind` are preferred.
///
/// # Errors
/// The file cannot be read.
pub fn last_helper_tasks(path: &Path, kind: &str) -> Result<Vec<String>, TranscriptError> {
    let failed = |reason| TranscriptError::Io { path: path.to_owned(), reason };
    let file = TranscriptFile::open(path, u64::MAX)?;
    let mut reader = file.client().transcript_reader();
    let mut lines = file.backwards(MAX_REACH).map_err(failed)?;
    let (mut message, mut later) = (None, Vec::new());
    while let Some(line) = lines.next().map_err(failed)? {
        match reader.helper_tasks(&line) {
            Some(found) if message.as_ref().is_none_or(|message| *message == found.message) => {
                message = Some(found.message);
                later.extend(found.tasks.into_iter().rev());
            }
            Some(_) => break,
            None if reader.read(&line).is_ok_and(|events| matches!(events[..], [TurnEvent::Requested(_)])) => break,
            None => {}
        }
    }
    later.reverse();
    if later.iter().any(|task| task.kind == kind) {
        later.retain(|task| task.kind == kind);
    }
    Ok(later.into_iter().map(|task| task.text).collect())
}

/// Returns the client that wrote a transcript.
///
/// # Errors
/// The file cannot be read.
pub fn client_of(path: &Path) -> Result<AgentClient, TranscriptError> {
    Ok(TranscriptFile::open(path, u64::MAX)?.client())
}

/// Returns the summary of the conversation that a transcript holds since its compaction, if its client writes one there.
///
/// # Errors
/// The file cannot be read.
pub fn last_summary(path: &Path) -> Result<Option<String>, TranscriptError> {
    let failed = |reason| TranscriptError::Io { path: path.to_owned(), reason };
    let file = TranscriptFile::open(path, u64::MAX)?;
    let reader = file.client().transcript_reader();
    let mut lines = file.backwards(MAX_REACH).map_err(failed)?;
    while let Some(line) = lines.next().map_err(failed)? {
        if let Some(summary) = reader.summary(&line) {
            return Ok(Some(summary));
        }
    }
    Ok(None)
}

/// Returns the id of the session whose transcript lies at `path`.
pub fn session_of(path: &Path) -> String {
    let Some(name) = path.file_name().map(|name| name.to_string_lossy()) else { return String::new() };
    let named = AgentClient::session_of(&name);
    // The name of a transcript of Gemini CLI has the beginning of the id.
    let is_part = AgentClient::Gemini.folder().and_then(|folder| (folder.session)(&name)).is_some();
    let whole = || TranscriptFile::open(path, u64::MAX).ok()?.session_id();
    is_part.then(whole).flatten().unwrap_or_else(|| named.to_owned())
}

#[cfg(test)]
mod tests;
