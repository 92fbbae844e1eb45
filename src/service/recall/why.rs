//! The lines that one session was shown.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::learning::Learned;
use super::shown_origins::ShownOrigins;
use crate::{Context, Result, Service, UseCase};
use tars_agent::recall::{Occasion, ShownPiece, ShownRecord, UseKind, join_uses, session_name};
use tars_base::domain::{LineWorth, MemoryType, without_branch};
use tars_memory::without_request;
use tars_text::redact::redact;
use tars_vault::LineOrigin;

/// Asks which lines a session was shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WhyRequest {
    /// The session's id or a prefix of it; without it, the last session that was shown something.
    pub session: Option<String>,
}

/// The lines that a session was shown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct WhyResponse {
    /// The session; `None` if it is unknown, or if no session is known.
    pub session: Option<String>,
    /// Its lookups, oldest first.
    pub events: Vec<WhyEvent>,
}

/// One lookup of context for the agent.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WhyEvent {
    /// The time.
    pub at: Timestamp,
    /// The occasion.
    pub event: Occasion,
    /// The beginning of the question, without secrets; empty if there was none or if it was not kept.
    pub question: String,
    /// The excerpts that were shown; empty if nothing relevant was new to the session.
    pub pieces: Vec<WhyPiece>,
}

/// An excerpt that was shown.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WhyPiece {
    /// Name of the collection.
    pub collection: String,
    /// Path relative to the collection's root.
    pub path: String,
    /// First shown line of the file, as the file stood then.
    pub start_line: usize,
    /// Last shown line.
    pub end_line: usize,
    /// The heading above the line that answers; empty if no search was run.
    pub heading: String,
    /// Kind of memory.
    pub kind: MemoryType,
    /// The score of the hit, two decimals; `None` if no search found it.
    pub score: Option<f64>,
    /// Whether it is shown at every session start.
    pub always: bool,
    /// Its lines that hold text.
    pub lines: Vec<WhyLine>,
}

/// A line that was shown.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WhyLine {
    /// Its number in this session, from 1, by which it is marked; `None` if it is always shown.
    pub number: Option<usize>,
    /// Its line number in the file.
    pub line: usize,
    /// The beginning of the line.
    pub text: String,
    /// How it was used.
    pub used: Vec<UseKind>,
    /// The decision that has replaced the one in this line since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
    /// The author, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<LineOrigin>,
    /// How its use in all sessions moves it by now, if that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worth: Option<LineWorth>,
}

impl UseCase for WhyRequest {
    type Response = WhyResponse;

    fn run(&self, service: &Service<'_>) -> Result<WhyResponse> {
        let Some((session, all)) = shown_in(service, self.session.as_deref())? else {
            return Ok(WhyResponse::default());
        };
        let mut number = 0;
        let replaced = ReplacedDecisions::of(service, &all);
        let project = all.iter().rev().find_map(|shown| shown.project.as_deref());
        let learned = Learned::of(service.app, project);
        let origins = ShownOrigins::of(service.app)?;
        let mut events: Vec<WhyEvent> =
            all.iter().map(|shown| event(shown, &mut number, &replaced, (&learned, &origins))).collect();
        // The numbers of the other lines stay: marks name them.
        events.iter_mut().for_each(|event| event.pieces.retain(|piece| service.app.shows(&piece.collection)));
        Ok(WhyResponse { session: Some(session), events })
    }
}

/// Returns a session by its id or a prefix of it, otherwise the last one that was shown something, with its lookups. Lines that have become private are removed first.
pub(super) fn shown_in(service: &Service<'_>, session: Option<&str>) -> Result<Option<(String, Vec<ShownRecord>)>> {
    match in_ledger(service, session)? {
        Some((name, all)) if service.app.forget_hidden_of(&all) => in_ledger(service, Some(&name)),
        found => Ok(found),
    }
}

fn in_ledger(service: &Service<'_>, session: Option<&str>) -> Result<Option<(String, Vec<ShownRecord>)>> {
    let ledger = service.app.recall_ledger();
    let found = match session.map(session_name) {
        None => ledger.session(|shown| !shown.pieces.is_empty()),
        Some(name) => match ledger.session(|shown| shown.session == name) {
            Ok(None) => ledger.session(|shown| shown.session.starts_with(&*name)),
            found => found,
        },
    };
    Ok(found.context("cannot read the recall ledger")?.map(|(session, records)| (session, join_uses(records))))
}

/// Returns the excerpts with numbered lines, in the order of the numbers.
pub(super) fn numbered(all: &[ShownRecord]) -> impl Iterator<Item = &ShownPiece> {
    all.iter().flat_map(|shown| shown.pieces.iter().filter(|piece| !shown.is_session_context(piece)))
}

/// Decisions of the logs that a session was shown and that another one has replaced since: the text, and that of the last decision.
struct ReplacedDecisions(Vec<(String, String)>);

impl ReplacedDecisions {
    fn of(service: &Service<'_>, all: &[ShownRecord]) -> Self {
        let lines = all.iter().flat_map(|shown| &shown.pieces).flat_map(|piece| &piece.lines);
        let shown: Vec<String> = lines.filter_map(|line| decision_in(&line.text)).collect();
        let is_meant = |text: &str| shown.iter().any(|shown| is_same_line(shown, text));
        let found = match service.app.memory_folder() {
            Ok(folder) if !shown.is_empty() => tars_memory::decision_histories(&folder, is_meant),
            _ => return Self(Vec::new()),
        };
        let found = found.unwrap_or_else(|error| {
            tracing::warn!("later decisions are left out: {error}");
            Vec::new()
        });
        let replaced = |history: tars_memory::History| {
            let now = history.now.map(|now| now.text).unwrap_or_default();
            history.before.into_iter().map(move |old| (old.bullet.text, now.clone())).collect::<Vec<_>>()
        };
        Self(found.into_iter().flat_map(replaced).collect())
    }

    /// Returns the decision that has replaced the one in a shown line.
    fn successor(&self, line: &str) -> Option<String> {
        let shown = decision_in(line)?;
        self.0.iter().find(|(old, _)| is_same_line(&shown, old)).map(|(_, now)| redact(now).text.into_owned())
    }
}

/// Returns the text of the decision in a line of a log, without its branch.
fn decision_in(line: &str) -> Option<String> {
    line.split_once("Decided: ").map(|(_, text)| without_branch(without_request(text)).0.into_owned())
}

/// Whether a shown text is a noted one, or its beginning if it was cut.
fn is_same_line(shown: &str, noted: &str) -> bool {
    match shown.strip_suffix('…') {
        Some(beginning) => noted.starts_with(beginning.trim_end()),
        None => shown == noted,
    }
}

fn event(
    shown: &ShownRecord,
    number: &mut usize,
    replaced: &ReplacedDecisions,
    (learned, origins): (&Learned, &ShownOrigins),
) -> WhyEvent {
    let piece = |piece: &ShownPiece| {
        let always = shown.is_session_context(piece);
        let lines = piece.lines.iter().map(|line| {
            *number += usize::from(!always);
            let number = (!always).then_some(*number);
            let replaced_by = replaced.successor(&line.text);
            let known = || learned.worth_by_key(&piece.collection, &piece.path, &line.key);
            let worth = if always { None } else { known() };
            let origin = origins.origin(piece, line);
            let (text, used) = (line.text.clone(), line.used.clone());
            WhyLine { number, line: line.number, text, used, replaced_by, origin, worth }
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
