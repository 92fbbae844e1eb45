//! The sessions for which context was looked up.

use std::collections::HashMap;

use jiff::{Timestamp, ToSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Context, Result, Service, UseCase};
use tars_agent::recall::{ShownRecord, join_uses};

/// Days to look back, as in `tars stats --recall`.
const DAYS: i64 = 30;
/// Sessions to list if the request sets no limit.
const SESSIONS: usize = 50;

/// Asks for the sessions of the last 30 days for which context was looked up, newest first; `why` returns the details of one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RecalledRequest {
    /// Maximum number of sessions; 50 by default.
    pub limit: Option<usize>,
}

/// A session for which context was looked up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RecalledSession {
    /// Its name, as `why` takes it.
    pub session: String,
    /// The time of its first lookup.
    pub first: Timestamp,
    /// The time of its last lookup.
    pub last: Timestamp,
    /// The number of lookups.
    pub events: usize,
    /// Recalled lines, without those that every session starts with.
    pub lines: usize,
    /// Recalled lines that were used in any way.
    pub used: usize,
    /// The beginning of the last question, without secrets; empty if none is known.
    pub question: String,
}

impl UseCase for RecalledRequest {
    type Response = Vec<RecalledSession>;

    fn run(&self, service: &Service<'_>) -> Result<Vec<RecalledSession>> {
        let now = service.app.environment.clock.now();
        let since = now.checked_sub(DAYS.days()).map_or(Timestamp::UNIX_EPOCH, |since| since.timestamp());
        let records = service.app.recall_ledger().since(since).context("cannot read the recall ledger")?;
        let mut found: HashMap<String, RecalledSession> = HashMap::new();
        for shown in join_uses(records) {
            found.entry(shown.session.clone()).or_insert_with(|| RecalledSession::new(&shown)).add(&shown);
        }
        let mut found: Vec<RecalledSession> = found.into_values().collect();
        found.sort_by(|one, other| other.last.cmp(&one.last).then_with(|| one.session.cmp(&other.session)));
        found.truncate(self.limit.unwrap_or(SESSIONS));
        Ok(found)
    }
}

impl RecalledSession {
    fn new(shown: &ShownRecord) -> Self {
        let (first, last, session) = (shown.at, shown.at, shown.session.clone());
        Self { session, first, last, events: 0, lines: 0, used: 0, question: String::new() }
    }

    fn add(&mut self, shown: &ShownRecord) {
        self.events += 1;
        (self.first, self.last) = (self.first.min(shown.at), self.last.max(shown.at));
        let sought = shown.pieces.iter().filter(|piece| !shown.is_session_context(piece));
        for line in sought.flat_map(|piece| &piece.lines) {
            self.lines += 1;
            self.used += usize::from(line.is_used());
        }
        if !shown.question.is_empty() {
            self.question.clone_from(&shown.question);
        }
    }
}
