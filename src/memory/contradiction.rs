//! Decides whether two texts contradict each other: they say different things about one subject.

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

use super::shared_words::{CLOSE_WORDS, by_words, words};
use tars_text::languages::{self, Language};

/// Maximum words of a value: longer statements about one subject do not contradict each other.
const MAX_VALUE_WORDS: usize = 2;

/// Whether two normalized texts say different things about the same subject.
pub(super) fn contradict(one: &str, other: &str) -> bool {
    if negated(one) != negated(other) && by_words(&affirmed(one), &affirmed(other)) >= CLOSE_WORDS {
        return true;
    }
    if values_differ(one, other) || diverge_late(one, other) {
        return true;
    }
    let (Some((subject, value)), Some((other_subject, other_value))) = (split(one), split(other)) else {
        return false;
    };
    // Several statements about one subject may be true at once (a workplace and a home), so the verbs must be equal too.
    let verb =
        |text: &str, (subject, value): (&str, &str)| text[subject.len()..text.len() - value.len()].trim().to_owned();
    let same_verb = verb(one, (subject, value)) == verb(other, (other_subject, other_value));
    let same_subject = same_verb && by_words(subject, other_subject) >= CLOSE_WORDS;
    let (value, other_value) = (words(value), words(other_value));
    let short = value.len() <= MAX_VALUE_WORDS && other_value.len() <= MAX_VALUE_WORDS;
    let apart = !value.is_subset(&other_value) && !other_value.is_subset(&value);
    same_subject && short && apart
}

/// Minimum number of content words that two facts share at the start, and maximum number that either has after they diverge.
const MIN_SHARED_WORDS: usize = 2;
const MAX_REST_WORDS: usize = 6;
/// Whether two texts share subject and predicate and then name different things: `… run with RQ` and `… run with Celery`.
fn diverge_late(one: &str, other: &str) -> bool {
    let (words_one, words_other): (Vec<&str>, Vec<&str>) =
        (one.split_whitespace().collect(), other.split_whitespace().collect());
    let alike = words_one.iter().zip(&words_other).take_while(|(one, other)| one == other).count();
    let (Some(last), rest_one, rest_other) =
        (words_one[..alike].last(), words_one[alike..].join(" "), words_other[alike..].join(" "))
    else {
        return false;
    };
    // Words of up to two letters (`Dr.`, `in`) name nothing.
    let named =
        |rest: &str| words(rest).into_iter().filter(|word| word.chars().count() > 2).collect::<BTreeSet<String>>();
    let (rest_one, rest_other) = (named(&rest_one), named(&rest_other));
    let is_value = |rest: &BTreeSet<String>| (1..=MAX_REST_WORDS).contains(&rest.len());
    languages::ALL.iter().any(|language| language.facts.before_value.contains(last))
        && words(&words_one[..alike].join(" ")).len() >= MIN_SHARED_WORDS
        && is_value(&rest_one)
        && is_value(&rest_other)
        && rest_one.is_disjoint(&rest_other)
}

/// Whether two texts differ in their values and in little else.
fn values_differ(one: &str, other: &str) -> bool {
    let (values_one, values_other) = (values(one), values(other));
    let rest = |text: &str| text.split_whitespace().filter(|word| !is_value(word)).collect::<Vec<_>>().join(" ");
    !values_one.is_empty()
        && !values_other.is_empty()
        && values_one.is_disjoint(&values_other)
        && by_words(&rest(one), &rest(other)) >= CLOSE_WORDS
}

/// Returns numbers, versions, times, weekdays and months: the parts of a fact that change most often.
pub(super) fn values(text: &str) -> BTreeSet<String> {
    text.split_whitespace()
        .filter(|word| is_value(word))
        .map(|word| bare(word).trim_end_matches('s').to_owned())
        .collect()
}

/// The names of the days and months of all languages.
static CALENDAR: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let names = |language: &&'static Language| {
        let dates = &language.dates;
        dates.weekdays.iter().chain(&dates.months).flat_map(|names| names.iter()).copied()
    };
    // A short form may be another word.
    languages::ALL
        .iter()
        .flat_map(names)
        .filter(|name| *name == "may" || name.chars().count() > MAX_SHORT_NAME)
        .collect()
});
/// Maximum letters of a short form.
const MAX_SHORT_NAME: usize = 3;

fn is_value(word: &str) -> bool {
    word.contains(|character: char| character.is_numeric()) || CALENDAR.contains(bare(word).trim_end_matches('s'))
}

fn bare(word: &str) -> String {
    word.trim_matches(|character: char| !character.is_alphanumeric()).to_lowercase()
}

/// Marks that act as a copula.
const COPULA_MARKS: [&str; 3] = ["=", "->", "→"];

fn is_copula(word: &str) -> bool {
    COPULA_MARKS.contains(&word) || languages::ALL.iter().any(|language| language.facts.copulas.contains(&word))
}

/// Splits a text at its first copula or colon.
fn split(text: &str) -> Option<(&str, &str)> {
    let mut at = 0;
    for word in text.split_inclusive(' ') {
        let bare = word.trim_end();
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        if is_copula(bare) && !before.trim().is_empty() && !after.trim().is_empty() {
            return Some((before, after));
        }
        if bare.len() > 1 && bare.ends_with(':') && !after.trim().is_empty() {
            return Some((&text[..at + bare.len() - 1], after));
        }
        at += word.len();
    }
    None
}

/// Whether a normalized text denies something.
pub(super) fn negated(text: &str) -> bool {
    text.split_whitespace().any(is_negation)
}

fn affirmed(text: &str) -> String {
    // Normalization removed the apostrophe: "n'aime pas" now reads "naime pas".
    let is_french = text.split_whitespace().any(|word| matches!(word, "pas" | "jamais"));
    let plain = |word| match str::strip_prefix(word, 'n') {
        Some(rest) if is_french && rest.starts_with(['a', 'e', 'é', 'i', 'o', 'u', 'h']) => rest,
        _ => word,
    };
    text.split_whitespace().filter(|word| !is_negation(word)).map(plain).collect::<Vec<_>>().join(" ")
}

fn is_negation(word: &str) -> bool {
    languages::ALL.iter().any(|language| language.cues.negations.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_values_of_one_subject_contradict() {
        for (one, other) in [
            ("the port is 8080", "the port is 9090"),
            ("Anna mag kein Sushi", "Anna mag Sushi"),
            ("Anna non mangia sushi", "Anna mangia sushi"),
            ("Анна не ест суши", "Анна ест суши"),
            ("Anna nie je sushi", "Anna je sushi"),
            ("Der Server läuft auf Jupiter", "Der Server läuft auf Saturn"),
            ("port: 8080", "port: 9090"),
            ("editor is neovim", "editor is helix"),
            ("jonas prefers tea", "jonas prefers coffee"),
            ("use tabs in makefiles", "never use tabs in makefiles"),
            ("backups run at 03:00 every night", "backups run at 04:30 every night"),
            ("api version 2.1 in production", "api version 2.4 in production"),
            ("deploys happen on tuesdays", "deploys happen on fridays"),
            ("anna mag sushi", "anna mag kein sushi"),
            ("die tests laufen nachts", "die tests laufen nie nachts"),
            ("jean aime le sushi", "jean naime pas le sushi"),
            ("les tests passent la nuit", "les tests ne passent pas la nuit"),
            ("ana come carne", "ana nunca come carne"),
            ("jobs of the shop run with celery on redis", "jobs of the shop run with sidekiq on postgres"),
            ("der arzt ist dr. weber am alten markt", "der arzt ist jetzt dr. lang in der gartenstraße"),
            ("die fotos liegen auf der nas im keller", "die fotos liegen auf dem neuen server"),
            ("il server di prova è pandoro", "il server di prova è panettone"),
            ("marta vive a torino", "marta vive a bologna"),
            ("o servidor de testes é sagres", "o servidor de testes é tejo"),
            ("de server draait debian", "de server draait fedora"),
            ("serwer testowy jest w krakowie", "serwer testowy jest w gdańsku"),
            ("сервер работает на юпитере", "сервер работает на сатурне"),
            ("база использует postgres", "база использует sqlite"),
        ] {
            assert!(contradict(one, other), "{one} / {other}");
            assert!(contradict(other, one), "{other} / {one}");
        }
        for (one, other) in [
            ("deploys happen on tuesdays", "deploys happen every tuesday"),
            ("the port is 8080", "the port is 8080 in production"),
            ("the server is a raspberry pi", "the garden is behind the house"),
            (
                "rain logger: sqlite for storage",
                "rain logger: lora for radio and never anything that would switch a valve",
            ),
            ("metric units, celsius", "short answers first"),
            ("anna likes tea", "anna likes the sea"),
            ("anna works at the port", "anna runs on mondays"),
            ("the staging port is 8620", "the name of the test port is 8630"),
            ("marta vive a torino", "marta lavora a torino"),
            ("il server è pandoro", "il giardino è dietro casa"),
            ("o servidor usa debian", "o servidor fica no porão"),
            ("jonas met anna in berlin", "jonas met berta in hamburg"),
            ("the project has no tests", "the project has no docs"),
            ("anna mieszka w krakowie", "anna pracuje w krakowie"),
            ("анна живёт в москве", "анна работает в москве"),
            // Words of one language that are others elsewhere
            ("jan vergat zijn sleutel", "jan vergat zijn jas"),
            ("vor der op nüchtern bleiben", "vor der op hausarzt anrufen"),
            ("leichte kost am abend", "leichte kost mittags"),
            ("trip to costa rica", "trip to costa brava"),
            ("viagem a são paulo", "viagem a são luís"),
            ("ana tem sono de manhã", "ana tem sono à tarde"),
            ("a zona sul tem praia", "a zona sul parece cara"),
            ("helado de mora grande", "helado de mora casero"),
            ("la gira empieza pronto", "la gira incluye lisboa"),
            ("axis z homes first", "axis z limit switch"),
            ("lamp 60 w bulb", "lamp 60 w kitchen"),
            ("не делай это завтра", "не делай это сегодня вечером"),
            ("на выходных не стоит работать", "на выходных не стоит ездить"),
        ] {
            assert!(!contradict(one, other), "{one} / {other}");
        }
    }
}
