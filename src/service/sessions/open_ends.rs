//! Closes open ends of earlier sessions that this session has finished.

use crate::Result;
use jiff::ToSpan;

use super::writer::SessionWriter;
use tars_agent::digest::TurnDigest;
use tars_base::domain::OutcomeKind;
use tars_memory::{SessionNote, day_file, log_lines, tick_open_ends};

/// Days to look back for open ends: as far as the start of a session shows them.
const DAYS: i64 = 21;

/// Ticks the open ends of other sessions in the project of `note` that `turns` have closed, in the logs of the last days. None of `turns`
/// was noted before. Lines that a person has edited stay unchanged, and an undo reverts the ticks.
///
/// # Errors
/// The memory folder cannot be read or written.
pub(super) fn close_open_ends(writes: &mut SessionWriter<'_>, note: &SessionNote, turns: &[&TurnDigest]) -> Result<()> {
    let is_closed = |open: &str| turns.iter().any(|turn| turn.closes_task_of_other_session(open));
    if turns.is_empty() {
        return Ok(());
    }
    let Some(last) = note.turns.last().map(|turn| turn.time.date()) else { return Ok(()) };
    for back in 0..=DAYS {
        let Ok(day) = last.checked_sub(back.days()) else { break };
        let file = day_file(&writes.folder, day)?;
        let Some(bytes) = writes.folder.read(&file)? else { continue };
        // Check without the lock first: most days have nothing to tick.
        let may_close = log_lines(&bytes).iter().any(|line| {
            line.kind == Some(OutcomeKind::Open) && !line.is_ticked && is_closed(line.text_without_request())
        });
        if may_close {
            writes.write(|writer| tick_open_ends(writer, &file, note, &is_closed))?;
        }
    }
    Ok(())
}
