//! Classifies a sentence: a decision, a finding, an open task, or none of these.

use super::cues::{
    self, BINDING, CONDITION, DECISION, ENOUGH, FAREWELL, FINDING, HEDGE, IMPERATIVE, OFFER, OPEN, PERSONS_DECISION,
    POSTPONED, STILL,
};
use super::words::subject_words;
use tars_base::domain::OutcomeKind;
use tars_text::languages::QUESTION_MARKS;

/// Maximum number of words of a sentence that only says goodbye.
const FAREWELL_WORDS: usize = 8;

/// The speaker of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker {
    Person,
    Agent,
}

/// Returns the kind of a sentence that is a decision, a finding or an open task. Questions and offers are none of
/// these, and a possibility neither settles nor finds anything.
pub(super) fn kind_of(sentence: &str, speaker: Speaker) -> Option<OutcomeKind> {
    let plain = cues::plain(sentence);
    let end = sentence.trim_end();
    if end.ends_with(QUESTION_MARKS) || end.ends_with(':') || cues::holds(&plain, OFFER) || is_farewell(&plain) {
        return None;
    }
    if speaker == Speaker::Person && cues::holds(&plain, POSTPONED) && !cues::holds(&plain, ENOUGH) {
        return has_subject(&plain).then_some(OutcomeKind::Open);
    }
    let is_certain = is_certain(&plain);
    if is_certain && settles(&plain, speaker) {
        return Some(OutcomeKind::Decided);
    }
    // A person who names something missing asks for it.
    if speaker == Speaker::Agent && cues::holds(&plain, OPEN) {
        return has_subject(&plain).then_some(OutcomeKind::Open);
    }
    (is_certain && speaker == Speaker::Agent && cues::holds(&plain, FINDING)).then_some(OutcomeKind::Found)
}

/// Whether a sentence is more than a possibility.
pub(super) fn is_certain(plain: &str) -> bool {
    !cues::holds(plain, HEDGE) && !cues::begins_with(plain, CONDITION)
}

/// Whether a sentence only says goodbye.
pub(super) fn is_farewell(plain: &str) -> bool {
    plain.split_whitespace().count() <= FAREWELL_WORDS && cues::holds(plain, FAREWELL)
}

/// Whether a sentence names its subject.
fn has_subject(plain: &str) -> bool {
    !subject_words(plain).is_empty()
}

fn settles(plain: &str, speaker: Speaker) -> bool {
    let is_still = || STILL.iter().any(|still| plain.starts_with(still));
    let is_rule = || cues::begins_with(plain, IMPERATIVE) && cues::holds(plain, BINDING) && !is_still();
    cues::holds(plain, DECISION) || (speaker == Speaker::Person && (cues::holds(plain, PERSONS_DECISION) || is_rule()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_settle_something() {
        use Speaker::{Agent, Person};
        for (sentence, speaker) in [
            ("ok, let's keep SQLite then", Person),
            ("Use 5432 for staging, 5433 for tests.", Person),
            ("wir nehmen die zweite Variante", Person),
            ("d'accord, on garde Postgres", Person),
            ("Vale, nos quedamos con la cola de Redis.", Person),
            ("Decision: uploads are retried three times.", Agent),
            ("I went with minutes, since seconds overflow.", Agent),
        ] {
            assert_eq!(kind_of(sentence, speaker), Some(OutcomeKind::Decided), "{sentence}");
        }
        for (sentence, speaker) in [
            ("It fails because the file is empty.", Agent),
            ("I prefer tabs.", Person),
            ("10 Minuten passt erstmal.", Person),
            ("We could go with Redis instead of SQLite.", Agent),
            ("Should we go with Redis?", Person),
            ("We decided on Redis？", Person),
            ("We decided on Redis؟", Person),
            ("Nothing is decided yet, maybe Redis.", Agent),
            ("Add a test for the parser.", Person),
            ("Wenn wir uns für Redis entschieden hätten, wäre es einfacher.", Agent),
            ("Le code utilise une file d'attente.", Agent),
            ("immer noch, startet wieder neu.", Person),
        ] {
            assert_ne!(kind_of(sentence, speaker), Some(OutcomeKind::Decided), "{sentence}");
        }
    }

    #[test]
    fn causes_are_findings_and_remaining_work_is_open() {
        use Speaker::Agent;
        for found in
            ["The root cause was a stale lock.", "Es lag daran, dass die Zone fehlte.", "Le problème venait du cache."]
        {
            assert_eq!(kind_of(found, Agent), Some(OutcomeKind::Found), "{found}");
        }
        for open in
            ["Staging still needs a restart.", "Die Migration steht noch aus.", "Queda pendiente el despliegue."]
        {
            assert_eq!(kind_of(open, Agent), Some(OutcomeKind::Open), "{open}");
        }
        for nothing in ["danke dir, bis morgen", "thanks, see you tomorrow", "See you tomorrow!"] {
            assert_eq!(kind_of(nothing, Speaker::Person), None, "{nothing}");
        }
        for nothing in ["The culprit is probably the cache.", "Want me to restart staging, which is still missing?"] {
            assert_eq!(kind_of(nothing, Agent), None, "{nothing}");
        }
    }
}
