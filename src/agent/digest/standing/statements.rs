//! Recognizes a person's plain statements that are worth remembering: asides, unchanged states, agreements,
//! replacements, limits, names and places.
//!
//! Each rule looks for a form of speech rather than for a subject. A sentence that opens with a task, reports an event
//! or asks for a diagnosis never counts.

use super::super::cues::{self, AGREED, CueKind, DIAGNOSIS, HABITS, NAMES, POSTPONED, TASK};
use tars_text::analysis::is_unspaced;
use tars_text::languages::QUESTION_MARKS;

const ASIDE: CueKind = |cues| cues.statements.aside;
const OVER: CueKind = |cues| cues.statements.over;
const STAYS: CueKind = |cues| cues.statements.stays;
const NO_STATE: CueKind = |cues| cues.statements.no_state;
const LIMIT: CueKind = |cues| cues.statements.limit;
const PLACE: CueKind = |cues| cues.statements.place;
const REPORT: CueKind = |cues| cues.statements.report;
const NEXT_TIME: CueKind = |cues| cues.statements.next_time;
const PLAN: CueKind = |cues| cues.statements.plan;
const NO_FURTHER: CueKind = |cues| cues.statements.no_further;
const INSTEAD: CueKind = |cues| cues.statements.instead;
const MOVES_TO: CueKind = |cues| cues.statements.moves_to;
const THEN: CueKind = |cues| cues.statements.then;
const CHOSEN: CueKind = |cues| cues.statements.chosen;
const NO_CHOICE: CueKind = |cues| cues.statements.no_choice;

/// Minimum number of words of an aside: "good find by the way!" says nothing.
const MIN_ASIDE_WORDS: usize = 6;
/// Maximum number of words of a statement: a longer one tells a story.
const MAX_WORDS: usize = 32;
/// The number of characters in a script without blanks that count as a word.
const CHARACTERS_PER_WORD: usize = 2;

/// Whether a sentence (`plain`: lower-case, `said`: as written) is such a statement.
pub(super) fn states(plain: &str, said: &str) -> bool {
    if is_task(plain) || words(said) > MAX_WORDS {
        return cues::holds(plain, AGREED) && !said.contains(QUESTION_MARKS);
    }
    let begins = |kind| cues::beginning(plain, kind).is_some();
    cues::holds(plain, HABITS)
        || cues::holds(plain, AGREED)
        || cues::holds(plain, OVER)
        || begins(NEXT_TIME) && !cues::holds(plain, PLAN)
        || begins(NO_FURTHER)
        || !cues::holds(plain, POSTPONED)
            && !cues::holds(plain, REPORT)
            && (stays(plain)
                || cues::holds(plain, PLACE)
                || cues::holds(plain, NAMES)
                || has_number(plain) && cues::holds(plain, LIMIT)
                || is_instead(plain)
                || is_replacement(plain)
                || picks(plain, said))
}

/// Returns the number of words of a text.
fn words(text: &str) -> usize {
    text.split_whitespace().count() + text.chars().filter(|letter| is_unspaced(*letter)).count() / CHARACTERS_PER_WORD
}

/// Whether `sentence`, as written, is an aside. `plain` is its lower-case form without polite openings, which include a
/// leading "by the way".
pub(super) fn is_aside(plain: &str, sentence: &str) -> bool {
    cues::holds(&cues::plain(sentence), ASIDE)
        && (MIN_ASIDE_WORDS..=MAX_WORDS).contains(&words(sentence))
        && !sentence.ends_with(['!', '！'])
        && !is_task(plain)
}

/// Whether a sentence opens with a task or asks what is wrong.
fn is_task(plain: &str) -> bool {
    cues::begins_with(plain, TASK) || cues::holds(plain, DIAGNOSIS)
}

/// Whether a word is a cue of this kind in a language that the sentence may be in.
fn is_one_of(plain: &str, word: &str, kind: CueKind) -> bool {
    cues::of(plain, kind).any(|cue| cue == word)
}

fn stays(plain: &str) -> bool {
    let words: Vec<&str> =
        plain.split(|c: char| !(c.is_alphanumeric() || c == '-')).filter(|word| !word.is_empty()).collect();
    let at = words.iter().position(|word| is_one_of(plain, word, STAYS));
    let is_state = |at: usize| words[at + 1..].iter().take(2).any(|word| is_one_of(plain, word, NO_STATE));
    at.is_some_and(|at| at > 0 && !is_state(at))
}

fn has_number(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit())
}

/// "5 minutes instead of 10", "36 months, not 24", "from 12 to 15 ml".
fn is_instead(plain: &str) -> bool {
    let words: Vec<&str> = plain.split_whitespace().collect();
    let is_number =
        |word: &&str| word.trim_matches(|c: char| !c.is_alphanumeric()).starts_with(|c: char| c.is_ascii_digit());
    let changes = |(from, to): (&str, &str)| {
        words.windows(4).any(|four| four[0] == from && is_number(&four[1]) && four[2] == to && is_number(&four[3]))
    };
    let pairs = cues::languages_of(plain).flat_map(|language| language.cues.statements.changes).copied();
    numbers(plain) > 1
        && (cues::of(plain, INSTEAD).any(|cue| stands_before_number(plain, cue)) || pairs.into_iter().any(changes))
}

/// Returns the number of numbers in a text. A date is one; digits of names, such as the 2 of `m2`, do not count.
fn numbers(text: &str) -> usize {
    let mut before = ' ';
    let mut count = 0;
    for letter in text.chars() {
        let goes_on = before.is_alphanumeric() && !is_unspaced(before) || matches!(before, '.' | ',' | ':' | '-' | '/');
        count += usize::from(letter.is_ascii_digit() && !goes_on);
        before = letter;
    }
    count
}

/// Whether a phrase stands in a text as whole words and right before a number.
fn stands_before_number(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let rest = &text[at + phrase.len()..];
        // A comma starts another part of the sentence: "no, 15 are enough".
        let number = rest.trim_start_matches([' ', '(', '~']);
        let starts = phrase.starts_with(is_unspaced) || !text[..at].ends_with(char::is_alphanumeric);
        let ends = phrase.ends_with(is_unspaced) || number.len() < rest.len();
        starts && ends && number.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// "InfluxDB out, SQLite in", "deploys move to Thursday".
fn is_replacement(plain: &str) -> bool {
    let days: Vec<&str> = cues::languages_of(plain)
        .flat_map(|language| language.dates.weekdays)
        .flat_map(|names| names.iter())
        .copied()
        .collect();
    let moves = cues::of(plain, MOVES_TO).filter(|cue| cues::holds_phrase(plain, cue)).any(|cue| {
        plain.match_indices(cue).any(|(at, _)| {
            let rest = plain[at + cue.len()..].trim_start();
            days.iter().any(|day| cues::begins(rest, day) || cues::begins(rest, &format!("{day}s")))
        })
    });
    let words: Vec<&str> = plain.split(|c: char| !c.is_alphanumeric()).collect();
    let mut pairs = cues::languages_of(plain).flat_map(|language| language.cues.statements.out_and_in);
    moves || pairs.any(|(out, into)| words.contains(out) && words.contains(into))
}

/// A short choice: "RQ then, …", "then uv, …", "28 degrees then, …", "httpx everywhere, …".
fn picks(plain: &str, said: &str) -> bool {
    let first = plain.split([',', '.', ';']).next().unwrap_or_default().trim();
    let words: Vec<&str> = first.split_whitespace().collect();
    let chosen = match words.as_slice() {
        [then, rest @ ..] if (1..=2).contains(&rest.len()) && is_one_of(plain, then, THEN) => rest,
        [rest @ .., last] if (1..=3).contains(&rest.len()) && is_one_of(plain, last, CHOSEN) => rest,
        // A name or a value comes first; more may follow.
        [then, name, ..] if is_one_of(plain, then, THEN) && (has_number(name) || is_name(said, name)) => return true,
        _ => return false,
    };
    let goes_on = plain.len() > first.len() + 1;
    let is_other = chosen.iter().any(|word| cues::begins_with(word, TASK) || is_one_of(plain, word, NO_CHOICE));
    goes_on && !is_other
}

/// Whether a word is written like a name: with an inner capital letter or digit.
fn is_name(said: &str, word: &str) -> bool {
    said.split_whitespace().any(|one| {
        let one = one.trim_matches(|c: char| !c.is_alphanumeric());
        one.to_lowercase() == word && one.chars().skip(1).any(|c| c.is_uppercase() || c.is_ascii_digit())
    })
}
