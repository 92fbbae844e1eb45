//! Lines that come up often and are of no use, as the recall ledger tells.

use std::collections::HashMap;

use anyhow::{Context, Result};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::domain::MemoryType;
use crate::injection::{Keep, Piece, Source, plain};
use crate::recall::{LineTally, joined, tally};
use crate::redact::redact;
use crate::service::context::line_key;
use crate::service::recall::since;
use crate::{markdown, vault};

/// Days that are looked at, the present one included.
const DAYS: u16 = 90;
/// Sessions that a line must have come up in without use before it is named.
const SESSIONS: usize = 5;
/// The same of a fact that every session begins with: most facts are of use in few sessions.
const SESSIONS_OF_FACT: usize = 30;
/// Lines that are named at most of each kind.
const MOST: usize = 5;

/// A line that comes up and is of no use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnusedLine {
    /// Name of the collection.
    pub collection: String,
    /// Path relative to the collection's root.
    pub path: String,
    /// Its line, from 1.
    pub line: usize,
    /// What it says.
    pub text: String,
    /// Sessions of the last 90 days that were shown it.
    pub sessions: usize,
    /// Sessions in which somebody said that it did not help.
    pub not_helpful: usize,
    /// The day on which it was first shown among these.
    pub since: Date,
}

/// Returns lines of which somebody said in more sessions that they do not help than have used them, and lines that came up in many sessions and were never used. Those
/// that are gone by now are left out.
///
/// # Errors
/// The ledger cannot be read.
pub(super) fn unused(app: &App) -> Result<(Vec<UnusedLine>, Vec<UnusedLine>)> {
    let records = app.recall_ledger().since(since(app, DAYS)).context("cannot read the recall ledger")?;
    let mut all = tally(&joined(records));
    all.sort_by_key(|line| std::cmp::Reverse((line.not_helpful, line.sessions)));
    let (unhelpful, others): (Vec<LineTally>, Vec<LineTally>) =
        all.into_iter().partition(|line| line.not_helpful > line.used);
    let mut notes = Notes { app, lines: HashMap::new() };
    let mut present = |lines: Vec<LineTally>| -> Vec<UnusedLine> {
        lines.into_iter().filter_map(|line| notes.shown(&line)).take(MOST).collect()
    };
    Ok((present(unhelpful), present(others.into_iter().filter(is_unused).collect())))
}

/// Whether a line has come up in so many sessions that one of them should have used it. Rules work without being quoted, and logs of
/// days pass by themselves.
fn is_unused(line: &LineTally) -> bool {
    let least = match (line.is_always, line.memory_type) {
        (false, _) => SESSIONS,
        (true, MemoryType::Semantic) => SESSIONS_OF_FACT,
        (true, _) => return false,
    };
    line.used == 0 && line.sessions >= least
}

/// The notes as they stand, read once each.
struct Notes<'a> {
    app: &'a App,
    /// The lines of a note, by collection and path, as agents are shown them.
    lines: HashMap<(String, String), Vec<(usize, String)>>,
}

impl Notes<'_> {
    /// Returns a line as it stands now; `None` where it is gone.
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
            text: plain(text.trim()),
            sessions: tally.sessions,
            not_helpful: tally.not_helpful,
            since: tally.first.to_zoned(app.environment.clock.zone()).date(),
        })
    }
}

/// Returns the numbered lines of a note as agents are shown them; `None` where it cannot be read or is private.
fn read(app: &App, collection: &str, path: &str) -> Option<Vec<(usize, String)>> {
    let root = app.roots().ok()?.into_iter().find(|root| root.name == collection)?;
    let text = vault::read(&root.path, path, app.settings.config.index.max_file_size).ok()?.text;
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
    fn a_fact_that_is_always_shown_has_more_time_and_a_rule_all_of_it() {
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
