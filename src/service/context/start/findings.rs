//! Findings of earlier days, for the room that the rest of a session's start leaves.
//!
//! A cause that was found last week saves finding it again, whatever the words of the next prompt. Only the newest of the findings about
//! one subject comes.

use jiff::ToSpan;

use super::super::memory::{Logs, may_hold};
use super::super::{Chosen, ProjectRef};
use super::{DECISION_DAYS, short};
use crate::{Service, VAULT};
use tars_agent::context_block::{Keep, Piece};
use tars_agent::digest::same_subject;
use tars_agent::project::Branches;
use tars_base::domain::OutcomeKind;
use tars_memory::{LogLine, day_file, logged_days};

/// Most findings.
const MAX_FINDINGS: usize = 12;
/// Most days with a log that are looked at: a person waits.
const MAX_DAYS: usize = 10;

/// Returns findings of the project before today that fit `room`, in the short form if lines were left out before. Those that the agent was
/// shown before (`has_seen`) and those about the subject of a line of `shown` do not come.
pub(super) fn findings(
    service: &Service<'_>,
    logs: &Logs<'_>,
    own: ProjectRef<'_>,
    branches: Option<&Branches>,
    (shown, mut room, is_short): (&[Chosen], usize, bool),
    has_seen: &dyn Fn(&str) -> bool,
) -> Vec<Chosen> {
    let today = service.app().environment.clock.today();
    let first = today.saturating_sub(DECISION_DAYS.days());
    let Ok(folder) = service.app().memory_folder() else { return Vec::new() };
    let mut days = logged_days(&folder).unwrap_or_default();
    days.retain(|day| (first..today).contains(day));
    days.sort_unstable();
    let is_meant = |line: &LogLine| {
        matches!(line.kind, Some(OutcomeKind::Found | OutcomeKind::RuledOut))
            && line.section.anchor.is_some()
            && line.section.project.is(own.0, own.1)
            && !line.is_unconfirmed
            && may_hold(line, branches.map(|branches| (branches, own)))
    };
    let lines = shown.iter().flat_map(|one| one.piece.numbered());
    let mut said: Vec<String> = lines.map(|(_, line)| line.to_owned()).collect();
    let (mut chosen, mut count, mut is_full) = (Vec::new(), 0, false);
    for day in days.into_iter().rev().take(MAX_DAYS) {
        // Days before a finding that does not fit are not read either.
        if is_full || count >= MAX_FINDINGS {
            break;
        }
        let Ok(file) = day_file(&folder, day) else { continue };
        let Some(log) = logs.read(&file).filter(|log| log.lines.iter().any(is_meant)) else { continue };
        let Some(whole) = log.piece(&folder.vault_path(&file), day, Keep::Start) else { continue };
        let mut found: Vec<&LogLine> = log.lines.iter().rev().filter(|line| is_meant(line)).collect();
        found.sort_by_key(|line| line.kind == Some(OutcomeKind::RuledOut));
        let (mut numbers, mut best): (Vec<usize>, Option<Piece>) = Default::default();
        for line in found {
            let text = line.text_without_request();
            let is_said = |known: &String| known.contains(text) || same_subject(known, text);
            if count >= MAX_FINDINGS || said.iter().any(is_said) {
                continue;
            }
            numbers.push(line.number);
            let piece = whole.without(|number, _| !numbers.contains(&number));
            let piece = piece.map(|piece| if is_short { short(&piece) } else { piece });
            let piece = piece.and_then(|piece| piece.without(|_, line| has_seen(line)));
            if piece.as_ref().is_none_or(|piece| piece.cost() > room) {
                numbers.pop();
                is_full |= piece.is_some();
                continue;
            }
            (best, count) = (piece, count + 1);
            said.push(text.to_owned());
        }
        if let Some(piece) = best {
            room -= piece.cost();
            chosen.push(Chosen { collection: VAULT.to_owned(), piece, score: None });
        }
    }
    chosen
}
