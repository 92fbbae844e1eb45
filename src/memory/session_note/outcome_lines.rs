//! The lines of outcomes in a session's section.

use super::{NotedTurn, UNTICKED, one_line};
use tars_base::domain::{Outcome, OutcomeKind};
use tars_text::cleaning::truncated;

/// Maximum number of things in the line of what was merely done, and the length of each in characters.
const MAX_ALSO: usize = 8;
const MAX_ALSO_LENGTH: usize = 80;

/// Returns the line of an outcome.
pub(super) fn line_of(turn: &NotedTurn, outcome: &Outcome) -> String {
    let text = one_line(&outcome.line(turn.branch.as_deref()));
    // An open end becomes a task, so that a person can tick it.
    let mark = if outcome.kind == OutcomeKind::Open { UNTICKED } else { "-" };
    format!("{mark} {} {text}", turn.time.strftime("%H:%M"))
}

/// Returns the lines of turns: what lasts, in its order, then what was merely done, in one line a branch.
pub(super) fn lines_of(turns: &[&NotedTurn]) -> Vec<String> {
    let outcomes = turns.iter().flat_map(|turn| turn.outcomes.iter().map(move |outcome| (*turn, outcome)));
    let (done, lasting): (Vec<_>, Vec<_>) = outcomes.partition(|(_, outcome)| outcome.kind == OutcomeKind::Done);
    let mut branches: Vec<Option<&String>> = Vec::new();
    for (turn, _) in &done {
        if !branches.contains(&turn.branch.as_ref()) {
            branches.push(turn.branch.as_ref());
        }
    }
    let also = branches.into_iter().filter_map(|branch| {
        let done = done.iter().filter(|(turn, _)| turn.branch.as_ref() == branch);
        let (turn, _) = done.clone().next_back()?;
        let said: Vec<String> = done.map(|(_, outcome)| short_form(&outcome.text)).collect();
        let text = if said.len() > MAX_ALSO {
            format!("{}; and {} more", said[..MAX_ALSO].join("; "), said.len() - MAX_ALSO)
        } else {
            said.join("; ")
        };
        Some(line_of(turn, &Outcome { kind: OutcomeKind::Also, text, about: None }))
    });
    lasting.iter().map(|(turn, outcome)| line_of(turn, outcome)).chain(also).collect()
}

/// Returns an outcome in a few words, without the list of files. The session's log has the whole.
pub fn short_form(done: &str) -> String {
    let said = done.split_once(" (`").map_or(done, |(said, _)| said);
    truncated(said.trim_end_matches(['.', '!', ':', '。']), MAX_ALSO_LENGTH)
}
