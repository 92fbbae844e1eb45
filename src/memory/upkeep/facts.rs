//! Extracts facts from a session or a text: a person's preferences, decisions and corrections, and how a project is built.
//!
//! Rules find facts in the person's own words. With a language model, the text must support the model's claims. Known facts are dropped.
//! The rest waits for a review; nothing is durable before that.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::civil::Date;

use super::support::holds_values;
use crate::{
    Bullet, ExtractedFact, MemoryError, Relation, author_of, fact_text, known_facts, new_facts, similar_bullets,
};
use tars_agent::digest::{
    TurnDigest, denied_words, is_in_own_words, looks_injected, repeats, sentences, shares_words, standing_statements,
    subject_words, supports, without_injected_text,
};
use tars_base::domain::{Outcome, OutcomeKind, Reading, Turn};
use tars_chat::tasks::{Claim, MAX_FACTS, SourceLine};
use tars_text::classifier::{Reply, reply};
use tars_text::languages::QUESTION_MARKS;
use tars_text::redact::redact_turn;
use tars_vault::{Author, MemoryFolder};

/// Minimum number of requests of a session. A shorter session rarely holds durable facts.
const MIN_REQUESTS: usize = 3;
/// Maximum number of lines to read from a text. It fills several calls of a model.
const MAX_LINES: usize = 2_000;
/// Maximum length of a text, in bytes.
pub const MAX_TEXT_BYTES: usize = 1 << 20;

/// The least probability with which a reply refuses what the agent proposed.
const REFUSES: f32 = 0.5;

/// Letters of a word by which what was refused is compared with what a model says.
const STEM: usize = 4;

/// An extracted fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFact {
    /// Start of the turn that states it; `None` if unknown.
    pub at: Option<Timestamp>,
    /// Its text, as returned by [`fact_text`].
    pub text: String,
    /// The person or agent that stated it, if known.
    pub by: Option<Author>,
}

/// The turns of a session, as a source of facts.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    turns: Vec<RedactedTurn>,
}

/// A turn, with secrets redacted.
#[derive(Debug, Clone)]
struct RedactedTurn {
    id: String,
    at: Option<Timestamp>,
    /// The person's own words, without pasted text.
    own: String,
    /// The end of the agent's answer, the changed files and the commands.
    agent: String,
    /// The origin of the text that the agent had read.
    reading: Reading,
}

impl RedactedTurn {
    /// Whether a sentence of the turn says the opposite of a text, and none says the same.
    fn contradicts(&self, text: &str) -> bool {
        let said = [self.own.as_str(), &self.agent].into_iter().flat_map(sentences);
        let lines = said.filter(|sentence| !sentence.ends_with(QUESTION_MARKS));
        let bullets: Vec<Bullet> = lines.map(|sentence| Bullet::of_text(&sentence)).collect();
        let near = similar_bullets(text, &bullets, None).unwrap_or_default();
        let is = |relation: Relation| near.iter().any(|like| like.relation == relation);
        is(Relation::Conflict) && !is(Relation::Equal) && !is(Relation::Close)
    }

    /// Whether the person refuses here what a text says, which the agent proposed in the turn before.
    fn refuses(&self, proposed: &Self, text: &str) -> bool {
        let is_statement = |sentence: &String| !sentence.ends_with(QUESTION_MARKS);
        let of_persons: Vec<String> = sentences(&proposed.own).into_iter().filter(is_statement).collect();
        // Somebody who said it does not refuse it by "no" to something else.
        if !supports(&proposed.agent, text) || supports(&of_persons.join("\n"), text) {
            return false;
        }
        let (said, offered) = (stems(text), stems(&proposed.agent));
        let replies: Vec<String> = sentences(&self.own).into_iter().filter(is_statement).collect();
        let denied: BTreeSet<String> = replies
            .iter()
            .flat_map(|reply| shortened(denied_words(reply)))
            .filter(|word| offered.contains(word))
            .collect();
        // "No, plain HTTP": a text that names the person's own choice is not what they refused.
        let own: BTreeSet<String> = stems(&self.own).difference(&offered).cloned().collect();
        if !said.is_disjoint(&own) {
            return false;
        }
        if !denied.is_empty() {
            let denied_in_text: BTreeSet<String> = shortened(denied_words(text)).collect();
            return denied.iter().any(|word| said.contains(word) && !denied_in_text.contains(word));
        }
        let is_refusal = |words: &str| {
            let (label, probability) = reply(words, &proposed.agent).best();
            label == Reply::Refuses && probability >= REFUSES
        };
        let answer = stems(&self.agent);
        said.intersection(&offered).any(|word| !answer.contains(word))
            && (is_refusal(&self.own) || replies.iter().any(|reply| is_refusal(reply)))
    }
}

impl Conversation {
    /// Adds a turn.
    pub fn add(&mut self, turn: &Turn) {
        let turn = redact_turn(turn);
        let closing = if turn.closing.trim().is_empty() { &turn.answer } else { &turn.closing };
        let agent = [closing.as_str(), &turn.files.join("\n"), &turn.commands.join("\n")].join("\n");
        let (reading, own) = (turn.reading, without_injected_text(&turn.request));
        self.turns.push(RedactedTurn { id: turn.id, at: turn.at, own, agent, reading });
    }

    /// Returns what the agent had read by its end.
    pub fn reading(&self) -> Reading {
        self.turns.iter().map(|turn| turn.reading).max().unwrap_or_default()
    }

    /// Whether it has enough requests for an automatic extraction.
    pub fn is_long_enough(&self) -> bool {
        self.turns.iter().filter(|turn| turn.own.chars().any(char::is_alphanumeric)).count() >= MIN_REQUESTS
    }

    /// Returns the facts that rules find in the person's own words, newest first. `digests` are the outcomes of the turns; a decision
    /// that a later turn ruled out is left out.
    pub fn by_rules(&self, digests: &[TurnDigest]) -> Vec<FoundFact> {
        // "pnpm, not npm" rules something out itself.
        let is_ruled_out = |said_in: &str, text: &str| {
            let outcomes = digests.iter().filter(|turn| turn.id != said_in).flat_map(|turn| &turn.outcomes);
            outcomes.filter(|outcome| outcome.kind == OutcomeKind::RuledOut).any(|outcome| repeats(&outcome.text, text))
        };
        let mut found: Vec<FoundFact> = Vec::new();
        for turn in self.turns.iter().rev() {
            for text in standing_statements(&turn.own).iter().rev().filter_map(|said| fact_text(said)) {
                if !is_ruled_out(&turn.id, &text) && !is_superseded(&text, &found) {
                    found.push(FoundFact { at: turn.at, text, by: Some(Author::Person) });
                }
            }
        }
        found
    }

    /// Returns the model's facts that a turn supports, each with the time of the last such turn. `is_asked` tells by id whether the model
    /// received a turn.
    pub fn supported(&self, facts: &[String], is_asked: impl Fn(&str) -> bool) -> Vec<FoundFact> {
        let asked: Vec<&RedactedTurn> = self.turns.iter().filter(|turn| is_asked(&turn.id)).collect();
        let found = |fact: &String| {
            let text = fact_text(fact).filter(|text| !looks_injected(text))?;
            let holds = |turn: &&&RedactedTurn| supports(&format!("{}\n{}", turn.own, turn.agent), &text);
            let turn = asked.iter().rev().find(holds)?;
            let is_own = is_in_own_words(&turn.own, &text);
            let by = if is_own { Author::Person } else { author_of(turn.reading) };
            Some(FoundFact { at: turn.at, text, by: Some(by) })
        };
        facts.iter().filter_map(found).take(MAX_FACTS).collect()
    }

    /// Whether the session up to and including a turn supports a model's outcome: it holds half of a decision's words, two words of any
    /// other outcome, and all of its numbers and names in backticks; the turn does not say the opposite, and the person refuses it
    /// neither there nor in the next turn. Pasted text does not count, and an outcome that commands an agent is never supported.
    pub fn supports_outcome(&self, turn: &str, outcome: &Outcome) -> bool {
        let Some(at) = self.turns.iter().position(|spoken| spoken.id == turn) else { return false };
        let said = self.turns[..=at].iter().flat_map(|spoken| [spoken.own.as_str(), &spoken.agent]);
        let said = said.collect::<Vec<_>>().join("\n");
        let settles = matches!(outcome.kind, OutcomeKind::Decided | OutcomeKind::RuledOut);
        (if settles { supports(&said, &outcome.text) } else { shares_words(&said, &outcome.text) })
            && holds_values(&said, &outcome.text)
            && !looks_injected(&outcome.text)
            && !self.turns[at].contradicts(&outcome.text)
            && !(outcome.kind == OutcomeKind::Decided && self.is_refused(at, &outcome.text))
    }

    /// Whether a turn speaks of the subject of a text: it shares two words with it.
    pub fn speaks_of(&self, turn: &str, text: &str) -> bool {
        let mut turns = self.turns.iter().filter(|spoken| spoken.id == turn);
        turns.any(|spoken| shares_words(&format!("{}\n{}", spoken.own, spoken.agent), text))
    }

    /// Whether the person refused what a text says: in the turn `at`, what the agent had proposed before, or in the next turn.
    fn is_refused(&self, at: usize, text: &str) -> bool {
        let refuses = |first: usize| {
            let pair = self.turns.get(first..first + 2);
            pair.is_some_and(|pair| pair[1].refuses(&pair[0], text))
        };
        refuses(at) || at.checked_sub(1).is_some_and(refuses)
    }

    /// Returns its lines as input for a model.
    pub fn lines(&self) -> Vec<SourceLine> {
        let said = |turn: &RedactedTurn| {
            [("the person", turn.own.clone()), ("the agent", turn.agent.clone())].map(|(of, text)| lines_of(&text, of))
        };
        self.turns.iter().flat_map(said).flatten().take(MAX_LINES).collect()
    }
}

/// Returns the subject words of a text, shortened so that forms of a word are equal: "retry" and "retries".
fn stems(text: &str) -> BTreeSet<String> {
    shortened(subject_words(text)).collect()
}

fn shortened(words: BTreeSet<String>) -> impl Iterator<Item = String> {
    words.into_iter().map(|word| word.chars().take(STEM).collect())
}

/// Returns the lines of a text that may support facts: without code, logs, stack traces and lines that command an agent.
pub fn text_lines(text: &str) -> Vec<SourceLine> {
    let is_prose = text.lines().count() > 1 || !looks_injected(text);
    let own = if is_prose { without_injected_text(text) } else { String::new() };
    lines_of(&own, "the text")
}

/// Returns the facts that rules find in lines that a person wrote.
pub fn by_rules(text: &str) -> Vec<FoundFact> {
    let mut conversation = Conversation::default();
    conversation.add(&Turn { request: text.to_owned(), ..Turn::default() });
    conversation.by_rules(&[])
}

/// Returns the facts of a model's claims, if the lines that a claim names support it.
pub fn facts_of_claims(claims: &[Claim], lines: &[SourceLine]) -> Vec<FoundFact> {
    let found = |claim: &Claim| {
        let named: Vec<&str> = claim.from.iter().filter_map(|at| Some(lines.get(*at)?.text.as_str())).collect();
        let text = fact_text(&claim.text).filter(|text| !looks_injected(text))?;
        supports(&named.join("\n"), &text).then_some(FoundFact { at: None, text, by: None })
    };
    claims.iter().filter_map(found).take(MAX_FACTS).collect()
}

/// Returns at most `most` facts that the memory does not know yet. They are compared with the remembered facts and the logs of the seven
/// days up to `today` (see [`known_facts`]).
///
/// # Errors
/// A file of the memory cannot be read.
pub fn unknown_facts(
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
    /// Returns the fact with its local time in `zone`. `otherwise` replaces an unknown time.
    pub fn dated(&self, zone: &jiff::tz::TimeZone, otherwise: Timestamp) -> ExtractedFact {
        let time = self.at.unwrap_or(otherwise).to_zoned(zone.clone()).datetime();
        ExtractedFact { time, text: self.text.clone(), by: self.by }
    }
}

/// Whether a later fact says the same, or something different about the same subject.
fn is_superseded(text: &str, later: &[FoundFact]) -> bool {
    let bullets: Vec<Bullet> = later.iter().map(|fact| Bullet::of_text(&fact.text)).collect();
    similar_bullets(text, &bullets, None).is_ok_and(|similar| !similar.is_empty())
}

fn lines_of(text: &str, of: &str) -> Vec<SourceLine> {
    let is_said = |line: &&str| line.chars().any(char::is_alphanumeric) && !looks_injected(line);
    let line = |line: &str| SourceLine { text: line.trim().to_owned(), of: of.to_owned() };
    text.lines().filter(is_said).take(MAX_LINES).map(line).collect()
}

#[cfg(test)]
mod tests;
