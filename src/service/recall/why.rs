//! What was put before the agent in one session.

use anyhow::{Context, Result};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::MemoryType;
use crate::recall::{Occasion, Shown, ShownPiece, Use, joined, session_name};
use crate::service::{Service, UseCase};

/// Asks what was put before the agent in a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WhyRequest {
    /// The session's id, or how it begins; without it, the session that was last shown something.
    pub session: Option<String>,
}

/// What was put before the agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct WhyResponse {
    /// The session; `None` where nothing is known of it, or of any.
    pub session: Option<String>,
    /// What happened in it, oldest first.
    pub events: Vec<WhyEvent>,
}

/// An occasion on which something was sought for the agent.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WhyEvent {
    /// When.
    pub at: Timestamp,
    /// Which one.
    pub event: Occasion,
    /// How the question begins, without secrets; empty where there was none or where it was not kept.
    pub question: String,
    /// What was shown; empty where nothing was relevant that the session had not been shown.
    pub pieces: Vec<WhyPiece>,
}

/// An excerpt that was shown.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WhyPiece {
    /// Name of the collection.
    pub collection: String,
    /// Path relative to the collection's root.
    pub path: String,
    /// First line of the file that was shown, as it stood then.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
    /// The heading over the line that answers; empty where none was sought.
    pub heading: String,
    /// Kind of memory.
    pub kind: MemoryType,
    /// The score of the hit, two decimals; `None` where no search found it.
    pub score: Option<f64>,
    /// Whether it is shown whenever a session begins.
    pub always: bool,
    /// Its lines that say something.
    pub lines: Vec<WhyLine>,
}

/// A line that was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WhyLine {
    /// Its number in this session, from 1, by which it is marked; `None` where it is always shown.
    pub number: Option<usize>,
    /// Its number in the file.
    pub line: usize,
    /// How it begins.
    pub text: String,
    /// What became of it.
    pub used: Vec<Use>,
}

impl UseCase for WhyRequest {
    type Response = WhyResponse;

    fn run(&self, service: &Service<'_>) -> Result<WhyResponse> {
        let Some((session, all)) = shown_in(service, self.session.as_deref())? else {
            return Ok(WhyResponse::default());
        };
        let mut number = 0;
        let events = all.iter().map(|shown| event(shown, &mut number)).collect();
        Ok(WhyResponse { session: Some(session), events })
    }
}

/// Returns a session by its id or how it begins, else the one that was last shown something, and what it was shown.
pub(super) fn shown_in(service: &Service<'_>, session: Option<&str>) -> Result<Option<(String, Vec<Shown>)>> {
    let ledger = service.app.recall_ledger();
    let found = match session.map(session_name) {
        None => ledger.session(|shown| !shown.pieces.is_empty()),
        Some(name) => match ledger.session(|shown| shown.session == name) {
            Ok(None) => ledger.session(|shown| shown.session.starts_with(&*name)),
            found => found,
        },
    };
    Ok(found.context("cannot read the recall ledger")?.map(|(session, records)| (session, joined(records))))
}

/// Returns the excerpts whose lines have numbers, in the order in which they are numbered.
pub(super) fn numbered(all: &[Shown]) -> impl Iterator<Item = &ShownPiece> {
    all.iter().flat_map(|shown| shown.pieces.iter().filter(|piece| !shown.is_always(piece)))
}

fn event(shown: &Shown, number: &mut usize) -> WhyEvent {
    let piece = |piece: &ShownPiece| {
        let always = shown.is_always(piece);
        let lines = piece.lines.iter().map(|line| {
            *number += usize::from(!always);
            let number = (!always).then_some(*number);
            WhyLine { number, line: line.number, text: line.text.clone(), used: line.used.clone() }
        });
        WhyPiece {
            collection: piece.collection.clone(),
            path: piece.path.clone(),
            start_line: piece.start_line,
            end_line: piece.end_line,
            heading: piece.heading.clone(),
            kind: piece.memory_type,
            score: piece.score,
            always,
            lines: lines.collect(),
        }
    };
    let pieces = shown.pieces.iter().map(piece).collect();
    WhyEvent { at: shown.at, event: shown.event, question: shown.question.clone(), pieces }
}
