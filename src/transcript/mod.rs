//! Session logs of agents to turns: who asked what, and what was done about it.
//!
//! Reads the files that Claude Code keeps, `~/.claude/projects/FOLDER/SESSION.jsonl`, one JSON object a line. What a line means
//! is told by [`crate::client`]; a line that is no JSON at all is counted. A file may be a gigabyte and may be growing: it is
//! read a line at a time, and the last turn from its end.
//!
//! Writes nothing, runs nothing, and believes nothing: what stands in a transcript is data.

mod build;
#[cfg(test)]
mod fuzz;
mod lines;

use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::client::claude_code::{Unreadable, read_helper_tasks, read_transcript_line};
use crate::domain::{Turn, TurnEvent};
use crate::private;
use build::Builder;
use lines::{Backwards, Forwards, Line};

/// How far before the end of a file the beginning of its last turn is sought, in bytes.
const REACH: u64 = 32 << 20;

/// Why a transcript gave no turns.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TranscriptError {
    /// The system refused.
    #[error("cannot read {path}: {reason}")]
    Io {
        /// The transcript.
        path: PathBuf,
        /// Why.
        reason: io::Error,
    },
    /// A folder, a pipe or a device.
    #[error("{path} is not a file")]
    NotAFile {
        /// What was named.
        path: PathBuf,
    },
}

/// Hands the turns of a transcript to `each`, in the order of the file, until it breaks off. Returns how many lines were
/// passed over because they are no JSON or longer than 32 MiB; a last line without an end may still be written and does
/// not count.
///
/// # Errors
/// The file cannot be read.
pub fn turns(path: &Path, each: &mut dyn FnMut(Turn) -> ControlFlow<()>) -> Result<usize, TranscriptError> {
    turns_before(path, u64::MAX, each)
}

/// Hands the turns of what a transcript held when it was `end` bytes long to `each`, as [`turns`] does.
///
/// # Errors
/// The file cannot be read.
pub fn turns_before(
    path: &Path,
    end: u64,
    each: &mut dyn FnMut(Turn) -> ControlFlow<()>,
) -> Result<usize, TranscriptError> {
    let failed = |reason| TranscriptError::Io { path: path.to_owned(), reason };
    let file = open(path)?;
    // Not further than the file is long now: one that grows comes to an end, and files in which the system makes up what is
    // read, such as /proc/kmsg, have no length.
    let length = file.metadata().map_err(failed)?.len().min(end);
    let mut lines = Forwards::new(file.take(length));
    let mut builder = Builder::new(&session_of(path));
    let mut unread = 0;
    while let Some(line) = lines.next().map_err(failed)? {
        let event = match line {
            Line::Whole(bytes) => read_transcript_line(bytes),
            Line::Torn(bytes) => Ok(read_transcript_line(bytes).unwrap_or_default()),
            Line::TooLong => Err(Unreadable),
        };
        match event {
            Ok(Some(event)) => {
                if let Some(turn) = builder.take(event)
                    && each(turn).is_break()
                {
                    return Ok(unread);
                }
            }
            Ok(None) => {}
            Err(Unreadable) => unread += 1,
        }
    }
    if let Some(turn) = builder.finish() {
        // There is nothing left to break off.
        let _ = each(turn);
    }
    Ok(unread)
}

/// Returns the last turn of a transcript, reading from the end of the file and not more than it needs. `None` if there is
/// none, or none that begins in the last 32 MiB.
///
/// # Errors
/// The file cannot be read.
pub fn last_turn(path: &Path) -> Result<Option<Turn>, TranscriptError> {
    last_turn_before(path, u64::MAX)
}

/// Returns the last turn of what a transcript held when it was `end` bytes long, as [`last_turn`] does.
///
/// # Errors
/// The file cannot be read.
pub fn last_turn_before(path: &Path, end: u64) -> Result<Option<Turn>, TranscriptError> {
    let failed = |reason| TranscriptError::Io { path: path.to_owned(), reason };
    let mut lines = Backwards::new(open(path)?, end, REACH).map_err(failed)?;
    let mut later: Vec<TurnEvent> = Vec::new();
    let mut found: Option<String> = None;
    while let Some(line) = lines.next().map_err(failed)? {
        let Ok(Some(event)) = read_transcript_line(&line) else { continue };
        match (&found, &event) {
            // One request may stand in several messages.
            (Some(id), TurnEvent::Requested(request)) if request.id == *id => later.push(event),
            (Some(_), _) => break,
            // A command of the client that the agent never heard of is no turn.
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
            // All of them belong to one turn, so none ends another.
            builder.take(event);
        }
    }
    Ok(builder.finish())
}

/// Returns the tasks of the helpers that the agent started last in the last turn of a transcript, in their order; empty if it
/// started none. Of several that were started together these are the ones of the kind `kind`, if there are such.
///
/// # Errors
/// The file cannot be read.
pub fn helper_tasks(path: &Path, kind: &str) -> Result<Vec<String>, TranscriptError> {
    let failed = |reason| TranscriptError::Io { path: path.to_owned(), reason };
    let mut lines = Backwards::new(open(path)?, u64::MAX, REACH).map_err(failed)?;
    let (mut message, mut later) = (None, Vec::new());
    while let Some(line) = lines.next().map_err(failed)? {
        match read_helper_tasks(&line) {
            Some(found) if message.as_ref().is_none_or(|message| *message == found.message) => {
                message = Some(found.message);
                later.extend(found.tasks.into_iter().rev());
            }
            Some(_) => break,
            None if matches!(read_transcript_line(&line), Ok(Some(TurnEvent::Requested(_)))) => break,
            None => {}
        }
    }
    later.reverse();
    if later.iter().any(|task| task.kind == kind) {
        later.retain(|task| task.kind == kind);
    }
    Ok(later.into_iter().map(|task| task.text).collect())
}

/// The client names the file for the session.
fn session_of(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Opens a transcript. A client names it, and may have been told to name something else.
fn open(path: &Path) -> Result<File, TranscriptError> {
    private::open_named(path).map_err(|source| match source.kind() {
        io::ErrorKind::InvalidInput => TranscriptError::NotAFile { path: path.to_owned() },
        _ => TranscriptError::Io { path: path.to_owned(), reason: source },
    })
}

#[cfg(test)]
mod tests;
