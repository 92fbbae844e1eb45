//! Recognizes the verbs that begin or end an instruction.

use tars_text::analysis::is_unspaced;
use tars_text::languages::{self, Language};

/// Whether a lower-case word is a known verb of an instruction, or its English past tense, in any language whose verb stands first.
pub(super) fn is_verb(word: &str) -> bool {
    let known = |word: &str| {
        let mut languages = languages::ALL.iter().filter(|language| !language.steps.verb_is_last);
        languages.any(|language| language.steps.verbs.split_whitespace().any(|verb| verb == word))
    };
    // `tagged`, `updated`, `copied`
    let past = || {
        let stem = word.strip_suffix("ed")?;
        let single = || stem.get(..stem.len().checked_sub(1)?);
        let copy = || stem.strip_suffix('i').map(|stem| format!("{stem}y"));
        Some(
            known(stem)
                || known(&format!("{stem}e"))
                || single().is_some_and(known)
                || copy().is_some_and(|stem| known(&stem)),
        )
    };
    known(word) || past().unwrap_or(false)
}

/// Whether a lower-case text without outer punctuation is an instruction in a language: it begins or ends with a verb and has an object.
/// In scripts without spaces the verb needs no space around it.
pub(super) fn is_step(text: &str, language: &Language) -> bool {
    let is_apart = |verb: &str, rest: &str, next: Option<char>| {
        !rest.is_empty() && (verb.contains(is_unspaced) || next.is_some_and(char::is_whitespace))
    };
    let steps = &language.steps;
    if steps.clauses_of_time.iter().any(|time| text.ends_with(time)) {
        return false;
    }
    steps.verbs.split_whitespace().any(|verb| match steps.verb_is_last {
        true => text.strip_suffix(verb).is_some_and(|rest| is_apart(verb, rest, rest.chars().next_back())),
        false => text.strip_prefix(verb).is_some_and(|rest| is_apart(verb, rest, rest.chars().next())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn past_tense_verbs_are_recognized() {
        for word in ["run", "ran", "tagged", "updated", "copied", "prüfe", "vérifie", "ejecuta"] {
            assert!(is_verb(word), "{word}");
        }
        for word in ["", "ed", "red", "the", "needed", "éed"] {
            assert!(!is_verb(word), "{word}");
        }
    }
}
