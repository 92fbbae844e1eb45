//! Full stops that end no sentence: those of abbreviations, initials and ordinal numbers.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::languages;

/// Abbreviations before a name or another word. They never end a sentence.
#[rustfmt::skip]
const BEFORE_A_WORD: &[&str] = &[
    // Titles.
    "dr", "drs", "prof", "mr", "mrs", "ms", "mx", "st", "sta", "rev", "hon", "capt", "lt", "sgt", "maj", "gov", "sen",
    "hr", "hrn", "fr", "frl", "dipl", "ing", "med", "phil", "jur", "rer", "habil", "mme", "mlle", "mgr", "dott", "sig",
    "avv", "sra", "srta", "dra", "dhr", "mevr", "inż", "hab", "św", "проф", "тов", "ул", "им",
    // Connections and references.
    "e.g", "i.e", "z.b", "d.h", "u.a", "p.ej", "p.ex", "b.v", "т.е", "vs", "cf", "ca", "approx", "bzw", "vgl", "ggf",
    "evtl", "inkl", "exkl", "zzgl", "bspw", "sog", "resp", "no",
];

/// Abbreviations before a number. Before anything else the same letters may be a word.
#[rustfmt::skip]
const BEFORE_A_NUMBER: &[&str] = &[
    "nr", "nos", "núm", "fig", "figs", "abb", "tab", "art", "abs", "sec", "vol", "ch", "chap", "kap", "bd", "pp", "pag",
    "pág", "tel", "ext", "min", "max", "est", "jan", "feb", "febr", "mar", "apr", "jun", "jul", "aug", "sep", "sept",
    "oct", "okt", "nov", "dec", "dez",
];

/// Abbreviations that may end a sentence, which they do before a capital letter.
#[rustfmt::skip]
const AT_AN_END: &[&str] = &["etc", "usw", "ecc", "enz", "itd", "inc", "ltd", "co", "corp", "jr", "sr", "bros", "str", "ave"];

/// Returns whether the full stop at the end of `before` belongs to its last word, so that the sentence goes on with `after`.
pub fn is_abbreviated(before: &str, after: &str) -> bool {
    let last = before.split_whitespace().next_back().unwrap_or_default();
    let last = last.trim_start_matches(|character: char| !character.is_alphanumeric());
    let Some(stem) = last.strip_suffix('.').map(str::to_lowercase) else { return false };
    let next = after.trim_start().trim_start_matches(|character: char| !character.is_alphanumeric());
    let first = next.chars().next();
    let begins_anew = first.is_none_or(char::is_uppercase);
    let is = |words: &[&str]| words.contains(&stem.as_str());
    let mut letters = stem.chars();
    if letters.next().is_some_and(char::is_alphanumeric) && letters.next().is_none() {
        return true;
    }
    if stem.bytes().all(|byte| byte.is_ascii_digit()) {
        // "12. März", "the 3. and 12. of May"
        return stem.len() == 2 && (first.is_some_and(char::is_lowercase) || names_a_day(next));
    }
    let is_dotted = stem.contains('.') && stem.split('.').all(is_short);
    is(BEFORE_A_WORD)
        || (is(BEFORE_A_NUMBER) && first.is_some_and(|character| character.is_ascii_digit()))
        || ((is_dotted || is(AT_AN_END)) && !begins_anew)
}

/// Whether the part of an abbreviation such as `U.S` or `Ph.D` has one or two letters.
fn is_short(part: &str) -> bool {
    (1..=2).contains(&part.chars().count()) && part.chars().all(char::is_alphabetic)
}

/// Whether a text begins with the name of a month or a day.
fn names_a_day(text: &str) -> bool {
    static NAMES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
        let dates = languages::ALL.iter().map(|language| &language.dates);
        dates
            .flat_map(|dates| dates.months.iter().chain(&dates.weekdays))
            .flat_map(|names| names.iter())
            .copied()
            .collect()
    });
    let word: String = text.chars().take_while(|character| character.is_alphabetic()).collect();
    NAMES.contains(word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_not_cut_at_a_title_or_a_date() {
        for (before, after) in [
            ("My dentist is Dr.", " Weber."),
            ("Das macht (Prof.", " Maier."),
            ("Frau Dr. med.", " Weber"),
            ("mit Hr.", " Weber"),
            ("We asked J.", " R. Smith"),
            ("see e.g.", " Berlin"),
            ("made in the U.S.", " in May"),
            ("am 12.", " März"),
            ("am 12.", " und 13. Mai"),
            ("in room Nr.", " 12"),
            ("on Sept.", " 14"),
            ("milk, eggs etc.", " are there"),
        ] {
            assert!(is_abbreviated(before, after), "{before}{after}");
        }
    }

    #[test]
    fn a_sentence_ends_at_its_own_stop() {
        for (before, after) in [
            ("She went to the doctor.", " He stayed"),
            ("We have 12.", " They have more"),
            ("It costs 2026.", " and more"),
            ("I studied art.", " It was long"),
            ("milk, eggs etc.", " They are there"),
            ("at 9 p.m.", " We left"),
            ("Is it Dr!", " Weber"),
            ("It is done.", ""),
        ] {
            assert!(!is_abbreviated(before, after), "{before}{after}");
        }
    }
}
