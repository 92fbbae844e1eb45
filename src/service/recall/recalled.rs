//! The sessions that something was put before.

use std::collections::HashMap;

use anyhow::{Context, Result};
use jiff::{Timestamp, ToSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::recall::{Shown, joined};
use crate::service::{Service, UseCase};

/// Days that are looked back on: those of `tars stats --recall`.
const DAYS: i64 = 30;
/// Sessions that are told where the request names no number.
const SESSIONS: usize = 50;

/// Asks for the sessions of the last 30 days that something was sought for, newest first; `why` tells more of each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RecalledRequest {
    /// How many at most, 50 where it is left out.
    pub limit: Option<usize>,
}

/// A session that something was sought for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RecalledSession {
    /// Its name, by which `why` knows it.
    pub session: String,
    /// When something was first sought for it.
    pub first: Timestamp,
    /// When last.
    pub last: Timestamp,
    /// How often.
    pub events: usize,
    /// Lines that were brought up, without those that every session begins with.
    pub lines: usize,
    /// Those of them that were used in any way.
    pub used: usize,
    /// How the last question begins, without secrets; empty where none is known.
    pub question: String,
}

impl UseCase for RecalledRequest {
    type Response = Vec<RecalledSession>;

    fn run(&self, service: &Service<'_>) -> Result<Vec<RecalledSession>> {
        let now = service.app.environment.clock.now();
        let since = now.checked_sub(DAYS.days()).map_or(Timestamp::UNIX_EPOCH, |since| since.timestamp());
        let records = service.app.recall_ledger().since(since).context("cannot read the recall ledger")?;
        let mut found: HashMap<String, RecalledSession> = HashMap::new();
        for shown in joined(records) {
            found.entry(shown.session.clone()).or_insert_with(|| RecalledSession::new(&shown)).add(&shown);
        }
        let mut found: Vec<RecalledSession> = found.into_values().collect();
        found.sort_by(|one, other| other.last.cmp(&one.last).then_with(|| one.session.cmp(&other.session)));
        found.truncate(self.limit.unwrap_or(SESSIONS));
        Ok(found)
    }
}

impl RecalledSession {
    fn new(shown: &Shown) -> Self {
        let (first, last, session) = (shown.at, shown.at, shown.session.clone());
        Self { session, first, last, events: 0, lines: 0, used: 0, question: String::new() }
    }

    fn add(&mut self, shown: &Shown) {
        self.events += 1;
        (self.first, self.last) = (self.first.min(shown.at), self.last.max(shown.at));
        let sought = shown.pieces.iter().filter(|piece| !shown.is_always(piece));
        for line in sought.flat_map(|piece| &piece.lines) {
            self.lines += 1;
            self.used += usize::from(line.is_used());
        }
        if !shown.question.is_empty() {
            self.question.clone_from(&shown.question);
        }
    }
}
