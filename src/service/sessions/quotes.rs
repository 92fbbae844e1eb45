//! Finds the shown lines that a session's answers quote, for the recall ledger.

use std::collections::HashSet;
use std::path::Path;

use jiff::Timestamp;

use crate::App;
use tars_agent::recall::{
    AnswerIndex, PersonWords, RecallLedger, Record, ShownPiece, ShownRecord, UseKind, UsedRecord, is_quoted, join_uses,
    mentions_note, session_name,
};
use tars_base::domain::Turn;

/// The lines that a session was shown and has not quoted yet, and the quotes found so far.
pub(super) struct Quotes {
    ledger: RecallLedger,
    session: String,
    /// Reduced to the lines that are not quoted yet.
    waiting: Vec<ShownRecord>,
    asked: PersonWords,
    found: Vec<UsedRecord>,
}

impl Quotes {
    /// Reads the lines shown in the session `id`. An unreadable ledger yields none.
    pub(super) fn of(app: &App, id: &str) -> Self {
        let (ledger, session) = (app.recall_ledger(), session_name(id).into_owned());
        let records = ledger.session(|shown| shown.session == session).unwrap_or_else(|error| {
            tracing::warn!("the recall ledger cannot be read: {error}");
            None
        });
        let records = records.map(|(_, records)| records).unwrap_or_default();
        let quoted: HashSet<String> = records
            .iter()
            .filter_map(|record| match record {
                Record::Used(used) if used.how == UseKind::Quoted => Some(used.keys.clone()),
                _ => None,
            })
            .flatten()
            .collect();
        let mut waiting = join_uses(records);
        for piece in waiting.iter_mut().flat_map(|shown| &mut shown.pieces) {
            piece.lines.retain(|line| !quoted.contains(&line.key));
        }
        waiting.retain(|shown| shown.pieces.iter().any(|piece| !piece.lines.is_empty()));
        Self { ledger, session, waiting, asked: PersonWords::default(), found: Vec::new() }
    }

    /// Searches an answer for lines that were shown before the turn ended, at `ended`. Call it with the turns in order.
    pub(super) fn search_answer(&mut self, turn: &Turn, ended: Timestamp) {
        if self.waiting.is_empty() {
            return;
        }
        self.asked.add(&turn.request);
        if !self.waiting.iter().any(|shown| shown.at <= ended) {
            return;
        }
        let answer = AnswerIndex::new(&turn.answer);
        for shown in self.waiting.iter_mut().filter(|shown| shown.at <= ended) {
            let always: Vec<bool> = shown.pieces.iter().map(|piece| shown.is_session_context(piece)).collect();
            for (piece, is_always) in shown.pieces.iter_mut().zip(always) {
                // An agent that writes a file names it anyway, so that does not count as a quote.
                let is_named = !is_always
                    && mentions_note(&turn.answer, &piece.path)
                    && !mentions_note(&turn.request, &piece.path)
                    && !turn.files.iter().any(|file| Path::new(file).ends_with(&piece.path));
                let is_new = |text: &str| !is_named && !is_quoted(text, &self.asked, &answer);
                let (waiting, quoted) =
                    std::mem::take(&mut piece.lines).into_iter().partition(|line| is_new(&line.text));
                piece.lines = quoted;
                self.found.extend(used(&self.session, ended, piece));
                piece.lines = waiting;
            }
        }
    }

    /// Records the found quotes in the ledger.
    pub(super) fn save(mut self) {
        let mut keys: HashSet<String> = HashSet::new();
        for mut used in std::mem::take(&mut self.found) {
            // A line that was shown twice counts as quoted once.
            used.keys.retain(|key| keys.insert(key.clone()));
            if used.keys.is_empty() {
                continue;
            }
            if let Err(error) = self.ledger.add(&Record::Used(used)) {
                tracing::warn!("quotes could not be recorded in the recall ledger: {error}");
                return;
            }
        }
    }
}

/// Returns the record that these lines of a piece were quoted; `None` if there are none.
fn used(session: &str, at: Timestamp, piece: &ShownPiece) -> Option<UsedRecord> {
    Some(UsedRecord {
        at,
        session: Some(session.to_owned()),
        how: UseKind::Quoted,
        collection: piece.collection.clone(),
        path: piece.path.clone(),
        start_line: piece.lines.first()?.number,
        end_line: piece.lines.last()?.number,
        keys: piece.lines.iter().map(|line| line.key.clone()).collect(),
    })
}
