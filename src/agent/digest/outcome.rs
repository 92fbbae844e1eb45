//! Tells the kind of a sentence: a decision, a finding, something ruled out, an open task, or none of these.

use tars_base::domain::OutcomeKind;
use tars_text::classifier::{SentenceKind, sentence_kind};
use tars_text::languages::QUESTION_MARKS;

/// The least probability that a sentence lasts with which it is an outcome.
const LASTS: f32 = 0.7;
/// The least probability of a kind. A sentence that lasts, but whose kind is less sure, has none.
const SURE: f32 = 0.4;
/// The least probability of a decision with which a sentence that rules something out is one.
const ALSO_SETTLES: f32 = 0.35;

/// Returns the kind of a sentence that a turn with this request holds and that is worth remembering. Questions and introductions of
/// lists have none.
pub(super) fn kind_of(sentence: &str, request: &str) -> Option<OutcomeKind> {
    sure_kind_of(sentence, request).map(|(kind, _)| kind)
}

/// Returns the same with the kind's probability.
pub(super) fn sure_kind_of(sentence: &str, request: &str) -> Option<(OutcomeKind, f32)> {
    let (kind, probability) = lasting_kind(sentence, request)?;
    let kind = match kind {
        SentenceKind::Decision => OutcomeKind::Decided,
        SentenceKind::Finding => OutcomeKind::Found,
        SentenceKind::RuledOut => OutcomeKind::RuledOut,
        SentenceKind::Open => OutcomeKind::Open,
        // A rule becomes a proposal, not an outcome of the turn.
        SentenceKind::Preference | SentenceKind::Outcome | SentenceKind::Other => return None,
    };
    Some((kind, probability))
}

/// Returns the kind of a sentence that lasts and its probability, if the model is sure enough of both.
fn lasting_kind(sentence: &str, request: &str) -> Option<(SentenceKind, f32)> {
    let end = sentence.trim_end();
    if end.ends_with(QUESTION_MARKS) || end.ends_with(':') {
        return None;
    }
    let guess = sentence_kind(sentence, request);
    let (kind, probability) = guess.best();
    // "No, not Redis, let's use SQLite" rejects one thing and settles another.
    let settles = kind == SentenceKind::RuledOut && guess.any_of(&[SentenceKind::Decision]) >= ALSO_SETTLES;
    let is_sure = guess.any_of(&SentenceKind::LASTING) >= LASTS && probability >= SURE;
    is_sure.then_some((if settles { SentenceKind::Decision } else { kind }, probability))
}

/// Returns the most probable kind of a sentence, whether or not it lasts.
pub(super) fn likely_kind(sentence: &str, request: &str) -> SentenceKind {
    sentence_kind(sentence, request).best().0
}
