//! Tells the kind of a sentence: a decision, a finding, something ruled out, an open task, or none of these.

use tars_base::domain::OutcomeKind;
use tars_text::classifier::{SentenceKind, TurnContext, TurnSentence, sentence_kind};
use tars_text::languages::QUESTION_MARKS;

/// The least probability that a sentence of a turn lasts with which it gets a line. Chosen on `tests/classifier/turns/thresholds.jsonl`, where
/// nearly nothing that lasts is lost up to 0.25, and lower for what the authors of whole sessions expect.
///
/// A wrong open end stays in sight until somebody ticks it, so four of five must be right: at 0.5 they are in an agent's report of what it
/// did, at 0.8 in a person's words and in mere talk (of learned authors, each judged by a model of the others).
const fn least(kind: OutcomeKind, is_report: bool) -> f32 {
    match kind {
        OutcomeKind::Open if is_report => 0.5,
        OutcomeKind::Open => 0.8,
        OutcomeKind::Decided => 0.2,
        _ => 0.15,
    }
}

/// The least share of that probability that its kind must have.
const SHARE_OF_LASTING: f32 = 0.5;
/// The least probability that a sentence lasts with which it is a finding although its kind is unsure. Three of four
/// such sentences of `thresholds.jsonl` last.
const LASTS_WITHOUT_KIND: f32 = 0.3;
/// The least probability that a sentence by itself lasts.
const LASTS: f32 = 0.7;
/// The least probability of a kind. A sentence that lasts, but whose kind is less sure, has none.
const SURE: f32 = 0.4;
/// The least probability of a decision with which a sentence that rules something out is one.
const ALSO_SETTLES: f32 = 0.35;

/// Returns the kind of a sentence by itself, if it is worth remembering. Questions and introductions of lists have none.
pub(super) fn kind_of(sentence: &str, request: &str) -> Option<OutcomeKind> {
    outcome_of(lasting_kind(sentence, request)?.0)
}

/// Returns the kind of a sentence of a turn that is worth a line, and the probability that it lasts, or of its kind if that is unsure.
/// Questions and introductions of lists have none.
pub(super) fn kind_in_turn(turn: &TurnContext, sentence: TurnSentence<'_>) -> Option<(OutcomeKind, f32)> {
    if !may_state(sentence.text) {
        return None;
    }
    let guess = turn.kind_of(sentence);
    let lasts = guess.any_of(&SentenceKind::LASTING);
    let (kind, probability) = guess.best_of(&SentenceKind::LASTING);
    // "No, not Redis, let's use SQLite" rejects one thing and settles another.
    let settles = kind == SentenceKind::RuledOut && guess.any_of(&[SentenceKind::Decision]) >= ALSO_SETTLES * lasts;
    let kind = outcome_of(if settles { SentenceKind::Decision } else { kind })?;
    let is_sure = probability >= SHARE_OF_LASTING * lasts;
    let is_report = turn.acts() && !sentence.is_persons;
    // "Whether we keep the index is open" is no finding.
    let is_finding = lasts >= LASTS_WITHOUT_KIND && kind != OutcomeKind::Open;
    match is_sure {
        true => (lasts >= least(kind, is_report)).then_some((kind, lasts)),
        // Sure findings of the turn come first.
        false => is_finding.then_some((OutcomeKind::Found, probability)),
    }
}

fn outcome_of(kind: SentenceKind) -> Option<OutcomeKind> {
    match kind {
        SentenceKind::Decision => Some(OutcomeKind::Decided),
        SentenceKind::Finding => Some(OutcomeKind::Found),
        SentenceKind::RuledOut => Some(OutcomeKind::RuledOut),
        SentenceKind::Open => Some(OutcomeKind::Open),
        // A rule becomes a proposal, not an outcome of the turn.
        SentenceKind::Preference | SentenceKind::Outcome | SentenceKind::Other => None,
    }
}

/// Whether a sentence may state something: it is neither a question nor the introduction of a list.
fn may_state(sentence: &str) -> bool {
    let end = sentence.trim_end();
    !end.ends_with(QUESTION_MARKS) && !end.ends_with(':')
}

/// Returns the kind of a sentence that lasts and its probability, if the model is sure enough of both.
fn lasting_kind(sentence: &str, request: &str) -> Option<(SentenceKind, f32)> {
    if !may_state(sentence) {
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
