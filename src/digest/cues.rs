//! The words by which sentences are told apart without a model: what settles something, names a cause, leaves something open.
//!
//! They stand in `languages`, a file a language. A sentence is not asked which language it is in: people mix them, and a cue of one
//! language is rarely a word of another.

use crate::analysis::is_unspaced;
use crate::languages::{self, Cues, Language, Script};

/// The cues of one kind: those of one language are picked from all that it has.
pub(super) type Kind = fn(&'static Cues) -> &'static [&'static str];

/// What somebody says who settles something, no matter who speaks.
pub(super) const DECISION: Kind = |cues| cues.decision;
/// What settles something if a person says it. An agent says the same when it describes the code, or its next step.
pub(super) const PERSONS_DECISION: Kind = |cues| cues.persons_decision;
/// Words with which an imperative of a person begins that may settle something, such as "Use 5432 for staging".
pub(super) const IMPERATIVE: Kind = |cues| cues.imperative;
/// What makes of such an imperative a rule rather than a task.
pub(super) const BINDING: Kind = |cues| cues.binding;
/// What makes of a sentence a possibility, a wish, an announcement or a report that nothing is settled.
pub(super) const HEDGE: Kind = |cues| cues.hedge;
/// Words with which a sentence begins that holds under a condition alone.
pub(super) const CONDITION: Kind = |cues| cues.condition;
/// What names a cause, or what something turned out to be.
pub(super) const FINDING: Kind = |cues| cues.finding;
/// How a sentence speaks of what is left to do.
pub(super) const OPEN: Kind = |cues| cues.open;
/// What takes back what was said before.
pub(super) const REFUTATION: Kind = |cues| cues.refutation;
/// How an agent offers something.
pub(super) const OFFER: Kind = |cues| cues.offer;
/// How an agent asks the person to choose.
pub(super) const CHOICE: Kind = |cues| cues.choice;
/// How an agent lays out several ways.
pub(super) const ALTERNATIVES: Kind = |cues| cues.alternatives;
/// How a person takes one of several ways, or sets a limit.
pub(super) const TAKEN: Kind = |cues| cues.taken;
/// Words that a task begins with, which settles nothing.
pub(super) const TASK: Kind = |cues| cues.task;
/// How something is put off.
pub(super) const POSTPONED: Kind = |cues| cues.postponed;
/// What is good enough for now, and nothing is left to do about it.
pub(super) const ENOUGH: Kind = |cues| cues.enough;
/// How a person asks what is wrong, or how something is.
pub(super) const DIAGNOSIS: Kind = |cues| cues.diagnosis;
/// How an agent says what it would choose.
pub(super) const ADVICE: Kind = |cues| cues.advice;
/// Words with which somebody agrees.
pub(super) const CONSENT: Kind = |cues| cues.consent;
/// What an agent proposes to look at or to run: its next step, which settles nothing.
pub(super) const PROCESS: Kind = |cues| cues.process;
/// How people take leave. Its time of day is no task.
pub(super) const FAREWELL: Kind = |cues| cues.farewell;
/// How a person takes back what was just settled or done.
pub(super) const RETRACTION: Kind = |cues| cues.retraction;
/// How somebody says what something is not. It rules a finding out that it speaks of; by itself it says nothing.
pub(super) const DENIAL: Kind = |cues| cues.denial;
/// What a person begins with who is polite, and which is no part of what is said.
pub(super) const POLITE: Kind = |cues| cues.polite;
/// What begins like a preference and tells of what was or is so.
pub(super) const TELLING: Kind = |cues| cues.telling;
/// How a correction begins.
pub(super) const CORRECTIONS: Kind = |cues| cues.corrections;
/// What must follow it: what is not to be used.
pub(super) const CONTRAST: Kind = |cues| cues.contrast;
/// What holds for now alone, or points at something that only the session shows.
pub(super) const PASSING: Kind = |cues| cues.passing;
/// Words that name something which lasts, so that a decision about it is worth knowing later.
pub(super) const LASTING: Kind = |cues| cues.lasting;
/// How a person speaks of their own ways within a sentence.
pub(super) const OWN_WAYS: Kind = |cues| cues.own_ways;
/// What was agreed, and what is no choice.
pub(super) const AGREED: Kind = |cues| cues.agreed;
/// How something is called, and what somebody says of themselves: who they are with, where they live, what they do not eat.
pub(super) const NAMES: Kind = |cues| cues.names;
/// How a standing preference begins.
pub(super) const STANDING: Kind = |cues| cues.standing;

/// How a sentence begins that says that nothing has changed, with a word that a rule may begin with too.
pub(super) const STILL: [&str; 14] = [
    "immer noch",
    "immer wieder",
    "nur noch",
    "toujours pas",
    "toujours la même",
    "toujours le même",
    "siempre lo mismo",
    "sempre lo stesso",
    "sempre la stessa",
    "sempre o mesmo",
    "altijd hetzelfde",
    "zawsze to samo",
    "всегда одно и то же",
    "hep aynı",
];

/// Whether a sentence, in small letters with plain apostrophes, holds one of these cues as whole words.
pub(super) fn holds(sentence: &str, kind: Kind) -> bool {
    of(sentence, kind).any(|cue| holds_phrase(sentence, cue))
}

/// Whether a sentence, in small letters, begins with one of these words.
pub(super) fn begins_with(sentence: &str, kind: Kind) -> bool {
    let start = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
    let first = start.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    of(sentence, kind).any(|cue| cue == first || (cue.ends_with(is_unspaced) && start.starts_with(cue)))
}

/// Returns one of these phrases that a sentence, in small letters, begins with and that ends there as a word; the longest.
pub(super) fn beginning(sentence: &str, kind: Kind) -> Option<&'static str> {
    of(sentence, kind).filter(|cue| begins(sentence, cue)).max_by_key(|cue| cue.len())
}

/// Whether a sentence begins with a phrase that ends there as a word.
pub(super) fn begins(sentence: &str, phrase: &str) -> bool {
    let is_word = |rest: &str| !ends_open(phrase) || !rest.starts_with(char::is_alphanumeric);
    sentence.strip_prefix(phrase).is_some_and(is_word)
}

/// The languages that a sentence may be in by its letters.
pub(super) fn languages_of(sentence: &str) -> impl Iterator<Item = &'static Language> {
    let plain = sentence.is_ascii();
    languages::ALL.into_iter().filter(move |language| !plain || language.script == Script::Latin)
}

/// Returns the cues of a kind in the languages that a sentence may be in.
pub(super) fn of(sentence: &str, kind: Kind) -> impl Iterator<Item = &'static str> {
    languages_of(sentence).flat_map(move |language| kind(&language.cues)).copied()
}

/// Whether the word that a phrase ends with could go on: one that ends with a mark ends it, and in scripts without blanks none ends.
fn ends_open(phrase: &str) -> bool {
    phrase.chars().next_back().is_some_and(|last| last.is_alphanumeric() && !is_unspaced(last))
}

/// Whether a text holds one of these phrases, in small letters with plain apostrophes, as whole words.
pub fn holds_any(text: &str, phrases: &[&str]) -> bool {
    let text = plain(text);
    phrases.iter().any(|phrase| holds_phrase(&text, phrase))
}

/// Whether a sentence, in small letters, holds a phrase as whole words.
pub(super) fn holds_phrase(sentence: &str, cue: &str) -> bool {
    sentence.match_indices(cue).any(|(at, _)| {
        let before = sentence[..at].chars().next_back();
        let after = sentence[at + cue.len()..].chars().next();
        let ends = !ends_open(cue) || !after.is_some_and(char::is_alphanumeric);
        (cue.starts_with(is_unspaced) || !before.is_some_and(char::is_alphanumeric)) && ends
    })
}

/// Returns a sentence as cues are compared with it.
pub(super) fn plain(sentence: &str) -> String {
    // The small letter of Turkish `İ` is two characters to Unicode.
    sentence.to_lowercase().replace(['\u{2019}', '\u{2bc}'], "'").replace("i\u{307}", "i")
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Kind; 46] = [
        DECISION,
        PERSONS_DECISION,
        IMPERATIVE,
        BINDING,
        HEDGE,
        CONDITION,
        FINDING,
        OPEN,
        REFUTATION,
        OFFER,
        CHOICE,
        ALTERNATIVES,
        TAKEN,
        TASK,
        POSTPONED,
        ENOUGH,
        DIAGNOSIS,
        ADVICE,
        CONSENT,
        PROCESS,
        FAREWELL,
        RETRACTION,
        DENIAL,
        POLITE,
        TELLING,
        CORRECTIONS,
        CONTRAST,
        PASSING,
        LASTING,
        OWN_WAYS,
        AGREED,
        NAMES,
        STANDING,
        |cues| cues.statements.aside,
        |cues| cues.statements.over,
        |cues| cues.statements.stays,
        |cues| cues.statements.limit,
        |cues| cues.statements.place,
        |cues| cues.statements.report,
        |cues| cues.statements.next_time,
        |cues| cues.statements.plan,
        |cues| cues.statements.no_further,
        |cues| cues.statements.instead,
        |cues| cues.statements.moves_to,
        |cues| cues.statements.then,
        |cues| cues.statements.chosen,
    ];

    #[test]
    fn cues_are_whole_words_in_any_of_the_languages() {
        for yes in [
            "We DECIDED on SQLite.",
            "wir nehmen die zweite",
            "D’accord, on garde Postgres",
            "Nos quedamos con la cola",
        ] {
            assert!(holds(&plain(yes), DECISION) || holds(&plain(yes), PERSONS_DECISION), "{yes}");
        }
        for no in ["Undecidedly so.", "The tests pass.", "Das Nehmen ist seliger"] {
            assert!(!holds(&plain(no), DECISION), "{no}");
        }
        assert!(begins_with("use 5432 for staging", IMPERATIVE) && !begins_with("users are staged", IMPERATIVE));
    }

    #[test]
    fn every_cue_is_as_sentences_are_compared() {
        for kind in KINDS {
            for cue in languages::ALL.iter().flat_map(|language| kind(&language.cues)) {
                assert_eq!(plain(cue), *cue);
                assert!(holds(&format!("so {cue} it"), kind), "{cue}");
            }
        }
    }

    #[test]
    fn english_prose_holds_no_cue_of_languages_that_were_added() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let pages = [
            "README.md",
            "docs/memory.md",
            "docs/search.md",
            "docs/reliability.md",
            "docs/assistant.md",
            "docs/plugin.md",
        ];
        let before = ["en", "de", "fr", "es"];
        let starts =
            [IMPERATIVE, CONDITION, TASK, CONSENT, STANDING, POLITE, TELLING, CORRECTIONS].map(|kind| kind as usize);
        let english: Vec<&str> = KINDS.iter().flat_map(|kind| kind(&languages::ALL[0].cues)).copied().collect();
        let mut wrong = Vec::new();
        for page in pages {
            let text = std::fs::read_to_string(root.join(page)).unwrap();
            for sentence in super::super::sentences::sentences(&text).iter().filter(|sentence| sentence.is_ascii()) {
                let sentence = plain(sentence);
                for language in languages::ALL.iter().filter(|language| !before.contains(&language.code)) {
                    for kind in KINDS {
                        let is_held = |cue: &&&str| match starts.contains(&(kind as usize)) {
                            true => begins(&sentence, cue),
                            false => holds_phrase(&sentence, cue),
                        };
                        let cues = kind(&language.cues).iter().filter(|cue| !english.contains(*cue));
                        wrong.extend(
                            cues.filter(is_held).map(|cue| format!("{}: '{cue}' in '{sentence}'", language.name)),
                        );
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn cues_of_scripts_without_blanks_stand_within_words() {
        assert!(
            holds("キャッシュが原因でした", FINDING)
                && holds("我们决定用它", DECISION)
                && holds("포트로 결정했습니다", DECISION)
        );
        assert!(begins_with("항상 먼저", IMPERATIVE) && begins_with("必须先测试", IMPERATIVE));
        assert_eq!(beginning("正确的", IMPERATIVE), None);
    }
}
