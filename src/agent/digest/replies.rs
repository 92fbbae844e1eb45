//! Decisions that a person makes by a reply: they accept the agent's advice, pick one of its alternatives, or set a value. Such replies
//! are short and often hold no word for deciding.

use super::outcome::likely_kind;
use super::own_words::own_words;
use super::sentences::sentences;
use super::small_talk::has_content;
use super::words::subject_words;
use tars_base::domain::{Turn, TurnEnd};
use tars_text::classifier::{Reply, SentenceKind, TurnContext, TurnSentence, reply};
use tars_text::languages::QUESTION_MARKS;

/// Maximum number of words of a reply. A longer one is a task of its own.
const MAX_REPLY_WORDS: usize = 40;
/// The least probability with which a reply settles something.
const SURE: f32 = 0.4;
/// The least probability that a sentence of such a reply lasts, in its turn.
const LASTS: f32 = 0.15;

/// Returns what a person settles by replying to the agent's words `before`, in a turn. If the agent says what it did about the
/// reply, its words are used because they are more precise, otherwise the person's.
pub(super) fn decisions_in_reply(turn: &Turn, before: &str, context: &TurnContext) -> Vec<String> {
    let said = own_words(&turn.request);
    if before.trim().is_empty() || said.split_whitespace().count() > MAX_REPLY_WORDS {
        return Vec::new();
    }
    let closing = if turn.end == TurnEnd::Answered { sentences(&turn.closing) } else { Vec::new() };
    let closing: Vec<String> = closing.into_iter().filter(|sentence| is_statement(sentence)).collect();
    let (kind, probability) = reply(&said, before).best();
    match kind {
        Reply::Accepts if probability >= SURE => accepted(before).into_iter().collect(),
        Reply::Sets if probability >= SURE => set(&said, &closing, context),
        _ => Vec::new(),
    }
}

/// Returns the advice that a person accepts: the agent's last statement. Accepting an offer ("Shall I release it?") or a report decides
/// nothing.
fn accepted(before: &str) -> Option<String> {
    let said = sentences(before);
    // "Shall we?" asks for a word of agreement, "Shall I release it?" offers something.
    let is_offer = |last: &String| last.ends_with(QUESTION_MARKS) && subject_words(last).len() > 1;
    if said.last().is_some_and(is_offer) {
        return None;
    }
    let advice = said.into_iter().rev().find(|sentence| is_statement(sentence))?;
    matches!(likely_kind(&advice, ""), SentenceKind::Decision | SentenceKind::Other).then_some(advice)
}

/// Returns what a reply sets: for each of its statements the agent's sentence about the same subject, else the statement.
fn set(said: &str, closing: &[String], context: &TurnContext) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let sentences = sentences(said);
    let lasts = |place: usize, text: &str| {
        let sentence = TurnSentence { text, is_persons: true, place, count: sentences.len() };
        context.kind_of(sentence).any_of(&SentenceKind::LASTING) >= LASTS
    };
    let stated = sentences
        .iter()
        .enumerate()
        .filter(|(place, sentence)| !sentence.ends_with(QUESTION_MARKS) && lasts(*place, sentence));
    for (_, sentence) in stated {
        let words = subject_words(sentence);
        let shared = |other: &&String| subject_words(other).intersection(&words).count();
        // Among sentences with equally many shared words, the first.
        let matching = closing.iter().rev().max_by_key(shared).filter(|other| shared(other) > 0);
        let text = matching.unwrap_or(sentence);
        if !words.is_empty() && !found.contains(text) {
            found.push(text.clone());
        }
    }
    found
}

/// Whether a sentence of an agent states something.
fn is_statement(sentence: &str) -> bool {
    !sentence.ends_with(QUESTION_MARKS) && has_content(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(before: &str, reply: &str, closing: &str) -> Vec<String> {
        let turn =
            Turn { request: reply.into(), closing: closing.into(), files: vec!["a.rs".into()], ..Turn::default() };
        let context = TurnContext::new(reply, before, true);
        decisions_in_reply(&turn, before, &context)
    }

    #[test]
    fn a_reply_to_alternatives_is_a_decision() {
        let options = "Two ways:\n\n- a lock in Redis\n- one in the database\n\nI suggest the database, because it is there already.";
        assert_eq!(
            decided(options, "the second one, with a lock per slot", ""),
            ["the second one, with a lock per slot"]
        );
        assert_eq!(
            decided(
                options,
                "the database, one row per slot",
                "The slots are locked in the database now, with one row each."
            ),
            ["The slots are locked in the database now, with one row each."],
            "the agent's words are more precise"
        );
        assert_eq!(decided(options, "what does the lock cost?", "Nothing."), [""; 0]);
        assert_eq!(decided(options, "run the tests of the parser first", "There is a test now."), [""; 0]);
        assert_eq!(decided(options, "let me sleep on it", "Fine."), [""; 0]);
    }

    #[test]
    fn accepted_advice_is_a_decision_and_an_accepted_chore_is_none() {
        let advice = "I suggest we keep all amounts in cents, so that nothing is ever rounded. Shall we?";
        assert_eq!(decided(advice, "yes, do that", "Fine.").len(), 1);
        assert_eq!(decided("The rename is done. Want me to push it?", "yes, do that", "Pushed to origin."), [""; 0]);
    }

    #[test]
    fn a_task_without_words_before_it_is_no_reply() {
        assert_eq!(decided("", "rename a to b", "Renamed in 5 files."), [""; 0]);
    }
}
