//! A model's answer about a session.

use std::collections::BTreeSet;

use serde_json::Value;

use super::knowledge::SessionKnowledge;
use super::lenient::{Answer, line, word};
use tars_base::domain::{Outcome, OutcomeKind};

/// Maximum number of facts per session.
pub const MAX_FACTS: usize = 5;
/// Maximum number of outcomes per turn.
pub(super) const MAX_OUTCOMES: usize = 6;

/// A model's notes about a session. Every text is one clean line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionNotes {
    /// The turns that the model mentions; each is one of the given turns.
    pub turns: Vec<TurnNotes>,
    /// Facts that stay true beyond the session, at most [`MAX_FACTS`].
    pub facts: Vec<String>,
}

/// A model's notes about a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnNotes {
    /// Id of the turn.
    pub turn: String,
    /// Outcomes of the turn, at most `MAX_OUTCOMES`; empty if the model reports none.
    pub outcomes: Vec<Outcome>,
    /// For each outcome the decisions that it replaces, by their places among the known ones.
    pub replaces: Vec<Vec<usize>>,
    /// The open ends that the turn has done or settled, by their places among the known ones.
    pub closes: Vec<usize>,
}

/// Parses an answer about the turns with these ids, which may name what is `known`. `data` is the text that was sent to the model; the answer may
/// contain only URLs that occur in it.
///
/// # Errors
/// Why the answer is unusable.
pub(super) fn parse(
    said: &str,
    (ids, known): (&[&str], &SessionKnowledge),
    data: &str,
) -> Result<SessionNotes, &'static str> {
    let answer = Answer::parse(said, &["turns"], &["turns", "facts"]).ok_or("it is not a JSON object with turns")?;
    let text = |value: &Value| line(value, data);
    let mut notes = SessionNotes::default();
    let mut named = BTreeSet::new();
    for turn in answer.list("turns") {
        let Some(id) = turn.get("turn").and_then(word) else { continue };
        if !ids.contains(&id.as_str()) || !named.insert(id.clone()) {
            continue;
        }
        let Some(outcomes) = turn.get("outcomes").and_then(Value::as_array) else { continue };
        let (mut once, mut replaces): (Vec<Outcome>, Vec<Vec<usize>>) = Default::default();
        for (value, outcome) in outcomes.iter().filter_map(|one| Some((one, outcome(one, data)?))) {
            if once.len() < MAX_OUTCOMES && !once.iter().any(|known| known.text == outcome.text) {
                let is_decision = outcome.kind == OutcomeKind::Decided;
                let decisions = if is_decision { known.decisions.len() } else { 0 };
                replaces.push(places(value.get("replaces"), 'd', decisions));
                once.push(outcome);
            }
        }
        let closes = places(turn.get("closes"), 'o', known.open.len());
        notes.turns.push(TurnNotes { turn: id, outcomes: once, replaces, closes });
    }
    notes.facts = answer.list("facts").iter().filter_map(text).take(MAX_FACTS).collect();
    if notes.turns.is_empty() {
        return Err("it mentions none of the given turns");
    }
    Ok(notes)
}

/// Returns the places that a list names: `d1` is the first one. Others are left out.
fn places(value: Option<&Value>, letter: char, count: usize) -> Vec<usize> {
    let named = value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let place = |name: &str| name.strip_prefix(letter)?.parse::<usize>().ok()?.checked_sub(1);
    let mut found: Vec<usize> = named.filter_map(place).filter(|place| *place < count).collect();
    found.sort_unstable();
    found.dedup();
    found
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
