//! Open ends of earlier sessions that a session has closed.

use anyhow::Result;
use jiff::ToSpan;

use super::written::Written;
use crate::digest::{OutcomeKind, TurnDigest};
use crate::memory::{SessionNote, day_file, noted_lines, tick_open_ends};

/// How many days back open ends are looked for: as far as a session's start shows them.
const DAYS: i64 = 21;

/// Ticks in the logs of the last days what `turns`, none of which has been noted before, have done of what other sessions left
/// open in the project of `note`. What a person has edited stays as it is, and an undo takes it back.
///
/// # Errors
/// The memory folder cannot be read or written.
pub(super) fn close_open_ends(written: &mut Written<'_>, note: &SessionNote, turns: &[&TurnDigest]) -> Result<()> {
    let is_closed = |open: &str| turns.iter().any(|turn| turn.closes_elsewhere(open));
    let Some(last) = note.turns.last().map(|turn| turn.time.date()) else { return Ok(()) };
    for back in 0..=DAYS {
        let Ok(day) = last.checked_sub(back.days()) else { break };
        let file = day_file(written.folder(), day)?;
        let Some(bytes) = written.folder().read(&file)? else { continue };
        // Most days hold nothing, and need no lock.
        let may_close = noted_lines(&bytes)
            .iter()
            .any(|line| line.kind == Some(OutcomeKind::Open) && !line.is_ticked && is_closed(&line.text));
        if may_close {
            written.write(|writer| tick_open_ends(writer, &file, note, &is_closed))?;
        }
    }
    Ok(())
}
