//! Decisions that a person makes by agreeing to the agent's advice. Such replies are short and hold no word for deciding; a reply that names
//! what holds is a sentence like any other.

use super::outcome::likely_kind;
use super::own_words::own_words;
use super::sentences::sentences;
use super::small_talk::has_content;
use super::words::subject_words;
use tars_base::domain::Turn;
use tars_text::classifier::{Reply, SentenceKind, reply};
use tars_text::languages::QUESTION_MARKS;

/// Maximum number of words of a reply. A longer one is a task of its own.
const MAX_REPLY_WORDS: usize = 40;
/// The least probability with which a reply agrees.
const SURE: f32 = 0.6;

/// Returns the advice among the agent's words `before` that a person accepts by this turn's request.
pub(super) fn accepted_advice(turn: &Turn, before: &str) -> Option<String> {
    let said = own_words(&turn.request);
    if before.trim().is_empty() || said.split_whitespace().count() > MAX_REPLY_WORDS {
        return None;
    }
    let (kind, probability) = reply(&said, before).best();
    (kind == Reply::Accepts && probability >= SURE).then(|| advice(before)).flatten()
}

/// Returns the agent's last statement, if it settles something. Accepting an offer ("Shall I release it?") or a report decides
/// nothing.
fn advice(before: &str) -> Option<String> {
    let said = sentences(before);
    // "Shall we?" asks for a word of agreement, "Shall I release it?" offers something.
    let is_offer = |last: &String| last.ends_with(QUESTION_MARKS) && subject_words(last).len() > 1;
    if said.last().is_some_and(is_offer) {
        return None;
    }
    let advice = said.into_iter().rev().find(|sentence| is_statement(sentence))?;
    (likely_kind(&advice, "") == SentenceKind::Decision).then_some(advice)
}

/// Whether a sentence of an agent states something.
fn is_statement(sentence: &str) -> bool {
    !sentence.ends_with(QUESTION_MARKS) && has_content(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(before: &str, reply: &str) -> Option<String> {
        accepted_advice(&Turn { request: reply.into(), files: vec!["a.rs".into()], ..Turn::default() }, before)
    }

    #[test]
    fn accepted_advice_is_a_decision_and_an_accepted_chore_is_none() {
        let advice = "I suggest we keep all amounts in cents, so that nothing is ever rounded. Shall we?";
        assert!(accepted(advice, "yes, do that").is_some());
        assert_eq!(accepted(advice, "what does that cost?"), None);
        assert_eq!(accepted(advice, "let me sleep on it"), None);
        assert_eq!(accepted("The rename is done. Want me to push it?", "yes, do that"), None);
        assert_eq!(accepted("", "rename a to b"), None, "a task without words before it is no reply");
    }
}
