//! What a model answers about a session.

use std::collections::BTreeSet;

use serde_json::Value;

use super::lenient::{Answer, line, word};
use crate::digest::{MOST_BULLETS, Outcome, OutcomeKind};

/// Facts of a session at most.
pub const MOST_FACTS: usize = 5;

/// What a model makes of a session. Every text of it is one clean line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionNotes {
    /// What the session was about.
    pub topic: Option<String>,
    /// The turns that the model spoke of; each is one that it was given.
    pub turns: Vec<TurnNotes>,
    /// What stays true beyond the session, at most [`MOST_FACTS`].
    pub facts: Vec<String>,
}

/// What a model makes of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnNotes {
    /// The id that the turn was given.
    pub turn: String,
    /// What came of it, at most [`MOST_BULLETS`]; empty where the model says that nothing did.
    pub outcomes: Vec<Outcome>,
}

/// Reads an answer about the turns with these ids. `data` is what the model was sent: an address that stands there may be
/// named.
///
/// # Errors
/// Why nothing of it can be used.
pub(super) fn parse(said: &str, ids: &[&str], data: &str) -> Result<SessionNotes, &'static str> {
    let answer = Answer::parse(said, &["turns"], &["turns", "facts"]).ok_or("it is no JSON object with the turns")?;
    let text = |value: &Value| line(value, data);
    let mut notes = SessionNotes { topic: answer.object.get("topic").and_then(text), ..SessionNotes::default() };
    let mut known = BTreeSet::new();
    for turn in answer.list("turns") {
        let Some(id) = turn.get("turn").and_then(word) else { continue };
        if !ids.contains(&id.as_str()) || !known.insert(id.clone()) {
            continue;
        }
        let Some(outcomes) = turn.get("outcomes").and_then(Value::as_array) else { continue };
        let mut once: Vec<Outcome> = Vec::new();
        for outcome in outcomes.iter().filter_map(|one| outcome(one, data)) {
            if once.len() < MOST_BULLETS && !once.iter().any(|known| known.text == outcome.text) {
                once.push(outcome);
            }
        }
        notes.turns.push(TurnNotes { turn: id, outcomes: once });
    }
    notes.facts = answer.list("facts").iter().filter_map(text).take(MOST_FACTS).collect();
    if notes.turns.is_empty() {
        return Err("it says nothing of the turns that it was given");
    }
    Ok(notes)
}

fn outcome(value: &Value, data: &str) -> Option<Outcome> {
    let kind = match value.get("kind")?.as_str()?.trim().to_lowercase().replace(['_', '-'], " ").as_str() {
        "decided" | "decision" => OutcomeKind::Decided,
        "found" => OutcomeKind::Found,
        "ruled out" => OutcomeKind::RuledOut,
        "done" => OutcomeKind::Done,
        "answered" => OutcomeKind::Answered,
        "open" => OutcomeKind::Open,
        _ => return None,
    };
    Some(Outcome { kind, text: line(value.get("text")?, data)?, about: None })
}
