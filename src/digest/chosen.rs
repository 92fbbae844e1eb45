//! What a person settles by a reply: they take one of the ways that the agent has laid out, agree to what it advised, correct it,
//! or set a value that the agent then takes over. Such replies are short and hold no word that says so.

use std::collections::BTreeSet;

use super::cues::{self, ADVICE, ALTERNATIVES, CHOICE, CONSENT, OFFER, POSTPONED, PROCESS, TAKEN, TASK};
use super::outcome::is_certain;
use super::own_words::own_words;
use super::preamble::says_something;
use super::sentences::sentences;
use super::words::{share_a_subject, stems};
use crate::domain::{Turn, TurnEnd};
use crate::languages::QUESTION_MARKS;
use crate::markdown::list_item;

/// Sentences of an agent's closing among which a question to the person is sought, the last ones.
const LAST: usize = 3;
/// A reply of more words is a task of its own.
const REPLY: usize = 40;
/// Words of a reply that only agrees.
const AGREEMENT: usize = 5;
/// Decisions that one reply makes at most.
const MOST: usize = 3;
/// Verbs by which a sentence that begins with "no" says what is required instead.
const REQUIRES: [&str; 9] = ["must", "should", "has to", "have to", "muss", "soll", "doit", "doivent", "debe"];
/// From this share of its words on, an agent's sentence confirms what a person required.
const CONFIRMED: f64 = 0.5;

/// Returns what a person has settled who replies to the agent's words `before`: in the agent's words where it says what it has
/// made of it, since these are more precise, else in the person's.
pub(super) fn chosen(turn: &Turn, before: &str) -> Vec<String> {
    let reply = own_words(&turn.request);
    // A question beside it takes nothing back.
    let said: Vec<String> =
        sentences(&reply).into_iter().filter(|sentence| !sentence.ends_with(QUESTION_MARKS)).collect();
    let Some(first) = said.first() else { return Vec::new() };
    if reply.split_whitespace().count() > REPLY {
        return Vec::new();
    }
    let plain = cues::plain(&reply);
    let closing = if turn.end == TurnEnd::Answered { turn.closing.as_str() } else { "" };
    let closing: Vec<String> =
        sentences(closing).into_iter().filter(|sentence| tells(sentence) && says_something(sentence)).collect();
    let before = Before::of(before);
    let is_task = cues::begins_with(&cues::plain(first), TASK);
    let agrees = cues::begins_with(&cues::plain(first), CONSENT) && reply.split_whitespace().count() <= AGREEMENT;
    if let (Some(advice), true) = (&before.advice, agrees) {
        // What was done about the advice says more than the advice.
        let made = closing.first().filter(|made| !turn.files.is_empty() && share_a_subject(made, advice));
        return vec![made.unwrap_or(advice).clone()];
    }
    let corrects = ["no,", "no ", "nein,", "nein ", "nee,", "non,", "non "].iter().any(|no| plain.starts_with(no));
    let follows_advice = |words: &BTreeSet<String>| {
        before.advice.as_ref().is_some_and(|advice| stems(advice).intersection(words).count() > 0)
    };
    let mut found: Vec<String> = Vec::new();
    for (index, sentence) in said.iter().enumerate() {
        let plain = cues::plain(sentence);
        if cues::holds(&plain, POSTPONED) || !is_certain(&plain) {
            continue;
        }
        let words = stems(&plain);
        let shared = |other: &&String| stems(other).intersection(&words).count();
        // Of several that hold as much of it, the first.
        let matching = closing.iter().rev().max_by_key(shared).filter(|other| shared(other) > 0);
        let takes = cues::holds(&plain, TAKEN) && !before.is_empty && (!is_task || matching.is_some());
        let picks = index == 0 && !is_task && (before.lays_out || before.asks || follows_advice(&words));
        let denies = ["no,", "not ", "nein,", "kein", "non,", "pas ", "so no "].iter().any(|no| plain.starts_with(no))
            && !cues::holds_any(&plain, &REQUIRES);
        if let Some(confirmed) = confirmed(sentence, &closing).filter(|_| !turn.files.is_empty()) {
            once(&mut found, confirmed);
        } else if (picks || takes || (corrects && index == 0)) && !words.is_empty() {
            // What is denied says less than what comes instead.
            if denies && (said.len() > 1 || matching.is_none()) {
                continue;
            }
            if picks && !turn.files.is_empty() {
                // The first sentence says what was made of it.
                closing.first().into_iter().for_each(|lead| once(&mut found, lead));
            }
            match matching {
                Some(matching) => once(&mut found, matching),
                None if found.is_empty() => once(&mut found, sentence),
                None => {}
            }
        }
    }
    found.truncate(MOST);
    found
}

fn once(found: &mut Vec<String>, text: &str) {
    if !found.iter().any(|known| known == text) {
        found.push(text.to_owned());
    }
}

/// Returns the sentence by which an agent that has changed something confirms what a person required: it names the same value, or
/// most of the same words. A task is none: "rename a to b".
fn confirmed<'c>(sentence: &str, closing: &'c [String]) -> Option<&'c String> {
    let (plain, values) = (cues::plain(sentence), values(sentence));
    let by_value = closing.iter().find(|other| values_of(other).intersection(&values).count() > 0);
    if by_value.is_some() || cues::begins_with(&plain, TASK) {
        return by_value;
    }
    let words = stems(&plain);
    closing.iter().find(|other| {
        let shared = stems(other).intersection(&words).count();
        shared > 1 && shared as f64 >= CONFIRMED * words.len() as f64
    })
}

/// What the agent said before.
struct Before {
    is_empty: bool,
    /// What it advised.
    advice: Option<String>,
    /// Whether it asked the person to choose.
    asks: bool,
    /// Whether it laid out several ways.
    lays_out: bool,
}

impl Before {
    fn of(text: &str) -> Self {
        let said = sentences(text);
        let asks = |sentence: &String| {
            let plain = cues::plain(sentence);
            sentence.ends_with(QUESTION_MARKS) && !cues::holds(&plain, OFFER) && cues::holds(&plain, CHOICE)
        };
        Self {
            is_empty: said.is_empty(),
            advice: said.iter().rev().find(|sentence| advises(sentence)).cloned(),
            asks: said.iter().rev().take(LAST).any(asks),
            lays_out: items(text) > 1 && said.iter().any(|sentence| cues::holds(&cues::plain(sentence), ALTERNATIVES)),
        }
    }
}

/// Whether an agent lays out ways of which the person is to take one. What is said of a way has not come about.
pub(super) fn lays_out(closing: &str) -> bool {
    let asks = |last: &String| last.ends_with(QUESTION_MARKS) && !cues::holds(&cues::plain(last), OFFER);
    Before::of(closing).lays_out || (items(closing) > 1 && sentences(closing).last().is_some_and(asks))
}

fn items(text: &str) -> usize {
    text.lines().filter(|line| list_item(line.trim_start()).is_some()).count()
}

fn advises(sentence: &str) -> bool {
    let plain = cues::plain(sentence);
    cues::holds(&plain, ADVICE) && !cues::holds(&plain, PROCESS)
}

/// Whether a sentence of an agent says what is now.
fn tells(sentence: &str) -> bool {
    let plain = cues::plain(sentence);
    !sentence.ends_with(QUESTION_MARKS) && !cues::holds(&plain, OFFER) && !cues::holds(&plain, POSTPONED)
}

/// Returns the values that a person sets: numbers of a sentence that count or measure something, not those of names.
fn values(sentence: &str) -> BTreeSet<String> {
    values_of(sentence).into_iter().filter(|value| value != "1" && value != "0").collect()
}

fn values_of(sentence: &str) -> BTreeSet<String> {
    let words = sentence.split(|c: char| c.is_whitespace() || c == '(' || c == ')');
    let bare = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '%'));
    bare.map(|word| word.trim_end_matches('%'))
        .filter(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(before: &str, reply: &str, closing: &str) -> Vec<String> {
        let turn =
            Turn { request: reply.into(), closing: closing.into(), files: vec!["a.rs".into()], ..Turn::default() };
        chosen(&turn, before)
    }

    #[test]
    fn a_person_who_was_asked_has_chosen() {
        let options = "Two ways:\n\n- a lock in Redis\n- one in the database\n\nI'd take the database.";
        assert_eq!(decided(options, "then FOR UPDATE on time_slots", ""), ["then FOR UPDATE on time_slots"]);
        assert_eq!(
            decided(options, "the database", "The slots are locked in the database now, with one row each."),
            ["The slots are locked in the database now, with one row each."]
        );
        assert_eq!(
            decided(options, "redis, and no retry around it", "The slots are locked now. No retry: we want to see it."),
            ["The slots are locked now.", "No retry: we want to see it."]
        );
        assert_eq!(decided(options, "yes, do that", ""), ["I'd take the database."]);
        assert_eq!(decided(options, "what does the lock cost?", "Nothing."), [""; 0]);
        assert_eq!(decided(options, "write a test of it first", "There is a test now."), [""; 0]);
        assert_eq!(
            decided("It is done. Want me to push it?", "run the tests of the parser first", "All green."),
            [""; 0]
        );
        assert_eq!(
            decided("Welche Frist soll gelten?", "zwanzig minuten für die reservierungen", ""),
            ["zwanzig minuten für die reservierungen"]
        );
    }

    #[test]
    fn a_correction_and_a_value_settle_something() {
        let redis = "I'll set up Redis as the store and";
        assert_eq!(
            decided(redis, "no, not redis. sqlite, as for the orders", "Right, sqlite it is."),
            ["Right, sqlite it is."]
        );
        assert_eq!(
            decided("Done.", "mach bei den reservierungen 20 minuten draus", "Die Frist steht auf 20 Minuten."),
            ["Die Frist steht auf 20 Minuten."]
        );
        assert_eq!(decided("Done.", "rename a to b", "Renamed in 5 files."), [""; 0]);
        assert_eq!(decided("Two ways:\n- a\n- b", "let's try 30", "With 30 it is faster."), [""; 0], "an experiment");
        assert_eq!(decided("Two ways:\n- a\n- b", "we do that another day", "Fine."), [""; 0]);
    }
}
