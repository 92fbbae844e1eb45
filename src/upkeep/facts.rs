//! Facts that follow from a session or a text: what a person prefers, decided or corrected, and how a project is built.
//!
//! They are found by rules over the person's own words, or by a language model whose claims the text must support. What is found is
//! checked against what the memory knows, and waits for a review: nothing of it is durable before.

use jiff::Timestamp;
use jiff::civil::Date;

use crate::digest::{
    Outcome, OutcomeKind, TurnDigest, commands_an_agent, says_too, share_a_subject, standing, supports, without_foreign,
};
use crate::domain::Turn;
use crate::memory::{Bullet, ExtractedFact, MemoryError, Relation, fact_text, known_facts, near, new_facts};
use crate::redact::redact_turn;
use crate::tasks::{Claim, MOST_FACTS, SourceLine};
use crate::vault::MemoryFolder;

/// Requests of a session from which facts are drawn: a short one rarely holds what stays true.
const LEAST_REQUESTS: usize = 3;
/// Lines of a text that are read, and bytes of it: what fits into one call of a model several times over.
const LINES: usize = 2_000;
/// Longest text that facts are drawn from, in bytes.
pub const LONGEST_TEXT: usize = 1 << 20;

/// A fact that was found, and when it was said, if that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFact {
    /// When the person began the turn that it was said in.
    pub at: Option<Timestamp>,
    /// What it says: a text of [`fact_text`].
    pub text: String,
}

/// What was said in a session, as far as facts may rest on it.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    turns: Vec<Spoken>,
}

/// A turn of it, without secrets.
#[derive(Debug, Clone)]
struct Spoken {
    id: String,
    at: Option<Timestamp>,
    /// The person's own words, without what they pasted.
    own: String,
    /// The end of the agent's answer, the files that it changed and the commands that it ran.
    agent: String,
}

impl Conversation {
    /// Adds a turn.
    pub fn add(&mut self, turn: &Turn) {
        let turn = redact_turn(turn);
        let closing = if turn.closing.trim().is_empty() { &turn.answer } else { &turn.closing };
        let agent = [closing.as_str(), &turn.files.join("\n"), &turn.commands.join("\n")].join("\n");
        self.turns.push(Spoken { id: turn.id, at: turn.at, own: without_foreign(&turn.request), agent });
    }

    /// Whether it has so many requests that facts are drawn from it unasked.
    pub fn is_long_enough(&self) -> bool {
        self.turns.iter().filter(|turn| turn.own.chars().any(char::is_alphanumeric)).count() >= LEAST_REQUESTS
    }

    /// Returns the facts that the person's own words hold, by rules, those that were said last first. `digests` are what came of the
    /// turns: a decision that a later turn took back is none.
    pub fn by_rules(&self, digests: &[TurnDigest]) -> Vec<FoundFact> {
        let is_ruled_out = |text: &str| {
            let outcomes = digests.iter().flat_map(|turn| &turn.outcomes);
            outcomes
                .filter(|outcome| outcome.kind == OutcomeKind::RuledOut)
                .any(|outcome| says_too(&outcome.text, text))
        };
        let mut found: Vec<FoundFact> = Vec::new();
        for turn in self.turns.iter().rev() {
            for text in standing(&turn.own).iter().rev().filter_map(|said| fact_text(said)) {
                if !is_ruled_out(&text) && !is_overtaken(&text, &found) {
                    found.push(FoundFact { at: turn.at, text });
                }
            }
        }
        found
    }

    /// Returns those of a model's facts that a turn supports, each with the time of the last turn that does. `is_asked` says by a turn's
    /// id whether the model was sent it.
    pub fn supported(&self, facts: &[String], is_asked: impl Fn(&str) -> bool) -> Vec<FoundFact> {
        let asked: Vec<&Spoken> = self.turns.iter().filter(|turn| is_asked(&turn.id)).collect();
        let found = |fact: &String| {
            let text = fact_text(fact).filter(|text| !commands_an_agent(text))?;
            let holds = |turn: &&&Spoken| supports(&format!("{}\n{}", turn.own, turn.agent), &text);
            let turn = asked.iter().rev().find(holds)?;
            Some(FoundFact { at: turn.at, text })
        };
        facts.iter().filter_map(found).take(MOST_FACTS).collect()
    }

    /// Whether what was said up to a turn, that one with it, supports what a model says came of it: a decision is supported by half of
    /// its words, anything else by one. What commands an agent, or was pasted with such a command, supports nothing.
    pub fn supports_outcome(&self, turn: &str, outcome: &Outcome) -> bool {
        let Some(at) = self.turns.iter().position(|spoken| spoken.id == turn) else { return false };
        let said = self.turns[..=at].iter().flat_map(|spoken| [spoken.own.as_str(), &spoken.agent]);
        let said = said.collect::<Vec<_>>().join("\n");
        let settles = matches!(outcome.kind, OutcomeKind::Decided | OutcomeKind::RuledOut);
        let is_supported = if settles { supports(&said, &outcome.text) } else { share_a_subject(&said, &outcome.text) };
        is_supported && !commands_an_agent(&outcome.text)
    }

    /// Returns its lines as a model reads them.
    pub fn lines(&self) -> Vec<SourceLine> {
        let said = |turn: &Spoken| {
            [("the person", turn.own.clone()), ("the agent", turn.agent.clone())].map(|(of, text)| lines_of(&text, of))
        };
        self.turns.iter().flat_map(said).flatten().take(LINES).collect()
    }
}

/// Returns the lines of a text that facts may rest on: without code, logs, traces and what would command an agent.
pub fn text_lines(text: &str) -> Vec<SourceLine> {
    let is_prose = text.lines().count() > 1 || !commands_an_agent(text);
    let own = if is_prose { without_foreign(text) } else { String::new() };
    lines_of(&own, "the text")
}

/// Returns the facts of lines that a person wrote, by rules.
pub fn by_rules(text: &str) -> Vec<FoundFact> {
    let mut conversation = Conversation::default();
    conversation.add(&Turn { request: text.to_owned(), ..Turn::default() });
    conversation.by_rules(&[])
}

/// Returns the facts of a model's claims about `lines` that the lines support which they name.
pub fn of_claims(claims: &[Claim], lines: &[SourceLine]) -> Vec<FoundFact> {
    let found = |claim: &Claim| {
        let named: Vec<&str> = claim.from.iter().filter_map(|at| Some(lines.get(*at)?.text.as_str())).collect();
        let text = fact_text(&claim.text).filter(|text| !commands_an_agent(text))?;
        supports(&named.join("\n"), &text).then_some(FoundFact { at: None, text })
    };
    claims.iter().filter_map(found).take(MOST_FACTS).collect()
}

/// Returns at most `most` of the facts that the memory does not know yet: `Memory.md`, `Procedural.md` and the last days before and on
/// `today` hold nothing that is nearly the same.
///
/// # Errors
/// A file of the memory cannot be read.
pub fn unknown(
    folder: &MemoryFolder,
    facts: Vec<FoundFact>,
    today: Date,
    most: usize,
) -> Result<Vec<FoundFact>, MemoryError> {
    if facts.is_empty() || most == 0 {
        return Ok(Vec::new());
    }
    let known = known_facts(folder, today)?;
    let new = new_facts(facts.iter().map(|fact| fact.text.clone()).collect(), &known);
    Ok(facts.into_iter().filter(|fact| new.contains(&fact.text)).take(most).collect())
}

impl FoundFact {
    /// Returns it as it is written, in this time zone; `otherwise` is its time where none is known.
    pub fn dated(&self, zone: &jiff::tz::TimeZone, otherwise: Timestamp) -> ExtractedFact {
        let time = self.at.unwrap_or(otherwise).to_zoned(zone.clone()).datetime();
        ExtractedFact { time, text: self.text.clone() }
    }
}

/// Whether what was said later says the same, or something else of the same subject.
fn is_overtaken(text: &str, later: &[FoundFact]) -> bool {
    let bullet = |fact: &FoundFact| Bullet { text: fact.text.clone(), ..Bullet::default() };
    let bullets: Vec<Bullet> = later.iter().map(bullet).collect();
    let near = near(text, &bullets, None).unwrap_or_default();
    near.iter().any(|like| matches!(like.relation, Relation::Equal | Relation::Close | Relation::Conflict))
}

fn lines_of(text: &str, of: &str) -> Vec<SourceLine> {
    let is_said = |line: &&str| line.chars().any(char::is_alphanumeric) && !commands_an_agent(line);
    let line = |line: &str| SourceLine { text: line.trim().to_owned(), of: of.to_owned() };
    text.lines().filter(is_said).take(LINES).map(line).collect()
}

#[cfg(test)]
mod tests;
