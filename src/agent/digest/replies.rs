//! Decisions that a person makes by a reply: they pick one of the agent's alternatives, accept its advice, correct it,
//! or set a value that the agent adopts. Such replies are short and hold no word for deciding.

use std::collections::BTreeSet;

use super::cues::{self, ADVICE, ALTERNATIVES, CHOICE, CONSENT, NEXT_STEPS, OFFER, PICKS, POSTPONED, TASK};
use super::outcome::is_certain;
use super::own_words::own_words;
use super::sentences::sentences;
use super::small_talk::has_content;
use super::words::{have_common_subject, subject_words};
use tars_base::domain::{Turn, TurnEnd};
use tars_text::languages::QUESTION_MARKS;
use tars_text::markdown::list_item;

/// The number of last sentences of an agent's closing that may hold a question to the person.
const QUESTION_SENTENCES: usize = 3;
/// Maximum number of words of a reply. A longer one is a task of its own.
const MAX_REPLY_WORDS: usize = 40;
/// Maximum number of words of a reply that only agrees.
const MAX_AGREEMENT_WORDS: usize = 5;
/// Maximum number of decisions in one reply.
const MAX_DECISIONS: usize = 3;
/// Verbs with which a sentence that begins with "no" requires something instead.
const REQUIREMENT_VERBS: [&str; 9] = ["must", "should", "has to", "have to", "muss", "soll", "doit", "doivent", "debe"];
/// The share of a requirement's words that an agent's sentence must hold to confirm it.
const CONFIRMED_SHARE: f64 = 0.5;

/// Returns what a person settles by replying to the agent's words `before`. If the agent says what it did about the
/// reply, its words are used because they are more precise, otherwise the person's.
pub(super) fn decisions_in_reply(turn: &Turn, before: &str) -> Vec<String> {
    let reply = own_words(&turn.request);
    // A question next to the statement takes nothing back.
    let said: Vec<String> =
        sentences(&reply).into_iter().filter(|sentence| !sentence.ends_with(QUESTION_MARKS)).collect();
    let Some(first) = said.first() else { return Vec::new() };
    if reply.split_whitespace().count() > MAX_REPLY_WORDS {
        return Vec::new();
    }
    let plain = cues::plain(&reply);
    let closing = if turn.end == TurnEnd::Answered { turn.closing.as_str() } else { "" };
    let closing: Vec<String> =
        sentences(closing).into_iter().filter(|sentence| is_statement(sentence) && has_content(sentence)).collect();
    let before = PrecedingAnswer::of(before);
    let is_task = cues::begins_with(&cues::plain(first), TASK);
    let agrees =
        cues::begins_with(&cues::plain(first), CONSENT) && reply.split_whitespace().count() <= MAX_AGREEMENT_WORDS;
    if let (Some(advice), true) = (&before.advice, agrees) {
        // The advice itself says less than the agent's reaction to it.
        let made = closing.first().filter(|made| !turn.files.is_empty() && have_common_subject(made, advice));
        return vec![made.unwrap_or(advice).clone()];
    }
    let corrects = ["no,", "no ", "nein,", "nein ", "nee,", "non,", "non "].iter().any(|no| plain.starts_with(no));
    let follows_advice = |words: &BTreeSet<String>| {
        before.advice.as_ref().is_some_and(|advice| subject_words(advice).intersection(words).count() > 0)
    };
    let mut found: Vec<String> = Vec::new();
    for (index, sentence) in said.iter().enumerate() {
        let plain = cues::plain(sentence);
        if cues::holds(&plain, POSTPONED) || !is_certain(&plain) {
            continue;
        }
        let words = subject_words(&plain);
        let shared = |other: &&String| subject_words(other).intersection(&words).count();
        // Among sentences with equally many shared words, the first.
        let matching = closing.iter().rev().max_by_key(shared).filter(|other| shared(other) > 0);
        let takes = cues::holds(&plain, PICKS) && !before.is_empty && (!is_task || matching.is_some());
        let picks = index == 0 && !is_task && (before.presents_alternatives || before.asks || follows_advice(&words));
        let denies = ["no,", "not ", "nein,", "kein", "non,", "pas ", "so no "].iter().any(|no| plain.starts_with(no))
            && !cues::holds_any(&plain, &REQUIREMENT_VERBS);
        if let Some(confirmed) = confirmed(sentence, &closing).filter(|_| !turn.files.is_empty()) {
            push_unique(&mut found, confirmed);
        } else if (picks || takes || (corrects && index == 0)) && !words.is_empty() {
            // The alternative says more than the denial.
            if denies && (said.len() > 1 || matching.is_none()) {
                continue;
            }
            if picks && !turn.files.is_empty() {
                // The first closing sentence says what the agent did about it.
                closing.first().into_iter().for_each(|lead| push_unique(&mut found, lead));
            }
            match matching {
                Some(matching) => push_unique(&mut found, matching),
                None if found.is_empty() => push_unique(&mut found, sentence),
                None => {}
            }
        }
    }
    found.truncate(MAX_DECISIONS);
    found
}

fn push_unique(found: &mut Vec<String>, text: &str) {
    if !found.iter().any(|known| known == text) {
        found.push(text.to_owned());
    }
}

/// Returns the closing sentence by which an agent that has changed something confirms a person's requirement: it names
/// the same value, or most of the same words. The words of a task ("rename a to b") confirm nothing.
fn confirmed<'c>(sentence: &str, closing: &'c [String]) -> Option<&'c String> {
    let (plain, values) = (cues::plain(sentence), values(sentence));
    let by_value = closing.iter().find(|other| values_of(other).intersection(&values).count() > 0);
    if by_value.is_some() || cues::begins_with(&plain, TASK) {
        return by_value;
    }
    let words = subject_words(&plain);
    closing.iter().find(|other| {
        let shared = subject_words(other).intersection(&words).count();
        shared > 1 && shared as f64 >= CONFIRMED_SHARE * words.len() as f64
    })
}

/// The agent's previous words.
struct PrecedingAnswer {
    is_empty: bool,
    /// The advice in them.
    advice: Option<String>,
    /// Whether it asked the person to choose.
    asks: bool,
    /// Whether it presented alternatives.
    presents_alternatives: bool,
}

impl PrecedingAnswer {
    fn of(text: &str) -> Self {
        let said = sentences(text);
        let asks = |sentence: &String| {
            let plain = cues::plain(sentence);
            sentence.ends_with(QUESTION_MARKS) && !cues::holds(&plain, OFFER) && cues::holds(&plain, CHOICE)
        };
        Self {
            is_empty: said.is_empty(),
            advice: said.iter().rev().find(|sentence| advises(sentence)).cloned(),
            asks: said.iter().rev().take(QUESTION_SENTENCES).any(asks),
            presents_alternatives: items(text) > 1
                && said.iter().any(|sentence| cues::holds(&cues::plain(sentence), ALTERNATIVES)),
        }
    }
}

/// Whether an agent presents alternatives for the person to pick from. Statements about an alternative are not facts
/// yet.
pub(super) fn presents_alternatives(closing: &str) -> bool {
    let asks = |last: &String| last.ends_with(QUESTION_MARKS) && !cues::holds(&cues::plain(last), OFFER);
    PrecedingAnswer::of(closing).presents_alternatives
        || (items(closing) > 1 && sentences(closing).last().is_some_and(asks))
}

fn items(text: &str) -> usize {
    text.lines().filter(|line| list_item(line.trim_start()).is_some()).count()
}

fn advises(sentence: &str) -> bool {
    let plain = cues::plain(sentence);
    cues::holds(&plain, ADVICE) && !cues::holds(&plain, NEXT_STEPS)
}

/// Whether a sentence of an agent describes the present state.
fn is_statement(sentence: &str) -> bool {
    let plain = cues::plain(sentence);
    !sentence.ends_with(QUESTION_MARKS) && !cues::holds(&plain, OFFER) && !cues::holds(&plain, POSTPONED)
}

/// Returns the values that a person sets: numbers of a sentence that count or measure something, not those inside
/// names.
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
        decisions_in_reply(&turn, before)
    }

    #[test]
    fn a_reply_to_alternatives_is_a_decision() {
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
    fn corrections_and_values_are_decisions() {
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
