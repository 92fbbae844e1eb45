//! The outcomes of a turn without a model: what was decided, found, changed and left open, in sentences of the turn itself.

use std::path::Path;

use super::chosen::chosen;
use super::cues::{self, DIAGNOSIS, FINDING, HEDGE};
use super::outcome::{Outcome, OutcomeKind, Speaker, kind_of};
use super::own_words::own_words;
use super::preamble::says_something;
use super::sentences::{sentences, shortened};
use super::words::{says_the_same, stems};
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
/// Decisions that one turn has at most.
const DECISIONS: usize = 3;
/// Words that a sentence must hold to say what was settled.
const SUBJECT: usize = 2;
/// An answer of fewer words says nothing that is worth a line.
const WORDS: usize = 3;

/// Returns the outcomes of a turn that follows on an agent's closing words: a person who was asked to choose has chosen. None
/// is made of a turn that changed nothing and said nothing of worth, such as thanks. The caller takes secrets out of the turn
/// first, since a private span may reach over several sentences.
pub(super) fn extract_after(turn: &Turn, before: &str) -> Vec<Outcome> {
    let about = headline(&turn.request).map(|request| shortened(&request, ABOUT));
    let outcome = |kind, text: String| Outcome { kind, text, about: None };
    // Half an answer settles nothing, and its beginning may be wrong.
    let closing = if turn.end == TurnEnd::Answered { sentences(&turn.closing) } else { Vec::new() };
    let mut said: Vec<Outcome> = Vec::new();
    said.extend(chosen(turn, before).into_iter().map(|text| outcome(OutcomeKind::Decided, shortened(&text, QUOTE))));
    let asked = sentences(&own_words(&turn.request)).into_iter().map(|sentence| (sentence, Speaker::Person));
    let answered = closing.iter().filter(|sentence| says_something(sentence)).cloned();
    for (sentence, speaker) in asked.chain(answered.map(|sentence| (sentence, Speaker::Agent))) {
        if let Some(kind) = kind_of(&sentence, speaker) {
            if let Some(known) = said.iter_mut().find(|known| known.kind == kind && says_same(known, &sentence)) {
                if kind == OutcomeKind::Open {
                    // The agent names what a person only puts off.
                    known.text = shortened(&sentence, QUOTE);
                }
                continue;
            }
            // "Let's do it that way" says nothing by itself.
            let is_bare = kind == OutcomeKind::Decided && stems(&sentence).len() < SUBJECT;
            let text =
                if is_bare { closing.iter().find(|other| says_something(other)).cloned() } else { Some(sentence) };
            said.extend(text.map(|text| outcome(kind, shortened(&text, QUOTE))));
        }
    }
    let last_of = |kind: OutcomeKind, most: usize| -> Vec<Outcome> {
        let of_kind: Vec<&Outcome> = said.iter().filter(|outcome| outcome.kind == kind).collect();
        of_kind[of_kind.len().saturating_sub(most)..].iter().map(|outcome| (*outcome).clone()).collect()
    };
    let mut found = last_of(OutcomeKind::Decided, DECISIONS);
    let files = turn.files.iter().map(|file| format!("`{}`", changed_file(file, turn.directory.as_deref()))).collect();
    let files = listed(files, ", ");
    if turn.end != TurnEnd::Answered {
        let request = about.unwrap_or_default();
        let why = if turn.end == TurnEnd::Failed { "the model's server failed" } else { "interrupted" };
        let changed = files.map(|files| format!("; changed {files}")).unwrap_or_default();
        found.push(outcome(OutcomeKind::Unfinished, format!("{request} ({why}{changed})")));
        return found;
    }
    let is_decided = !found.is_empty();
    let lead = outcome_of(&closing).filter(|lead| !found.iter().any(|outcome| alike(lead, &outcome.text)));
    let kind = lead.as_ref().map(|lead| kind_of_lead(lead, turn));
    let findings = last_of(OutcomeKind::Found, OF_A_KIND);
    let mut is_changed_said = false;
    match (lead, kind) {
        (Some(lead), Some(OutcomeKind::Done)) if !is_decided && findings.is_empty() => {
            is_changed_said = true;
            let files = files.as_ref().map(|files| format!(" ({files})")).unwrap_or_default();
            found.push(outcome(OutcomeKind::Done, format!("{lead}{files}")));
        }
        (Some(lead), Some(OutcomeKind::Found)) => found.push(outcome(OutcomeKind::Found, lead)),
        (Some(lead), Some(OutcomeKind::Answered))
            if !is_decided
                && findings.is_empty()
                && !said.iter().any(|known| known.kind == OutcomeKind::Open && says_same(known, &lead))
                && lead.split_whitespace().count() >= WORDS
                && asks(&turn.request) =>
        {
            found.push(outcome(OutcomeKind::Answered, lead));
        }
        (None, _) if !is_decided && findings.is_empty() => {
            is_changed_said = true;
            found.extend(files.clone().map(|files| outcome(OutcomeKind::Done, files)));
        }
        _ => {}
    }
    let unsaid = findings.into_iter().filter(|one| !found.iter().any(|known| alike(&known.text, &one.text)));
    let unsaid: Vec<Outcome> = unsaid.collect();
    let of_kind = found.iter().filter(|outcome| outcome.kind == OutcomeKind::Found).count();
    found.extend(unsaid.into_iter().take(OF_A_KIND - of_kind.min(OF_A_KIND)));
    found.extend(last_of(OutcomeKind::Open, OF_A_KIND));
    if !is_changed_said {
        found.extend(files.map(|files| outcome(OutcomeKind::Changed, files)));
    }
    if let Some(first) =
        found.first_mut().filter(|first| !about.as_ref().is_some_and(|about| alike(&first.text, about)))
    {
        first.about = about;
    }
    found
}

/// Returns what the first sentences of an answer are: a finding, where the person asked what is wrong or the sentences name a
/// cause, and no guess; else what was done, or an answer.
fn kind_of_lead(lead: &str, turn: &Turn) -> OutcomeKind {
    let plain = cues::plain(lead);
    let is_guess = cues::holds(&plain, &HEDGE) || lead.ends_with('?');
    let finds = cues::holds(&cues::plain(&own_words(&turn.request)), &DIAGNOSIS) || cues::holds(&plain, &FINDING);
    match (finds && !is_guess, turn.files.is_empty()) {
        (true, _) => OutcomeKind::Found,
        (false, false) => OutcomeKind::Done,
        (false, true) => OutcomeKind::Answered,
    }
}

/// Whether a request asks for something: thanks and a word of agreement do not. Of a turn whose request is not known, the answer is
/// all there is.
fn asks(request: &str) -> bool {
    request.trim().is_empty() || request.split_whitespace().count() > 2 || request.contains('?')
}

/// Whether a sentence says what is known already. What is left open is often said by both, each in their words.
fn says_same(known: &Outcome, sentence: &str) -> bool {
    alike(&known.text, sentence) || (known.kind == OutcomeKind::Open && says_the_same(&known.text, sentence))
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
    let first = closing.iter().position(|sentence| says_something(sentence))?;
    let mut found = closing.get(first)?.clone();
    // What is left open has a line of its own.
    let says_more = |next: &&String| says_something(next) && kind_of(next, Speaker::Agent) != Some(OutcomeKind::Open);
    if let Some(next) = closing.get(first + 1).filter(says_more)
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

    fn extract(turn: &Turn) -> Vec<Outcome> {
        extract_after(turn, "")
    }

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
    fn what_is_left_open_is_said_once() {
        let closing = "The CSV export of invoices remains to be done.";
        let turn = |request: &str| Turn { request: request.into(), closing: closing.into(), ..Turn::default() };
        let open = "Open: The CSV export of invoices remains to be done.";
        assert_eq!(lines(&turn("what about the csv export?")), [format!("{open} — what about the csv export?")]);
        assert_eq!(lines(&turn("The CSV export still needs to be done.")).len(), 1);
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
