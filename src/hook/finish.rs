//! Spooled events to notes.

use anyhow::Result;

use super::spool::Spooled;
use crate::app::App;

/// Makes the note or the log that an event asks for.
///
/// # Errors
/// The memory folder cannot be written, or the transcript not be read.
pub fn finish(_app: &App, _spooled: &Spooled) -> Result<()> {
    Ok(())
}
