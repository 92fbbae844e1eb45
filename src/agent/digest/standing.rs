//! Extracts a person's statements that hold beyond the session: standing rules and facts about themselves.
//!
//! They wait for a review in the log of the day. Questions, quoted text and pasted text never count, and
//! neither does a paragraph that speaks like a system or an agent.

mod clauses;
mod reminders;
#[cfg(test)]
mod tests;

pub use clauses::concerns_person;
use clauses::{standing_clauses, states_preference};
use reminders::without_reminder;

use super::cues::{self, POLITE};
use super::own_words::own_words;
use super::sentences::sentences;
use tars_base::domain::capitalize;
use tars_text::analysis::is_unspaced;
use tars_text::classifier::is_standing;
use tars_text::languages::QUESTION_MARKS;

/// The least probability with which a sentence is a standing statement.
const SURE: f32 = 0.5;
/// Minimum number of words and maximum number of characters of such a sentence.
const MIN_WORDS: usize = 3;
const MAX_LENGTH: usize = 300;
/// The counterpart of [`MIN_WORDS`] in a script without blanks, in characters.
const MIN_UNSPACED: usize = 6;
/// Minimum number of words of a quotation. Fewer are a name in quotation marks.
const MIN_QUOTED_WORDS: usize = 4;

/// Denials before a statement, in lower case.
const DENIALS: &[&str] = &["no. ", "no, ", "nein. ", "nein, ", "non, ", "nee, "];

/// Roles that open a line of a pasted conversation, or of a text that tries to command an agent.
const ROLES: &[&str] =
    &["system", "assistant", "user", "human", "developer", "instruction", "instructions", "important instruction"];
/// Phrases that a person does not use about themselves, but a text that tries to command an agent does.
#[rustfmt::skip]
const INJECTED_PHRASES: &[&str] = &[
    "the user", "this user", "previous instructions", "prior instructions", "all instructions", "system prompt", "ai agents", "to agents",
    "all agents", "ai assistant", "ai assistants", "language model", "your memory", "ki-agenten", "ki-assistenten", "assistants must", "assistants should", "an alle agenten", "long-term memory", "der nutzer", "der benutzer", "l'utilisateur", "el usuario",
];

/// A statement that holds beyond the session.
#[derive(Debug, Clone, PartialEq)]
pub struct StandingStatement {
    /// Its text.
    pub text: String,
    /// The probability that it is one.
    pub probability: f32,
    /// Whether it says in the first person what the person prefers, avoids or usually does.
    pub is_preference: bool,
}

/// Returns the sentences of a request, or parts of them, that hold beyond the session, without polite openings and without the clause that
/// asks to remember them.
pub fn standing_statements(request: &str) -> Vec<String> {
    weighed_statements(request).into_iter().map(|statement| statement.text).collect()
}

/// Returns the same with their probabilities.
pub fn weighed_statements(request: &str) -> Vec<StandingStatement> {
    let own = without_injected_text(request);
    let of_sentence = |sentence: &String| {
        let whole = standing_part(sentence, &own);
        if whole.as_ref().is_some_and(|whole| whole.is_preference) {
            return Vec::from_iter(whole);
        }
        // The part that states the preference says it better than "I'm looking for a lamp, and I prefer warm light".
        let parts = standing_clauses(&without_reminder(sentence).unwrap_or_else(|| sentence.clone()), &own);
        let states = parts.iter().any(|part| part.is_preference);
        if states || whole.is_none() { parts } else { Vec::from_iter(whole) }
    };
    sentences(&without_quotations(&own)).iter().flat_map(of_sentence).collect()
}

/// Whether a line speaks like a system or an agent, or reports a user's wishes. Somebody may have planted it in a text
/// so that it is remembered.
pub fn looks_injected(line: &str) -> bool {
    let line = cues::plain(line);
    let start = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let speaks_as = |role: &&str| {
        start.strip_prefix(*role).is_some_and(|rest| rest.trim_start_matches([']', '*', '>', ' ']).starts_with(':'))
    };
    ROLES.iter().any(speaks_as) || cues::holds_any(&line, INJECTED_PHRASES)
}

/// Returns a person's own words of a request, up to the first paragraph with a line that commands an agent or begins
/// with a tag: the following text may belong to the same paste.
pub fn without_injected_text(request: &str) -> String {
    let own = own_words(request);
    let is_foreign = |line: &str| line.trim_start().starts_with('<') || looks_injected(line);
    let paragraphs = own.split("\n\n").take_while(|paragraph| !paragraph.lines().any(is_foreign));
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

fn standing_part(sentence: &str, request: &str) -> Option<StandingStatement> {
    let said = without_politeness(sentence.trim());
    // "No. Never use mocks here": the rule follows the denial.
    let denied = DENIALS.iter().find_map(|no| {
        said.get(..no.len()).filter(|start| start.eq_ignore_ascii_case(no)).map(|_| said[no.len()..].trim())
    });
    let text = denied.map_or_else(|| said.to_owned(), capitalize);
    let reminded = without_reminder(&text);
    let is_reminded = reminded.is_some();
    let text = reminded.unwrap_or(text);
    if !is_sayable(&text) {
        return None;
    }
    // The polite opening is part of the statement for the model: "please remember" says that it is one. A person who asks to remember a
    // statement means it, whatever the model thinks.
    let probability = is_standing(sentence, request).max(if is_reminded { SURE } else { 0.0 });
    let is_preference = probability >= SURE && states_preference(&text);
    (probability >= SURE).then_some(StandingStatement { text, probability, is_preference })
}

/// Whether a text may be a statement: long enough to say something and short enough for a line, no question, no quotation and nothing
/// that speaks like a system or an agent.
fn is_sayable(said: &str) -> bool {
    let count = said.split_whitespace().count();
    let unspaced = said.chars().filter(|c| is_unspaced(*c)).count();
    let is_whole = (count >= MIN_WORDS || unspaced >= MIN_UNSPACED) && said.chars().count() <= MAX_LENGTH;
    let is_quoted = said.contains(['"', '“', '”', '«', '»', '„']);
    let asks = said.ends_with(QUESTION_MARKS) || said.ends_with(':');
    is_whole && !is_quoted && !asks && !looks_injected(said)
}

fn without_politeness(sentence: &str) -> &str {
    let mut rest = sentence;
    loop {
        let polite = cues::of(rest, POLITE).filter_map(|word| {
            let after = rest
                .get(word.len()..)
                .filter(|_| rest.get(..word.len()).is_some_and(|start| cues::plain(start) == *word))?;
            let said = after.trim_start_matches([',', ':', '!', '.', ' ', '，', '、', '。']);
            (said.len() < after.len() && !said.is_empty()).then_some(said)
        });
        match polite.min_by_key(|said| said.len()) {
            Some(said) => rest = said,
            None => return rest,
        }
    }
}

/// Removes the quotations of a text.
fn without_quotations(text: &str) -> String {
    const MARKS: [(char, char); 4] = [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»')];
    let mut text = text.to_owned();
    for (open, close) in MARKS {
        let mut kept = String::new();
        let mut rest = text.as_str();
        while let Some(start) = rest.find(open) {
            let inside = &rest[start + open.len_utf8()..];
            let Some(end) = inside.find(close) else { break };
            kept.push_str(&rest[..start]);
            if inside[..end].split_whitespace().count() < MIN_QUOTED_WORDS {
                kept.push_str(&inside[..end]);
            } else {
                // Marks the incomplete sentence around a quotation.
                kept.push(close);
            }
            rest = &inside[end + close.len_utf8()..];
        }
        kept.push_str(rest);
        text = kept;
    }
    text
}
