//! How much of what is brought up is of use.

use std::collections::{BTreeMap, HashSet};

use anyhow::{Context, Result};
use jiff::{Timestamp, ToSpan};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::recall::{Occasion, Use, joined};

/// Days that are counted, the present one included.
const DAYS: u16 = 30;
/// Notes that are listed at most of each kind.
const NOTES: usize = 5;
/// A note is listed as never used if so many of its lines were shown.
const LEAST_SHOWN: usize = 3;

/// What was brought up in the last 30 days, and what became of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct RecallStats {
    /// The days that are counted.
    pub days: u16,
    /// Sessions that something was sought for.
    pub sessions: usize,
    /// Prompts that something was sought for.
    pub prompts: usize,
    /// Prompts that brought something.
    pub prompts_with_lines: usize,
    /// Helpers of agents that something was sought for.
    pub helpers: usize,
    /// Lines that were brought up, without those that are always shown.
    pub lines: usize,
    /// Those of them that were used in any way.
    pub used: usize,
    /// Their share, 0 to 1, two decimals; `None` where nothing was brought up.
    pub share: Option<f64>,
    /// Those whose surroundings were asked for.
    pub expanded: usize,
    /// Those that answers quote.
    pub quoted: usize,
    /// Those of which somebody said that they helped.
    pub helpful: usize,
    /// Those of which somebody said that they did not help; they do not count as used.
    pub not_helpful: usize,
    /// Lines of the memory that were shown because they always are.
    pub lines_always: usize,
    /// Those of them that were used in any way.
    pub used_always: usize,
    /// The notes whose lines were used most.
    pub most_used: Vec<NoteUse>,
    /// The notes of which most lines were brought up and none was used.
    pub never_used: Vec<NoteUse>,
}

/// What became of the lines of a note that were brought up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoteUse {
    /// Name of the collection.
    pub collection: String,
    /// Path relative to the collection's root.
    pub path: String,
    /// How many of its lines were shown.
    pub shown: usize,
    /// How many of them were used.
    pub used: usize,
}

/// Returns the beginning of the day `days` days ago, the present one counted.
pub(in crate::service) fn since(app: &App, days: u16) -> Timestamp {
    let clock = &app.environment.clock;
    let first = clock.today().saturating_sub(i64::from(days.saturating_sub(1)).days());
    first.to_zoned(clock.zone()).map_or(Timestamp::UNIX_EPOCH, |zoned| zoned.timestamp())
}

/// Returns the counts of the last 30 days.
///
/// # Errors
/// The ledger cannot be read.
pub(in crate::service) fn recall_stats(app: &App) -> Result<RecallStats> {
    let all = joined(app.recall_ledger().since(since(app, DAYS)).context("cannot read the recall ledger")?);
    let sessions = all.iter().map(|shown| shown.session.as_str()).collect::<HashSet<_>>().len();
    let mut stats = RecallStats { days: DAYS, sessions, ..RecallStats::default() };
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
            if shown.is_always(piece) {
                stats.lines_always += piece.lines.len();
                stats.used_always += used;
                continue;
            }
            stats.lines += piece.lines.len();
            stats.used += used;
            let note = notes.entry((&piece.collection, &piece.path)).or_default();
            *note = (note.0 + piece.lines.len(), note.1 + used);
            let count = |how: Use| piece.lines.iter().filter(|line| line.used.contains(&how)).count();
            stats.expanded += count(Use::Expanded);
            stats.quoted += count(Use::Quoted);
            stats.helpful += count(Use::Helpful);
            stats.not_helpful += count(Use::NotHelpful);
        }
    }
    stats.share = (stats.lines > 0).then(|| (stats.used as f64 / stats.lines as f64 * 100.0).round() / 100.0);
    let notes: Vec<NoteUse> = notes
        .into_iter()
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

/// Returns those of the notes that are meant and have most, most first.
fn first(notes: &[NoteUse], is_meant: impl Fn(&NoteUse) -> bool, most: impl Fn(&NoteUse) -> usize) -> Vec<NoteUse> {
    let mut found: Vec<NoteUse> = notes.iter().filter(|note| is_meant(note)).cloned().collect();
    found.sort_by_key(|note| std::cmp::Reverse(most(note)));
    found.truncate(NOTES);
    found
}
