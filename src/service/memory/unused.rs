//! Lines that are often recalled but never useful, according to the recall ledger.

use std::collections::HashMap;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::line_key;
use crate::recall::since;
use crate::{App, Context, Result};
use tars_agent::context_block::{Keep, Piece, Source, unescape_line};
use tars_agent::recall::{LineTally, join_uses, tally};
use tars_base::domain::MemoryType;
use tars_text::markdown;
use tars_text::redact::redact;

/// Days to look at, today included.
const DAYS: u16 = 90;
/// A line is listed only after this many sessions without use.
const SESSIONS: usize = 5;
/// The same for a fact that is shown in every session: most facts are useful in few sessions.
const SESSIONS_OF_FACT: usize = 30;
/// Maximum number of lines of each kind.
const MOST: usize = 5;

/// A line that is recalled but not useful.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnusedLine {
    /// Name of the collection.
    pub collection: String,
    /// Path relative to the collection's root.
    pub path: String,
    /// Its line, from 1.
    pub line: usize,
    /// Its text.
    pub text: String,
    /// Number of sessions in the last 90 days that were shown it.
    pub sessions: usize,
    /// Number of sessions in which somebody marked it as not helpful.
    pub not_helpful: usize,
    /// The first of these days on which it was shown.
    pub since: Date,
}

/// Returns the lines that more sessions marked as not helpful than used, and the lines that many sessions were shown and none
/// used. Lines that no longer exist are left out.
///
/// # Errors
/// The ledger cannot be read.
pub(super) fn unused(app: &App) -> Result<(Vec<UnusedLine>, Vec<UnusedLine>)> {
    let records = app.recall_ledger().since(since(app, DAYS)?).context("cannot read the recall ledger")?;
    let mut all = tally(&join_uses(records));
    all.sort_by_key(|line| std::cmp::Reverse((line.not_helpful, line.sessions)));
    let (unhelpful, others): (Vec<LineTally>, Vec<LineTally>) =
        all.into_iter().partition(|line| line.not_helpful > line.used);
    let mut notes = Notes { app, lines: HashMap::new() };
    let mut present = |lines: Vec<LineTally>| -> Vec<UnusedLine> {
        lines.into_iter().filter_map(|line| notes.shown(&line)).take(MOST).collect()
    };
    Ok((present(unhelpful), present(others.into_iter().filter(is_unused).collect())))
}

/// Whether a line was shown in so many sessions that one of them should have used it. Rules work without being quoted, and daily
/// logs drop out by themselves.
fn is_unused(line: &LineTally) -> bool {
    let least = match (line.is_always, line.memory_type) {
        (false, _) => SESSIONS,
        (true, MemoryType::Semantic) => SESSIONS_OF_FACT,
        (true, _) => return false,
    };
    line.used == 0 && line.sessions >= least
}

/// The current notes, each read once.
struct Notes<'a> {
    app: &'a App,
    /// The lines of a note as agents are shown them, by collection and path.
    lines: HashMap<(String, String), Vec<(usize, String)>>,
}

impl Notes<'_> {
    /// Returns the current line; `None` if it is gone.
    fn shown(&mut self, tally: &LineTally) -> Option<UnusedLine> {
        let app = self.app;
        let lines = self
            .lines
            .entry((tally.collection.clone(), tally.path.clone()))
            .or_insert_with(|| read(app, &tally.collection, &tally.path).unwrap_or_default());
        let is_it = |(_, text): &&(usize, String)| line_key(text).as_deref() == Some(&tally.key);
        let (line, text) = lines.iter().find(is_it)?;
        Some(UnusedLine {
            collection: tally.collection.clone(),
            path: tally.path.clone(),
            line: *line,
            text: unescape_line(text.trim()),
            sessions: tally.sessions,
            not_helpful: tally.not_helpful,
            since: tally.first.to_zoned(app.environment.clock.zone()).date(),
        })
    }
}

/// Returns the numbered lines of a note as agents are shown them; `None` if it is unreadable, private or hidden by this process.
fn read(app: &App, collection: &str, path: &str) -> Option<Vec<(usize, String)>> {
    let root = app.roots().ok()?.into_iter().find(|root| root.name == collection && app.shows(collection))?;
    let text = app.read_note(&root.path, path).ok()?.text;
    let text = redact(&text).text;
    if markdown::is_private(&text) {
        return None;
    }
    let source = Source { collection: None, path: path.to_owned(), answer: None, date: None, kind: MemoryType::Note };
    let piece = Piece::new(source, 1, &text, Keep::Start)?;
    Some(piece.numbered().map(|(number, text)| (number, text.to_owned())).collect())
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn facts_shown_in_every_session_need_more_sessions_and_rules_are_never_unused() {
        let line = |is_always: bool, memory_type: MemoryType, sessions: usize| LineTally {
            collection: "vault".into(),
            path: "tars/Memory.md".into(),
            number: 3,
            key: "k".into(),
            memory_type,
            is_always,
            first: Timestamp::UNIX_EPOCH,
            sessions,
            used: 0,
            not_helpful: 0,
        };
        let unused = |is_always, memory_type, sessions| is_unused(&line(is_always, memory_type, sessions));
        assert!(unused(false, MemoryType::Note, 5) && !unused(false, MemoryType::Note, 4));
        assert!(unused(true, MemoryType::Semantic, 30) && !unused(true, MemoryType::Semantic, 29));
        assert!(!unused(true, MemoryType::Procedural, 1_000));
        assert!(!is_unused(&LineTally { used: 1, ..line(false, MemoryType::Note, 100) }));
    }
}
