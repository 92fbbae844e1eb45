//! The cues that classify sentences without a model: decisions, causes, open tasks.
//!
//! `languages` lists them, one file per language. The cues of all languages apply to every sentence: people mix
//! languages, and a cue of one language is rarely a word of another.

use tars_text::analysis::is_unspaced;
use tars_text::languages::{self, Cues, Language, Script};

/// Selects the cues of one kind from all cues of a language.
pub(super) type Kind = fn(&'static Cues) -> &'static [&'static str];

/// See [`Cues::decision`]; the constants below name the other fields the same way.
pub(super) const DECISION: Kind = |cues| cues.decision;
pub(super) const PERSONS_DECISION: Kind = |cues| cues.persons_decision;
pub(super) const IMPERATIVE: Kind = |cues| cues.imperative;
pub(super) const BINDING: Kind = |cues| cues.binding;
pub(super) const HEDGE: Kind = |cues| cues.hedge;
pub(super) const CONDITION: Kind = |cues| cues.condition;
pub(super) const FINDING: Kind = |cues| cues.finding;
pub(super) const OPEN: Kind = |cues| cues.open;
pub(super) const REFUTATION: Kind = |cues| cues.refutation;
pub(super) const OFFER: Kind = |cues| cues.offer;
pub(super) const CHOICE: Kind = |cues| cues.choice;
pub(super) const ALTERNATIVES: Kind = |cues| cues.alternatives;
pub(super) const TAKEN: Kind = |cues| cues.taken;
pub(super) const TASK: Kind = |cues| cues.task;
pub(super) const POSTPONED: Kind = |cues| cues.postponed;
pub(super) const ENOUGH: Kind = |cues| cues.enough;
pub(super) const DIAGNOSIS: Kind = |cues| cues.diagnosis;
pub(super) const ADVICE: Kind = |cues| cues.advice;
pub(super) const CONSENT: Kind = |cues| cues.consent;
pub(super) const PROCESS: Kind = |cues| cues.process;
pub(super) const FAREWELL: Kind = |cues| cues.farewell;
pub(super) const RETRACTION: Kind = |cues| cues.retraction;
pub(super) const DENIAL: Kind = |cues| cues.denial;
pub(super) const POLITE: Kind = |cues| cues.polite;
pub(super) const TELLING: Kind = |cues| cues.telling;
pub(super) const CORRECTIONS: Kind = |cues| cues.corrections;
pub(super) const CONTRAST: Kind = |cues| cues.contrast;
pub(super) const PASSING: Kind = |cues| cues.passing;
pub(super) const LASTING: Kind = |cues| cues.lasting;
pub(super) const OWN_WAYS: Kind = |cues| cues.own_ways;
pub(super) const AGREED: Kind = |cues| cues.agreed;
pub(super) const NAMES: Kind = |cues| cues.names;
pub(super) const STANDING: Kind = |cues| cues.standing;

/// Phrases that open a sentence about something unchanged, with a word that a rule may begin with too.
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

/// Whether a sentence (lower-case, plain apostrophes) holds a cue of this kind as whole words.
pub(super) fn holds(sentence: &str, kind: Kind) -> bool {
    of(sentence, kind).any(|cue| holds_phrase(sentence, cue))
}

/// Whether a sentence (lower-case) begins with a one-word cue of this kind.
pub(super) fn begins_with(sentence: &str, kind: Kind) -> bool {
    let start = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
    let first = start.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    of(sentence, kind).any(|cue| cue == first || (cue.ends_with(is_unspaced) && start.starts_with(cue)))
}

/// Returns the longest cue of this kind that a sentence (lower-case) begins with as whole words.
pub(super) fn beginning(sentence: &str, kind: Kind) -> Option<&'static str> {
    of(sentence, kind).filter(|cue| begins(sentence, cue)).max_by_key(|cue| cue.len())
}

/// Whether a sentence begins with a phrase as whole words.
pub(super) fn begins(sentence: &str, phrase: &str) -> bool {
    let is_word = |rest: &str| !ends_in_word(phrase) || !rest.starts_with(char::is_alphanumeric);
    sentence.strip_prefix(phrase).is_some_and(is_word)
}

/// Returns the languages that a sentence may be in, judging by its letters.
pub(super) fn languages_of(sentence: &str) -> impl Iterator<Item = &'static Language> {
    let plain = sentence.is_ascii();
    languages::ALL.into_iter().filter(move |language| !plain || language.script == Script::Latin)
}

/// Returns the cues of a kind in the languages that a sentence may be in.
pub(super) fn of(sentence: &str, kind: Kind) -> impl Iterator<Item = &'static str> {
    languages_of(sentence).flat_map(move |language| kind(&language.cues)).copied()
}

/// Whether a letter right after the phrase would continue its last word. That is not so after a punctuation mark and in
/// scripts without blanks.
fn ends_in_word(phrase: &str) -> bool {
    phrase.chars().next_back().is_some_and(|last| last.is_alphanumeric() && !is_unspaced(last))
}

/// Whether a text holds one of these phrases (lower-case, plain apostrophes) as whole words.
pub fn holds_any(text: &str, phrases: &[&str]) -> bool {
    let text = plain(text);
    phrases.iter().any(|phrase| holds_phrase(&text, phrase))
}

/// Whether a sentence (lower-case) holds a phrase as whole words.
pub(super) fn holds_phrase(sentence: &str, cue: &str) -> bool {
    sentence.match_indices(cue).any(|(at, _)| {
        let before = sentence[..at].chars().next_back();
        let after = sentence[at + cue.len()..].chars().next();
        let ends = !ends_in_word(cue) || !after.is_some_and(char::is_alphanumeric);
        (cue.starts_with(is_unspaced) || !before.is_some_and(char::is_alphanumeric)) && ends
    })
}

/// Normalizes a sentence for the comparison with cues: lower-case, plain apostrophes.
pub(super) fn plain(sentence: &str) -> String {
    // Unicode lower-cases the Turkish `İ` to two characters.
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
    fn cues_match_whole_words_in_every_language() {
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
    fn every_cue_is_normalized() {
        for kind in KINDS {
            for cue in languages::ALL.iter().flat_map(|language| kind(&language.cues)) {
                assert_eq!(plain(cue), *cue);
                assert!(holds(&format!("so {cue} it"), kind), "{cue}");
            }
        }
    }

    #[test]
    fn english_prose_holds_no_cue_of_later_languages() {
        let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
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
    fn cues_of_scripts_without_blanks_match_inside_words() {
        assert!(
            holds("キャッシュが原因でした", FINDING)
                && holds("我们决定用它", DECISION)
                && holds("포트로 결정했습니다", DECISION)
        );
        assert!(begins_with("항상 먼저", IMPERATIVE) && begins_with("必须先测试", IMPERATIVE));
        assert_eq!(beginning("正确的", IMPERATIVE), None);
    }
}
