//! What a model answers about a session, read leniently: JSON in a fence, prose around it, an end that is missing, fields and
//! kinds that are not known. All of it is foreign text.

use std::collections::BTreeSet;

use serde_json::{Deserializer, Value};

use crate::chat::closed_json;
use crate::digest::{MOST_BULLETS, Outcome, OutcomeKind, cleaned_line};

/// Facts of a session at most.
pub const MOST_FACTS: usize = 5;
/// How much of an answer is looked at, in bytes; a whole one has a few thousand.
const LONGEST: usize = 64 << 10;
/// Places at which an object is sought.
const PLACES: usize = 50;
/// How much of a single text is looked at, in characters, before it is cleaned and cut.
const TEXT: usize = 2_000;

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
    let said = &said[..said.floor_char_boundary(LONGEST)];
    // A fence may follow an object whose last bracket was forgotten.
    let said = said.trim_end().trim_end_matches('`');
    let (object, is_cut) = object(said).ok_or("it is no JSON object with the turns")?;
    let text = |value: &Value| line(value, data);
    let mut notes = SessionNotes { topic: object.get("topic").and_then(text), ..SessionNotes::default() };
    let (mut turns, mut facts) = (list(&object, "turns"), list(&object, "facts"));
    if is_cut {
        // What was being written when the answer ended may lack its end.
        let ends_in_facts = said.rfind("\"facts\"") > said.rfind("\"turns\"");
        if ends_in_facts {
            facts.pop()
        } else {
            turns.pop()
        };
    }
    let mut known = BTreeSet::new();
    for turn in turns {
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
    notes.facts = facts.into_iter().filter_map(|fact| text(&fact)).take(MOST_FACTS).collect();
    if notes.turns.is_empty() {
        return Err("it says nothing of the turns that it was given");
    }
    Ok(notes)
}

/// Returns the first object that holds turns, and whether its end is missing.
fn object(said: &str) -> Option<(Value, bool)> {
    let holds_turns = |value: &Value| value.get("turns").is_some_and(Value::is_array);
    let mut from = 0;
    for _ in 0..PLACES {
        let start = from + said[from..].find('{')?;
        let rest = &said[start..];
        let mut values = Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) if holds_turns(&value) => return Some((value, false)),
            Some(Ok(_)) => from = start + values.byte_offset(),
            Some(Err(error)) if error.is_eof() => {
                let value = closed_json(rest).and_then(|closed| serde_json::from_str(&closed).ok());
                if let Some(value) = value.filter(holds_turns) {
                    return Some((value, true));
                }
                from = start + 1;
            }
            _ => from = start + 1,
        }
    }
    None
}

fn list(object: &Value, name: &str) -> Vec<Value> {
    object.get(name).and_then(Value::as_array).cloned().unwrap_or_default()
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

/// Returns a text or a number as one word.
fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns a text as a clean line without addresses that the model was not sent; `None` where nothing is left of it.
fn line(value: &Value, data: &str) -> Option<String> {
    let text: String = word(value)?.chars().take(TEXT).collect();
    let is_made_up = |word: &&str| word.contains("://") && !data.contains(word.trim_end_matches(['.', ',', ')']));
    let clean = cleaned_line(&text);
    let words: Vec<&str> = clean.split(' ').map(|word| if is_made_up(&word) { "(link)" } else { word }).collect();
    let text = words.join(" ");
    text.chars().any(char::is_alphanumeric).then_some(text)
}
