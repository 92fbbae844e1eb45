//! How useful recalled lines are: lines that were put into an agent's context.

use std::collections::{BTreeMap, HashSet};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{App, Context, Result};
use tars_agent::recall::{Occasion, UseKind, join_uses};
use tars_base::domain::days_before;

/// Days that are counted, today included.
const DAYS: u16 = 30;
/// Notes to list of each kind at most.
const MAX_NOTES: usize = 5;
/// A note is listed as never used only if at least this many of its lines were shown.
const LEAST_SHOWN: usize = 3;

/// The lines that were recalled in the last 30 days, and how they were used.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct RecallStats {
    /// The number of days that are counted.
    pub days: u16,
    /// The time from which on records count, if somebody set one (`tars stats --recall --reset`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts_from: Option<Timestamp>,
    /// Sessions for which context was looked up.
    pub sessions: usize,
    /// Prompts for which context was looked up.
    pub prompts: usize,
    /// Prompts for which lines were found.
    pub prompts_with_lines: usize,
    /// Helper agents for which context was looked up.
    pub helpers: usize,
    /// Recalled lines, without those that are always shown.
    pub lines: usize,
    /// Recalled lines that were used in any way.
    pub used: usize,
    /// Their share, from 0 to 1, two decimals; `None` if no line was recalled.
    pub share: Option<f64>,
    /// Recalled lines whose surroundings were requested.
    pub expanded: usize,
    /// Recalled lines that an answer quotes.
    pub quoted: usize,
    /// Recalled lines that somebody marked as helpful.
    pub helpful: usize,
    /// Recalled lines that somebody marked as not helpful; they do not count as used.
    pub not_helpful: usize,
    /// Lines of the memory that are always shown.
    pub lines_always: usize,
    /// Lines of the memory that are always shown and were used in any way.
    pub used_always: usize,
    /// The notes whose lines were used most.
    pub most_used: Vec<NoteUse>,
    /// The notes with the most recalled lines of which none was used.
    pub never_used: Vec<NoteUse>,
}

/// How often the recalled lines of a note were used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoteUse {
    /// Name of the collection.
    pub collection: String,
    /// Path relative to the collection's root.
    pub path: String,
    /// The number of its lines that were shown.
    pub shown: usize,
    /// The number of these lines that were used.
    pub used: usize,
}

/// Returns the start of the first of the last `days` days, today included, or the later time from which on the ledger counts.
///
/// # Errors
/// That time cannot be read.
pub(crate) fn since(app: &App, days: u16) -> Result<Timestamp> {
    let clock = &app.environment.clock;
    let first = days_before(clock.today(), days.saturating_sub(1).into());
    let first = first.to_zoned(clock.zone()).map_or(Timestamp::UNIX_EPOCH, |zoned| zoned.timestamp());
    Ok(counts_from(app)?.map_or(first, |from| from.max(first)))
}

fn counts_from(app: &App) -> Result<Option<Timestamp>> {
    app.recall_ledger().counts_from().context("tars stats --recall --reset writes this file again")
}

/// Returns the counts of the last 30 days.
///
/// # Errors
/// The ledger cannot be read.
pub(crate) fn recall_stats(app: &App) -> Result<RecallStats> {
    let all = join_uses(app.recall_ledger().since(since(app, DAYS)?).context("cannot read the recall ledger")?);
    let sessions = all.iter().map(|shown| shown.session.as_str()).collect::<HashSet<_>>().len();
    let mut stats = RecallStats { days: DAYS, counts_from: counts_from(app)?, sessions, ..RecallStats::default() };
    let mut notes: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
    for shown in &all {
        match shown.event {
            Occasion::Prompt => {
                stats.prompts += 1;
                stats.prompts_with_lines += usize::from(!shown.pieces.is_empty());
            }
            Occasion::Helper => stats.helpers += 1,
            Occasion::SessionStart => {}
        }
        for piece in &shown.pieces {
            let used = piece.lines.iter().filter(|line| line.is_used()).count();
            if shown.is_session_context(piece) {
                stats.lines_always += piece.lines.len();
                stats.used_always += used;
                continue;
            }
            stats.lines += piece.lines.len();
            stats.used += used;
            let note = notes.entry((&piece.collection, &piece.path)).or_default();
            *note = (note.0 + piece.lines.len(), note.1 + used);
            let count = |how: UseKind| piece.lines.iter().filter(|line| line.used.contains(&how)).count();
            stats.expanded += count(UseKind::Expanded);
            stats.quoted += count(UseKind::Quoted);
            stats.helpful += count(UseKind::Helpful);
            stats.not_helpful += count(UseKind::NotHelpful);
        }
    }
    stats.share = (stats.lines > 0).then(|| (stats.used as f64 / stats.lines as f64 * 100.0).round() / 100.0);
    let notes: Vec<NoteUse> = notes
        .into_iter()
        .filter(|((collection, _), _)| app.shows(collection))
        .map(|((collection, path), (shown, used))| NoteUse {
            collection: collection.to_owned(),
            path: path.to_owned(),
            shown,
            used,
        })
        .collect();
    stats.most_used = first(&notes, |note| note.used > 0, |note| note.used);
    stats.never_used = first(&notes, |note| note.used == 0 && note.shown >= LEAST_SHOWN, |note| note.shown);
    Ok(stats)
}

/// Returns the first [`MAX_NOTES`] of the notes that pass `is_meant`, highest count first.
fn first(notes: &[NoteUse], is_meant: impl Fn(&NoteUse) -> bool, most: impl Fn(&NoteUse) -> usize) -> Vec<NoteUse> {
    let mut found: Vec<NoteUse> = notes.iter().filter(|note| is_meant(note)).cloned().collect();
    found.sort_by_key(|note| std::cmp::Reverse(most(note)));
    found.truncate(MAX_NOTES);
    found
}
