//! The picker: search, memory and review on one screen of a terminal.
//!
//! `State` is a pure state machine: an event of the terminal or a reply changes it and may return an `Action`. `draw` draws it.
//! One worker thread answers requests through the service; the newest question replaces older ones. `screen` connects the three with
//! a terminal, `plain` reads and prints lines instead. Text of notes is cleaned of control characters where an entry is made, so no
//! other module sees an escape sequence. The picker starts no program and writes no file: the command line opens notes, the service
//! writes.

mod aligned;
mod help;
mod input;
mod item;
mod keys;
mod layout;
mod mouse;
mod names;
mod place;
mod plain;
mod present;
mod replies;
mod request;
mod screen;
pub mod snippet;
mod state;
mod status;
#[cfg(test)]
mod tests;
pub mod times;
mod view;
mod worker;

pub use place::{Place, encoded, note, place, roots, wikilink};
pub use present::is_of_one_word;

use jiff::Zoned;

use tars_service::memory::{JournaledWrite, ProposalView};
use tars_service::{App, Result, StatusReport};

/// How the command line serves the picker: it opens notes, and words what both show.
pub trait CommandLine: Sync {
    /// Opens a note in the person's editor, at a place, and waits for it.
    ///
    /// # Errors
    /// No editor is set, it fails, or the note is gone.
    fn open(&self, place: &Place) -> Result<()>;

    /// Describes the state of the index, a line for each part.
    fn status(&self, status: &StatusReport, now: &Zoned) -> String;

    /// Describes the effect of a proposal.
    fn proposal(&self, proposal: &ProposalView) -> String;

    /// Describes a write of the journal in one line: its age, two blanks, and the write.
    fn write(&self, write: &JournaledWrite, now: &Zoned) -> String;

    /// Takes the notices that were due since the last call; they must not disturb the screen.
    fn notices(&self) -> Vec<String>;

    /// Whether a signal has asked the process to end.
    fn is_interrupted(&self) -> bool;
}

/// How the picker starts.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The first question.
    pub query: String,
    /// Whether to print lines instead of drawing a screen.
    pub plain: bool,
    /// Whether to use colours.
    pub color: bool,
}

/// Runs the picker until the person leaves it.
///
/// # Errors
/// The terminal cannot be used. Errors of requests are shown, and end nothing.
pub fn run(app: &App, line: &dyn CommandLine, options: &Options) -> Result<()> {
    if options.plain { plain::run(app, line, options) } else { screen::run(app, line, options) }
}
