//! What a person says in plain statements that is worth knowing later: asides, what stays, what was agreed, what takes another's place,
//! limits, names and places.
//!
//! Each rule looks for a form of speech rather than for a subject. A sentence that begins with a task, reports what happened or asks
//! for a diagnosis is none of them.

use super::super::cues::{self, AGREED, DIAGNOSIS, NAMES, OWN_WAYS, POSTPONED, TASK};
use crate::languages::QUESTION_MARKS;

/// By the way: a person tells of what an agent cannot know.
const ASIDES: &[&str] = &["btw", "by the way", "übrigens", "au fait", "d'ailleurs", "por cierto"];
/// What ends for good.
#[rustfmt::skip]
const OVER: &[&str] = &[
    "gone for good", "for good", "are over", "out with", "is dead", "goes off on", "go completely", "goes completely", "like everywhere else",
    "wie überall sonst",
];
/// What stays as it is, and what does not speak of a decision behind it.
const STAYS: &[&str] = &["stays", "stay", "bleibt", "bleiben", "reste", "restent"];
#[rustfmt::skip]
const NO_STATE: &[&str] = &[
    "open", "red", "green", "empty", "up", "down", "blank", "black", "stuck", "broken", "the same", "slow", "away", "there", "here", "offen",
    "leer", "rot", "grün", "hängen", "stehen", "liegen", "kaputt", "da", "weg", "noch", "mir", "ouvert", "vide",
];
/// Limits that a person sets.
#[rustfmt::skip]
const LIMITS: &[&str] = &["max", "at most", "no more than", "at least", "höchstens", "mindestens", "maximal", "au plus", "au moins", "como máximo"];
/// Places and machines that have a name.
#[rustfmt::skip]
const PLACES: &[&str] = &[
    "staging is", "new staging is", "production is", "the server is", "the host is", "the port is", "the database is", "the repo is",
    "das repo ist", "der server ist", "die datenbank ist", "der port ist", "staging ist",
];
/// Days of the week, to which something moves.
#[rustfmt::skip]
const WEEKDAYS: &[&str] = &[
    "monday", "tuesday", "wednesday", "thursday", "friday", "mondays", "tuesdays", "wednesdays", "thursdays", "fridays",
];
/// Verbs of a report: something was measured, and nobody set it.
#[rustfmt::skip]
const REPORTS: &[&str] = &[
    "went", "dropped", "rose", "grew", "fell", "jumped", "was", "were", "fiel", "stieg", "ging", "sank", "gestiegen", "gefallen", "war", "waren",
    "est passé", "subió", "bajó", "says that", "takes", "dauert", "took",
];

/// Whether a sentence, in small letters, is such a statement. `said` is the sentence as it was written.
pub(super) fn states(plain: &str, said: &str) -> bool {
    let is_task = cues::begins_with(plain, TASK) || cues::holds(plain, DIAGNOSIS);
    if is_task || said.split_whitespace().count() > LONGEST {
        return cues::holds(plain, AGREED) && !said.contains(QUESTION_MARKS);
    }
    let is_reported = cues::holds_any(plain, REPORTS);
    is_aside(plain, said)
        || cues::holds(plain, OWN_WAYS)
        || cues::holds(plain, AGREED)
        || cues::holds_any(plain, OVER)
        || begins_with_any(plain, &["next time", "nächstes mal", "das nächste mal"]) && !is_plan(plain)
        || begins_with_any(plain, &["keine weiteren", "kein weiterer", "no other", "no further", "aucun autre"])
        || !cues::holds(plain, POSTPONED)
            && !is_reported
            && (stays(plain)
                || cues::holds_any(plain, PLACES)
                || cues::holds(plain, NAMES)
                || is_limit(plain)
                || is_instead(plain)
                || takes_another_place(plain)
                || picks(plain, said))
}

/// Words of an aside at least: "good find by the way!" tells nothing.
const ASIDE: usize = 6;

fn is_aside(plain: &str, said: &str) -> bool {
    cues::holds_any(plain, ASIDES) && said.split_whitespace().count() >= ASIDE && !said.ends_with('!')
}

/// Words of such a statement at most: a longer one tells a story.
const LONGEST: usize = 32;

fn begins_with_any(plain: &str, starts: &[&str]) -> bool {
    starts.iter().any(|start| plain.strip_prefix(start).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)))
}

/// "Next time I look into it" plans, and asks for nothing.
fn is_plan(plain: &str) -> bool {
    cues::holds_any(
        plain,
        &["next time i", "next time we", "nächstes mal ich", "nächstes mal mache ich", "mal schaue ich"],
    )
}

fn stays(plain: &str) -> bool {
    let words: Vec<&str> =
        plain.split(|c: char| !(c.is_alphanumeric() || c == '-')).filter(|word| !word.is_empty()).collect();
    let at = words.iter().position(|word| STAYS.contains(word));
    at.is_some_and(|at| at > 0 && !words[at + 1..].iter().take(2).any(|word| NO_STATE.contains(word)))
}

fn has_number(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit())
}

fn is_limit(plain: &str) -> bool {
    has_number(plain) && cues::holds_any(plain, LIMITS)
}

/// "5 minutes instead of 10", "36 months, not 24", "from 12 to 15 ml".
fn is_instead(plain: &str) -> bool {
    let words: Vec<&str> = plain.split_whitespace().collect();
    let is_number =
        |word: &&str| word.trim_matches(|c: char| !c.is_alphanumeric()).starts_with(|c: char| c.is_ascii_digit());
    let numbers = words.iter().filter(|word| is_number(word)).count();
    let after = |starts: &[&str]| {
        words.windows(2).any(|pair| starts.contains(&pair[0]) && is_number(&pair[1]))
            || words.windows(3).any(|three| starts.contains(&three[0]) && three[1] == "of" && is_number(&three[2]))
    };
    let changes = words.windows(4).any(|four| {
        ["from", "von"].contains(&four[0])
            && is_number(&four[1])
            && ["to", "auf"].contains(&four[2])
            && is_number(&four[3])
    });
    numbers > 1 && (after(&["not", "statt", "instead", "nicht"]) || changes)
}

/// "InfluxDB out, SQLite in", "deploys move to Thursday".
fn takes_another_place(plain: &str) -> bool {
    let words: Vec<&str> = plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let moves = words
        .windows(3)
        .any(|three| ["move", "moves"].contains(&three[0]) && three[1] == "to" && WEEKDAYS.contains(&three[2]));
    moves || words.contains(&"raus") && words.contains(&"rein")
}

/// A short choice: "RQ then, …", "then uv, …", "28 degrees then, …", "httpx everywhere, …".
fn picks(plain: &str, said: &str) -> bool {
    let first = plain.split([',', '.', ';']).next().unwrap_or_default().trim();
    let words: Vec<&str> = first.split_whitespace().collect();
    let chosen = match words.as_slice() {
        ["then" | "dann", rest @ ..] if (1..=2).contains(&rest.len()) => rest,
        [rest @ .., "then" | "also" | "everywhere" | "überall"] if (1..=3).contains(&rest.len()) => rest,
        // A name or a value stands first, more may follow.
        ["dann" | "then", name, ..] if has_number(name) || is_name(said, name) => return true,
        _ => return false,
    };
    let goes_on = plain.len() > first.len() + 1;
    let is_other = chosen.iter().any(|word| {
        cues::begins_with(word, TASK)
            || [
                "do", "go", "mach", "nimm", "so", "ok", "okay", "yes", "ja", "no", "not", "that", "this", "it", "das",
                "the",
            ]
            .contains(word)
    });
    goes_on && !is_other
}

/// Whether a word is written as a name: with a capital letter or a digit within it.
fn is_name(said: &str, word: &str) -> bool {
    said.split_whitespace().any(|one| {
        let one = one.trim_matches(|c: char| !c.is_alphanumeric());
        one.to_lowercase() == word && one.chars().skip(1).any(|c| c.is_uppercase() || c.is_ascii_digit())
    })
}
