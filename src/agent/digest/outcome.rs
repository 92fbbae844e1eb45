//! Tells the kind of a sentence: a decision, a finding, something ruled out, an open task, or none of these.

use tars_base::domain::OutcomeKind;
use tars_text::classifier::{SentenceKind, sentence_kind};
use tars_text::languages::QUESTION_MARKS;

/// The least probability that a sentence lasts with which it is an outcome; a decision needs less, because few chores are taken for
/// one (docs/plugin.md has the figures).
const LASTS: f32 = 0.7;
const DECIDES: f32 = 0.6;
/// The least probability of a kind. A sentence that lasts, but whose kind is less sure, has none.
const SURE: f32 = 0.4;
/// The least probability of a decision with which a sentence that rules something out is one.
const ALSO_SETTLES: f32 = 0.35;

/// Returns the kind of a sentence that a turn with this request holds and that is worth remembering. Questions and introductions of
/// lists have none.
pub(super) fn kind_of(sentence: &str, request: &str) -> Option<OutcomeKind> {
    match lasting_kind(sentence, request)? {
        SentenceKind::Decision => Some(OutcomeKind::Decided),
        SentenceKind::Finding => Some(OutcomeKind::Found),
        SentenceKind::RuledOut => Some(OutcomeKind::RuledOut),
        SentenceKind::Open => Some(OutcomeKind::Open),
        // A rule becomes a proposal, not an outcome of the turn.
        SentenceKind::Preference | SentenceKind::Outcome | SentenceKind::Other => None,
    }
}

/// Returns the kind of a sentence that lasts, if the model is sure enough of both.
pub(super) fn lasting_kind(sentence: &str, request: &str) -> Option<SentenceKind> {
    let end = sentence.trim_end();
    if end.ends_with(QUESTION_MARKS) || end.ends_with(':') {
        return None;
    }
    let guess = sentence_kind(sentence, request);
    let (kind, probability) = guess.best();
    // "No, not Redis, let's use SQLite" rejects one thing and settles another.
    let settles = kind == SentenceKind::RuledOut && guess.any_of(&[SentenceKind::Decision]) >= ALSO_SETTLES;
    let kind = if settles { SentenceKind::Decision } else { kind };
    let least = if kind == SentenceKind::Decision { DECIDES } else { LASTS };
    (guess.any_of(&SentenceKind::LASTING) >= least && probability >= SURE).then_some(kind)
}

/// Returns the most probable kind of a sentence, whether or not it lasts.
pub(super) fn likely_kind(sentence: &str, request: &str) -> SentenceKind {
    sentence_kind(sentence, request).best().0
}
