//! The outcomes of a turn without a model: what was decided, found, changed and left open, in sentences of the turn itself.

use std::path::Path;

use super::chosen::chosen;
use super::cues::{self, DIAGNOSIS, HEDGE};
use super::outcome::{Outcome, OutcomeKind, Speaker, kind_of};
use super::own_words::own_words;
use super::sentences::{sentences, shortened};
use crate::domain::{Turn, TurnEnd};

/// Length of what is quoted of a request or an answer, in characters.
const QUOTE: usize = 240;
/// Length of a request that stands behind what came of it.
const ABOUT: usize = 80;
/// Files, and commands, that are named.
const NAMED: usize = 5;
const COMMAND: usize = 80;
/// Outcomes of a kind that one turn has at most: the last ones, since what was said last holds.
const OF_A_KIND: usize = 2;
/// An answer of fewer words says nothing that is worth a line.
const WORDS: usize = 5;

/// How answers begin that say nothing yet.
const PREAMBLES: &[&str] = &[
    "sure",
    "great",
    "perfect",
    "absolutely",
    "certainly",
    "of course",
    "okay",
    "ok,",
    "you're right",
    "you're welcome",
    "good question",
    "good catch",
    "let me",
    "i'll ",
    "i will ",
    "now i",
    "now let",
    "here's",
    "here is",
    "here are",
    "thanks",
    "thank you",
    "glad",
    "happy to",
    "any time",
    "anytime",
    "no problem",
    "all done",
    "done",
    "got it",
    "noted",
    "gern",
    "gerne",
    "klar",
    "alles klar",
    "natürlich",
    "perfekt",
    "super",
    "ich schaue",
    "ich werde",
    "hier ist",
    "hier sind",
    "verstanden",
    "fertig",
    "erledigt",
    "avec plaisir",
    "de rien",
    "bien sûr",
    "parfait",
    "d'accord",
    "voici",
    "je vais",
    "c'est fait",
    "de nada",
    "claro",
    "perfecto",
    "por supuesto",
    "aquí",
    "voy a",
    "entendido",
    "hecho",
    "listo",
];

/// Returns the outcomes of a turn. None is made of a turn that changed nothing and said nothing of worth, such as thanks.
/// The caller takes secrets out of the turn first, since a private span may reach over several sentences.
pub fn extract(turn: &Turn) -> Vec<Outcome> {
    extract_after(turn, "")
}

/// Returns the outcomes of a turn that follows on an agent's closing words: a person who was asked to choose has chosen.
pub(super) fn extract_after(turn: &Turn, before: &str) -> Vec<Outcome> {
    let about = headline(&turn.request).map(|request| shortened(&request, ABOUT));
    let outcome = |kind, text: String| Outcome { kind, text, about: None };
    let mut found = Vec::new();
    let answer = match turn.end {
        TurnEnd::Answered => outcome_of(&sentences(&turn.closing)),
        // Half an answer settles nothing, and its beginning may be wrong.
        TurnEnd::Interrupted | TurnEnd::Failed => None,
    };
    let mut said: Vec<Outcome> = Vec::new();
    let asked = sentences(&own_words(&turn.request)).into_iter().map(|sentence| (sentence, Speaker::Person));
    let closing = match turn.end {
        TurnEnd::Answered => sentences(&turn.closing),
        TurnEnd::Interrupted | TurnEnd::Failed => Vec::new(),
    };
    said.extend(chosen(turn, before).into_iter().map(|text| outcome(OutcomeKind::Decided, shortened(&text, QUOTE))));
    for (sentence, speaker) in asked.chain(closing.into_iter().map(|sentence| (sentence, Speaker::Agent))) {
        if let Some(kind) = kind_of(&sentence, speaker)
            && !said.iter().any(|known| known.kind == kind && alike(&known.text, &sentence))
        {
            said.push(outcome(kind, shortened(&sentence, QUOTE)));
        }
    }
    for kind in [OutcomeKind::Decided, OutcomeKind::Found, OutcomeKind::Open] {
        let of_kind: Vec<&Outcome> = said.iter().filter(|outcome| outcome.kind == kind).collect();
        found.extend(of_kind[of_kind.len().saturating_sub(OF_A_KIND)..].iter().map(|outcome| (*outcome).clone()));
    }
    let directory = turn.directory.as_deref();
    let files = turn.files.iter().map(|file| format!("`{}`", changed_file(file, directory))).collect();
    let files = listed(files, ", ");
    let settled = found.iter().any(|outcome| outcome.kind != OutcomeKind::Open);
    let unsaid = answer.filter(|answer| !found.iter().any(|outcome| answer.contains(&outcome.text)));
    match (turn.end, &files, settled) {
        (TurnEnd::Interrupted | TurnEnd::Failed, files, _) => {
            let request = about.clone().unwrap_or_default();
            let why = if turn.end == TurnEnd::Failed { "the model's server failed" } else { "interrupted" };
            let changed = files.as_ref().map(|files| format!("; changed {files}")).unwrap_or_default();
            found.push(outcome(OutcomeKind::Unfinished, format!("{request} ({why}{changed})")));
            return found;
        }
        (TurnEnd::Answered, Some(files), true) => found.push(outcome(OutcomeKind::Changed, files.clone())),
        (TurnEnd::Answered, Some(files), false) => {
            let kind = match unsaid.as_ref().map(|answer| answered(&turn.request, answer)) {
                Some(OutcomeKind::Found) => OutcomeKind::Found,
                _ => OutcomeKind::Done,
            };
            let text = unsaid.map_or_else(|| files.clone(), |answer| format!("{answer} ({files})"));
            found.insert(0, outcome(kind, text));
        }
        (TurnEnd::Answered, None, false) => {
            let worth = unsaid.filter(|answer| answer.split_whitespace().count() >= WORDS && asks(&turn.request));
            found.splice(0..0, worth.map(|answer| outcome(answered(&turn.request, &answer), answer)));
        }
        (TurnEnd::Answered, None, true) => {}
    }
    if let Some(first) =
        found.first_mut().filter(|first| !about.as_ref().is_some_and(|about| alike(&first.text, about)))
    {
        first.about = about;
    }
    found
}

/// Returns what an answer is to somebody who asked what is wrong: a finding, unless it is a guess.
fn answered(request: &str, answer: &str) -> OutcomeKind {
    let is_diagnosis = cues::holds(&cues::plain(request), &DIAGNOSIS);
    let is_guess = cues::holds(&cues::plain(answer), &HEDGE) || answer.ends_with('?');
    if is_diagnosis && !is_guess { OutcomeKind::Found } else { OutcomeKind::Answered }
}

/// Whether a request asks for something: thanks and a word of agreement do not.
fn asks(request: &str) -> bool {
    request.split_whitespace().count() > 2 || request.contains('?')
}

/// Whether two texts say the same, or one of them is part of the other.
fn alike(one: &str, other: &str) -> bool {
    let plain = |text: &str| text.to_lowercase().trim_end_matches(['.', '!', '?', '…']).to_owned();
    let (one, other) = (plain(one), plain(other));
    one.contains(&other) || other.contains(&one)
}

/// Returns the beginning of a request in one line, at most 240 characters. What is not prose is shown too where nothing
/// else is; without a word there is nothing.
pub fn headline(request: &str) -> Option<String> {
    let mut found = String::new();
    for sentence in sentences(request) {
        if !found.is_empty() && found.chars().count() + sentence.chars().count() > QUOTE {
            break;
        }
        if !found.is_empty() {
            found.push(' ');
        }
        found.push_str(&sentence);
    }
    if found.is_empty() {
        let line = request.lines().map(str::trim).find(|line| line.chars().any(char::is_alphanumeric))?;
        found = line.trim_start_matches(['#', '>', '|', ' ']).to_owned();
    }
    Some(shortened(&found, QUOTE))
}

/// Returns the first sentences that say something; `None` if none does.
fn outcome_of(closing: &[String]) -> Option<String> {
    let says_something = |sentence: &&String| {
        let lower = sentence.to_lowercase();
        sentence.chars().count() >= 12
            && !lower.ends_with(':')
            && !PREAMBLES.iter().any(|words| lower.starts_with(words))
    };
    let first = closing.iter().position(|sentence| says_something(&sentence))?;
    let mut found = closing.get(first)?.clone();
    if let Some(next) = closing.get(first + 1).filter(says_something)
        && found.chars().count() + next.chars().count() < QUOTE
    {
        found.push(' ');
        found.push_str(next);
    }
    Some(shortened(&found, QUOTE))
}

/// Returns a command in one line of at most 82 characters, fit to stand between backticks.
pub fn command_line(command: &str) -> String {
    let line = command.trim().lines().next().unwrap_or_default().trim();
    let more = if command.trim().lines().count() > 1 { " …" } else { "" };
    format!("{}{more}", shortened(line, COMMAND)).replace('`', "'")
}

fn listed(entries: Vec<String>, between: &str) -> Option<String> {
    let more = entries.len().saturating_sub(NAMED);
    let named = entries[..entries.len() - more].join(between);
    match (entries.is_empty(), more) {
        (true, _) => None,
        (false, 0) => Some(named),
        (false, more) => Some(format!("{named} and {more} more")),
    }
}

/// Returns a file's path below the directory that the agent worked in, fit to stand between backticks.
pub fn changed_file(file: &str, directory: Option<&str>) -> String {
    let inner = directory.and_then(|directory| Path::new(file).strip_prefix(directory).ok()?.to_str());
    inner.filter(|inner| !inner.is_empty()).unwrap_or(file).replace('`', "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn() -> Turn {
        Turn {
            directory: Some("/home/anna/pump".into()),
            request: "Why does the pump stop at night? It is urgent.\n```\npanic at 12\n```".into(),
            answer: "Let me look.\n\nGreat news! The timer overflowed at midnight, which was the cause. I chose minutes because seconds \
                     overflow. It counts minutes now. The shed still runs the old build."
                .into(),
            closing: "Great news! The timer overflowed at midnight, which was the root cause. I chose minutes because seconds overflow. \
                      It counts minutes now. The shed still needs the new build."
                .into(),
            files: vec!["/home/anna/pump/src/timer.rs".into(), "/etc/hosts".into()],
            commands: vec!["cargo test timer\necho done".into()],
            ..Turn::default()
        }
    }

    fn lines(turn: &Turn) -> Vec<String> {
        extract(turn).iter().map(Outcome::line).collect()
    }

    #[test]
    fn a_turn_in_a_few_lines_the_outcome_first() {
        assert_eq!(
            lines(&turn()),
            [
                "Decided: I chose minutes because seconds overflow. — Why does the pump stop at night? It is urgent.",
                "Found: The timer overflowed at midnight, which was the root cause.",
                "Open: The shed still needs the new build.",
                "Changed: `src/timer.rs`, `/etc/hosts`",
            ]
        );
    }

    #[test]
    fn what_says_nothing_is_no_line() {
        assert!(extract(&Turn::default()).is_empty());
        let said = |request: &str, closing: &str| {
            lines(&Turn { request: request.into(), answer: closing.into(), closing: closing.into(), ..Turn::default() })
        };
        assert_eq!(said("great, thanks!", "You're welcome! Happy to help with the rest of the pump."), [""; 0]);
        assert_eq!(said("perfekt, danke", "Gerne!"), [""; 0]);
        assert_eq!(
            said("how many pumps are there?", "There are three pumps in the shed."),
            ["Answered: There are three pumps in the shed. — how many pumps are there?"]
        );
    }

    #[test]
    fn a_turn_that_changed_something_is_one_line() {
        let done = Turn {
            closing: "Renamed the timer.".into(),
            request: "rename it".into(),
            files: vec!["/home/anna/pump/a.rs".into()],
            ..turn()
        };
        assert_eq!(lines(&done), ["Done: Renamed the timer. (`a.rs`) — rename it"]);
        let files = (0..9).map(|number| format!("{number}.rs")).collect();
        assert_eq!(
            lines(&Turn { files, ..Turn::default() }),
            ["Done: `0.rs`, `1.rs`, `2.rs`, `3.rs`, `4.rs` and 4 more"]
        );
    }

    #[test]
    fn half_an_answer_is_never_a_decision() {
        let half = Turn { end: TurnEnd::Interrupted, ..turn() };
        assert_eq!(
            lines(&half),
            [
                "Unfinished: Why does the pump stop at night? It is urgent. (interrupted; changed `src/timer.rs`, `/etc/hosts`)"
            ]
        );
        let failed = Turn { end: TurnEnd::Failed, files: vec![], request: "wir nehmen die zweite".into(), ..turn() };
        let found = extract(&failed);
        assert_eq!(
            found.iter().map(|outcome| outcome.kind).collect::<Vec<_>>(),
            [OutcomeKind::Decided, OutcomeKind::Unfinished]
        );
    }

    proptest::proptest! {
        #[test]
        fn any_turn_has_few_outcomes(request in "\\PC{0,60}", answer in "([a-z.?! \n`#-]|decided|<!--|-->){0,60}", file in "\\PC{0,20}") {
            let turn = Turn { request, closing: answer.clone(), answer, files: vec![file], ..turn() };
            proptest::prop_assert!(extract(&turn).len() <= 8);
        }
    }
}
