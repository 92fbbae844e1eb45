//! The cues that classify sentences without a model: decisions, causes, open tasks.
//!
//! `languages` lists them, one file per language. The cues of all languages apply to every sentence: people mix
//! languages, and a cue of one language is rarely a word of another.

use tars_text::analysis::is_unspaced;
use tars_text::languages::{self, Cues, Language, Script};

/// Selects the cues of one kind from all cues of a language.
pub(super) type CueKind = fn(&'static Cues) -> &'static [&'static str];

/// See [`Cues::decision`]; the constants below name the other fields the same way.
pub(super) const DECISION: CueKind = |cues| cues.decision;
pub(super) const PERSONS_DECISION: CueKind = |cues| cues.persons_decision;
pub(super) const IMPERATIVE: CueKind = |cues| cues.imperative;
pub(super) const BINDING: CueKind = |cues| cues.binding;
pub(super) const HEDGE: CueKind = |cues| cues.hedge;
pub(super) const CONDITION: CueKind = |cues| cues.condition;
pub(super) const FINDING: CueKind = |cues| cues.finding;
pub(super) const OPEN: CueKind = |cues| cues.open;
pub(super) const REFUTATION: CueKind = |cues| cues.refutation;
pub(super) const OFFER: CueKind = |cues| cues.offer;
pub(super) const CHOICE: CueKind = |cues| cues.choice;
pub(super) const ALTERNATIVES: CueKind = |cues| cues.alternatives;
pub(super) const PICKS: CueKind = |cues| cues.picks;
pub(super) const TASK: CueKind = |cues| cues.task;
pub(super) const POSTPONED: CueKind = |cues| cues.postponed;
pub(super) const ENOUGH: CueKind = |cues| cues.enough;
pub(super) const DIAGNOSIS: CueKind = |cues| cues.diagnosis;
pub(super) const ADVICE: CueKind = |cues| cues.advice;
pub(super) const CONSENT: CueKind = |cues| cues.consent;
pub(super) const NEXT_STEPS: CueKind = |cues| cues.next_steps;
pub(super) const FAREWELL: CueKind = |cues| cues.farewell;
pub(super) const RETRACTION: CueKind = |cues| cues.retraction;
pub(super) const DENIAL: CueKind = |cues| cues.denial;
pub(super) const POLITE: CueKind = |cues| cues.polite;
pub(super) const DESCRIPTIONS: CueKind = |cues| cues.descriptions;
pub(super) const CORRECTIONS: CueKind = |cues| cues.corrections;
pub(super) const CONTRAST: CueKind = |cues| cues.contrast;
pub(super) const TEMPORARY: CueKind = |cues| cues.temporary;
pub(super) const LASTING: CueKind = |cues| cues.lasting;
pub(super) const HABITS: CueKind = |cues| cues.habits;
pub(super) const AGREED: CueKind = |cues| cues.agreed;
pub(super) const NAMES: CueKind = |cues| cues.names;
pub(super) const PREFERENCES: CueKind = |cues| cues.preferences;

/// Phrases that open a sentence about something unchanged, with a word that a rule may begin with too.
#[rustfmt::skip]
pub(super) const STILL: [&str; 14] = [
    "immer noch", "immer wieder", "nur noch", "toujours pas", "toujours la même", "toujours le même",
    "siempre lo mismo", "sempre lo stesso", "sempre la stessa", "sempre o mesmo", "altijd hetzelfde", "zawsze to samo",
    "всегда одно и то же", "hep aynı",
];

/// Whether a sentence (lower-case, plain apostrophes) holds a cue of this kind as whole words.
pub(super) fn holds(sentence: &str, kind: CueKind) -> bool {
    of(sentence, kind).any(|cue| holds_phrase(sentence, cue))
}

/// Whether a sentence (lower-case) begins with a one-word cue of this kind.
pub(super) fn begins_with(sentence: &str, kind: CueKind) -> bool {
    let start = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
    let first = start.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    of(sentence, kind).any(|cue| cue == first || (cue.ends_with(is_unspaced) && start.starts_with(cue)))
}

/// Returns the longest cue of this kind that a sentence (lower-case) begins with as whole words.
pub(super) fn beginning(sentence: &str, kind: CueKind) -> Option<&'static str> {
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
pub(super) fn of(sentence: &str, kind: CueKind) -> impl Iterator<Item = &'static str> {
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

    const KINDS: [CueKind; 46] = [
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
        PICKS,
        TASK,
        POSTPONED,
        ENOUGH,
        DIAGNOSIS,
        ADVICE,
        CONSENT,
        NEXT_STEPS,
        FAREWELL,
        RETRACTION,
        DENIAL,
        POLITE,
        DESCRIPTIONS,
        CORRECTIONS,
        CONTRAST,
        TEMPORARY,
        LASTING,
        HABITS,
        AGREED,
        NAMES,
        PREFERENCES,
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
        let starts = [IMPERATIVE, CONDITION, TASK, CONSENT, PREFERENCES, POLITE, DESCRIPTIONS, CORRECTIONS]
            .map(|kind| kind as usize);
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
