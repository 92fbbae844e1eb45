//! The cues by which a sentence refutes or takes back an earlier one, and polite openings.
//!
//! `languages` lists them, one file per language. The cues of all languages apply to every sentence: people mix
//! languages, and a cue of one language is rarely a word of another.

use tars_text::analysis::is_unspaced;
use tars_text::languages::{self, Cues, Language, Script};

/// Selects the cues of one kind from all cues of a language.
pub(super) type CueKind = fn(&'static Cues) -> &'static [&'static str];

/// See [`Cues::refutation`]; the constants below name the other fields the same way.
pub(super) const REFUTATION: CueKind = |cues| cues.refutation;
pub(super) const RETRACTION: CueKind = |cues| cues.retraction;
pub(super) const DENIAL: CueKind = |cues| cues.denial;
pub(super) const POLITE: CueKind = |cues| cues.polite;
pub(super) const REMINDERS: CueKind = |cues| cues.reminders;
pub(super) const REMINDERS_THAT: CueKind = |cues| cues.reminders_that;

/// Whether a sentence (lower-case, plain apostrophes) holds a cue of this kind as whole words.
pub(super) fn holds(sentence: &str, kind: CueKind) -> bool {
    of(sentence, kind).any(|cue| holds_phrase(sentence, cue))
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

    const KINDS: [CueKind; 6] = [REFUTATION, RETRACTION, DENIAL, POLITE, REMINDERS, REMINDERS_THAT];

    #[test]
    fn cues_match_whole_words_in_every_language() {
        for yes in ["It WASN’T THE relay.", "ce n'était pas le relais"] {
            assert!(holds(&plain(yes), REFUTATION) || holds(&plain(yes), DENIAL), "{yes}");
        }
        assert!(!holds(&plain("It wasn't there."), REFUTATION));
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
}
